// With `onInvalid: "neutral"` a candidate with wrong values is ranked by its valid ones, and equals
// the reference to the bit.

import fc from "fast-check";
import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import { makeCandidates, makeMetrics, makeRandom, NOW, pick } from "../../js/reference/inputs.ts";
import { runs, SEED } from "../support/amount.ts";
import {
  candidate,
  instant,
  metrics as metricsOf,
  weights as weightsOf,
} from "./inputs/arbitraries.ts";
import { same } from "./support/same.ts";

const DAY = 86_400_000;
const { POSITIVE_INFINITY: INFINITY } = Number;
const NEUTRAL = { onInvalid: "neutral" } as const;

/** The functions as JavaScript sees them. */
// biome-ignore lint/suspicious/noExplicitAny: what types forbid is what is tested here
const js = nous as any;

/** Values of any kind, for fields that are numbers. */
const NUMBERS: readonly unknown[] = [
  ...[
    undefined,
    null,
    Number.NaN,
    INFINITY,
    -INFINITY,
    -1,
    -0.25,
    0.5,
    2.5,
    -5e-324,
    -1e300,
    Number.MAX_VALUE,
  ],
  ...[
    -Number.MAX_VALUE,
    "",
    "7",
    "0.5",
    true,
    1n,
    {},
    [],
    [1],
    Symbol("one"),
    () => 1,
    new Number(1),
  ],
];
/**
 * Values of any kind, for fields that are instants. The text is not an instant, or parses equally
 * everywhere.
 */
const MOMENTS: readonly unknown[] = [
  ...[
    undefined,
    null,
    Number.NaN,
    INFINITY,
    -INFINITY,
    8.64e15,
    -8.64e15,
    8.64e15 + 2,
    new Date(Number.NaN),
  ],
  ...[
    "",
    "yesterday",
    "not a date",
    "2026-13-01",
    "2026-03-01T25:00:00Z",
    true,
    1n,
    {},
    [],
    Symbol("now"),
    () => NOW,
  ],
  ...[{ getTime: () => "now" }, { getTime: () => 1n }],
  ...["2026-02-28", "2026-02-28T10:00:00Z", "2026-02-28T10:00:00.250+02:00", "2026-02-28 10:00:00"],
  ...[new Date(NOW - DAY), NOW - 3 * DAY, NOW + 400 * DAY, NOW + 30_000 * DAY],
];
const SUBTYPES: readonly unknown[] = [
  "custom:signal",
  "custom:lesson",
  "custom:playbook",
  "",
  7,
  {},
  null,
  undefined,
];
const IDS: readonly unknown[] = ["a", "", undefined, null, 7, {}];

const oneOf = (values: readonly unknown[], right: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...values) }, { weight: 3, arbitrary: right });
const field = (name: keyof reference.ScoredNode) => candidate.map((node) => node[name]);
const numeric = (name: keyof reference.ScoredNode) => oneOf(NUMBERS, field(name));

/** A candidate with any number of wrong or missing values. */
const doubtful: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record(
      {
        id: fc.constantFrom(...IDS),
        semantic_score: numeric("semantic_score"),
        bm25_score: numeric("bm25_score"),
        graph_score: numeric("graph_score"),
        last_accessed: oneOf(MOMENTS, instant),
        created_at: oneOf(MOMENTS, instant),
        access_count: numeric("access_count"),
        inbound_edge_count: numeric("inbound_edge_count"),
        subtype: fc.constantFrom(...SUBTYPES),
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 6, arbitrary: candidate },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(
      null,
      undefined,
      7,
      "node",
      true,
      Symbol("node"),
      [],
      () => 1,
    ),
  },
);

/**
 * A ranking equals the reference's; its nodes are the very values passed in, each once, and its
 * scores are finite.
 */
