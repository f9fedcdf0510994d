// What is refused, by which error, and that nothing is left behind by it; and the inputs that are odd but right.

import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as nous from "nous-wasm";
import { afterEach, describe, expect, test } from "vitest";
import { makeCandidates, makeColumns, makeMetrics, NOW } from "../../benches/js/inputs.ts";
import * as reference from "../reference/index.ts";
import { same } from "./same.ts";

const DAY = 86_400_000;
const { POSITIVE_INFINITY: INFINITY, NEGATIVE_INFINITY } = Number;

/** The functions as JavaScript sees them. */
// biome-ignore lint/suspicious/noExplicitAny: what types forbid is what is tested here
const js = nous as any;

const metrics = { avg_inbound_edges: 2 };
const node = (changes: object = {}) => ({
  id: "the node",
  semantic_score: 0.5,
  bm25_score: 1,
  graph_score: 0.25,
  last_accessed: NOW - DAY,
  created_at: NOW - 9 * DAY,
  access_count: 3,
  inbound_edge_count: 1,
  subtype: "custom:lesson",
  ...changes,
});

function expectSame(actual: unknown, expected: unknown): void {
  const difference = same(actual, expected);
  if (difference !== null) expect.fail(difference);
}

function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return expect.fail("nothing was thrown");
}

/** The call throws the package's error with exactly these details, and its message names them. */
function expectRefusal(call: () => unknown, details: nous.NousErrorDetails, code = "invalid_argument"): void {
  const error = thrownBy(call);
  if (!(error instanceof nous.NousError)) throw error;
  expect(error).toBeInstanceOf(Error);
  expect(error.name).toBe("NousError");
  expect({ code: error.code, ...error.details }).toEqual({ code, ...details });
  expect(error.message).toContain(details.field);
  if (details.index !== undefined) expect(error.message).toContain(`[${details.index}]`);
  if (details.id !== undefined) expect(error.message).toContain(JSON.stringify(details.id));
}

// After every error, and whatever else a test has done, the next normal calls give the right results.
const usual = makeCandidates(70, 4);
const usualMetrics = makeMetrics(70, 4);
const usualColumns = makeColumns(33, 2);
const usualGroups: [string, reference.MergeRow[]][] = [
  ["a", usual.slice(0, 40).map(({ id, semantic_score, subtype }) => ({ id, score: semantic_score, subtype }))],
  ["b", usual.slice(20).map(({ id, graph_score, subtype }) => ({ id, score: graph_score, subtype }))],
];
const usualRows = usual.map(({ id, subtype }) => ({ content_title: id, content_body: `{"text":"${id}"}`, subtype }));
const QUERY = "which lessons from my trades help right now?";
const usualPlaybooks = [
  { id: "all", trigger: { anomaly_types: ["spike", "surge"] }, success_count: 3, sample_size: 4 },
  { id: "one", trigger: { anomaly_types: ["surge"], symbols: ["btc"], min_severity: 0.5 }, sample_size: 12 },
];
const usualEvents = [{ type: "surge", symbol: "BTC", severity: 0.75 }];
type Compared = keyof nous.Engine | "matchPlaybooks" | "formatPlaybookMatches";
const results = (from: Pick<typeof reference, Compared & keyof typeof reference>) => [
  from.rerankWithSectionWeights(usual, usualMetrics, NOW),
  from.rerankTop(usual, usualMetrics, { now: NOW, limit: 7 }),
  from.decayColumns(usualColumns as nous.DecayColumns & reference.DecayInput, NOW),
  from.classifyIntent(QUERY),
  from.mergeAndSelect(usualGroups, { query: QUERY }),
  from.formatContext(usualRows, 300),
  from.calculateRetrievability(3, 14),
  from.calculateSalience("custom:trade_close", { pnl_pct: -4 }),
  from.modulateStability("custom:trade_close", 0.9),
  from.applyOutcome({ success_count: 3, sample_size: 4, stability: 200 }, false, NOW),
  from.formatPlaybookMatches(from.matchPlaybooks(usualPlaybooks, usualEvents)),
];
const EXPECTED = results(reference);
const ours = nous as unknown as Parameters<typeof results>[0];

afterEach(() => expectSame(results(ours), EXPECTED));

/** Values that are no numbers, by what they are called. */
const NO_NUMBERS: unknown[] = ["0.5", "", true, 1n, {}, [], [1], Symbol("one"), () => 1, new Number(1)];

const MILLIONS = 10_000_000;

describe("candidates", () => {
  const TOO_LATE = 8.64e15 + 2;
  const NO_COUNTS = [undefined, null, Number.NaN, INFINITY, -1, 0.5, 1e-300, ...NO_NUMBERS];
  const NO_AMOUNTS = [Number.NaN, INFINITY, NEGATIVE_INFINITY, -1, -5e-324, ...NO_NUMBERS];
  const NO_INSTANTS = [
    ...[
      undefined,
      null,
      Number.NaN,
      INFINITY,
      TOO_LATE,
      -TOO_LATE,
      new Date(Number.NaN),
      true,
      1n,
      {},
      [],
      Symbol("now"),
      () => NOW,
    ],
    ...["", "yesterday", "0", "1", "1771588800000", "2026-1-5", "Jan 5 2026", "2026-13-01", "2026-01-05T25:00:00Z"],
    ...["2026-01-05T10:00:00 PST", "2026-01-05T", "10:00", "2026/01/05", "2026-01-05T10:00:00+1", { getTime: 1 }],
    { getTime: () => Number.NaN },
  ];
  const FIELDS: [string, unknown[]][] = [
    ["semantic_score", [Number.NaN, INFINITY, NEGATIVE_INFINITY, ...NO_NUMBERS]],
    ["bm25_score", NO_AMOUNTS],
    ["graph_score", NO_AMOUNTS],
    ["last_accessed", NO_INSTANTS],
    ["created_at", NO_INSTANTS],
    ["access_count", NO_COUNTS],
    ["inbound_edge_count", NO_COUNTS],
  ];

  test.each(FIELDS)("a wrong %s is refused by place, id and field, by every function", (field, values) => {
    for (const value of values) {
      for (const [size, index] of [
        [1, 0],
        [3, 1],
        [40, 39],
      ] as const) {
        const batch = Array.from({ length: size }, (_, i) => node({ id: `n "${i}"` }));
        batch[index] = node({ id: `n "${index}"`, [field]: value });
        const details = { field, index, id: `n "${index}"` };
        expectRefusal(() => js.rerankWithSectionWeights(batch, metrics, NOW), details);
        expectRefusal(() => js.rerankCandidates(batch, metrics, undefined, NOW), details);
        expectRefusal(() => js.rerankTop(batch, metrics, { now: NOW, limit: 0 }), details);
      }
    }
    expectSame(results(ours), EXPECTED);
  });

  test("of several faults the first candidate's is told, and what was found", () => {
    const batch = [node(), node({ id: "b", graph_score: -2 }), node({ id: "c", semantic_score: Number.NaN })];
    const error = thrownBy(() => js.rerankTop(batch, metrics)) as Error;
    expect(error.message).toBe('candidates[1] (id "b"): graph_score must be a finite number of at least 0, found -2');
    const long = node({ access_count: "x".repeat(1000) });
    expect((thrownBy(() => js.rerankTop([long], metrics)) as Error).message.length).toBeLessThan(200);
  });

  test("a missing, empty or wrong id is refused by place", () => {
    for (const id of [undefined, null, "", 7, Number.NaN, true, {}, ["a"], Symbol("id"), 1n]) {
      expectRefusal(() => js.rerankTop([node(), node({ id })], metrics), { field: "id", index: 1 });
    }
    const { id: _, ...without } = node();
    expectRefusal(() => js.rerankCandidates([without], metrics), { field: "id", index: 0 });
  });

  test("a candidate that is no object is refused by place, holes in the list among them", () => {
    for (const wrong of [null, undefined, 5, "node", true, () => node()]) {
      const details = { field: "candidates", index: 1 };
      expectRefusal(() => js.rerankWithSectionWeights([node(), wrong], metrics), details);
    }
    expectRefusal(() => js.rerankTop(new Array(2), metrics), { field: "candidates", index: 0 });
  });

  test("candidates that are no array are refused", () => {
    for (const wrong of [undefined, null, 5, "list", {}, new Set([node()]), { length: 1, 0: node() }, new Map()]) {
      for (const name of ["rerankWithSectionWeights", "rerankCandidates", "rerankTop"]) {
        expectRefusal(() => js[name](wrong, metrics), { field: "candidates" });
      }
    }
  });

  test("signals too large to add are refused, not ranked anyhow", () => {
    const opposed = { semantic: 10, keyword: 0, graph: -10, recency: 0, authority: 0, affinity: 0 };
    const large = node({ semantic_score: Number.MAX_VALUE, graph_score: Number.MAX_VALUE });
    const details = { field: "score", index: 1, id: "the node" };
    expectRefusal(() => js.rerankCandidates([node(), large], metrics, opposed, NOW), details);
  });

  test("null scores, subtypes of any kind, frozen nodes and nodes without a prototype are right", () => {
    const odd = [
      node({ semantic_score: null, bm25_score: null, graph_score: null }),
      Object.freeze(node({ subtype: null })),
      Object.assign(Object.create(null), node()),
      Object.create(node({ id: "heir" })),
      new Proxy(node({ id: "proxy" }), {}),
      node({ subtype: "__proto__" }),
      node({ subtype: "constructor" }),
    ];
    const list = Object.freeze([...odd]);
    const ranking = nous.rerankWithSectionWeights(list, metrics, NOW);
    expectSame(ranking, reference.rerankWithSectionWeights([...list], metrics as reference.GraphMetrics, NOW));
    expect(new Set(ranking.map((ranked) => ranked.node))).toEqual(new Set(odd));
    expect(odd.at(-1)).toEqual(node({ subtype: "constructor" }));
    const numbered = js.rerankWithSectionWeights([node({ subtype: 7 }), node({ subtype: {} })], metrics, NOW);
    expect(numbered[0].score).toBe(
      nous.rerankWithSectionWeights([node({ subtype: undefined })], metrics, NOW)[0]!.score,
    );
    const proxied = nous.rerankTop(new Proxy([node()], {}), metrics, { now: NOW });
    expectSame(proxied, nous.rerankTop([node()], metrics, { now: NOW }));
  });

  test("the same id twice is ranked twice, and lone surrogates are kept", () => {
    const twice = [node({ id: "\ud83d" }), node({ id: "\ud83d", semantic_score: 1 })];
    const ranking = nous.rerankWithSectionWeights(twice, metrics, NOW);
    expect(ranking.map((ranked) => ranked.node)).toEqual([twice[1], twice[0]]);
    expect(ranking[0]!.node.id).toBe("\ud83d");
  });

  test("none, one and a million", () => {
    for (const name of ["rerankWithSectionWeights", "rerankCandidates", "rerankTop"]) {
      expect(js[name]([], metrics)).toEqual([]);
      expect(js[name]([node()], metrics)).toHaveLength(1);
    }
    const million = Array.from({ length: 1_000_000 }, (_, i) =>
      node({ id: `n_${i}`, semantic_score: ((i * 2_654_435_761) % 1_000_003) / 1_000_003 }),
    );
    const place = new Map(million.map((candidate, i) => [candidate, i]));
    const byMeaning = [...million].sort((a, b) => b.semantic_score - a.semantic_score).slice(0, 20);
    const top = nous.rerankTop(million, metrics, { now: NOW });
    expect(top.map((ranked) => place.get(ranked.node as (typeof million)[0]))).toEqual(
      byMeaning.map((candidate) => place.get(candidate)),
    );
    const [best] = reference.rerankWithSectionWeights([byMeaning[0]!, node()], metrics as reference.GraphMetrics, NOW);
    expectSame(top[0], best);
    million[999_999] = node({ id: "last", access_count: -1 });
    const details = { field: "access_count", index: 999_999, id: "last" };
    expectRefusal(() => nous.rerankTop(million, metrics, { now: NOW }), details);
  });
});

