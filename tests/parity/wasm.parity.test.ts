// The package equals the reference to the bit over generated inputs, and it keeps the laws of
// ranking, merging and configuration.

import fc from "fast-check";
import * as nous from "nous-wasm";
import { FSRSAlgorithm } from "ts-fsrs";
import { describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import {
  makeCandidates,
  makeColumns,
  makeMetrics,
  makeRandom,
  NOW,
  pick,
  SUBTYPES,
} from "../../js/reference/inputs.ts";
import { amount, runs, SEED } from "../support/amount.ts";
import {
  type Batch,
  batch,
  batches,
  candidates as candidatesOf,
  decayInput,
  instant,
  intentOptions,
  maxTokens,
  memoryRows,
  mergeOptions,
  metrics as metricsOf,
  query,
  subResults,
  weights as weightsOf,
} from "./inputs/arbitraries.ts";
import { EDGE_TYPES } from "./inputs/graphs.ts";
import { inputs } from "./inputs/math-inputs.mjs";
import { same } from "./support/same.ts";

const DAY = 86_400_000;

/**
 * The places where two functions of the same arguments differ; the tests expect an empty list, and
 * a failing list stays short.
 */
function expectSame(actual: unknown, expected: unknown): void {
  const difference = same(actual, expected);
  if (difference !== null) expect.fail(difference);
}

/** Lone surrogates → U+FFFD: text crosses into the module as UTF-8. */
const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, "\uFFFD");

type Rerank = Pick<typeof reference, "rerankCandidates" | "rerankTop" | "rerankWithSectionWeights">;

/**
 * The first difference between a ranker and the reference; a ranker must return the very node
 * objects that it was given.
 */
function difference(
  ranker: Rerank,
  { candidates, metrics, weights, now, limit }: Batch,
): string | null {
  const bySection = reference.rerankWithSectionWeights(candidates, metrics, now);
  const global = reference.rerankCandidates(candidates, metrics, undefined, now);
  const weighed =
    weights === undefined ? global : reference.rerankCandidates(candidates, metrics, weights, now);
  const top = (options: reference.RerankTopOptions) =>
    ranker.rerankTop(candidates, metrics, { now, ...options });
  const all = Number.POSITIVE_INFINITY;
  return (
    differs(ranker.rerankWithSectionWeights(candidates, metrics, now), bySection) ??
    differs(ranker.rerankCandidates(candidates, metrics, undefined, now), global) ??
    differs(ranker.rerankCandidates(candidates, metrics, weights, now), weighed) ??
    differs(top({}), bySection.slice(0, 20)) ??
    differs(top({ limit }), bySection.slice(0, limit)) ??
    differs(top({ limit, sections: false }), global.slice(0, limit)) ??
    differs(
      top({ limit, weights }),
      (weights === undefined ? bySection : weighed).slice(0, limit),
    ) ??
    differs(top({ limit: all, weights, sections: false }), weighed)
  );
}

function differs(actual: reference.RankedNode[], expected: reference.RankedNode[]): string | null {
  if (actual.length !== expected.length)
    return `${actual.length} results instead of ${expected.length}`;
  for (const [place, { node, ...rest }] of expected.entries()) {
    const { node: found, ...foundRest } = actual[place]!;
    if (found !== node) return `place ${place}: ${found.id} instead of ${node.id}`;
    const path = same(foundRest, rest, `place ${place}`);
    if (path !== null) return path;
  }
  return null;
}

describe("ranking equals the reference's", () => {
  test("over generated batches, through every function", () => {
    let index = 0;
    for (const batch of batches(amount(20_000), SEED)) {
      const found = difference(nous, batch);
      if (found !== null) expect.fail(`batch ${index}: ${found}`);
      index++;
    }
  });

  test("over arbitrary batches", () => {
    fc.assert(
      fc.property(batch(), (arbitrary) => {
        const found = difference(nous, arbitrary);
        if (found !== null) expect.fail(found);
      }),
      runs(500),
    );
  });

  test("over the benchmark inputs, of each size around a power of two and up to 50,000", () => {
    for (const count of [
      1, 2, 3, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1000, 1024, 4096, 10_000, 50_000,
    ]) {
      const candidates = makeCandidates(count, count, {
        instants: count % 2 === 0 ? "date" : "ms",
      });
      const batch = {
        candidates,
        metrics: makeMetrics(count, count),
        weights: undefined,
        now: NOW,
        limit: 20,
      };
      expect(difference(nous, batch)).toBeNull();
    }
  });

  test("over equal scores, one outlier, ascending and descending scores", () => {
    const [first, ...rest] = makeCandidates(400, 5);
    const scored = (score: (place: number) => number) =>
      rest.map(({ id }, place) => ({ ...first!, id, semantic_score: score(place) }));
    const forms = [
      scored(() => 0.5),
      [...rest, { ...first!, id: "far", semantic_score: 1e300 }, ...scored(() => 0.25)],
      scored((place) => place),
      scored((place) => -place),
      scored((place) => (place % 2 === 0 ? -0 : 0)),
      scored((place) => 1 + place * Number.EPSILON),
    ];
    for (const candidates of forms) {
      for (const limit of [1, 30, 70, 398, 399, 400, 5000]) {
        const batch = {
          candidates,
          metrics: makeMetrics(300, 5),
          weights: undefined,
          now: NOW,
          limit,
        };
        expect(difference(nous, batch)).toBeNull();
      }
    }
  });

  test("over every whole day from the farthest future to the age where recency vanishes, and every access count", () => {
    const node = makeCandidates(1, 1)[0]!;
    const candidates = Array.from({ length: 26_000 }, (_, i) => ({
      ...node,
      id: `n_${i}`,
      last_accessed: NOW - (i - 2000) * DAY,
      created_at: NOW - (i % 10) * DAY,
      access_count: i % 1024,
      inbound_edge_count: i % 37,
    }));
    const batch = {
      candidates,
      metrics: makeMetrics(100, 1),
      weights: undefined,
      now: NOW,
      limit: 500,
    };
    expect(difference(nous, batch)).toBeNull();
  });

  test("without `now`, by the clock", () => {
    const node = { id: "a", last_accessed: Date.now() - 3.5 * DAY, created_at: Date.now() - DAY };
    const candidates = [{ ...node, access_count: 4, inbound_edge_count: 1 }];
    const answers = (from: Rerank) => [
      from.rerankWithSectionWeights(candidates, makeMetrics(1, 1)),
      from.rerankCandidates(candidates, makeMetrics(1, 1)),
      from.rerankTop(candidates, makeMetrics(1, 1)),
    ];
    expectSame(answers(nous), answers(reference));
    expectSame(nous.recencyScore(node.last_accessed), reference.recencyScore(node.last_accessed));
  });
});