function expectRanked(
  actual: readonly nous.RankedNode[],
  expected: readonly reference.RankedNode[],
): void {
  expect(actual.length).toBe(expected.length);
  for (const [place, { node, ...rest }] of expected.entries()) {
    const { node: found, ...foundRest } = actual[place]!;
    expect(Object.is(found, node)).toBe(true);
    const difference = same(foundRest, rest, `place ${place}`);
    if (difference !== null) expect.fail(difference);
    expect(Number.isFinite(rest.score)).toBe(true);
    expect(Object.values(rest.breakdown).every(Number.isFinite)).toBe(true);
  }
}

describe("wrong values", () => {
  test("are neutral over arbitrary batches, through every function", () => {
    fc.assert(
      fc.property(
        fc.array(doubtful, { maxLength: 40 }),
        metricsOf,
        weightsOf,
        fc.constantFrom<reference.Instant>(NOW, new Date(NOW), 0, -8.64e15, 8.64e15),
        fc.nat({ max: 50 }),
        (batch, metrics, weights, now, limit) => {
          const bySection = reference.rerankNeutral(batch, metrics, undefined, now);
          const byWeights = reference.rerankNeutral(
            batch,
            metrics,
            weights ?? reference.RERANKING_WEIGHTS,
            now,
          );
          expectRanked(js.rerankWithSectionWeights(batch, metrics, now, NEUTRAL), bySection);
          expectRanked(js.rerankCandidates(batch, metrics, weights, now, NEUTRAL), byWeights);
          expectRanked(
            js.rerankTop(batch, metrics, { now, limit, ...NEUTRAL }),
            bySection.slice(0, limit),
          );
          const top = { now, limit, sections: false, weights, ...NEUTRAL };
          expectRanked(js.rerankTop(batch, metrics, top), byWeights.slice(0, limit));
        },
      ),
      runs(2000),
    );
  });

  test("leave the ranking of valid candidates unchanged", () => {
    for (const count of [0, 1, 2, 3, 64, 65, 1000, 5000]) {
      const candidates = makeCandidates(count, count, {
        instants: count % 2 === 0 ? "date" : "ms",
      });
      const metrics = makeMetrics(count, count);
      const strict = nous.rerankWithSectionWeights(candidates, metrics, NOW);
      const difference = same(
        nous.rerankWithSectionWeights(candidates, metrics, NOW, NEUTRAL),
        strict,
      );
      if (difference !== null) expect.fail(difference);
    }
  });

  test("in one of a thousand rows change no other row", () => {
    const rows = makeCandidates(1000, 7);
    const metrics = makeMetrics(1000, 7);
    const random = makeRandom(SEED);
    const byDefault = nous.rerankWithSectionWeights(rows, metrics, NOW);
    for (const wrong of ["created_at", "last_accessed", "access_count", "inbound_edge_count"]) {
      const place = Math.floor(random() * rows.length);
      const spoilt = { ...rows[place]!, [wrong]: pick(random, [null, "?", Number.NaN]) };
      const batch: nous.ScoredNode[] = rows.with(place, spoilt as reference.ScoredNode);
      expect(() => nous.rerankWithSectionWeights(batch, metrics, NOW)).toThrow(nous.NousError);
      const ranked = nous.rerankWithSectionWeights(batch, metrics, NOW, NEUTRAL);
      expect(ranked.length).toBe(rows.length);
      const others = (list: readonly nous.RankedNode[]) =>
        list.filter(({ node }) => node.id !== rows[place]!.id);
      expect(same(others(ranked), others(byDefault))).toBeNull();
    }
  });
});