describe("what comes with candidates", () => {
  const batch = [node()];
  const FINE = nous.RERANKING_WEIGHTS;

  test("weights with a field that is missing or no finite number", () => {
    for (const signal of Object.keys(FINE)) {
      for (const wrong of [undefined, null, Number.NaN, INFINITY, NEGATIVE_INFINITY, ...NO_NUMBERS]) {
        const weights = { ...FINE, [signal]: wrong };
        const details = { field: `weights.${signal}` };
        expectRefusal(() => js.rerankCandidates(batch, metrics, weights, NOW), details);
        expectRefusal(() => js.rerankTop(batch, metrics, { weights }), details);
        expectRefusal(() => js.rerankTop([], metrics, { weights, sections: false }), details);
      }
    }
    for (const wrong of [{}, [], "weights", 5, true]) {
      expectRefusal(() => js.rerankCandidates(batch, metrics, wrong), { field: "weights.semantic" });
    }
    expectSame(js.rerankTop(batch, metrics, { weights: null, now: NOW }), nous.rerankTop(batch, metrics, { now: NOW }));
  });

  test("a wrong average is refused; a missing one counts as 0", () => {
    for (const avg_inbound_edges of [Number.NaN, INFINITY, -1, -5e-324, ...NO_NUMBERS]) {
      const wrong = { avg_inbound_edges };
      expectRefusal(() => js.rerankWithSectionWeights(batch, wrong, NOW), { field: "avg_inbound_edges" });
      expectRefusal(() => js.rerankTop([], wrong), { field: "avg_inbound_edges" });
    }
    const zero = nous.rerankWithSectionWeights(batch, { avg_inbound_edges: 0 }, NOW);
    expect(zero[0]!.breakdown.authority).toBe(0.5);
    for (const missing of [{}, { avg_inbound_edges: undefined }, { avg_inbound_edges: null }, null, undefined]) {
      expectSame(js.rerankWithSectionWeights(batch, missing, NOW), zero);
    }
  });

  test("a wrong present", () => {
    for (const now of [
      null,
      Number.NaN,
      INFINITY,
      8.64e15 + 2,
      new Date(Number.NaN),
      "",
      "now",
      "1",
      true,
      1n,
      {},
      [],
      Symbol("now"),
    ]) {
      expectRefusal(() => js.rerankWithSectionWeights(batch, metrics, now), { field: "now" });
      expectRefusal(() => js.rerankCandidates([], metrics, undefined, now), { field: "now" });
      expectRefusal(() => js.rerankTop(batch, metrics, { now }), { field: "now" });
      expectRefusal(() => js.decayColumns(usualColumns, now), { field: "now" });
    }
  });

  test("a wrong limit, and limits at the edges", () => {
    for (const limit of [-1, 1.5, Number.NaN, NEGATIVE_INFINITY, -5e-324, null, ...NO_NUMBERS]) {
      expectRefusal(() => js.rerankTop(batch, metrics, { limit }), { field: "limit" });
      expectRefusal(() => js.rerankTop([], metrics, { limit }), { field: "limit" });
    }
    const top = (limit?: number) => nous.rerankTop(usual, usualMetrics, { now: NOW, limit });
    const all = nous.rerankWithSectionWeights(usual, usualMetrics, NOW);
    expect([0, -0].map(top)).toEqual([[], []]);
    expectSame(top(undefined), all.slice(0, 20));
    for (const limit of [70, 71, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 53, 1e300, INFINITY]) expectSame(top(limit), all);
    expectRefusal(() => js.rerankTop(batch, metrics, null), { field: "options" });
  });
});

describe("moments", () => {
  const MOMENT = Date.UTC(2026, 0, 5, 22, 30);
  /** Texts of that moment; those without a zone mean UTC. */
  const TEXTS = [
    ...["2026-01-05T22:30:00.000Z", "2026-01-05T22:30:00Z", "2026-01-05T22:30Z", "2026-01-05t22:30:00z"],
    ...[
      "2026-01-05T22:30:00",
      "2026-01-05T22:30",
      "2026-01-05 22:30",
      "2026-01-05 22:30:00.000000",
      "2026-01-05t22:30",
    ],
    ...["2026-01-05T17:30:00-05:00", "2026-01-06T04:00+05:30", "2026-01-06 00:30:00+02", "2026-01-06T00:30:00+0200"],
    ...["+002026-01-05T22:30:00", "2026-01-05 22:30:00Z", "2026-01-05 22:30:00 Z"],
  ];
  const DATES = ["2026-01-05", "2026-01-05T00:00", "2026-01-05T00:00:00.000Z"];

  test("as text mean what ISO 8601 says, and UTC without a zone", () => {
    const now = MOMENT + 100 * DAY;
    for (const text of TEXTS) expect(nous.recencyScore(text, now - 1), text).toBe(Math.exp(-99 / 30));
    for (const text of TEXTS) expect(nous.recencyScore(text, now), text).toBe(Math.exp(-100 / 30));
    for (const text of DATES) expect(nous.recencyScore(text, "2026-01-15"), text).toBe(Math.exp(-10 / 30));
    for (const text of DATES) expect(nous.recencyScore(text, "2026-01-14T23:59:59.999"), text).toBe(Math.exp(-9 / 30));
  });

  test("as text mean the same wherever the process runs", () => {
    const program = `
      import { recencyScore, rerankTop } from "nous-wasm";
      const node = { id: "a", created_at: 0, access_count: 0, inbound_edge_count: 0 };
      const answers = ${JSON.stringify([...TEXTS, ...DATES])}.flatMap((last_accessed) =>
        [0, 1].map((late) => {
          const now = ${MOMENT} + ${50 * DAY} - late;
          return [recencyScore(last_accessed, now), rerankTop([{ ...node, last_accessed }], {}, { now })[0].score];
        }));
      console.log(JSON.stringify([new Date(0).getTimezoneOffset(), answers]));
    `;
    const run = (TZ: string) => {
      const env = { ...process.env, TZ };
      const options = { env, cwd: import.meta.dirname, encoding: "utf8" } as const;
      return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", program], options));
    };
    const [[here, utc], [there, newYork], [, kolkata]] = [run("UTC"), run("America/New_York"), run("Asia/Kolkata")];
    expect([here, there]).toEqual([0, 300]);
    expectSame(newYork, utc);
    expectSame(kolkata, utc);
  });

  test("may be Dates of another realm, and Dates that are frozen", () => {
    const foreign = runInNewContext(`new Date(${MOMENT})`) as Date;
    expect(foreign).not.toBeInstanceOf(Date);
    for (const date of [foreign, Object.freeze(new Date(MOMENT)), new (class extends Date {})(MOMENT)]) {
      expect(nous.recencyScore(date, MOMENT + 10 * DAY)).toBe(Math.exp(-10 / 30));
      expect(nous.affinityScore(0, date, date, date)).toBe(0.2);
      const [ranked] = nous.rerankTop([node({ last_accessed: date, created_at: date })], metrics, { now: date });
      expect(ranked!.breakdown.recency).toBe(1);
      expect(nous.formatContext([{ provenance_created_at: date }])).toContain("(2026-01-05)");
      const columns = { lastAccessed: [MOMENT - 14 * DAY], stability: [14], section: [0] };
      expect(nous.decayColumns(columns, date).retrievability[0]).toBe(Math.exp(-1));
    }
    const invalid = runInNewContext("new Date(NaN)") as Date;
    expectRefusal(() => nous.rerankTop([node({ created_at: invalid })], metrics), {
      field: "created_at",
      index: 0,
      id: "the node",
    });
  });
});