describe("single values equal the reference's", () => {
  const ODD = [
    0,
    -0,
    1,
    -1,
    5e-324,
    0.1,
    0.5,
    1e-9,
    1e300,
    -1e300,
    Number.NaN,
    Infinity,
    -Infinity,
  ];
  const number = fc.oneof(
    fc.constantFrom(...ODD),
    fc.double(),
    fc.double({ min: -2, max: 2 }),
    fc.integer(),
  );
  const day = fc.oneof(
    number,
    fc.constantFrom(59.9, 60, 119.9, 120, 239.9, 240),
    fc.double({ min: 0, max: 400 }),
  );
  const type = fc.constantFrom(
    ...Object.keys(reference.INITIAL_STABILITY),
    ...["", "Concept", "constructor", "__proto__", "toString"],
  );
  const subtype = fc.oneof(
    fc.constantFrom(
      ...SUBTYPES,
      null,
      "",
      "custom:LESSON",
      "lesson",
      "constructor",
      "__proto__",
      "hasOwnProperty",
    ),
    fc.string({ unit: "binary" }),
    fc.string().map((text) => `custom:${text}`),
  );
  const decay = fc.oneof(
    fc.constantFrom(...Object.values(reference.SECTION_PROFILES).map((profile) => profile.decay)),
    fc.record({
      initial_stability_days: number,
      growth_rate: number,
      active_threshold: number,
      weak_threshold: number,
      max_stability_days: number.map((days) => days + 0),
    }),
  );
  const moment = fc.oneof(instant, number, fc.constant(new Date(Number.NaN)));
  const scored = fc.record({
    id: fc.constant("a"),
    semantic_score: fc.option(number),
    bm25_score: fc.option(number),
    graph_score: fc.option(number),
    last_accessed: moment,
    created_at: moment,
    access_count: number,
    inbound_edge_count: number,
  });

  /**
   * A function of the package and its counterpart of the reference, by name, and the arguments that
   * it takes.
   */
  const CASES: [string, fc.Arbitrary<readonly unknown[]>][] = [
    ["calculateRetrievability", fc.tuple(day, day)],
    ["getDecayLifecycleState", fc.tuple(number, day)],
    ["getDecayLifecycleStateForSection", fc.tuple(number, day, decay)],
    ["updateStabilityOnAccess", fc.tuple(day, number)],
    ["updateStabilityOnAccessForSection", fc.tuple(day, number, decay)],
    ["applyCascadeDecay", fc.tuple(number, number)],
    [
      "calculateDifficulty",
      fc.tuple(type, fc.oneof(number, fc.nat(20_000)), fc.oneof(number, fc.nat(100))),
    ],
    ["getInitialStability", fc.tuple(type)],
    ["getInitialDifficulty", fc.tuple(type)],
    ["getInitialEdgeStrength", fc.tuple(fc.oneof(fc.constantFrom(...EDGE_TYPES), fc.string()))],
    ["getSectionForSubtype", fc.tuple(subtype)],
    ["getInitialStabilityForSubtype", fc.tuple(subtype)],
    ["semanticScore", fc.tuple(scored)],
    ["keywordScore", fc.tuple(scored, number, fc.oneof(fc.nat(3), fc.nat()))],
    ["graphScore", fc.tuple(scored)],
    ["recencyScore", fc.tuple(moment, moment)],
    ["authorityScore", fc.tuple(number, number)],
    ["affinityScore", fc.tuple(number, moment, moment, moment)],
  ];

  test.each(CASES)("%s", (name, args) => {
    type Functions = Record<string, (...args: readonly unknown[]) => unknown>;
    const ours = (nous as unknown as Functions)[name]!;
    const theirs = (reference as unknown as Functions)[name]!;
    fc.assert(
      fc.property(args, (given) => expectSame(ours(...given), theirs(...given))),
      runs(2000),
    );
  });

  test("growth by salience, where it counts and where it does not", () => {
    const staked = nous.createEngine({ salienceGrowth: true });
    const plain = nous.createEngine({ salienceGrowth: false });
    const salience = fc.oneof(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom(0, 0.1, 0.5, 1, null, undefined),
    );
    fc.assert(
      fc.property(
        day,
        number,
        decay,
        number,
        salience,
        (days, difficulty, profile, r, salience) => {
          const { updateStabilityOnAccess, updateStabilityOnAccessForSection } = reference;
          const known = salience ?? undefined;
          expectSame(
            [
              staked.updateStabilityOnAccess(days, difficulty, r, salience),
              staked.updateStabilityOnAccessForSection(days, difficulty, profile, r, salience),
              plain.updateStabilityOnAccess(days, difficulty, r, salience),
              plain.updateStabilityOnAccessForSection(days, difficulty, profile, r, salience),
            ],
            [
              updateStabilityOnAccess(days, difficulty, known),
              updateStabilityOnAccessForSection(days, difficulty, profile, known),
              updateStabilityOnAccess(days, difficulty),
              updateStabilityOnAccessForSection(days, difficulty, profile),
            ],
          );
        },
      ),
      runs(amount(5000)),
    );
  });

  test("every subtype of the table, and each with a letter added, removed or in the other case", () => {
    for (const subtype of Object.keys(reference.SUBTYPE_TO_SECTION)) {
      for (const name of [
        subtype,
        `${subtype}s`,
        subtype.slice(0, -1),
        subtype.slice(7),
        subtype.toUpperCase(),
      ]) {
        expect(nous.getSectionForSubtype(name)).toBe(reference.getSectionForSubtype(name));
        expect(nous.getInitialStabilityForSubtype(name)).toBe(
          reference.getInitialStabilityForSubtype(name),
        );
      }
    }
  });
});

