// Wrong candidates, metrics, options and columns are refused by field, place and id. Unusual but
// valid ones are ranked.

import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import * as reference from "../../js/reference/index.ts";
import { NOW } from "../../js/reference/inputs.ts";
import { amount } from "../support/amount.ts";
import {
  byDefault,
  checkDefaultResults,
  defaultColumns,
  defaultMetrics,
  EXPECTED,
  expectRefusal,
  expectSame,
  INFINITY,
  js,
  metrics,
  NEGATIVE_INFINITY,
  NO_MOMENTS,
  NO_NUMBERS,
  node,
  ours,
  results,
  TOO_LATE,
  thrownBy,
} from "./support/bad-input.ts";

checkDefaultResults();

describe("candidates", () => {
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
    ...[
      "",
      "yesterday",
      "0",
      "1",
      "1771588800000",
      "2026-1-5",
      "Jan 5 2026",
      "2026-13-01",
      "2026-01-05T25:00:00Z",
    ],
    ...[
      "2026-01-05T10:00:00 PST",
      "2026-01-05T",
      "10:00",
      "2026/01/05",
      "2026-01-05T10:00:00+1",
      { getTime: 1 },
    ],
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

  test.each(FIELDS)(
    "with a wrong %s are refused by place, id and field, by every function",
    (field, values) => {
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
    },
  );

  test("with several faults are refused for the first candidate's, with the found value", () => {
    const batch = [
      node(),
      node({ id: "b", graph_score: -2 }),
      node({ id: "c", semantic_score: Number.NaN }),
    ];
    const error = thrownBy(() => js.rerankTop(batch, metrics)) as Error;
    expect(error.message).toBe(
      'candidates[1] (id "b"): graph_score must be a finite number of at least 0, found -2',
    );
    const long = node({ access_count: "x".repeat(1000) });
    expect((thrownBy(() => js.rerankTop([long], metrics)) as Error).message.length).toBeLessThan(
      200,
    );
  });

  test("with a missing, empty or wrong id are refused by place", () => {
    for (const id of [undefined, null, "", 7, Number.NaN, true, {}, ["a"], Symbol("id"), 1n]) {
      expectRefusal(() => js.rerankTop([node(), node({ id })], metrics), { field: "id", index: 1 });
    }
    const { id: _, ...without } = node();
    expectRefusal(() => js.rerankCandidates([without], metrics), { field: "id", index: 0 });
  });

  test("that are not objects are refused by place, holes in the list included", () => {
    for (const wrong of [null, undefined, 5, "node", true, () => node()]) {
      const details = { field: "candidates", index: 1 };
      expectRefusal(() => js.rerankWithSectionWeights([node(), wrong], metrics), details);
    }
    expectRefusal(() => js.rerankTop(new Array(2), metrics), { field: "candidates", index: 0 });
  });

  test("that are not an array are refused", () => {
    for (const wrong of [
      undefined,
      null,
      5,
      "list",
      {},
      new Set([node()]),
      { length: 1, 0: node() },
      new Map(),
    ]) {
      for (const name of ["rerankWithSectionWeights", "rerankCandidates", "rerankTop"]) {
        expectRefusal(() => js[name](wrong, metrics), { field: "candidates" });
      }
    }
  });

  test("with signals too large to add are refused", () => {
    const opposed = { semantic: 10, keyword: 0, graph: -10, recency: 0, authority: 0, affinity: 0 };
    const large = node({ semantic_score: Number.MAX_VALUE, graph_score: Number.MAX_VALUE });
    const details = { field: "score", index: 1, id: "the node" };
    expectRefusal(() => js.rerankCandidates([node(), large], metrics, opposed, NOW), details);
  });

  test("may have null scores, subtypes of any kind, frozen nodes and nodes without a prototype", () => {
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
    expectSame(
      ranking,
      reference.rerankWithSectionWeights([...list], metrics as reference.GraphMetrics, NOW),
    );
    expect(new Set(ranking.map((ranked) => ranked.node))).toEqual(new Set(odd));
    expect(odd.at(-1)).toEqual(node({ subtype: "constructor" }));
    const numbered = js.rerankWithSectionWeights(
      [node({ subtype: 7 }), node({ subtype: {} })],
      metrics,
      NOW,
    );
    expect(numbered[0].score).toBe(
      nous.rerankWithSectionWeights([node({ subtype: undefined })], metrics, NOW)[0]!.score,
    );
    const proxied = nous.rerankTop(new Proxy([node()], {}), metrics, { now: NOW });
    expectSame(proxied, nous.rerankTop([node()], metrics, { now: NOW }));
  });

  test("with equal ids are all ranked, and lone surrogates are kept", () => {
    const twice = [node({ id: "\ud83d" }), node({ id: "\ud83d", semantic_score: 1 })];
    const ranking = nous.rerankWithSectionWeights(twice, metrics, NOW);
    expect(ranking.map((ranked) => ranked.node)).toEqual([twice[1], twice[0]]);
    expect(ranking[0]!.node.id).toBe("\ud83d");
  });

  test("may number none, one and very many", () => {
    for (const name of ["rerankWithSectionWeights", "rerankCandidates", "rerankTop"]) {
      expect(js[name]([], metrics)).toEqual([]);
      expect(js[name]([node()], metrics)).toHaveLength(1);
    }
    const count = amount(1_000_000);
    const many = Array.from({ length: count }, (_, i) =>
      node({ id: `n_${i}`, semantic_score: ((i * 2_654_435_761) % 1_000_003) / 1_000_003 }),
    );
    const place = new Map(many.map((candidate, i) => [candidate, i]));
    const byMeaning = [...many].sort((a, b) => b.semantic_score - a.semantic_score).slice(0, 20);
    const top = nous.rerankTop(many, metrics, { now: NOW });
    expect(top.map((ranked) => place.get(ranked.node as (typeof many)[0]))).toEqual(
      byMeaning.map((candidate) => place.get(candidate)),
    );
    const [best] = reference.rerankWithSectionWeights(
      [byMeaning[0]!, node()],
      metrics as reference.GraphMetrics,
      NOW,
    );
    expectSame(top[0], best);
    many[count - 1] = node({ id: "last", access_count: -1 });
    const details = { field: "access_count", index: count - 1, id: "last" };
    expectRefusal(() => nous.rerankTop(many, metrics, { now: NOW }), details);
  });
});