describe("code of the caller that runs during a call", () => {
  const FIELDS = Object.keys(node());
  const trapped = (field: string, get: () => unknown) =>
    Object.defineProperty(node(), field, { get, enumerable: true });

  test.each(FIELDS)("a getter of %s that throws: its own exception comes through", (field) => {
    const own = new RangeError("from a getter");
    const wrong = trapped(field, () => {
      throw own;
    });
    for (const batch of [[wrong], [...usual, wrong, ...usual]]) {
      expect(thrownBy(() => js.rerankWithSectionWeights(batch, metrics))).toBe(own);
      expect(thrownBy(() => js.rerankTop(batch, metrics))).toBe(own);
    }
  });

  test.each(FIELDS)("a getter of %s that calls the package: both results are right", (field) => {
    const plain = node();
    let inner: unknown;
    const calling = trapped(field, () => {
      inner = results(ours);
      return plain[field as keyof typeof plain];
    });
    const ranking = nous.rerankWithSectionWeights([...usual, calling], usualMetrics, NOW);
    const expected = nous.rerankWithSectionWeights([...usual, plain], usualMetrics, NOW);
    expectSame(inner, EXPECTED);
    expectSame(
      ranking.map(({ score }) => score),
      expected.map(({ score }) => score),
    );
  });

  test("in rows that are merged, memories, columns, options and configurations", () => {
    const own = new Error("from a getter");
    const throwing = {
      get(): never {
        throw own;
      },
    };
    const trap = new Proxy({}, throwing);
    const calls = [
      () => js.mergeAndSelect([["a", [{ id: "x", score: 1 }, trap]]]),
      () => js.coRecallPairs([{ id: "x" }, trap]),
      () => js.formatContext([{}, trap]),
      () => js.decayColumns({ lastAccessed: new Proxy([1, 2], throwing), stability: [1, 2], section: [0, 0] }),
      () => js.decayColumns(trap),
      () => js.rerankTop([node()], trap),
      () => js.rerankTop([node()], metrics, trap),
      () => js.rerankCandidates([node()], metrics, trap),
      () => js.classifyIntent("now", trap),
      () =>
        js.createEngine({
          get sections() {
            throw own;
          },
        }),
      () => js.getDecayLifecycleStateForSection(0.5, 1, trap),
      () =>
        js.calculateRetrievability(
          {
            valueOf: () => {
              throw own;
            },
          },
          14,
        ),
    ];
    for (const call of calls) expect(thrownBy(call)).toBe(own);

    let inner: unknown[] = [];
    const calling = <T extends object>(target: T): T =>
      new Proxy(target, {
        get: (object, key) => {
          inner = results(ours);
          return Reflect.get(object, key);
        },
      });
    const nested = [
      nous.mergeAndSelect([["a", [calling({ id: "x", score: 1, subtype: "custom:lesson" })]]], { query: QUERY }),
      nous.formatContext([calling({ content_title: "title" })]),
      nous.coRecallPairs([calling({ id: "x" }), calling({ id: "y" })]),
      nous.decayColumns({ lastAccessed: calling([NOW - DAY]), stability: [1], section: [1] }, NOW).retrievability[0],
    ];
    expectSame(inner, EXPECTED);
    expectSame(nested, [
      [
        {
          id: "x",
          score: 1.3,
          subtype: "custom:lesson",
          _original_score: 1,
          _intent_boosted: true,
          _sub_query_group: 0,
        },
      ],
      "- [ · KNOWLEDGE] title (): ",
      [["x", "y"]],
      Math.exp(-1),
    ]);
  });

  test("that changes the list meanwhile does no harm", () => {
    const list: object[] = [node(), node(), node()];
    list[0] = trapped("access_count", () => {
      list.length = 1;
      return 1;
    });
    expectRefusal(() => js.rerankTop(list, metrics), { field: "candidates", index: 1 });
    const growing: object[] = [node()];
    growing[0] = trapped("access_count", () => growing.push(node()));
    expect(js.rerankTop(growing, metrics)).toHaveLength(1);
  });

  test("that makes no number of an argument: what it threw, and the engine lives on", () => {
    expect(thrownBy(() => js.calculateRetrievability(1n, 2))).toBeInstanceOf(TypeError);
    expect(thrownBy(() => js.applyCascadeDecay(Symbol("weight"), 2))).toBeInstanceOf(TypeError);
    expect(
      thrownBy(() => js.updateStabilityOnAccessForSection(1n, 0, nous.SECTION_PROFILES.SIGNALS.decay)),
    ).toBeInstanceOf(TypeError);
    expect(js.calculateRetrievability(undefined, "14")).toBe(Number.NaN);
    expect(js.calculateRetrievability("14", "14")).toBe(Math.exp(-1));
  });
});

describe("columns", () => {
  const columns = (changes: object = {}) => ({
    lastAccessed: [NOW, NOW, NOW],
    stability: [1, 2, 3],
    section: [0, 1, 2],
    ...changes,
  });

  test("that are missing, no lists or of unequal lengths are refused by name", () => {
    for (const field of ["lastAccessed", "stability", "section"]) {
      for (const wrong of [
        undefined,
        null,
        5,
        "123",
        {},
        new Set([1]),
        new DataView(new ArrayBuffer(24)),
        new ArrayBuffer(3),
      ]) {
        expectRefusal(() => js.decayColumns(columns({ [field]: wrong }), NOW), { field });
      }
    }
    expectRefusal(() => js.decayColumns(columns({ stability: [1, 2] })), { field: "stability" });
    expectRefusal(() => js.decayColumns(columns({ section: [1, 2, 3, 0] })), { field: "section" });
    for (const wrong of [null, undefined]) expectRefusal(() => js.decayColumns(wrong), { field: "columns" });
  });

  test("with a wrong entry are refused by name and place", () => {
    const wrong: [string, unknown[]][] = [
      ["lastAccessed", [Number.NaN, INFINITY, 8.64e15 + 2, undefined, null, new Date(NOW), ...NO_NUMBERS]],
      ["stability", [Number.NaN, INFINITY, NEGATIVE_INFINITY, undefined, null, ...NO_NUMBERS]],
      ["section", [4, 255, 256, -1, 0.5, Number.NaN, undefined, null, "KNOWLEDGE", ...NO_NUMBERS]],
    ];
    for (const [field, values] of wrong) {
      for (const value of values) {
        for (const index of [0, 2, 9]) {
          const list: unknown[] = new Array(10).fill(1);
          list[index] = value;
          const ten = { lastAccessed: Array(10).fill(1), stability: Array(10).fill(1), section: Array(10).fill(1) };
          expectRefusal(() => js.decayColumns({ ...ten, [field]: list }, NOW), { field, index });
        }
      }
    }
    const codes = Uint8Array.of(0, 1, 200);
    expectRefusal(() => js.decayColumns(columns({ section: codes }), NOW), { field: "section", index: 2 });
    const big = new BigInt64Array(3);
    expectRefusal(() => js.decayColumns(columns({ stability: big }), NOW), { field: "stability", index: 0 });
  });
});

/** Functions of a question. */
const ASKED = [
  "checkDisqualifiers",
  "classifyQueryType",
  "classifyQuery",
  "extractQueryEntities",
  "extractQueryAttribute",
  "decompose",
  "reformulate",
  "understand",
];