describe("exp and tanh equal the reference's", () => {
  const MILLION = inputs("all", 1_000_000);
  /** Same as `toBe`, which is too slow for a million calls. */
  const expectIs = (of: string, x: number, actual: number, expected: number) => {
    if (!Object.is(actual, expected)) expect.fail(`${of}(${x}) is ${actual}, not ${expected}`);
  };

  test("exp of a million arguments", () => {
    for (const x of MILLION) expectIs("exp", x, nous.calculateRetrievability(-x, 1), Math.exp(x));
  });

  test("tanh of a million arguments", () => {
    for (const x of MILLION) {
      const expected = Math.min(Math.tanh((x * 10) / 10) * Math.exp(-0 / 30) + 0, 1);
      expectIs("tanh", x, nous.affinityScore(x * 10, 0, NOW, NOW), expected);
    }
  });

  test("exp of a million arguments, in columns", () => {
    const now = 0;
    const lastAccessed = MILLION.filter((x) => Math.abs(x) <= 1e8).map(
      (x) => now - Math.abs(x) * DAY,
    );
    const stability = lastAccessed.map((_, i) => (i % 3 === 0 ? 1 : 0.1 + (i % 997) / 7));
    const section = new Uint8Array(lastAccessed.length);
    const { retrievability } = nous.decayColumns({ lastAccessed, stability, section }, now);
    expect(lastAccessed.length).toBeGreaterThan(600_000);
    for (const [i, last] of lastAccessed.entries()) {
      const t = Math.max(0, (now - last) / DAY);
      expectIs("exp", -t / stability[i]!, retrievability[i]!, Math.exp(-t / stability[i]!));
    }
  });
});

describe("decay in columns equals the reference's", () => {
  const NUMBERS = [Float64Array, Float32Array, Int32Array, Uint32Array, Array] as const;
  const CODES = [Uint8Array, Uint8ClampedArray, Int8Array, Float64Array, Array] as const;
  const as = (kind: { from(list: ArrayLike<number>): ArrayLike<number> }, list: number[]) =>
    kind.from(list);

  test("over arbitrary columns", () => {
    fc.assert(
      fc.property(
        decayInput,
        fc.constantFrom<nous.Instant>(NOW, new Date(NOW), NOW + 0.5),
        (columns, now) => {
          const expected = reference.decayColumns(columns, now as Date);
          expectSame(nous.decayColumns(columns as nous.DecayColumns, now), expected);
        },
      ),
      runs(500),
    );
  });

  test("of every length up to 40 and some thousands, and of every kind of list", () => {
    const random = makeRandom(SEED);
    for (const length of [...Array(41).keys(), 1000, 4095, 4096, 4097]) {
      const times = Array.from({ length }, () => Math.floor(random() * 2 ** 31));
      const days = Array.from(
        { length },
        () => pick(random, [0, 1, 2, 14, 60, 365]) * (random() < 0.5 ? 1 : random()),
      );
      const codes = Array.from({ length }, () => Math.floor(random() * 4));
      for (const kind of NUMBERS) {
        for (const codeKind of CODES) {
          const columns = {
            lastAccessed: as(kind, times),
            stability: as(kind, days),
            section: as(codeKind, codes),
          };
          for (const now of [2 ** 31 + 100 * DAY, 2 ** 30]) {
            expectSame(
              nous.decayColumns(columns as nous.DecayColumns, now),
              reference.decayColumns(columns, now),
            );
          }
        }
      }
    }
  });

  test("of 100,000 nodes, and parts of longer arrays", () => {
    const { lastAccessed, stability, section } = makeColumns(100_000, 3);
    const [times, days] = [Float64Array.from(lastAccessed), Float64Array.from(stability)];
    for (const [from, to] of [
      [0, 100_000],
      [7, 1001],
      [99_999, 100_000],
      [5, 5],
    ] as const) {
      const codes = Uint8Array.from(section).subarray(from, to);
      const columns = {
        lastAccessed: times.subarray(from, to),
        stability: days.subarray(from, to),
        section: codes,
      };
      expectSame(nous.decayColumns(columns, NOW), reference.decayColumns(columns, NOW));
    }
  });
});