describe("a neutral value", () => {
  const node = (changes: object = {}) => ({
    ...{ id: "n", semantic_score: 0.5, bm25_score: 2, graph_score: 0.25, subtype: "custom:lesson" },
    ...{ last_accessed: NOW - DAY, created_at: NOW - DAY, access_count: 3, inbound_edge_count: 1 },
    ...changes,
  });
  const breakdownOf = (
    changes: object,
    metrics: object = { avg_inbound_edges: 2 },
  ): reference.SignalBreakdown =>
    js
      .rerankWithSectionWeights([node(changes), node({ id: "other" })], metrics, NOW, NEUTRAL)
      .find((ranked: nous.RankedNode) => ranked.node.id === "n").breakdown;
  const byDefault = breakdownOf({});
  const used = Math.tanh(0.3) * Math.exp(-1 / 30);

  test.each<[field: string, values: unknown[], changed: Partial<reference.SignalBreakdown>]>([
    ["semantic_score", [Number.NaN, INFINITY, "0.5", {}], { semantic: 0 }],
    ["semantic_score", [-0.5], { semantic: -0.5 }],
    ["bm25_score", [Number.NaN, -INFINITY, "2", true], { keyword: 0 }],
    ["bm25_score", [-2], { keyword: -1 }],
    ["graph_score", [Number.NaN, INFINITY, []], { graph: 0 }],
    ["graph_score", [-0.25], { graph: -0.25 }],
    [
      "last_accessed",
      ["soon", null, undefined, new Date(Number.NaN), 1e16, NOW + 30_000 * DAY],
      { recency: 0, affinity: 0.2 },
    ],
    ["created_at", ["soon", null, undefined, new Date(Number.NaN), 1e16], { affinity: used }],
    ["access_count", [null, undefined, Number.NaN, "3"], { affinity: 0.2 }],
    ["access_count", [2.5], { affinity: Math.tanh(0.25) * Math.exp(-1 / 30) + 0.2 }],
    ["inbound_edge_count", [null, undefined, Number.NaN, "3", -INFINITY], { authority: 0 }],
    ["inbound_edge_count", [2.5], { authority: 0.625 }],
    ["inbound_edge_count", [INFINITY], { authority: 1 }],
    ["id", ["", null, undefined, 7], {}],
    ["subtype", [7, {}], {}],
  ])("%s of %j", (name, values, changed) => {
    for (const value of values) {
      if (name === "id") {
        const [first] = js.rerankWithSectionWeights(
          [node({ id: value })],
          { avg_inbound_edges: 2 },
          NOW,
          NEUTRAL,
        );
        expect(same(first.breakdown, { ...byDefault, keyword: 1 })).toBeNull();
      } else expect(same(breakdownOf({ [name]: value }), { ...byDefault, ...changed })).toBeNull();
    }
  });

  test("comes from a graph without inbound edges, too", () => {
    expect(breakdownOf({ inbound_edge_count: null }, {}).authority).toBe(0.5);
  });

  test("replaces an unreadable value, and affects no other candidate", () => {
    const fields = [
      ...[
        "id",
        "semantic_score",
        "bm25_score",
        "graph_score",
        "access_count",
        "inbound_edge_count",
        "subtype",
      ],
      ...["last_accessed", "created_at"],
    ];
    const fail = () => {
      throw new Error("cannot be read");
    };
    const whole = {
      semantic_score: 0.5,
      bm25_score: 3,
      graph_score: 0.25,
      subtype: "custom:signal",
    };
    const others = [
      node({ id: "one", ...whole, bm25_score: 5 }),
      node({ id: "two", ...whole, graph_score: 1 }),
    ];
    const scored = (ranked: nous.RankedNode[], of: readonly unknown[]) =>
      ranked.map(({ node, ...rest }) => ({ place: of.indexOf(node), ...rest }));
    const check = (unreadable: object, wrong: unknown) => {
      const [batch, same] = [
        [others[0], unreadable, null, others[1]],
        [others[0], wrong, null, others[1]],
      ];
      const avg = { avg_inbound_edges: 2 };
      for (const rank of [
        (list: readonly unknown[]) => js.rerankWithSectionWeights(list, avg, NOW, NEUTRAL),
        (list: readonly unknown[]) => js.rerankCandidates(list, avg, undefined, NOW, NEUTRAL),
        (list: readonly unknown[]) => js.rerankTop(list, avg, { now: NOW, limit: 9, ...NEUTRAL }),
      ]) {
        expect(scored(rank(batch), batch)).toEqual(scored(rank(same), same));
      }
    };
    for (const name of fields) {
      const plain = node({ id: "three", ...whole });
      const unreadable = Object.defineProperty({ ...plain }, name, { get: fail, enumerable: true });
      check(unreadable, { ...plain, [name]: Number.NaN });
    }
    for (const name of ["last_accessed", "created_at"]) {
      check({ ...node(whole), [name]: { getTime: fail } }, { ...node(whole), [name]: Number.NaN });
    }
    check(new Proxy({}, { get: fail }), {});
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    check(proxy, {});
  });

  test("caps sums beyond the range of numbers at the largest number", () => {
    const weights = { semantic: 9, keyword: 0, graph: 9, recency: 0, authority: 0, affinity: 0 };
    const large = Number.MAX_VALUE;
    const batch = [
      node({ id: "less", semantic_score: -large }),
      node({ id: "none", semantic_score: large, graph_score: -large }),
      node({ id: "more", semantic_score: large }),
    ];
    const ranked: nous.RankedNode[] = js.rerankCandidates(batch, {}, weights, NOW, NEUTRAL);
    expect(ranked.map(({ node, score }) => [node.id, score])).toEqual([
      ["more", large],
      ["none", 0],
      ["less", -large],
    ]);
  });
});