describe("questions", () => {
  test("with wrong options are refused by name", () => {
    for (const maxParts of [0, -1, 1.5, Number.NaN, "4", null, {}]) {
      expectRefusal(() => js.decompose("q", null, { maxParts }), { field: "maxParts" });
      expectRefusal(() => js.understand("q", { maxParts }), { field: "maxParts" });
    }
    for (const bySubject of [0, 1, "true", null, {}]) {
      expectRefusal(() => js.decompose("q", null, { bySubject }), { field: "bySubject" });
      expectRefusal(() => js.understand("q", { bySubject }), { field: "bySubject" });
    }
    for (const terms of ["", "ASCII", 5, null, {}]) {
      expectRefusal(() => js.understand("q", { terms }), { field: "terms" });
    }
    expectRefusal(() => js.understand("q", { matcher: "regex" }), { field: "matcher" });
    expectRefusal(() => js.understand("q", null), { field: "options" });
    expectRefusal(() => js.decompose("q", null, null), { field: "options" });
    for (const classification of [5, "D4", true, 1n]) {
      expectRefusal(() => js.decompose("q", classification), { field: "classification" });
      expectRefusal(() => js.reformulate("q", classification), { field: "classification" });
    }
  });

  test("with a classification of any content: what is none divides nothing and names nobody", () => {
    const question = "this and that?";
    for (const value of [null, undefined, 5, "", "D9", {}, ["D4"]]) {
      const classification = { disqualifier_category: value, entity: value };
      expect(js.decompose(question, classification)).toEqual([question]);
    }
    for (const entity of [null, undefined, 5, "", "x", {}, ["BTC"]])
      expect(js.reformulate("why", { entity })).toBeNull();
  });

  test("and confidence in what is no retrieval", () => {
    for (const wrong of [...NO_NUMBERS, Number.NaN, INFINITY, undefined]) {
      expectRefusal(() => js.calculateRetrievalConfidence(wrong, 0.1, 2, true), { field: "topScore" });
      if (wrong != null) {
        expectRefusal(() => js.calculateRetrievalConfidence(0.5, wrong, 2, true), { field: "secondScore" });
      }
      expectRefusal(() => js.getConfidenceLevel(wrong), { field: "score" });
    }
    for (const count of [-1, 0.5, INFINITY, Number.NaN, "2", null]) {
      expectRefusal(() => js.calculateRetrievalConfidence(0.5, 0.1, count, true), { field: "resultCount" });
    }
    for (const flag of [0, 1, "true", null, undefined]) {
      expectRefusal(() => js.calculateRetrievalConfidence(0.5, 0.1, 2, flag), { field: "hasAttribute" });
    }
  });

  test("of ten million characters", () => {
    for (const piece of ["what's a's ", "? ", "from x to\n", "who is ", "x for ", "é's ", "漢字", "\ud83d "]) {
      const question = piece.repeat(MILLIONS / piece.length);
      expect(nous.decompose(question, { disqualifier_category: "D4" })).toEqual([question]);
      const { query, parts, terms } = nous.understand(question, { terms: "unicode" });
      expect([query === question, parts.length, terms.length < 4]).toEqual([true, 1, true]);
      nous.extractQueryEntities(question);
      nous.extractQueryAttribute(question);
      nous.reformulate(question, null);
    }
  });

  test("that are no text, and matchers there are none of", () => {
    for (const query of [undefined, null, 5, true, {}, ["live"], 1n, Symbol("query"), new String("live")]) {
      expectRefusal(() => js.classifyIntent(query), { field: "query" });
      if (query != null) expectRefusal(() => js.mergeAndSelect([], { query }), { field: "query" });
      for (const ask of ASKED) expectRefusal(() => js[ask](query), { field: "query" });
    }
    for (const matcher of ["", "Words", "regex", 5, null, {}, true]) {
      expectRefusal(() => js.classifyIntent("live", { matcher }), { field: "matcher" });
    }
  });

  test("with lone surrogates", () => {
    for (const query of ["\ud83d live", "live\ude80", "\ud83dlive\ude80 rule", "\ude80\ud83d"]) {
      for (const matcher of ["substring", "words"] as const) {
        expect(nous.classifyIntent(query, { matcher })).toEqual(reference.classifyIntent(query, { matcher }));
      }
    }
  });

  test("and bodies of ten million characters, after which their memory is given back", async () => {
    const filler = "zz ".repeat(MILLIONS / 3);
    for (const [query, found] of [
      [filler, []],
      [`${filler}live lesson`, ["SIGNALS", "KNOWLEDGE"]],
    ] as const) {
      for (const matcher of ["substring", "words"] as const) {
        expect(nous.classifyIntent(query, { matcher })).toEqual(found);
      }
    }
    const beyondAscii = "é ".repeat(MILLIONS / 2);
    expect(nous.classifyIntent(`${beyondAscii}RULE`, { matcher: "words" })).toEqual(["KNOWLEDGE"]);
    const counted = "live ".repeat(MILLIONS / 5);
    expect(nous.classifyIntent(counted, { explain: true })[0]!.evidence).toBe(MILLIONS / 5);

    const row = { content_title: "t", content_body: filler };
    const head = "- [ · KNOWLEDGE] t (): ";
    expect(nous.formatContext([row])).toBeNull();
    expect(nous.formatContext([row], INFINITY) === head + filler).toBe(true);
    const json = { content_title: "t", content_body: JSON.stringify({ text: beyondAscii }) };
    expect(nous.formatContext([json], INFINITY) === head + beyondAscii).toBe(true);

    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const external = async () => {
      expectSame(results(ours), EXPECTED);
      for (let i = 0; i < 5; i++) {
        await sleep(10);
        collect();
      }
      return process.memoryUsage().external;
    };
    // One such question alone needs 30 MB in the module.
    expect(await external()).toBeLessThan(25e6);
  });
});

describe("merging", () => {
  test("results that are no lists of pairs are refused, by place", () => {
    for (const wrong of [undefined, null, 5, "results", {}, new Set(), () => []]) {
      expectRefusal(() => js.mergeAndSelect(wrong), { field: "subResults" });
    }
    const good = ["a", [{ id: "x", score: 1 }]];
    for (const wrong of [null, undefined, "pair", 5, {}, [], ["a"], ["a", null], ["a", {}], ["a", "rows"]]) {
      expectRefusal(() => js.mergeAndSelect([good, wrong]), { field: "subResults[1]" });
    }
    expectRefusal(() => js.mergeAndSelect(new Map([["a", null]])), { field: "subResults[0]" });
    for (const wrong of [null, undefined, 5, "row", true]) {
      const details = { field: "subResults[1]", index: 2 };
      expectRefusal(() => js.mergeAndSelect([good, ["b", [{ id: "y" }, {}, wrong]]]), details);
    }
  });

  test("wrong options are refused by name", () => {
    const wrong: [string, unknown[]][] = [
      ["intentBoost", [Number.NaN, INFINITY, ...NO_NUMBERS]],
      ["relevanceRatio", [Number.NaN, NEGATIVE_INFINITY, null, ...NO_NUMBERS]],
      ["maxResults", [Number.NaN, -1, 0.5, NEGATIVE_INFINITY, null, ...NO_NUMBERS]],
    ];
    for (const [field, values] of wrong) {
      for (const value of values) {
        expectRefusal(() => js.mergeAndSelect([["a", [{ id: "x" }]]], { [field]: value }), { field });
      }
    }
    expectRefusal(() => js.mergeAndSelect([], null), { field: "options" });
  });

  test("rows with a key of their own named __proto__ keep it, and their prototype", () => {
    const row = JSON.parse('{ "id": "a", "score": 1, "subtype": "custom:signal", "__proto__": { "polluted": true } }');
    const [merged] = nous.mergeAndSelect([["q", [row]]], { query: "signal" });
    const [expected] = reference.mergeAndSelect([["q", [row]]], { query: "signal" });
    expect(Object.entries(merged!)).toEqual(Object.entries(expected!));
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });

  test("odd scores and ids are right", () => {
    const rows = [
      ...[Number.NaN, INFINITY, "0.9", " 1e-1 ", "", "abc", null, undefined, {}, [], true, 5n, Symbol("score")],
    ].map((score, i) => ({ id: `n_${i}`, score }));
    const ids = [
      { id: "__proto__", score: 0.8 },
      { id: "constructor", score: 0.7 },
      { id: "\ud83d", score: 0.6 },
    ];
    const groups: [string, nous.MergeRow[]][] = [
      ["a", [...rows, ...ids]],
      ["b", []],
    ];
    for (const relevanceRatio of [0, 0.4, 1, 2, -1]) {
      for (const maxResults of [0, 1, 20, INFINITY]) {
        const options = { relevanceRatio, maxResults };
        expectSame(nous.mergeAndSelect(groups, options), reference.mergeAndSelect(groups, options));
      }
    }
    expect(nous.mergeAndSelect([])).toEqual([]);
    expect(nous.mergeAndSelect(new Map())).toEqual([]);
  });

  test("what was selected is refused when it is no list of nodes", () => {
    for (const wrong of [undefined, null, {}, "nodes"]) {
      expectRefusal(() => js.coRecallPairs(wrong), { field: "selected" });
    }
    for (const wrong of [null, undefined, 5, "node"]) {
      expectRefusal(() => js.coRecallPairs([{ id: "a" }, wrong]), { field: "selected", index: 1 });
    }
  });
});

describe("memories", () => {
  const FIELDS = ["subtype", "type", "memory_section", "content_title", "content_body", "content_summary"];

  test("with a field that is no text are refused by place, id and field", () => {
    for (const field of [...FIELDS, "provenance_created_at"]) {
      for (const wrong of [
        5,
        Number.NaN,
        true,
        {},
        ["text"],
        1n,
        Symbol("text"),
        new String("text"),
        new Date(Number.NaN),
      ]) {
        const rows = [{}, { id: "m", [field]: wrong }];
        expectRefusal(() => js.formatContext(rows), { field, index: 1, id: "m" });
        expectRefusal(() => js.formatContext([{ [field]: wrong }]), { field, index: 0 });
      }
    }
    for (const field of FIELDS) {
      expectRefusal(() => js.formatContext([{ [field]: new Date(0) }]), { field, index: 0 });
    }
  });

  test("that are no list of objects", () => {
    for (const wrong of [undefined, null, {}, "rows", new Set()]) {
      expectRefusal(() => js.formatContext(wrong), { field: "results" });
    }
    for (const wrong of [null, undefined, 5, "row"]) {
      expectRefusal(() => js.formatContext([{}, wrong]), { field: "results", index: 1 });
    }
  });

  test("with a wrong budget, and with budgets at the edges", () => {
    for (const wrong of [Number.NaN, -1, -5e-324, NEGATIVE_INFINITY, null, ...NO_NUMBERS]) {
      expectRefusal(() => js.formatContext([{}], wrong), { field: "maxTokens" });
    }
    expect(nous.formatContext([{}], 0)).toBeNull();
    expect(nous.formatContext([{}], INFINITY)).toBe("- [ · KNOWLEDGE] Untitled (): ");
    expect(nous.formatContext([], INFINITY)).toBeNull();
  });

  test("with Dates, and with lone surrogates, which come out as U+FFFD", () => {
    expect(nous.formatContext([{ provenance_created_at: new Date(NOW) }])).toContain("(2026-02-20)");
    const rows = [{ content_title: "\ud83d!", content_body: "\ude80", subtype: "custom:\ud83d" }];
    expect(nous.formatContext(rows)).toBe("- [\ufffd · KNOWLEDGE] \ufffd! (): \ufffd");
    expect(nous.formatContext([{ content_body: '{"text":"\ud83d"}' }])).toContain("): \ufffd");
  });
});