describe("FSRS-6", () => {
  const engine = nous.createEngine({ curve: "fsrs6" });
  const theirs = new FSRSAlgorithm({});
  /** ts-fsrs rounds to 8 decimals. */
  const HALF_A_DECIMAL = 5.001e-9;
  const expectClose = (actual: number, expected: number, max = HALF_A_DECIMAL) => {
    if (!(Math.abs(actual - expected) <= max)) expect.fail(`${actual} is not ${expected}`);
  };
  const days = fc.oneof(fc.nat(40_000), fc.double({ min: 0, max: 4000, noNaN: true }));
  const stability = fc.double({ min: 0.001, max: 36_500, noNaN: true });

  test("has the forgetting curve of ts-fsrs, for one memory and in columns", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(days, stability), { minLength: 1, maxLength: 20 }), (rows) => {
        const { retrievability } = engine.decayColumns(
          {
            lastAccessed: rows.map(([t]) => NOW - t * DAY),
            stability: rows.map(([, s]) => s),
            section: rows.map(() => 0),
          },
          NOW,
        );
        for (const [i, [t, s]] of rows.entries()) {
          expectClose(engine.calculateRetrievability(t, s), theirs.forgetting_curve(t, s));
          // Columns hold instants, whose last bit is a few microseconds: compare with the days that
          // these instants give.
          const left = (NOW - (NOW - t * DAY)) / DAY;
          expectClose(retrievability[i]!, theirs.forgetting_curve(left, s));
        }
      }),
      runs(1000),
    );
    expect(engine.calculateRetrievability(7, 7)).toBeCloseTo(0.9, 8);
    expect(engine.calculateRetrievability(0, 7)).toBe(1);
    expect(engine.calculateRetrievability(7, 0)).toBe(0);
  });

  test("has the growth of ts-fsrs for a recall rated Good, with difficulty spread over 1 to 10, capped", () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    const good = (s: number, difficulty: number, r: number) =>
      theirs.next_recall_stability(1 + difficulty * 9, s, r, 3);
    fc.assert(
      fc.property(
        fc.double({ min: 0.1, max: 3000, noNaN: true }),
        unit,
        unit,
        (s, difficulty, r) => {
          expectClose(
            engine.updateStabilityOnAccess(s, difficulty, r),
            Math.min(good(s, difficulty, r), 365),
            1.001e-8,
          );
          const { decay } = nous.SECTION_PROFILES.SIGNALS;
          const grown = engine.updateStabilityOnAccessForSection(s, difficulty, decay, r);
          expectClose(grown, Math.min(good(s, difficulty, r), 30), 1.001e-8);
          expect(engine.updateStabilityOnAccess(s, difficulty)).toBe(
            engine.updateStabilityOnAccess(s, difficulty, 0.9),
          );
        },
      ),
      runs(1000),
    );
  });

  test("scales the growth of a recall by the salience, and never shrinks stability", () => {
    const staked = nous.createEngine({ curve: "fsrs6", salienceGrowth: true });
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        fc.double({ min: 0.1, max: 300, noNaN: true }),
        unit,
        unit,
        unit,
        (s, difficulty, r, salience) => {
          const added = theirs.next_recall_stability(1 + difficulty * 9, s, r, 3) - s;
          const expected = s + added * (1 + (salience - 0.5) * 0.5);
          const grown = staked.updateStabilityOnAccess(s, difficulty, r, salience);
          expectClose(grown, Math.min(expected, 365), 1.2e-8);
          expect(grown).toBeGreaterThanOrEqual(s - HALF_A_DECIMAL);
          const { decay } = nous.SECTION_PROFILES.SIGNALS;
          const inSection = staked.updateStabilityOnAccessForSection(
            s,
            difficulty,
            decay,
            r,
            salience,
          );
          expect(inSection).toBe(
            Math.min(staked.updateStabilityOnAccess(s, difficulty, r, salience), 30),
          );
          for (const none of [0.5, null, undefined]) {
            expect(staked.updateStabilityOnAccess(s, difficulty, r, none)).toBe(
              engine.updateStabilityOnAccess(s, difficulty, r, salience),
            );
          }
        },
      ),
      runs(1000),
    );
  });

  test("replaces only the curve", () => {
    const candidates = makeCandidates(50, 8);
    const now = NOW;
    const metrics = makeMetrics(50, 8);
    const fields = { candidates, metrics, weights: undefined, now, limit: 5 };
    expect(difference(engine as unknown as Rerank, fields)).toBeNull();
  });

  test("converts stabilities between the curves: both pass 0.9 after the same time", () => {
    fc.assert(
      fc.property(stability, (s) => {
        const exponential = nous.exponentialStabilityFromFsrs(s);
        expect(exponential / s).toBeCloseTo(9.4912, 4);
        expect(nous.calculateRetrievability(s, exponential)).toBeCloseTo(0.9, 12);
        expect(s / nous.fsrsStabilityFromExponential(s)).toBeCloseTo(9.4912, 4);
        expect(nous.fsrsStabilityFromExponential(exponential) / s).toBeCloseTo(1, 12);
      }),
      runs(),
    );
  });
});