describe("arguments beside the candidates", () => {
  const batch = [node()];
  const FINE = nous.RERANKING_WEIGHTS;

  test("refuse weights with a missing field or a non-finite number", () => {
    for (const signal of Object.keys(FINE)) {
      for (const wrong of [
        undefined,
        null,
        Number.NaN,
        INFINITY,
        NEGATIVE_INFINITY,
        ...NO_NUMBERS,
      ]) {
        const weights = { ...FINE, [signal]: wrong };
        const details = { field: `weights.${signal}` };
        expectRefusal(() => js.rerankCandidates(batch, metrics, weights, NOW), details);
        expectRefusal(() => js.rerankTop(batch, metrics, { weights }), details);
        expectRefusal(() => js.rerankTop([], metrics, { weights, sections: false }), details);
      }
    }
    for (const wrong of [{}, [], "weights", 5, true]) {
      expectRefusal(() => js.rerankCandidates(batch, metrics, wrong), {
        field: "weights.semantic",
      });
    }
    expectSame(
      js.rerankTop(batch, metrics, { weights: null, now: NOW }),
      nous.rerankTop(batch, metrics, { now: NOW }),
    );
  });

  test("refuse a wrong average; a missing one counts as 0", () => {
    for (const avg_inbound_edges of [Number.NaN, INFINITY, -1, -5e-324, ...NO_NUMBERS]) {
      const wrong = { avg_inbound_edges };
      expectRefusal(() => js.rerankWithSectionWeights(batch, wrong, NOW), {
        field: "avg_inbound_edges",
      });
      expectRefusal(() => js.rerankTop([], wrong), { field: "avg_inbound_edges" });
    }
    const zero = nous.rerankWithSectionWeights(batch, { avg_inbound_edges: 0 }, NOW);
    expect(zero[0]!.breakdown.authority).toBe(0.5);
    for (const missing of [
      {},
      { avg_inbound_edges: undefined },
      { avg_inbound_edges: null },
      null,
      undefined,
    ]) {
      expectSame(js.rerankWithSectionWeights(batch, missing, NOW), zero);
    }
  });

  test("refuse a wrong `now`", () => {
    for (const now of NO_MOMENTS) {
      expectRefusal(() => js.rerankWithSectionWeights(batch, metrics, now), { field: "now" });
      expectRefusal(() => js.rerankCandidates([], metrics, undefined, now), { field: "now" });
      expectRefusal(() => js.rerankTop(batch, metrics, { now }), { field: "now" });
      expectRefusal(() => js.decayColumns(defaultColumns, now), { field: "now" });
    }
  });

  test("refuse a wrong limit, and accept limits at the edges", () => {
    for (const limit of [-1, 1.5, Number.NaN, NEGATIVE_INFINITY, -5e-324, null, ...NO_NUMBERS]) {
      expectRefusal(() => js.rerankTop(batch, metrics, { limit }), { field: "limit" });
      expectRefusal(() => js.rerankTop([], metrics, { limit }), { field: "limit" });
    }
    const top = (limit?: number) => nous.rerankTop(byDefault, defaultMetrics, { now: NOW, limit });
    const all = nous.rerankWithSectionWeights(byDefault, defaultMetrics, NOW);
    expect([0, -0].map(top)).toEqual([[], []]);
    expectSame(top(undefined), all.slice(0, 20));
    for (const limit of [70, 71, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 53, 1e300, INFINITY])
      expectSame(top(limit), all);
    expectRefusal(() => js.rerankTop(batch, metrics, null), { field: "options" });
  });
});