/** Names that objects have members of, and names that UTF-8 cannot hold. */
const ODD_NAMES = ["__proto__", "constructor", "toString", "\ud83d", "\ude80", "\ufffd"];

describe("stakes", () => {
  const NOT_FINITE = [Number.NaN, INFINITY, NEGATIVE_INFINITY, ...NO_NUMBERS];

  test("told by a figure that is no number are refused by its name", () => {
    const read: [string, string][] = [
      ["custom:trade_close", "pnl_pct"],
      ["custom:trade_modify", "pnl_pct"],
      ["custom:missed_opportunity", "pnl_pct"],
      ["custom:trade_entry", "confidence"],
      ["custom:trade_entry", "rr_ratio"],
    ];
    for (const [subtype, field] of read) {
      for (const value of NOT_FINITE) {
        expectRefusal(() => js.calculateSalience(subtype, { [field]: value }), { field: `signals.${field}` });
      }
    }
    const weighted = { rarity: { weight: 0.2 }, surprise: { weight: 0.2 } };
    const engine = js.createEngine({ salience: weighted });
    for (const field of ["z_score", "outcome", "expectation"]) {
      for (const value of NOT_FINITE) {
        const signals = { pnl_pct: 1, [field]: value };
        expectRefusal(() => engine.calculateSalience("custom:trade_close", signals), { field: `signals.${field}` });
      }
    }
  });

  test("are not told by figures that nothing weighs, which may be anything", () => {
    for (const field of ["z_score", "outcome", "expectation", "confidence", "note", ...ODD_NAMES]) {
      for (const value of NOT_FINITE) {
        const signals = Object.fromEntries([["pnl_pct", -10] as const, [field, value] as const]);
        expect(nous.calculateSalience("custom:trade_close", signals)).toBe(1);
        expect(nous.calculateSalience("custom:lesson", signals)).toBe(0.5);
      }
    }
  });

  test("of no subtype, or by figures that are no object", () => {
    for (const wrong of [5, Number.NaN, true, 1n, {}, ["custom:trade_close"], Symbol("subtype"), new String("x")]) {
      expectRefusal(() => js.calculateSalience(wrong, { pnl_pct: 1 }), { field: "subtype" });
      expectRefusal(() => js.modulateStability(wrong, 1), { field: "subtype" });
    }
    for (const wrong of [5, Number.NaN, "pnl_pct", true, 1n, [], [1], Symbol("signals"), () => 1]) {
      expectRefusal(() => js.calculateSalience("custom:trade_close", wrong), { field: "signals" });
    }
    for (const none of [null, undefined, {}, new Map([["pnl_pct", -10]]), Object.create({ pnl_pct: -10 })]) {
      expect(nous.calculateSalience("custom:trade_close", none)).toBe(0.5);
    }
  });

  test("beyond what stakes can be, or no number, change no stability", () => {
    for (const wrong of [undefined, null, -5e-324, -1, 1 + Number.EPSILON, ...NOT_FINITE]) {
      for (const subtype of ["custom:trade_close", null]) {
        expectRefusal(() => js.modulateStability(subtype, wrong), { field: "salience" });
      }
    }
    for (const least of [0, -0]) {
      expect(nous.modulateStability("custom:trade_close", least)).toBe(
        reference.modulateStability("custom:trade_close", 0),
      );
    }
  });

  test("beyond what stakes can be, or no number, make nothing grow where they count, and are not looked at elsewhere", () => {
    const { decay } = nous.SECTION_PROFILES.EPISODIC;
    const wrongs = ["0.5", true, {}, [0.5], 1n, Symbol("salience"), -5e-324, 1 + Number.EPSILON, ...NOT_FINITE];
    for (const curve of ["exponential", "fsrs6"]) {
      const [staked, plain] = [true, false].map((salienceGrowth) => js.createEngine({ curve, salienceGrowth }));
      for (const wrong of wrongs) {
        expectRefusal(() => staked.updateStabilityOnAccess(14, 0.3, 0.9, wrong), { field: "salience" });
        const inSection = () => staked.updateStabilityOnAccessForSection(14, 0.3, decay, 0.9, wrong);
        expectRefusal(inSection, { field: "salience" });
        expect(plain.updateStabilityOnAccess(14, 0.3, 0.9, wrong)).toBe(staked.updateStabilityOnAccess(14, 0.3, 0.9));
      }
    }
  });

  test("of odd subtypes and by odd figures are right", () => {
    for (const subtype of [...ODD_NAMES, "custom:trade_close\0", "x".repeat(MILLIONS)]) {
      expect(nous.calculateSalience(subtype, { pnl_pct: -10 })).toBe(0.5);
      expect(nous.modulateStability(subtype, 1)).toBe(reference.modulateStability(subtype, 1));
    }
    const signals = { pnl_pct: -3.7 };
    const expected = reference.calculateSalience("custom:trade_close", signals);
    const forms = [
      Object.freeze(signals),
      Object.assign(Object.create(null), signals),
      runInNewContext("({ pnl_pct: -3.7 })"),
      new Proxy(signals, {}),
    ];
    for (const form of forms) expect(nous.calculateSalience("custom:trade_close", form)).toBe(expected);
    for (const pnl_pct of [Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324, -5e-324, 0, -0, null, undefined]) {
      const odd = { pnl_pct };
      for (const subtype of ["custom:trade_close", "custom:trade_modify", "custom:good_pass"]) {
        expect(nous.calculateSalience(subtype, odd)).toBe(reference.calculateSalience(subtype, odd));
      }
    }
    for (const field of ["constructor", "__proto__", "größe"]) {
      const sources = { "custom:match": { field, scale: 1, weight: 0.5 } };
      const engine = nous.createEngine({ salience: { sources } });
      expect(engine.calculateSalience("custom:match", { other: 1 })).toBe(0.3);
      expect(engine.calculateSalience("custom:match", Object.fromEntries([[field, 1]]))).toBe(0.8);
    }
  });

  test("by a getter: what it throws comes through, and what it calls does no harm", () => {
    const own = new RangeError("from a getter");
    const throwing = {
      get pnl_pct(): never {
        throw own;
      },
    };
    expect(thrownBy(() => nous.calculateSalience("custom:trade_close", throwing))).toBe(own);
    let inner: unknown;
    const calling = {
      get pnl_pct() {
        inner = results(ours);
        return -10;
      },
    };
    expect(nous.calculateSalience("custom:trade_close", calling)).toBe(1);
    expectSame(inner, EXPECTED);
    // More than the module keeps: it gives the instance up.
    const large = {
      get pnl_pct() {
        nous.classifyIntent("zz ".repeat(MILLIONS));
        return -10;
      },
    };
    expect(nous.calculateSalience("custom:trade_close", large)).toBe(1);
  });
});

describe("outcomes", () => {
  const record = (changes: object = {}) => ({ success_count: 3, sample_size: 4, stability: 60, ...changes });

  test("of a record with a wrong field are refused by its name", () => {
    const NO_COUNTS = [undefined, null, Number.NaN, INFINITY, -1, 0.5, 1e-300, 2 ** 53, ...NO_NUMBERS];
    const wrong: [string, unknown[]][] = [
      ["success_count", NO_COUNTS],
      ["sample_size", NO_COUNTS],
      ["stability", [undefined, null, Number.NaN, INFINITY, NEGATIVE_INFINITY, -1, -5e-324, ...NO_NUMBERS]],
      ["difficulty", [Number.NaN, INFINITY, -5e-324, 1 + Number.EPSILON, ...NO_NUMBERS]],
    ];
    for (const [field, values] of wrong) {
      for (const value of values) {
        expectRefusal(() => js.applyOutcome(record({ [field]: value }), true, NOW), { field });
      }
    }
    for (const playbook of [undefined, null, 5, "playbook", true, [], [record()], () => record()]) {
      expectRefusal(() => js.applyOutcome(playbook, true, NOW), { field: "playbook" });
    }
  });

  test("that are neither true nor false, or at no moment", () => {
    for (const profitable of [undefined, null, 0, 1, "true", "", {}, new Boolean(true)]) {
      expectRefusal(() => js.applyOutcome(record(), profitable, NOW), { field: "profitable" });
    }
    for (const now of [null, Number.NaN, INFINITY, 8.64e15 + 2, new Date(Number.NaN), "", "now", true, 1n, {}]) {
      expectRefusal(() => js.applyOutcome(record(), true, now), { field: "now" });
    }
  });

  test("of odd records are right", () => {
    const records = [
      record({ success_count: 11, sample_size: 4 }),
      record({ success_count: -0, sample_size: 0, stability: 0 }),
      record({ stability: Number.MAX_VALUE, difficulty: null }),
      record({ stability: 5e-324, difficulty: 1 }),
      Object.freeze(record({ difficulty: 0 })),
      Object.assign(Object.create(null), record()),
      runInNewContext(`(${JSON.stringify(record())})`),
    ];
    for (const odd of records) {
      for (const profitable of [true, false]) {
        expectSame(nous.applyOutcome(odd, profitable, NOW), reference.applyOutcome(odd, profitable, NOW));
      }
    }
    const foreign = runInNewContext(`new Date(${NOW})`) as Date;
    expectSame(nous.applyOutcome(record(), true, foreign), reference.applyOutcome(record(), true, NOW));
    const before = Date.now();
    const { last_applied } = nous.applyOutcome(record(), true);
    expect(Date.parse(last_applied)).toBeGreaterThanOrEqual(before);
  });
});