describe("intent equals the reference's", () => {
  test("by both matchers, explained or not", () => {
    fc.assert(
      fc.property(query, intentOptions, (text, { strings: _, ...options }) => {
        const { matcher } = options;
        expect(nous.classifyIntent(text)).toEqual(reference.classifyIntent(text));
        expect(nous.classifyIntent(text, { matcher })).toEqual(
          reference.classifyIntent(text, { matcher }),
        );
        const explain = true as const;
        const evidence = nous.classifyIntent(text, { matcher, explain });
        expectSame(evidence, reference.classifyIntent(text, { matcher, explain }));
      }),
      runs(1500),
    );
  });

  test("by the user's own strings", () => {
    // White space at the edges of a string belongs to the string, but not to the words and phrases
    // in it.
    const unique = (strings: readonly string[] | undefined, matcher: string | undefined) => {
      const texts = strings?.map(wellFormed).filter((string) => string.trim() !== "");
      const spoken = matcher === "words" ? texts?.map((string) => string.trim()) : texts;
      const lower = spoken?.map((string) => string.toLowerCase());
      return spoken?.filter((string, i) => lower!.indexOf(string.toLowerCase()) === i);
    };
    fc.assert(
      fc.property(
        fc.array(query, { maxLength: 2 }),
        intentOptions,
        (texts, { matcher, strings = {} }) => {
          const own = Object.fromEntries(
            reference.MEMORY_SECTIONS.map((section) => [
              section,
              unique(strings[section], matcher),
            ]),
          );
          const engine = nous.createEngine({ intent: { matcher, strings: own } });
          const all = Object.values(own).flatMap((list) => list ?? []);
          for (const text of [...texts, all.join(" "), all.join("")].map(wellFormed)) {
            const explain = true as const;
            const expected = reference.classifyIntent(text, { matcher, explain, strings: own });
            expectSame(engine.classifyIntent(text, { explain }), expected);
            expect(engine.classifyIntent(text)).toEqual(expected.map(({ section }) => section));
            if (matcher === "words") {
              const options = { matcher: "substring", explain } as const;
              const inside = reference.classifyIntent(text, { ...options, strings: own });
              expectSame(engine.classifyIntent(text, options), inside);
            }
          }
        },
      ),
      runs(150),
    );
  });
});

describe("merging equals the reference's", () => {
  const frozen = <T>(value: T): T => {
    if (typeof value === "object" && value !== null) {
      Object.freeze(value);
      for (const entry of Object.values(value)) frozen(entry);
    }
    return value;
  };

  test("from arrays and maps, and frozen inputs stay unchanged", () => {
    fc.assert(
      fc.property(subResults, mergeOptions, (groups, options) => {
        const before = structuredClone(groups);
        const expected = reference.mergeAndSelect(groups, options);
        expectSame(nous.mergeAndSelect(frozen(groups), frozen(options)), expected);
        expectSame(nous.mergeAndSelect(new Map(groups), options), expected);
        expectSame(groups, before);
      }),
      runs(3000),
    );
  });

  test("of thousands of rows", () => {
    const random = makeRandom(SEED);
    for (const maxResults of [1, 20, 5000]) {
      const groups = Array.from({ length: 12 }, (_, group): [string, reference.MergeRow[]] => [
        `sub-query ${group}`,
        Array.from({ length: 600 }, () => ({
          id: `n_${Math.floor(random() * 3000)}`,
          score: Math.round(random() * 500) / 500,
          subtype: pick(random, SUBTYPES),
        })),
      ]);
      const options = { query: "which signals and lessons", relevanceRatio: 0.3, maxResults };
      expectSame(nous.mergeAndSelect(groups, options), reference.mergeAndSelect(groups, options));
    }
  });

  test("of pairs that were recalled together", () => {
    const node = fc.record(
      {
        id: fc.nat(12).map((id) => `n_${id}`),
        _sub_query_group: fc.constantFrom(0, 1, 2, undefined),
      },
      { requiredKeys: ["id"] },
    );
    fc.assert(
      fc.property(fc.array(node, { maxLength: 25 }), (selected) => {
        expectSame(nous.coRecallPairs(frozen(selected)), reference.coRecallPairs(selected));
      }),
      runs(1000),
    );
  });
});

test("context lines equal the reference's", () => {
  fc.assert(
    fc.property(
      memoryRows,
      fc.option(maxTokens, { nil: undefined }),
      fc.boolean(),
      (rows, max, emptyAsMissing) => {
        expectSame(nous.formatContext(rows, max), reference.formatContext(rows, max));
        const options = { emptyAsMissing };
        expectSame(
          nous.formatContext(rows, max, options),
          reference.formatContext(rows, max, options),
        );
      },
    ),
    runs(amount(5000)),
  );
});