describe("errors outside of candidates", () => {
  const field = (call: () => unknown) => {
    try {
      call();
    } catch (error) {
      if (error instanceof nous.NousError) return `${error.code} ${error.details.field}`;
      throw error;
    }
    return "nothing";
  };
  test("are still raised for metrics, weights, now, limit, the list, and the option itself", () => {
    const weights = { ...nous.RERANKING_WEIGHTS, graph: Number.NaN };
    expect(
      field(() => js.rerankWithSectionWeights([], { avg_inbound_edges: -1 }, NOW, NEUTRAL)),
    ).toBe("invalid_argument avg_inbound_edges");
    expect(field(() => js.rerankCandidates([], {}, weights, NOW, NEUTRAL))).toBe(
      "invalid_argument weights.graph",
    );
    expect(field(() => js.rerankWithSectionWeights([], {}, "soon", NEUTRAL))).toBe(
      "invalid_argument now",
    );
    expect(field(() => js.rerankTop([], {}, { limit: -1, ...NEUTRAL }))).toBe(
      "invalid_argument limit",
    );
    expect(field(() => js.rerankTop({}, {}, NEUTRAL))).toBe("invalid_argument candidates");
    for (const onInvalid of ["", "Neutral", null, true, 1, {}]) {
      expect(field(() => js.rerankWithSectionWeights([], {}, NOW, { onInvalid }))).toBe(
        "invalid_argument onInvalid",
      );
      expect(field(() => js.rerankCandidates([], {}, undefined, NOW, { onInvalid }))).toBe(
        "invalid_argument onInvalid",
      );
      expect(field(() => js.rerankTop([], {}, { onInvalid }))).toBe("invalid_argument onInvalid");
    }
    expect(field(() => js.rerankWithSectionWeights([], {}, NOW, { oninvalid: "neutral" }))).toBe(
      "invalid_argument oninvalid",
    );
    expect(field(() => js.rerankWithSectionWeights([], {}, NOW, null))).toBe(
      "invalid_argument options",
    );
  });

  test('and without the option, or with "throw", for a wrong value', () => {
    const wrong = [
      { id: "n", last_accessed: "soon", created_at: NOW, access_count: 1, inbound_edge_count: 0 },
    ];
    for (const options of [undefined, {}, { onInvalid: undefined }, { onInvalid: "throw" }]) {
      expect(field(() => js.rerankWithSectionWeights(wrong, {}, NOW, options))).toBe(
        "invalid_argument last_accessed",
      );
      expect(field(() => js.rerankTop(wrong, {}, { now: NOW, ...options }))).toBe(
        "invalid_argument last_accessed",
      );
    }
  });
});