describe("playbooks", () => {
  const NO_LISTS = [undefined, null, 5, "list", {}, new Set(), new Map(), { length: 1, 0: {} }, () => []];
  const NO_OBJECTS = [undefined, null, 5, "playbook", true, 1n, [], () => ({})];
  const NO_IDS = [undefined, null, "", 7, Number.NaN, true, {}, ["a"], Symbol("id"), 1n, new String("a")];
  const EVENT = { type: "surge", symbol: "BTC", severity: 1 };
  const ONE = { var: "price", op: ">", value: 0 } as const;
  const called = (id: string, trigger: object = {}) => ({ id, trigger: { anomaly_types: ["surge"], ...trigger } });

  /** A book that holds so much. */
  function bookOf(...playbooks: (nous.Playbook | nous.PlaybookRow)[]): nous.PlaybookBook {
    const book = new nous.PlaybookBook();
    book.add(playbooks);
    return book;
  }

  const idsOf = (book: nous.PlaybookBook, events: nous.AnomalyEvent[] = [EVENT], snapshot?: nous.MarketSnapshot) =>
    book.match(events, snapshot).matches.map(({ id }) => id);

  // It outlives every test: what one book goes through is no matter of another.
  const kept = bookOf(...usualPlaybooks);
  afterEach(() => expectSame(kept.match(usualEvents).matches, reference.matchPlaybooks(usualPlaybooks, usualEvents)));

  /** Each list of playbooks is refused whole, by a book and without one. */
  function expectNothingAdded(playbooks: unknown, details: nous.NousErrorDetails): void {
    const book = bookOf(called("a"), called("b"));
    expectRefusal(() => book.add(playbooks as nous.Playbook[]), details);
    expect([book.size, book.problems, idsOf(book)]).toEqual([2, [], ["a", "b"]]);
    expectRefusal(() => js.matchPlaybooks(playbooks, [EVENT]), details);
  }

  test("and events, ids and matches that are no lists are refused", () => {
    for (const wrong of NO_LISTS) {
      expectNothingAdded(wrong, { field: "playbooks" });
      expectRefusal(() => js.matchPlaybooks(usualPlaybooks, wrong), { field: "events" });
      expectRefusal(() => kept.match(wrong as never), { field: "events" });
      expectRefusal(() => kept.remove(wrong as never), { field: "ids" });
      expectRefusal(() => js.formatPlaybookMatches(wrong), { field: "matches" });
    }
    expect(js.matchPlaybooks([], [])).toEqual([]);
    expect(js.formatPlaybookMatches([])).toBe("");
  });

  test("that are no objects, or have no id, are refused by place, and none of them is added", () => {
    for (const wrong of NO_OBJECTS) expectNothingAdded([called("c"), wrong], { field: "playbooks", index: 1 });
    for (const id of NO_IDS) expectNothingAdded([called("a"), { ...called("c"), id }], { field: "id", index: 1 });
    const holes = new Array(3);
    holes[0] = called("c");
    expectNothingAdded(holes, { field: "playbooks", index: 1 });
  });

  test("are removed by ids, or none of them", () => {
    for (const id of NO_IDS) {
      const book = bookOf(called("a"), called("b"));
      const { field, index } = (thrownBy(() => book.remove(["a", id as string])) as nous.NousError).details;
      expect([field, index]).toEqual([expect.stringMatching(/^ids?$/), 1]);
      expect(idsOf(book)).toEqual(["a", "b"]);
    }
    const book = bookOf(called("a"));
    book.remove(["nobody", "a", "a", ...ODD_NAMES]);
    expect([book.size, idsOf(book)]).toEqual([0, []]);
  });

  test("are called up by events that are whole, and others are refused by place", () => {
    const wrong: [string, unknown[]][] = [
      ["type", [undefined, null, 5, true, {}, ["surge"], Symbol("type"), new String("surge")]],
      ["symbol", [5, Number.NaN, true, {}, ["BTC"], Symbol("symbol"), new String("BTC")]],
      ["severity", [undefined, null, Number.NaN, INFINITY, NEGATIVE_INFINITY, ...NO_NUMBERS]],
    ];
    for (const [field, values] of wrong) {
      for (const value of values) {
        const events = [EVENT, { ...EVENT, [field]: value }] as nous.AnomalyEvent[];
        expectRefusal(() => kept.match(events), { field, index: 1 });
        expectRefusal(() => nous.matchPlaybooks(usualPlaybooks, events), { field, index: 1 });
      }
    }
    for (const value of NO_OBJECTS) {
      expectRefusal(() => kept.match([EVENT, value as never]), { field: "events", index: 1 });
    }
    expectRefusal(() => kept.match(new Array(2)), { field: "events", index: 0 });
  });

  test("are judged by a market of numbers, and others are refused by their variable", () => {
    for (const wrong of [null, 5, "market", true, [], [1], 1n, Symbol("market"), () => ({})]) {
      expectRefusal(() => kept.match([EVENT], wrong as never), { field: "snapshot" });
    }
    for (const name of ["price", "größe", "", ...ODD_NAMES]) {
      const book = bookOf(called("a", { conditions: { ...ONE, var: name } }));
      for (const value of [Number.NaN, INFINITY, "1", true, 1n, {}, Symbol("price"), new Number(1), () => 1]) {
        for (const given of [value, [1, value], [value, 1]]) {
          const market = Object.fromEntries([[name, given]]) as never;
          expectRefusal(() => book.match([EVENT], market), { field: `snapshot.${name}` });
        }
      }
      const holes = Object.fromEntries([[name, new Array(2)]]);
      expectRefusal(() => book.match([EVENT], holes), { field: `snapshot.${name}` });
      expect(book.match([EVENT], { other: 1 }).missing).toEqual([{ id: "a", var: name }]);
      expect(idsOf(book, [EVENT], Object.fromEntries([[name, 1]]))).toEqual(["a"]);
    }
  });

  test("of one id are one, the last of them and in its place", () => {
    const book = bookOf(called("a"), called("b"), { ...called("a"), title: "later" }, called("a"));
    expect([book.size, idsOf(book)]).toEqual([2, ["b", "a"]]);
    book.add([called("b", { anomaly_types: 7 })]);
    expect([book.size, idsOf(book), book.problems]).toEqual([2, ["a"], [{ id: "b", reason: "malformed_trigger" }]]);
    book.add([called("b")]);
    expect([book.size, idsOf(book), book.problems]).toEqual([2, ["a", "b"], []]);
  });

  test("differ where ids, kinds, symbols or variables do in a lone surrogate alone", () => {
    const byId = bookOf(...ODD_NAMES.map((id) => called(id)));
    expect(idsOf(byId)).toEqual(ODD_NAMES);
    byId.remove(["\ud83d"]);
    expect(idsOf(byId)).toEqual(ODD_NAMES.filter((id) => id !== "\ud83d"));

    const byKind = bookOf(...ODD_NAMES.map((kind) => called(kind, { anomaly_types: [kind] })));
    const bySymbol = bookOf(...ODD_NAMES.map((symbol) => called(symbol, { symbols: [symbol] })));
    const byVariable = bookOf(
      ...ODD_NAMES.map((name) => called(name, { conditions: { var: name, op: "=", value: 1 } })),
    );
    for (const name of ODD_NAMES) {
      expect(idsOf(byKind, [{ ...EVENT, type: name }])).toEqual([name]);
      expect(idsOf(bySymbol, [{ ...EVENT, symbol: name }])).toEqual([name]);
      const others = ODD_NAMES.filter((other) => other !== name);
      const { matches, missing } = byVariable.match([EVENT], Object.fromEntries([[name, 1]]));
      expect(matches.map(({ id }) => id)).toEqual([name]);
      expect(missing).toEqual(others.map((other) => ({ id: other, var: other })));
    }
  });

  test("with names and texts of ten million characters", () => {
    const long = "Aé".repeat(MILLIONS / 2);
    const playbook = {
      ...{ id: long, title: long, action: long, direction: long },
      trigger: { anomaly_types: [long], symbols: [long], conditions: { var: long, op: ">", value: 0 } as const },
    };
    const { id, ...fields } = playbook;
    const stored = { id: "stored", content_title: long, content_body: JSON.stringify(fields) };
    const book = bookOf(playbook, stored);
    const event = { type: long, symbol: long.toUpperCase(), severity: 1 };
    // Beyond ASCII, case counts.
    expect(idsOf(book, [event], { [long]: 1 })).toEqual([]);
    event.symbol = "aé".repeat(MILLIONS / 2);
    const { matches } = book.match([event], { [long]: 1 });
    expect(matches.map(({ id }) => id === long || id)).toEqual([true, "stored"]);
    expect(nous.formatPlaybookMatches(matches) === reference.formatPlaybookMatches(matches)).toBe(true);
    expect(book.match([event]).missing.map((missing) => missing.var === long)).toEqual([true, true]);
  });

  test("with as many kinds and symbols as a trigger may have, with more, and with a hundred thousand values", () => {
    const names = Array.from({ length: 100_000 }, (_, i) => `N${i}`);
    const most = names.slice(0, reference.MAX_PAIRS);
    const [few, many] = [names.slice(0, 8), names.slice(0, reference.MAX_PAIRS / 8)];
    const book = bookOf(
      called("kinds", { anomaly_types: [...most, ...most] }),
      called("symbols", { symbols: [...most, ...most.map((name) => name.toLowerCase())] }),
      called("pairs", { anomaly_types: many, symbols: few }),
      called("too many kinds", { anomaly_types: names }),
      called("too many symbols", { symbols: names }),
      called("too many pairs", { anomaly_types: names.slice(0, many.length + 1), symbols: few }),
      called("far too many pairs", { anomaly_types: names, symbols: names }),
    );
    expect(book.problems.map(({ id, reason }) => [id, reason])).toEqual([
      ["too many kinds", "trigger_too_large"],
      ["too many symbols", "trigger_too_large"],
      ["too many pairs", "trigger_too_large"],
      ["far too many pairs", "trigger_too_large"],
    ]);
    expect(idsOf(book, [{ type: most.at(-1)!, severity: 0 }])).toEqual(["kinds"]);
    expect(idsOf(book, [{ ...EVENT, symbol: most.at(-1)!.toLowerCase() }])).toEqual(["symbols"]);
    expect(idsOf(book, [{ type: many.at(-1)!, symbol: "n7", severity: 1 }])).toEqual(["kinds", "pairs"]);
    book.remove(["kinds", "symbols"]);
    expect(idsOf(book, [EVENT, { type: "N0", severity: 1 }])).toEqual([]);

    const series = bookOf(called("series", { conditions: { var: "oi", op: "rising", window: names.length } }));
    expect(idsOf(series, [EVENT], { oi: names.map((_, i) => i) })).toEqual(["series"]);
    expect(idsOf(series, [EVENT], { oi: names.map((_, i) => (i === 5 ? 0 : i)) })).toEqual([]);
  });

  test("with conditions without end are put aside", () => {
    const body = (levels: number) => {
      const [open, close] = ['{"not":'.repeat(levels), "}".repeat(levels)];
      return `{"trigger":{"anomaly_types":["surge"],"conditions":${open}${JSON.stringify(ONE)}${close}}}`;
    };
    const row = (id: string, levels: number) => ({ id, content_body: body(levels) });
    const endless: unknown = new Proxy({}, { get: (_, key) => (key === "not" ? endless : undefined) });
    const widening: unknown = new Proxy({}, { get: (_, key) => (key === "any" ? [widening, widening] : undefined) });
    const growing: unknown[] = [];
    const again = {
      get var() {
        growing.push(again);
        return "price";
      },
      op: ">",
      value: 0,
    };
    growing.push(again);
    const circular: Record<string, unknown> = { anomaly_types: ["surge"] };
    circular.conditions = { not: circular };
    const book = bookOf(
      ...[row("30", 30), row("31", 31), row("32", 32), row("10,000", 10_000), row("a million", 1_000_000)],
      ...[called("endless", { conditions: endless }), called("widening", { conditions: widening })],
      called("growing", { conditions: { all: growing } }),
      { id: "circular", trigger: circular },
    );
    const deep = ["32", "10,000", "a million", "endless", "widening"];
    expect(book.problems).toEqual([
      ...deep.map((id) => ({ id, reason: "condition_too_deep" })),
      { id: "circular", reason: "malformed_condition" },
    ]);
    // What grows while it is read is as it was before.
    expect(idsOf(book, [EVENT], { price: 1 })).toEqual(["30", "growing"]);
    expect(idsOf(book, [EVENT], { price: -1 })).toEqual(["31"]);
  });

  test("frozen, of another realm, without a prototype, and with more successes than samples are right", () => {
    const playbook = { ...called("a", { symbols: ["btc"], conditions: { all: [ONE] } }), action: "Fade it." };
    const forms: nous.Playbook[] = [
      Object.freeze({ ...playbook, trigger: Object.freeze(playbook.trigger) }),
      runInNewContext(`(${JSON.stringify(playbook)})`),
      Object.assign(Object.create(null), playbook),
      Object.create(playbook),
      new Proxy(playbook, {}),
    ];
    const market: nous.MarketSnapshot = runInNewContext("({ price: [0, 1] })");
    const events = runInNewContext(`([${JSON.stringify(EVENT)}])`) as nous.AnomalyEvent[];
    for (const form of forms) {
      const plain = new reference.PlaybookBook();
      plain.add([playbook]);
      expectSame(bookOf(form).match(Object.freeze(events), Object.freeze(market)), plain.match([EVENT], { price: 1 }));
    }
    const lucky = [{ ...called("a"), success_count: 11, sample_size: 3 }];
    const matches = nous.matchPlaybooks(lucky, [EVENT]);
    expectSame(matches, reference.matchPlaybooks(lucky, [EVENT]));
    expect(nous.formatPlaybookMatches(matches)).toBe(reference.formatPlaybookMatches(matches));
  });

  test("with a getter that throws: its own exception comes through, and nothing is added", () => {
    const own = new RangeError("from a getter");
    const throwing = <T extends object>(target: T, field: string): T =>
      Object.defineProperty({ ...target }, field, {
        get: () => {
          throw own;
        },
        enumerable: true,
      });
    const trigger = { anomaly_types: ["surge"], symbols: ["BTC"], min_severity: 0, conditions: ONE };
    const playbook = { id: "c", title: "t", action: "a", direction: "long", success_count: 1, sample_size: 2, trigger };
    const wrong = [
      ...Object.keys(playbook).map((field) => throwing(playbook, field)),
      ...Object.keys(trigger).map((field) => ({ ...playbook, trigger: throwing(trigger, field) })),
      ...Object.keys(ONE).map((field) => called("c", { conditions: { all: [ONE, throwing(ONE, field)] } })),
      throwing({ id: "c", content_title: "t", content_body: "{}" }, "content_body"),
    ];
    const book = bookOf(called("a"), called("b"));
    for (const one of wrong) {
      expect(thrownBy(() => book.add([called("a", { symbols: ["none"] }), one]))).toBe(own);
      expect(thrownBy(() => nous.matchPlaybooks([one], [EVENT]))).toBe(own);
      expect([book.size, book.problems, idsOf(book)]).toEqual([2, [], ["a", "b"]]);
    }
    for (const field of Object.keys(EVENT)) {
      expect(thrownBy(() => book.match([EVENT, throwing(EVENT, field)]))).toBe(own);
      expect(thrownBy(() => nous.matchPlaybooks([called("a")], [throwing(EVENT, field)]))).toBe(own);
    }
    book.add([called("c", { conditions: ONE })]);
    expect(thrownBy(() => book.match([EVENT], throwing({}, "price")))).toBe(own);
    const [match] = book.match([EVENT]).matches;
    for (const field of Object.keys(match!)) {
      if (field === "severity" || field === "relevance") continue;
      expect(thrownBy(() => nous.formatPlaybookMatches([match!, throwing(match!, field)]))).toBe(own);
    }
  });

  test("whose kinds grow while they are read have no kind that nobody named", () => {
    const other = called("other", { anomaly_types: ["drop"] });
    const drop = { ...EVENT, type: "drop" };
    const kinds = ["surge"];
    const longer = {
      anomaly_types: kinds,
      get conditions() {
        kinds.length = 2;
        return null;
      },
    };
    expect(idsOf(bookOf(other, { id: "longer", trigger: longer }), [drop])).toEqual(["other"]);
  });

  test("whose conditions shrink while they are read keep their shape", () => {
    // Whether or not the second part is there, no part of `any` holds.
    const parts: object[] = [
      { op: "<", value: 0 },
      { ...ONE, op: "<" },
    ];
    Object.defineProperty(parts[0], "var", {
      get: () => {
        parts.length = 1;
        return "price";
      },
    });
    const shorter = bookOf(called("shorter", { conditions: { all: [{ any: parts }, ONE] } }));
    expect(idsOf(shorter, [EVENT], { price: 1 })).toEqual([]);
  });

  test("added while a market is read are matched from the next time on, or in full", () => {
    const book = bookOf(called("a", { conditions: ONE }));
    const market = {
      get price() {
        book.add([called("b", { conditions: { ...ONE, var: "later" } })]);
        return 1;
      },
    };
    const { matches, missing } = book.match([EVENT], market);
    expect(matches.map(({ id }) => id)).toEqual(["a"]);
    for (const each of missing) expect(each).toEqual({ id: "b", var: "later" });
    expect(book.match([EVENT], { price: 1 }).missing).toEqual([{ id: "b", var: "later" }]);
  });

  test("in matches that are none are not told, by place, id and field", () => {
    const [match] = nous.matchPlaybooks([called("a")], [EVENT]);
    const NO_TEXTS = [undefined, null, 5, true, {}, ["text"], 1n, Symbol("text")];
    const NOT_FINITE = [undefined, null, Number.NaN, INFINITY, ...NO_NUMBERS];
    const wrong: [string, unknown[]][] = [
      ...["title", "action", "direction", "type"].map((field): [string, unknown[]] => [field, NO_TEXTS]),
      ["symbol", NO_TEXTS.filter((value) => value != null)],
      ["success_rate", NOT_FINITE],
      ["success_count", NOT_FINITE],
      ["sample_size", NOT_FINITE],
    ];
    for (const [field, values] of wrong) {
      for (const value of values) {
        const matches = [match, { ...match, sample_size: 1, [field]: value }];
        expectRefusal(() => js.formatPlaybookMatches(matches), { field, index: 1, id: "a" });
      }
    }
    for (const id of NO_TEXTS) {
      expectRefusal(() => js.formatPlaybookMatches([match, { ...match, id }]), { field: "id", index: 1 });
    }
    for (const value of NO_OBJECTS) {
      expectRefusal(() => js.formatPlaybookMatches([match, value]), { field: "matches", index: 1 });
    }
    expectRefusal(() => js.formatPlaybookMatches(new Array(1)), { field: "matches", index: 0 });
  });
});