describe("constants are the reference's, in its order, and frozen", () => {
  const { DECAY_LIFECYCLE_STATES, MEMORY_SECTIONS, SECTION_PROFILES } = reference;
  test.each([
    ["MEMORY_SECTIONS", nous.MEMORY_SECTIONS, MEMORY_SECTIONS],
    ["LIFECYCLE_STATES", nous.LIFECYCLE_STATES, DECAY_LIFECYCLE_STATES],
    ["RERANKING_WEIGHTS", nous.RERANKING_WEIGHTS, reference.RERANKING_WEIGHTS],
    ["DECAY_CONFIG", nous.DECAY_CONFIG, reference.DECAY_CONFIG],
    ["INITIAL_STABILITY", nous.INITIAL_STABILITY, reference.INITIAL_STABILITY],
    ["INITIAL_DIFFICULTY", nous.INITIAL_DIFFICULTY, reference.INITIAL_DIFFICULTY],
    ["SECTION_PROFILES", nous.SECTION_PROFILES, SECTION_PROFILES],
    ["SUBTYPE_TO_SECTION", nous.SUBTYPE_TO_SECTION, reference.SUBTYPE_TO_SECTION],
    [
      "SUBTYPE_INITIAL_STABILITY",
      nous.SUBTYPE_INITIAL_STABILITY,
      reference.SUBTYPE_INITIAL_STABILITY,
    ],
  ] as [string, object, object][])("%s", (_, actual, expected) => {
    expectSame(actual, expected);
    expect(JSON.stringify(actual)).toBe(JSON.stringify(expected));
    const parts = (value: unknown): object[] =>
      typeof value === "object" && value !== null
        ? [value, ...Object.values(value).flatMap(parts)]
        : [];
    expect(parts(actual).every(Object.isFrozen)).toBe(true);
  });
});

describe("laws of ranking", () => {
  const context = { metrics: metricsOf, now: fc.constantFrom(NOW, NOW + 3 * DAY) };

  test("a ranking is a permutation, highest score first, and equal scores keep their order", () => {
    fc.assert(
      fc.property(candidatesOf(), fc.record(context), (candidates, { metrics, now }) => {
        const place = new Map(candidates.map((node, i) => [node, i]));
        for (const ranking of [
          nous.rerankWithSectionWeights(candidates, metrics, now),
          nous.rerankCandidates(candidates, metrics, undefined, now),
        ]) {
          expect(new Set(ranking.map(({ node }) => node))).toEqual(new Set(candidates));
          expect(ranking.length).toBe(candidates.length);
          for (const [i, after] of ranking.slice(1).entries()) {
            const before = ranking[i]!;
            const inOrder = place.get(before.node)! < place.get(after.node)!;
            expect(before.score > after.score || (before.score === after.score && inOrder)).toBe(
              true,
            );
          }
        }
      }),
      runs(),
    );
  });

  test("the top of a ranking is its head", () => {
    fc.assert(
      fc.property(batch(120), ({ candidates, metrics, weights, now, limit }) => {
        const whole = nous.rerankWithSectionWeights(candidates, metrics, now);
        expectSame(nous.rerankTop(candidates, metrics, { now, limit }), whole.slice(0, limit));
        const weighed = nous.rerankCandidates(candidates, metrics, weights, now);
        const top = nous.rerankTop(candidates, metrics, { now, limit, weights, sections: false });
        expectSame(top, weighed.slice(0, limit));
      }),
      runs(),
    );
  });

  test("candidates of one section rank as by that section's weights", () => {
    const subtype = fc.constantFrom(...Object.keys(reference.SUBTYPE_TO_SECTION), "unheard of");
    fc.assert(
      fc.property(
        candidatesOf(),
        subtype,
        fc.record(context),
        (nodes, subtype, { metrics, now }) => {
          const candidates = nodes.map((node) => ({ ...node, subtype }));
          const weights =
            nous.SECTION_PROFILES[nous.getSectionForSubtype(subtype)].reranking_weights;
          const bySection = nous.rerankWithSectionWeights(candidates, metrics, now);
          expectSame(bySection, nous.rerankCandidates(candidates, metrics, weights, now));
        },
      ),
      runs(),
    );
  });

  test("signals do not depend on weights", () => {
    fc.assert(
      fc.property(
        candidatesOf(20),
        weightsOf,
        fc.record(context),
        (candidates, weights, { metrics, now }) => {
          const breakdowns = (ranking: nous.RankedNode[]) =>
            new Map(ranking.map(({ node, breakdown }) => [node, breakdown]));
          const weighed = breakdowns(nous.rerankCandidates(candidates, metrics, weights, now));
          const bySection = breakdowns(nous.rerankWithSectionWeights(candidates, metrics, now));
          for (const node of candidates) expectSame(weighed.get(node), bySection.get(node));
        },
      ),
      runs(),
    );
  });
});