describe("functions of one object", () => {
  const NO_OBJECTS = [undefined, null, 5, "node", true, 1n, Symbol("node"), () => node()];

  test("refuse other values by name", () => {
    const fsrs = js.createEngine({ curve: "fsrs6" });
    for (const wrong of NO_OBJECTS) {
      expectRefusal(() => js.semanticScore(wrong), { field: "node" });
      expectRefusal(() => js.keywordScore(wrong, 1, 1), { field: "node" });
      expectRefusal(() => js.graphScore(wrong), { field: "node" });
      expectRefusal(() => js.getDecayLifecycleStateForSection(0.5, 1, wrong), { field: "decay" });
      expectRefusal(() => js.updateStabilityOnAccessForSection(1, 0.5, wrong), { field: "decay" });
      expectRefusal(() => fsrs.updateStabilityOnAccessForSection(1, 0.5, wrong), {
        field: "decay",
      });
    }
  });
});

describe("columns", () => {
  const columns = (changes: object = {}) => ({
    lastAccessed: [NOW, NOW, NOW],
    stability: [1, 2, 3],
    section: [0, 1, 2],
    ...changes,
  });

  test("that are missing, not lists or of unequal lengths are refused by name", () => {
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
    for (const wrong of [null, undefined])
      expectRefusal(() => js.decayColumns(wrong), { field: "columns" });
  });

  test("with a wrong entry are refused by name and place", () => {
    const wrong: [string, unknown[]][] = [
      [
        "lastAccessed",
        [Number.NaN, INFINITY, TOO_LATE, undefined, null, new Date(NOW), ...NO_NUMBERS],
      ],
      ["stability", [Number.NaN, INFINITY, NEGATIVE_INFINITY, undefined, null, ...NO_NUMBERS]],
      ["section", [4, 255, 256, -1, 0.5, Number.NaN, undefined, null, "KNOWLEDGE", ...NO_NUMBERS]],
    ];
    for (const [field, values] of wrong) {
      for (const value of values) {
        for (const index of [0, 2, 9]) {
          const list: unknown[] = new Array(10).fill(1);
          list[index] = value;
          const ten = {
            lastAccessed: Array(10).fill(1),
            stability: Array(10).fill(1),
            section: Array(10).fill(1),
          };
          expectRefusal(() => js.decayColumns({ ...ten, [field]: list }, NOW), { field, index });
        }
      }
    }
    const codes = Uint8Array.of(0, 1, 200);
    expectRefusal(() => js.decayColumns(columns({ section: codes }), NOW), {
      field: "section",
      index: 2,
    });
    const big = new BigInt64Array(3);
    expectRefusal(() => js.decayColumns(columns({ stability: big }), NOW), {
      field: "stability",
      index: 0,
    });
  });
});