describe("configurations", () => {
  const profile = (changes: object) => ({ sections: { profiles: { SIGNALS: changes } } });
  class OwnClass {
    enabled = true;
  }
  const cyclic: Record<string, unknown> = {};
  cyclic.sections = { subtypes: cyclic };
  const own = (json: string) => JSON.parse(json) as object;
  const SIGNALS = "sections.profiles.SIGNALS";
  const CASES: [field: string, config: unknown][] = [
    ...[null, 5, "config", true, [], 1n, () => ({}), new OwnClass(), new Map(), new Date()].map(
      (config): [string, unknown] => ["config", config],
    ),
    ["section", { section: {} }],
    ["constructor", { constructor: {} }],
    ["__proto__", own('{"__proto__":{"sections":{}}}')],
    ["sections.__proto__", own('{"sections":{"__proto__":{"enabled":false}}}')],
    ["sections", { sections: null }],
    ["sections", { sections: [] }],
    ["sections", { sections: new OwnClass() }],
    ["sections.enabled", { sections: { enabled: "no" } }],
    ["sections.enabled", { sections: { enabled: () => true } }],
    ["sections.intent_boost", { sections: { intent_boost: 2 } }],
    ["sections.intentBosst", { sections: { intentBosst: 2 } }],
    ...["2", null, Number.NaN, INFINITY, 0.99, -1, 1n].map((intentBoost): [string, unknown] => [
      "sections.intentBoost",
      { sections: { intentBoost } },
    ]),
    ["sections.defaultSection", { sections: { defaultSection: "knowledge" } }],
    ["sections.subtypes", { sections: { subtypes: [] } }],
    ["sections.subtypes.my_own", { sections: { subtypes: { my_own: "SIGNALS" } } }],
    ["sections.subtypes.my_own.section", { sections: { subtypes: { my_own: {} } } }],
    ["sections.subtypes.my_own.section", { sections: { subtypes: { my_own: { section: "OTHER" } } } }],
    ["sections.subtypes.a.b.stability", { sections: { subtypes: { "a.b": { section: "SIGNALS", stability: 0 } } } }],
    ["sections.subtypes.a.stability", { sections: { subtypes: { a: { section: "SIGNALS", stability: "2" } } } }],
    ["sections.subtypes.a.initialDays", { sections: { subtypes: { a: { section: "SIGNALS", initialDays: 2 } } } }],
    ["sections.profiles.OTHER", { sections: { profiles: { OTHER: {} } } }],
    [`${SIGNALS}.section`, profile({ section: "SIGNALS" })],
    [`${SIGNALS}.name`, profile({ name: 5 })],
    [`${SIGNALS}.consolidationRole`, profile({ consolidationRole: "both" })],
    [`${SIGNALS}.intentBoost`, profile({ intentBoost: 0 })],
    [`${SIGNALS}.rerankingWeights`, profile({ rerankingWeights: { semantic: 0.9 } })],
    [`${SIGNALS}.rerankingWeights.semantic`, profile({ rerankingWeights: { semantic: -0.1 } })],
    [`${SIGNALS}.rerankingWeights.graph`, profile({ rerankingWeights: { graph: "0.1" } })],
    [`${SIGNALS}.rerankingWeights.novelty`, profile({ rerankingWeights: { novelty: 0.1 } })],
    [`${SIGNALS}.reranking_weights`, profile({ reranking_weights: {} })],
    [`${SIGNALS}.decay.maxStabilityDays`, profile({ decay: { maxStabilityDays: -1 } })],
    [`${SIGNALS}.decay.growthRate`, profile({ decay: { growthRate: 0 } })],
    [`${SIGNALS}.decay.activeThreshold`, profile({ decay: { activeThreshold: 1.1 } })],
    [`${SIGNALS}.decay.weakThreshold`, profile({ decay: { weakThreshold: 0.5 } })],
    [`${SIGNALS}.encoding.baseDifficulty`, profile({ encoding: { baseDifficulty: 2 } })],
    [`${SIGNALS}.encoding.salienceEnabled`, profile({ encoding: { salienceEnabled: 1 } })],
    [`${SIGNALS}.encoding.maxSalienceMultiplier`, profile({ encoding: { maxSalienceMultiplier: 0.5 } })],
    ["intent.matcher", { intent: { matcher: "regex" } }],
    ["intent.strings.OTHER", { intent: { strings: { OTHER: [] } } }],
    ["intent.strings.SIGNALS", { intent: { strings: { SIGNALS: "live" } } }],
    ["intent.strings.SIGNALS[1]", { intent: { strings: { SIGNALS: ["live", 5] } } }],
    ["intent.strings.SIGNALS[1]", { intent: { strings: { SIGNALS: ["live", undefined] } } }],
    ["intent.strings.SIGNALS[0]", { intent: { strings: { SIGNALS: [" \t"] } } }],
    ["intent.strings", { intent: { strings: { SIGNALS: ["x".repeat(70_000)] } } }],
    ["salienceGrowth", { salienceGrowth: "yes" }],
    ["salienceGrowth", { salienceGrowth: 1 }],
    ["salienceGrowth", { salienceGrowth: null }],
    ["salience_growth", { salience_growth: true }],
    ["curve", { curve: "linear" }],
    ["curve", { curve: Symbol("fsrs6") }],
    ["curve", { curve: new String("fsrs6") }],
  ];

  test.each(CASES)("%s", (field, config) => {
    expectRefusal(() => js.createEngine(config), { field }, "invalid_config");
  });

  test("that never end are refused, and keys in snake_case are told in camelCase", () => {
    const error = thrownBy(() => js.createEngine(cyclic)) as nous.NousError;
    expect([error.code, error.message.length < 300]).toEqual(["invalid_config", true]);
    for (const [config, hint] of [
      [{ sections: { intent_boost: 2 } }, "intentBoost"],
      [profile({ decay: { max_stability_days: 2 } }), "maxStabilityDays"],
    ] as const) {
      expect((thrownBy(() => js.createEngine(config)) as Error).message).toContain(hint);
    }
  });

  test("of another realm, frozen, or without a prototype are fine", () => {
    const config = { sections: { subtypes: { own: { section: "SIGNALS" } } } };
    const foreign = runInNewContext(`(${JSON.stringify(config)})`);
    for (const form of [foreign, Object.freeze(config), Object.assign(Object.create(null), config)]) {
      expect(js.createEngine(form).getSectionForSubtype("own")).toBe("SIGNALS");
    }
  });

  test("pollute no prototype, and are read once", () => {
    const config = own(
      '{"sections":{"subtypes":{"__proto__":{"section":"SIGNALS"},"constructor":{"section":"EPISODIC"}}}}',
    );
    const engine = js.createEngine(config);
    expect(engine.getSectionForSubtype("__proto__")).toBe("SIGNALS");
    expect(engine.getSectionForSubtype("constructor")).toBe("EPISODIC");
    expect(engine.getSectionForSubtype("toString")).toBe("KNOWLEDGE");
    expect(({} as Record<string, unknown>).section).toBeUndefined();
    expect(Object.getPrototypeOf(engine.SUBTYPE_TO_SECTION)).toBe(Object.prototype);

    const changing = { sections: { enabled: true, intentBoost: 2 } };
    const before = nous.createEngine(changing);
    changing.sections.enabled = false;
    changing.sections.intentBoost = Number.NaN;
    expectSame(before.rerankWithSectionWeights(usual, usualMetrics, NOW), EXPECTED[0]);
  });
});