describe("laws of merging", () => {
  // Numbers whose products are exact, so that rounding makes no ties.
  const row = fc.record({
    id: fc.nat(30).map((id) => `n_${id}`),
    score: fc.nat(64).map((score) => score / 64),
    subtype: fc.constantFrom(...SUBTYPES),
  });
  const options = fc.record({
    relevanceRatio: fc.nat(8).map((ratio) => ratio / 8),
    maxResults: fc.constantFrom(1, 3, 20),
    query: fc.constantFrom(
      "active signals",
      "which lessons",
      "my trades and playbooks",
      "nothing of the kind",
    ),
  });
  const rows = fc.array(row, { maxLength: 30 });

  test("a memory that was selected without its boost stays selected with it, and stands no lower", () => {
    fc.assert(
      fc.property(rows, options, (results, options) => {
        const groups: [string, typeof results][] = [["all", results]];
        const plain = nous.mergeAndSelect(groups, { ...options, intentBoost: 1 });
        const boosted = nous.mergeAndSelect(groups, { ...options, intentBoost: 1.5 });
        const asked = nous.classifyIntent(options.query);
        for (const [place, { id, subtype, score }] of plain.entries()) {
          if (!asked.includes(nous.getSectionForSubtype(subtype))) continue;
          const now = boosted.findIndex((row) => row.id === id);
          expect(now >= 0 && now <= place).toBe(true);
          expect(boosted[now]).toMatchObject({
            _original_score: score,
            _intent_boosted: true,
            score: score * 1.5,
          });
        }
        for (const { subtype, _intent_boosted } of boosted) {
          expect(_intent_boosted === true).toBe(asked.includes(nous.getSectionForSubtype(subtype)));
        }
      }),
      runs(1000),
    );
  });

  test("each id is selected once, at most maxResults are, and a nonempty input gives a nonempty selection", () => {
    fc.assert(
      fc.property(fc.array(rows, { maxLength: 5 }), options, (lists, options) => {
        const selected = nous.mergeAndSelect(
          lists.map((list, i) => [`${i}`, list] as const),
          options,
        );
        expect(new Set(selected.map(({ id }) => id)).size).toBe(selected.length);
        expect(selected.length).toBeLessThanOrEqual(options.maxResults);
        expect(selected.length > 0).toBe(lists.some((list) => list.length > 0));
        for (const { _sub_query_group: group, id } of selected) {
          expect(lists[group]!.some((row) => row.id === id)).toBe(true);
        }
      }),
      runs(500),
    );
  });

  test("a second merge of merged results changes nothing", () => {
    fc.assert(
      fc.property(rows, options, (results, options) => {
        const once = nous.mergeAndSelect([["all", results]], { ...options, query: undefined });
        const twice = nous.mergeAndSelect([["all", once]], { ...options, query: undefined });
        expectSame(twice, once);
      }),
      runs(),
    );
  });
});

describe("configurations", () => {
  test("an empty one, in any form, changes nothing", () => {
    const { MEMORY_SECTIONS: _, ...none } = {
      MEMORY_SECTIONS: 0,
      sections: undefined,
      intent: { matcher: undefined },
    };
    for (const config of [
      undefined,
      {},
      none,
      { sections: { subtypes: {}, profiles: { SIGNALS: {} } } },
    ]) {
      const engine = nous.createEngine(config);
      for (const batch of batches(150, SEED))
        expect(difference(engine as unknown as Rerank, batch)).toBeNull();
      expectSame(engine.SECTION_PROFILES, nous.SECTION_PROFILES);
      expectSame(engine.SUBTYPE_TO_SECTION, nous.SUBTYPE_TO_SECTION);
      expectSame(engine.SUBTYPE_INITIAL_STABILITY, nous.SUBTYPE_INITIAL_STABILITY);
    }
    const engine = nous.createEngine({});
    fc.assert(
      fc.property(
        subResults,
        mergeOptions,
        query,
        memoryRows,
        decayInput,
        (groups, options, text, rows, columns) => {
          expectSame(engine.mergeAndSelect(groups, options), nous.mergeAndSelect(groups, options));
          expectSame(
            engine.classifyIntent(text, { explain: true }),
            nous.classifyIntent(text, { explain: true }),
          );
          expectSame(engine.formatContext(rows), nous.formatContext(rows));
          const ours = columns as nous.DecayColumns;
          expectSame(engine.decayColumns(ours, NOW), nous.decayColumns(ours, NOW));
        },
      ),
      runs(300),
    );
  });

  test("one that repeats the defaults changes nothing", () => {
    const sections = { enabled: true, intentBoost: 1.3, defaultSection: "KNOWLEDGE" } as const;
    const engine = nous.createEngine({
      sections,
      intent: { matcher: "substring" },
      curve: "exponential",
    });
    for (const batch of batches(150, SEED))
      expect(difference(engine as unknown as Rerank, batch)).toBeNull();
    expectSame(engine.SECTION_PROFILES, nous.SECTION_PROFILES);
  });

  test("one without sections uses global weights, and boosts only if a call says so", () => {
    const engine = nous.createEngine({ sections: { enabled: false } });
    for (const { candidates, metrics, now, limit } of batches(500, SEED)) {
      const global = reference.rerankCandidates(candidates, metrics, undefined, now);
      expectSame(engine.rerankWithSectionWeights(candidates, metrics, now), global);
      expectSame(engine.rerankTop(candidates, metrics, { now, limit }), global.slice(0, limit));
    }
    fc.assert(
      fc.property(subResults, mergeOptions, (groups, { sectionsEnabled: _, ...options }) => {
        const expected = reference.mergeAndSelect(groups, { ...options, sectionsEnabled: false });
        expectSame(engine.mergeAndSelect(groups, options), expected);
      }),
      runs(300),
    );
  });

  test("a moved or added subtype behaves as one of its section", () => {
    const config = {
      sections: {
        subtypes: {
          "custom:lesson": { section: "SIGNALS", stability: 3 },
          "custom:signal": { section: "PROCEDURAL" },
          "custom:größe": { section: "EPISODIC", stability: 9 },
          lesson: { section: "EPISODIC" },
        },
      },
    } as const;
    const engine = nous.createEngine(config);
    const STAND_INS: Record<string, string> = {
      "custom:lesson": "custom:watchpoint",
      "custom:signal": "custom:playbook",
      "custom:größe": "custom:trade",
      lesson: "custom:trade",
    };
    const moved = <T extends { subtype?: string | null | undefined }>(row: T): T => {
      const { subtype } = row;
      return subtype != null && Object.hasOwn(STAND_INS, subtype)
        ? { ...row, subtype: STAND_INS[subtype]! }
        : row;
    };
    const results = (ranking: nous.RankedNode[]) =>
      ranking.map(({ node, ...rest }) => ({ id: node.id, ...rest }));
    for (const { candidates, metrics, now } of batches(1000, SEED)) {
      const expected = reference.rerankWithSectionWeights(candidates.map(moved), metrics, now);
      expectSame(
        results(engine.rerankWithSectionWeights(candidates, metrics, now)),
        results(expected),
      );
    }
    fc.assert(
      fc.property(subResults, mergeOptions, (groups, options) => {
        const expected = reference.mergeAndSelect(
          groups.map(([name, rows]) => [name, rows.map(moved)] as const),
          options,
        );
        const tags = (rows: { row: string; score: number }[]) =>
          rows.map(({ row, score }) => [row, score]);
        expectSame(tags(engine.mergeAndSelect(groups, options)), tags(expected));
      }),
      runs(500),
    );
    for (const [subtype, { section, ...own }] of Object.entries(config.sections.subtypes)) {
      expect(engine.getSectionForSubtype(subtype)).toBe(section);
      const days =
        "stability" in own
          ? own.stability
          : nous.SECTION_PROFILES[section].decay.initial_stability_days;
      expect(engine.getInitialStabilityForSubtype(subtype)).toBe(days);
      expect(engine.SUBTYPE_TO_SECTION[subtype]).toBe(section);
      expect(engine.formatContext([{ subtype }])).toContain(` · ${section}]`);
    }
    expect(nous.getSectionForSubtype("custom:lesson"), "other engines stay as they are").toBe(
      "KNOWLEDGE",
    );
  });

  test("profiles, boosts and the default section follow the configuration", () => {
    const weights = {
      semantic: 0.5,
      keyword: 0.1,
      graph: 0.1,
      recency: 0.1,
      authority: 0.1,
      affinity: 0.1,
    };
    const engine = nous.createEngine({
      sections: {
        defaultSection: "SIGNALS",
        intentBoost: 2,
        profiles: {
          EPISODIC: { name: "Past", rerankingWeights: weights, intentBoost: 4 },
          SIGNALS: { decay: { activeThreshold: 0.9, initialStabilityDays: 1 } },
        },
      },
      intent: { matcher: "words", strings: { SIGNALS: ["now"] } },
    });
    expect(engine.SECTION_PROFILES.EPISODIC).toEqual({
      ...nous.SECTION_PROFILES.EPISODIC,
      name: "Past",
      reranking_weights: weights,
      intent_boost: 4,
    });
    expect(Object.isFrozen(engine.SECTION_PROFILES.EPISODIC.reranking_weights)).toBe(true);
    expect(engine.getSectionForSubtype("unheard of")).toBe("SIGNALS");
    expect(engine.getInitialStabilityForSubtype(null)).toBe(1);
    expect(engine.classifyIntent("right NOW: known")).toEqual(["SIGNALS"]);
    expect(engine.classifyIntent("a signal")).toEqual([]);

    const rows = [
      { id: "a", score: 0.5, subtype: "custom:trade" },
      { id: "b", score: 0.5, subtype: undefined },
      { id: "c", score: 0.5, subtype: "custom:lesson" },
    ];
    const merged = engine.mergeAndSelect([["q", rows]], {
      query: "my trades now",
      relevanceRatio: 0,
    });
    expect(merged.map(({ id, score }) => [id, score])).toEqual([
      ["a", 2],
      ["b", 1],
      ["c", 0.5],
    ]);

    const node = {
      id: "t",
      last_accessed: NOW,
      created_at: 0,
      access_count: 0,
      inbound_edge_count: 0,
    };
    const candidates = [{ ...node, subtype: "custom:trade", semantic_score: 0.7 }];
    const [ranked] = engine.rerankWithSectionWeights(candidates, {}, NOW);
    expectSame(
      ranked,
      reference.rerankCandidates(candidates, {} as reference.GraphMetrics, weights, NOW)[0],
    );

    const columns = { lastAccessed: [NOW - DAY / 5], stability: [1], section: [1] };
    expect(nous.LIFECYCLE_STATES[engine.decayColumns(columns, NOW).lifecycle[0]!]).toBe("WEAK");
    expect(nous.LIFECYCLE_STATES[nous.decayColumns(columns, NOW).lifecycle[0]!]).toBe("ACTIVE");
  });
});