test("subtypes and types named like members of objects are unknown ones", () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", ""]) {
    expect(nous.getSectionForSubtype(name)).toBe("KNOWLEDGE");
    expect(nous.getInitialStabilityForSubtype(name)).toBe(60);
    expect(js.getInitialStability(name)).toBe(14);
    expect(js.getInitialDifficulty(name)).toBe(0.3);
    expect(js.getInitialEdgeStrength(name)).toBe(0.5);
    expect(nous.formatContext([{ subtype: name }])).toContain(" · KNOWLEDGE]");
  }
  for (const wrong of [5, {}, [], true, ["custom:signal"]]) expect(js.getSectionForSubtype(wrong)).toBe("KNOWLEDGE");
});

test("constants and profiles cannot be changed", () => {
  const changes: (() => unknown)[] = [
    () => js.MEMORY_SECTIONS.push("OTHER"),
    () => Object.assign(nous.RERANKING_WEIGHTS, { semantic: 1 }),
    () => Object.assign(nous.SECTION_PROFILES.SIGNALS.decay, { growth_rate: 9 }),
    () => Object.assign(nous.SUBTYPE_TO_SECTION, { "custom:lesson": "SIGNALS" }),
  ];
  for (const change of changes) expect(thrownBy(change)).toBeInstanceOf(TypeError);
});
