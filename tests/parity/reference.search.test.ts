// The reference's search: it equals the golden vectors to the bit, and keeps the rules that no
// vector covers.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NOW } from "../../js/reference/inputs.ts";
import * as reference from "../../js/reference/search.ts";
import { runs, SEED } from "../support/amount.ts";
import { type GraphMemory, makeMemory, makeSearch, smallCase } from "./inputs/graphs.ts";
import { same } from "./support/same.ts";

const DAY = 86_400_000;

const golden = JSON.parse(readFileSync(new URL("../golden/search.json", import.meta.url), "utf8"));

describe("golden vectors", () => {
  type StoreResult = { nodeId: string; score: number };
  interface Graph {
    nodes: reference.SearchNode[];
    edges: reference.SearchEdge[];
    vector: StoreResult[];
    bm25: StoreResult[];
    config: Partial<reference.SearchConfig>;
    filters: reference.SearchFilters | null;
    limit: number;
    serendipity_level: reference.SerendipityLevel;
    seeds: reference.Seed[];
    spread: reference.Spread;
    ranked: reference.SearchResult[];
    serendipity: string[];
  }
  const scored = (results: StoreResult[]) =>
    results.map(({ nodeId, score }) => ({ id: nodeId, score }));

  test("terms", () => {
    for (const [query, terms] of golden.terms)
      expect(reference.extractTerms(query), query).toEqual(terms);
  });

  test.each((golden.graphs as Graph[]).map((graph, i) => [i, graph] as const))(
    "graph %i: seeds, spread, ranking, serendipity",
    (_, { nodes, edges, vector, bm25, config, filters, limit, serendipity_level, ...expected }) => {
      const memory = reference.prepareMemory(nodes, edges);
      const query = { vector: scored(vector), bm25: scored(bm25) };
      const options = { now: golden.now, config, filters, limit, serendipity_level };
      const { seeds, spread, ranked, serendipity } = reference.search(memory, query, options);
      const finds = serendipity.map(({ id }) => id);
      expect(same({ seeds, spread, ranked, serendipity: finds }, expected)).toBeNull();
    },
  );
});

describe("terms", () => {
  test.each([
    ["a bc a_b __ 7 42", ["bc", "a_b", "__", "42"]],
    ["Café, NAÏVE!", ["caf", "na", "ve"]],
    ["one\u00a0two\u3000three\ufefffour", ["one", "two", "three", "four"]],
    ["東京都", []],
    ["", []],
  ])("ascii: %j gives %j", (query, terms) => {
    expect(reference.extractTerms(query)).toEqual(terms);
  });

  test.each([
    ["Café, NAÏVE! a_b", ["café", "naïve", "a_b"]],
    ["Cafe\u0301", ["cafe\u0301"]],
    ["東京都", ["東京", "京都"]],
    ["東京、京都東京", ["東京", "京都", "都東"]],
    ["BTC価格は5万", ["btc", "価格", "格は"]],
    ["비트코인 시장", ["비트", "트코", "코인", "시장"]],
    ["𠮷野家", ["𠮷野", "野家"]],
    ["курс €100 по ٣٤", ["курс", "100", "по", "٣٤"]],
    ["a b 猫 🚀🚀", []],
    ["Ⓐⓑ ५₂ a\u200db x‿y ½½ a・b", ["ⓐⓑ", "a\u200db", "x‿y"]],
    ["々〆〇ab〡〢〱〲ｱｲ", ["々〆", "〆〇", "ab", "〡〢", "〢〱", "〱〲", "〲ｱ", "ｱｲ"]],
    ["\u{1aff0}\u{1b000}a\u{31350}\u{31351}", ["\u{1aff0}\u{1b000}", "\u{31350}\u{31351}"]],
  ])("unicode: %j gives %j", (query, terms) => {
    expect(reference.extractTerms(query, "unicode")).toEqual(terms);
  });

  test("the full-text query quotes each term as a prefix", () => {
    expect(reference.fullTextQuery(["funding", "or"])).toBe('"funding"* OR "or"*');
    expect(reference.fullTextQuery([])).toBe("");
  });

  test("BM25 magnitudes are divided by the largest, however small it is", () => {
    const scores = (...list: number[]) =>
      reference
        .bm25Scores(list.map((score, i) => ({ id: `n${i}`, score })))
        .map(({ score }) => score);
    expect(scores(-4, -1)).toEqual([1, 0.25]);
    expect(scores(-4e-6, -1e-6)).toEqual([1, 0.25]);
    expect(scores(0, 0)).toEqual([0, 0]);
    expect(scores()).toEqual([]);
  });
});

describe("similarity", () => {
  const row = (...components: number[]) => Float32Array.from(components);

  test("a row is scaled to length 1 in f64 and rounded to f32; zeros stay", () => {
    expect(reference.normalise([3, 4])).toEqual(row(Math.fround(0.6), Math.fround(0.8)));
    expect(reference.normalise([0, 0, 0])).toEqual(row(0, 0, 0));
    expect(reference.normalise([1e-30, 0])).toEqual(row(1, 0));
  });

  test("products are summed in sixteen lanes, and the lanes in pairs", () => {
    // 2²⁴ + 1 is 2²⁴ in f32: the 1 is lost if it meets the large number before the large number's
    // negative does.
    const big = 2 ** 24;
    const at = (dimensions: number, components: Record<number, number>) => {
      const sparse = new Float32Array(dimensions);
      for (const [place, value] of Object.entries(components)) sparse[Number(place)] = value;
      return reference.dot(sparse, new Float32Array(dimensions).fill(1));
    };
    expect(at(19, { 0: big, 1: 1, 16: -big })).toBe(1);
    expect(at(16, { 0: big, 1: 1, 8: -big })).toBe(1);
    expect(at(16, { 0: big, 1: 1, 4: -big })).toBe(1);
    expect(at(16, { 0: big, 1: 1, 2: -big })).toBe(1);
    expect(at(16, { 0: big, 2: 1, 1: -big })).toBe(0);
    expect(at(32, { 0: big, 8: 1, 16: -big }), "more than eight lanes").toBe(1);
    expect(at(48, { 0: big, 16: 1, 32: -big }), "fewer than 32").toBe(0);
  });

  test("a product is rounded before it is added", () => {
    const x = 1 + 2 ** -23;
    expect(reference.dot(row(...new Array(16).fill(0), x), row(...new Array(16).fill(0), x))).toBe(
      Math.fround(x * x),
    );
    const lane = (...values: number[]) =>
      values.flatMap((value) => [value, ...new Array(15).fill(0)]);
    expect(reference.dot(row(...lane(-1 - 2 ** -22, x)), row(...lane(1, x)))).toBe(0);
  });

  test("without intermediate rounding, the sum is the cosine", () => {
    const { nodes } = makeMemory({
      nodes: 40,
      edges: 0,
      dimensions: 50,
      seed: 3,
      unembedded: 0,
      twins: 0,
    });
    const [first, ...others] = nodes.map((node) => reference.normalise(node.embedding!));
    for (const other of others) {
      const cosine = first!.reduce((sum, x, i) => sum + x * other[i]!, 0);
      expect(reference.dot(first!, other)).toBeCloseTo(cosine, 5);
      expect(
        reference.dotQuantised(reference.quantise(first!), reference.quantiseQuery(other)),
      ).toBeCloseTo(cosine, 2);
    }
  });

  test("codes are 127ths of the largest component, halves rounded away from zero", () => {
    const { codes } = reference.quantise(row(127, -127, 0.5, -0.5, 1.5, -2.5, 0.25));
    expect([...codes]).toEqual([127, -127, 1, -1, 2, -3, 0]);
    expect(reference.quantise(row(0, 0))).toEqual({ codes: Int8Array.of(0, 0), scale: 0 });
    // The step is an f32, here slightly less than 1 / 127: half a step is half a code, and rounds
    // up.
    const step = Math.fround(1 / 127);
    expect(step).toBeLessThan(1 / 127);
    expect([...reference.quantise(row(1, step / 2)).codes]).toEqual([127, 1]);
  });

  test("the codes of a query are as large as sums in 32 bits allow", () => {
    const largest = (dimensions: number) => {
      const axis = new Float32Array(dimensions);
      axis[dimensions - 1] = -1;
      return -reference.quantiseQuery(axis).codes[dimensions - 1]!;
    };
    expect([1, 516, 517, 1536, 65_536].map(largest)).toEqual([32_767, 32_767, 32_706, 11_008, 258]);
    for (const dimensions of [517, 1536, 65_536]) {
      const sum = (code: number) => 127 * code * dimensions;
      expect(sum(largest(dimensions))).toBeLessThan(2 ** 31);
      expect(sum(largest(dimensions) + 1)).toBeGreaterThanOrEqual(2 ** 31);
    }
  });

  test("the scale gives a row its own length along itself, despite rounding", () => {
    expect(reference.quantise(row(127, -127, 0.5)).scale).toBe(
      Math.fround(1 / (2 * 127 * 127 + 0.5)),
    );
    const third = row(1, 1 / 3);
    const { codes, scale } = reference.quantise(third);
    expect([...codes]).toEqual([127, 42]);
    expect(scale).toBe(Math.fround(1 / (127 + 42 * third[1]!)));
    const query = reference.quantiseQuery(third);
    expect([...query.codes]).toEqual([32_767, 10_922]);
    expect(query.scale).toBe(Math.fround(1 / (32_767 + 10_922 * third[1]!)));
    const sum = 127 * 32_767 + 42 * 10_922;
    expect(reference.dotQuantised({ codes, scale }, query)).toBe(sum * scale * query.scale);

    const unit = reference.normalise(Array.from({ length: 50 }, (_, i) => Math.sin(i)));
    const kept = reference.quantise(unit);
    expect(
      kept.codes.reduce((along, code, i) => along + code * kept.scale * unit[i]!, 0),
    ).toBeCloseTo(1, 7);
  });

  test("the most similar rows come first, equal ones keep their order, and nodes without a vector are never returned", () => {
    const nodes = [
      { id: "far", embedding: [-1, 0] },
      { id: "none", embedding: null },
      { id: "twin 1", embedding: [1, 1] },
      { id: "near", embedding: [2, 0] },
      { id: "twin 2", embedding: [3, 3] },
    ];
    for (const form of ["f32", "i8"] as const) {
      const vectors = reference.prepareVectors(nodes, form);
      const ids = (k: number, passes?: (id: string) => boolean) =>
        reference.similar(vectors, [5, 0], k, passes).map(({ id }) => id);
      expect(ids(9)).toEqual(["near", "twin 1", "twin 2", "far"]);
      expect(ids(2)).toEqual(["near", "twin 1"]);
      expect(ids(2, (id) => id !== "near")).toEqual(["twin 1", "twin 2"]);
      expect(ids(0)).toEqual([]);
    }
  });
});

// A small memory for the rules: nodes by their ids, edges as "source target type strength".
const node = (id: string, fields: Partial<reference.SearchNode> = {}): reference.SearchNode => ({
  id,
  type: "note",
  subtype: "custom:lesson",
  created_at: NOW - 30 * DAY,
  last_accessed: NOW,
  access_count: 3,
  ...fields,
});
const edge = (text: string, i: number): reference.SearchEdge => {
  const [source_id, target_id, type = "same_entity", strength = "0.5"] = text.split(" ");
  return {
    id: `e${i}`,
    source_id: source_id!,
    target_id: target_id!,
    type,
    strength: Number(strength),
  };
};
const memoryOf = (nodes: readonly (string | reference.SearchNode)[], ...edges: string[]) =>
  reference.prepareMemory(
    nodes.map((each) => (typeof each === "string" ? node(each) : each)),
    edges.map(edge),
  );
const configOf = (config: Partial<reference.SearchConfig>) => ({
  ...reference.SEARCH_DEFAULTS,
  ...config,
});
const hits = (scores: Record<string, number>) =>
  Object.entries(scores).map(([id, score]) => ({ id, score }));

describe("seeds", () => {
  const seedsOf = (
    memory: reference.Memory,
    query: reference.SearchQuery,
    config: Partial<reference.SearchConfig> = {},
  ) => reference.seed(memory, query, configOf(config)).map(({ node_id }) => node_id);

  test("have a threshold that depends on whether the query has an embedding, unless it is set", () => {
    const memory = memoryOf(["a", "b", "c"]);
    const bm25 = hits({ a: 1, b: 0.4, c: 0.1 });
    expect(seedsOf(memory, { bm25 })).toEqual(["a", "b"]);
    expect(seedsOf(memory, { bm25, vector: [] })).toEqual(["a"]);
    expect(seedsOf(memory, { bm25, embedding: [1] })).toEqual(["a"]);
    expect(seedsOf(memory, { bm25 }, { seed_threshold: 0 })).toEqual(["a", "b", "c"]);
    expect(seedsOf(memory, { bm25 }, { seed_threshold: 0.3 })).toEqual(["a"]);
    expect(seedsOf(memory, { bm25 }, { seed_threshold: 0.31 })).toEqual([]);
  });

  test("of a node whose vector is pending have the threshold 0.05", () => {
    const made = node("made", { embedding: [0, 1] });
    const memory = memoryOf([made, "awaited", "faint"]);
    const query = { embedding: [1, 0], bm25: hits({ made: 1, awaited: 0.2, faint: 0.1 }) };
    expect(seedsOf(memory, query)).toEqual(["made", "awaited"]);
    expect(seedsOf(memory, query, { seed_threshold: 0.6 })).toEqual(["awaited"]);
    const fresh = reference.prepareMemory([node("awaited")], [], { dimensions: 2 });
    expect(seedsOf(fresh, query)).toEqual(["awaited"]);
    expect(seedsOf(memoryOf(["awaited"]), query), "in a memory that keeps no vectors").toEqual([]);
  });

  test("have BM25 divided by its largest value again, if that is above 1", () => {
    const scores = (bm25: reference.ScoredId[]) =>
      reference.seed(memoryOf(["a", "b"]), { bm25 }).map(({ bm25_score }) => bm25_score);
    expect(scores(hits({ a: 8, b: 2 }))).toEqual([1, 0.25]);
    expect(scores(hits({ a: 0.5, b: 0.25 }))).toEqual([0.5, 0.25]);
    expect(scores(hits({ missing: 16, a: 8, b: 4 }))).toEqual([0.5, 0.25]);
  });

  test("of equal score keep vector results first, each list in its order; then the cut applies", () => {
    const memory = memoryOf(["a", "b", "c", "d"]);
    const query = { vector: hits({ c: 0.3, a: 0.3 }), bm25: hits({ d: 0.7, b: 0.7, c: 0 }) };
    const even = { dense_weight: 0.7, bm25_weight: 0.3 };
    expect(0.7 * 0.3).toBe(0.3 * 0.7);
    expect(seedsOf(memory, query, even)).toEqual(["c", "a", "d", "b"]);
    expect(seedsOf(memory, query, { ...even, max_seeds: 3 })).toEqual(["c", "a", "d"]);
    expect(seedsOf(memory, query, { max_seeds: 0 })).toEqual([]);
  });

  test("come from three vector results per seed, among the nodes that pass the filters", () => {
    const types = ["x", "x", "x", "x", "y", "y"];
    const memory = memoryOf(types.map((type, i) => node(`n${i}`, { type, embedding: [1, i] })));
    const config = configOf({ max_seeds: 1, dense_weight: 0, bm25_weight: 1, seed_threshold: 0 });
    const query = { embedding: [1, 0], bm25: hits({ n0: 0.1, n3: 1, n5: 0.5 }) };
    const [first] = reference.seed(memory, query, config);
    expect(first, "n3 is the fourth of them").toMatchObject({ node_id: "n3", vector_score: 0 });
    const [passing] = reference.seed(memory, query, config, ({ type }) => type === "y");
    expect(passing).toMatchObject({
      node_id: "n5",
      vector_score: expect.closeTo(1 / Math.sqrt(26), 6),
    });
  });

  test("with a negative similarity lose combined score; unknown ids are not seeds", () => {
    const [only, ...rest] = reference.seed(memoryOf(["a"]), {
      vector: hits({ nowhere: 1, a: -0.1 }),
      bm25: hits({ a: 1 }),
    });
    expect(rest).toEqual([]);
    expect(only!.combined_score).toBe(0.7 * -0.1 + 0.3 * 1);
  });
});

describe("spread", () => {
  const seedsOf = (scores: Record<string, number>) =>
    hits(scores).map(({ id, score }): reference.Seed => {
      return { node_id: id, vector_score: score, bm25_score: 0, combined_score: score };
    });
  const spreadOf = (
    memory: reference.Memory,
    scores: Record<string, number>,
    config: Partial<reference.SearchConfig> = {},
    passes?: (node: reference.SearchNode, edge: reference.SearchEdge) => boolean,
  ) => {
    const { activated, ...rest } = reference.spread(
      memory,
      seedsOf(scores),
      configOf(config),
      passes,
    );
    return {
      ...rest,
      activated: Object.fromEntries(activated.map(({ id, activation }) => [id, activation])),
    };
  };
  /** An activation after one hop over an edge of type same_entity. */
  const hop = (activation: number) => activation * 0.95 * 0.8;

  test("follows a chain in both directions, weaker each round, until it is below the threshold", () => {
    const memory = memoryOf(["a", "b", "c", "d"], "b a", "b c", "d c");
    const first = hop(0.5);
    const second = hop(first);
    expect(spreadOf(memory, { a: 0.5 }, { max_hops: 2 })).toEqual({
      terminated: "max_hops",
      hops: 2,
      visited: 3,
      edges_traversed: 3,
      activated: { a: 0.5 + second, b: first, c: second },
    });
    expect(spreadOf(memory, { a: 0.5 }, { min_threshold: 0.4 })).toEqual({
      terminated: "no_spread",
      hops: 1,
      visited: 1,
      edges_traversed: 1,
      activated: { a: 0.5 },
    });
    expect(spreadOf(memory, { a: 0.5 }, { min_threshold: first })).toMatchObject({
      visited: 2,
      hops: 2,
    });
    expect(spreadOf(memory, { a: 0.5 }, { min_threshold: 0.6 }), "a seed below it").toMatchObject({
      terminated: "no_spread",
      hops: 1,
      edges_traversed: 0,
    });
    expect(spreadOf(memory, { a: 0.5 }, { initial_activation: 2, max_hops: 1 }).activated.b).toBe(
      hop(1),
    );
  });

  test("needs a seed; zero allowed rounds do nothing; an empty last round does not count", () => {
    const memory = memoryOf(["a", "b"], "a b");
    const none = { terminated: "max_hops", hops: 0, edges_traversed: 0 };
    expect(spreadOf(memory, {})).toMatchObject({ ...none, visited: 0 });
    expect(spreadOf(memory, { a: 1 }, { max_hops: 0 })).toMatchObject({ ...none, visited: 1 });
    const alone = spreadOf(memoryOf(["a"]), { a: 1 }, { max_hops: 1 });
    expect(alone).toMatchObject({ terminated: "no_spread", hops: 1 });
  });

  test("keeps a queued activation's amount while its node collects more", () => {
    // b gets two activations in the first round and passes on each of them, not their sum twice.
    const memory = memoryOf(["a", "b", "c"], "a b", "a b", "b c");
    const { activated } = spreadOf(memory, { a: 1 }, { max_hops: 2 });
    const once = hop(1);
    expect(activated.b).toBe(once + once);
    expect(activated.c).toBe(hop(once) + hop(once));
    expect(spreadOf(memory, { a: 1 }, { max_hops: 2, aggregation: "max" }).activated).toEqual({
      a: 1,
      b: once,
      c: hop(once),
    });
  });

  test("with `max` passes on the weaker one as well", () => {
    const memory = memoryOf(["a", "b", "c"], "a b temporal_adjacent", "b c");
    const { activated } = spreadOf(memory, { b: 1, a: 0.5 }, { aggregation: "max", max_hops: 2 });
    expect(activated).toEqual({ b: 1, a: 0.5, c: hop(1) });
    const counted = spreadOf(memory, { b: 1, a: 0.5 }, { aggregation: "max", max_hops: 2 });
    expect(counted.edges_traversed, "2 + 1 in the first round, 1 + 1 + 2 in the second").toBe(7);
  });

  test("counts a self-loop as one neighbour", () => {
    const once = hop(1);
    expect(spreadOf(memoryOf(["a"], "a a"), { a: 1 }, { max_hops: 2 })).toEqual({
      terminated: "max_hops",
      hops: 2,
      visited: 1,
      edges_traversed: 2,
      activated: { a: 1 + once + hop(once) },
    });
  });

  test("ignores an edge to a missing node", () => {
    const memory = memoryOf(["a", "b"], "a gone", "gone b", "a b");
    expect(spreadOf(memory, { a: 1 }, { max_hops: 1 })).toMatchObject({
      visited: 2,
      edges_traversed: 1,
    });
    expect(memory.inbound.get("b")).toBe(1);
    expect(memory.edges).toHaveLength(1);
  });

  test("stops at max_nodes: the last node is active, and no later one counts", () => {
    const memory = memoryOf(["a", "b", "c", "d"], "a b", "a c", "a d", "a b");
    expect(spreadOf(memory, { a: 1 }, { max_nodes: 3 })).toEqual({
      terminated: "max_nodes",
      hops: 1,
      visited: 3,
      edges_traversed: 2,
      activated: { a: 1, b: hop(1), c: hop(1) },
    });
    const reached = spreadOf(memory, { a: 1 }, { max_nodes: 4 });
    expect(reached).toMatchObject({ terminated: "max_nodes", visited: 4, edges_traversed: 3 });
    expect(spreadOf(memory, { a: 1 }, { max_nodes: 5 }).terminated).toBe("max_hops");
  });

  test("with more seeds than max_nodes starts from the first seed that is not skipped", () => {
    const memory = memoryOf(["a", "b", "c", "new"], "a b", "b c", "c new");
    const scores = { faint: 0.005, a: 1, b: 0.9, c: 0.8 };
    const withFaint = memoryOf(["faint", "a", "b", "c"], "faint b", "a b", "b c");
    for (const [each, seeds] of [
      [memory, { a: 1, b: 0.9, c: 0.8 }],
      [withFaint, scores],
    ] as const) {
      const { activated, ...rest } = spreadOf(each, seeds, { max_nodes: 2 });
      expect(rest).toMatchObject({ terminated: "max_hops", hops: 1, edges_traversed: 1 });
      expect(activated).toMatchObject({ a: 1, b: 0.9 + hop(1), c: 0.8 });
    }
    const newFound = spreadOf(memory, { c: 1, a: 0.9, b: 0.8 }, { max_nodes: 2 });
    expect(newFound).toMatchObject({ terminated: "max_nodes", visited: 4, edges_traversed: 2 });
  });

  test("visits a filtered neighbour, but neither activates it nor passes through it", () => {
    const memory = memoryOf(
      ["a", node("b", { type: "person" }), "c", "d"],
      "a b",
      "b c",
      "a d part_of",
    );
    const people = spreadOf(memory, { a: 1 }, { max_hops: 1 }, ({ type }) => type !== "person");
    expect(people).toMatchObject({ visited: 2, edges_traversed: 2 });
    const parts = spreadOf(memory, { a: 1 }, { max_hops: 1 }, (_, { type }) => type !== "part_of");
    expect(parts.activated).toEqual({ a: 1, b: hop(1) });
  });

  test.each([
    ["same_entity", 0.95, 0.5],
    ["part_of", 0.85, 0.85],
    ["causes", 0.5, 0.8],
    ["precedes", 0.5, 0.4],
    ["temporal_adjacent", 0.4, 0.5],
    ["mentioned_in", 0.5, 0.6],
    ["unheard of", 0.5, 0.5],
    ["constructor", 0.5, 0.5],
    ["", 0.5, 0.5],
  ])(
    "weighs an edge of type %s with %d, and with %d by the store's types",
    (type, byType, byStoredType) => {
      const learned = { id: "e", source_id: "a", target_id: "b", type, strength: 0.37 };
      expect(reference.edgeWeight(learned, "type")).toBe(byType);
      expect(reference.edgeWeight(learned, "stored_type")).toBe(byStoredType);
      expect(reference.edgeWeight(learned, "learned")).toBe(0.37);
    },
  );

  test("takes learned weights from each edge; a weight of 0 stops it", () => {
    const memory = memoryOf(
      ["a", "b", "c"],
      "a b same_entity 0.3",
      "a b same_entity 0.9",
      "a c same_entity 0",
    );
    const { activated } = spreadOf(memory, { a: 1 }, { edge_weight: "learned", max_hops: 1 });
    expect(activated).toEqual({ a: 1, b: 1 * 0.3 * 0.8 + 1 * 0.9 * 0.8 });
  });

  test("visits neighbours in the order of their edges, in either direction", () => {
    const memory = memoryOf(["a", "b", "c", "d"], "c a", "a d", "b a");
    expect(Object.keys(spreadOf(memory, { a: 1 }).activated)).toEqual(["a", "c", "d", "b"]);
  });
});

describe("a report", () => {
  const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
  const searchOf = (
    memory: reference.Memory,
    query: reference.SearchQuery,
    options: Partial<reference.SearchOptions> = {},
  ) => reference.search(memory, query, { now: NOW, ...options });
  // a is found, b is next to it, c next to b.
  const chain = memoryOf(["a", "b", "c"], "a b", "b c");
  const found = { bm25: hits({ a: 1 }) };

  test("ranks only seeds; with graph_reach, all activated nodes", () => {
    expect(ids(searchOf(chain, found).ranked)).toEqual(["a"]);
    const { ranked, spread, metrics } = searchOf(chain, found, { config: { graph_reach: true } });
    expect(ids(ranked).sort()).toEqual(["a", "b", "c"]);
    const largest = Math.max(...spread.activated.map(({ activation }) => activation));
    for (const { id, breakdown } of ranked) {
      const { activation } = spread.activated.find((each) => each.id === id)!;
      expect(breakdown.graph).toBe(activation / largest);
      expect(breakdown.semantic).toBe(0);
    }
    expect(metrics).toEqual({
      seeds_found: 1,
      nodes_activated: 3,
      nodes_filtered: 3,
      nodes_returned: 3,
    });
  });

  test("gives a node that a search found, but that is not a seed, no search score, however it became active", () => {
    const query = { vector: hits({ a: 0.9, b: 0.2 }), bm25: hits({ a: 1, b: 0.1 }) };
    const options = { config: { seed_threshold: 0.5 }, serendipity_level: "high" as const };
    const { ranked, serendipity } = searchOf(chain, query, options);
    expect(ids(ranked)).toEqual(["a"]);
    expect(ids(serendipity)).toContain("b");
    const all = searchOf(chain, query, {
      config: { seed_threshold: 0.5, graph_reach: true },
    }).ranked;
    expect(all.find(({ id }) => id === "b")!.breakdown).toMatchObject({ semantic: 0, keyword: 0 });
  });

  test("leaves out a seed without a score above 0", () => {
    const memory = memoryOf(["a", "b"]);
    const query = { vector: hits({ a: 0.5, b: 0 }), bm25: hits({ b: 0 }) };
    const { seeds, ranked, metrics } = searchOf(memory, query, { config: { seed_threshold: 0 } });
    expect(seeds).toHaveLength(2);
    expect(ids(ranked)).toEqual(["a"]);
    expect(metrics).toEqual({
      seeds_found: 2,
      nodes_activated: 2,
      nodes_filtered: 1,
      nodes_returned: 1,
    });
  });

  test("keeps a seed with one score above 0, even if the two sum to 0", () => {
    const query = { vector: hits({ a: -0.3 }), bm25: hits({ a: 0.7 }) };
    const { seeds, ranked } = searchOf(memoryOf(["a"]), query, { config: { seed_threshold: 0 } });
    expect(seeds[0]!.combined_score).toBe(0);
    expect(ids(ranked)).toEqual(["a"]);
  });

  test("leaves zero activations unchanged", () => {
    const { ranked } = searchOf(chain, found, { config: { initial_activation: 0 } });
    expect(ranked[0]!.breakdown.graph).toBe(0);
  });

  test("ranks equal scores in the order of activation", () => {
    const memory = memoryOf(["a", "b", "c", "d"]);
    const bm25 = hits({ c: 0.9, b: 0.9, d: 0.9, a: 0.9 });
    expect(ids(searchOf(memory, { bm25 }).ranked)).toEqual(["c", "b", "d", "a"]);
  });

  test("computes authority from incoming edges, relative to the average node", () => {
    const memory = memoryOf(["a", "b", "c", "d"], "b a", "c a", "a b", "a a", "gone a");
    const { ranked } = searchOf(memory, { bm25: hits({ a: 1, b: 1 }) });
    const authority = Object.fromEntries(
      ranked.map(({ id, breakdown }) => [id, breakdown.authority]),
    );
    expect(authority).toEqual({ a: 1, b: 0.5 });
  });

  test("takes the creation of a node that was never read as its last access", () => {
    const memory = memoryOf([node("a", { last_accessed: null })]);
    expect(searchOf(memory, found).ranked[0]!.breakdown.recency).toBe(Math.exp(-1));
  });

  test("uses global weights if sections are off", () => {
    const [bySection] = searchOf(chain, found).ranked;
    const [global] = searchOf(chain, found, { config: { sections: false } }).ranked;
    expect(bySection!.breakdown).toEqual(global!.breakdown);
    const { semantic, keyword, graph, recency, authority, affinity } = global!.breakdown;
    expect(global!.score).toBe(
      0.3 * semantic +
        0.15 * keyword +
        0.2 * graph +
        0.15 * recency +
        0.1 * authority +
        0.1 * affinity,
    );
    expect(bySection!.score).not.toBe(global!.score);
  });

  test("is limited by the call, the configured default or 30, or unlimited", () => {
    const many = Array.from({ length: 40 }, (_, i) => `n${i}`);
    const query = { bm25: many.map((id) => ({ id, score: 1 })) };
    const count = (options: Partial<reference.SearchOptions>) =>
      searchOf(memoryOf(many), query, options).ranked.length;
    expect(count({})).toBe(15);
    expect(count({ config: { max_seeds: 100 } })).toBe(30);
    expect(count({ config: { max_seeds: 100, default_limit: 35 } })).toBe(35);
    expect(count({ config: { max_seeds: 100, default_limit: 35 }, limit: 7 })).toBe(7);
    expect(count({ limit: 0 })).toBe(0);
  });

  test("with a limit of 0 keeps its other parts", () => {
    const options = { limit: 0, serendipity_level: "high", include_connections: true } as const;
    const { ranked, serendipity, connections, metrics } = searchOf(chain, found, options);
    expect(ranked).toEqual([]);
    expect(serendipity).not.toEqual([]);
    expect(connections).toHaveLength(2);
    expect(metrics).toMatchObject({ nodes_filtered: 1, nodes_returned: 0 });
  });

  test("lists as connections the edges of every type with both ends active, in their order", () => {
    const memory = memoryOf(
      ["a", "b", "c", "d"],
      "b a",
      "c d",
      "a a part_of",
      "a b part_of",
      "b c temporal_adjacent",
    );
    const options = { include_connections: true, filters: { relationship_types: ["same_entity"] } };
    const { connections } = searchOf(memory, found, options);
    expect(connections!.map(({ id }) => id)).toEqual(["e0", "e2", "e3"]);
    expect(searchOf(memory, found)).not.toHaveProperty("connections");
  });

  describe("serendipity", () => {
    // The seed s, at 1, with neighbours of falling activation: 0.76, 0.72, 0.68, 0.64, 0.60, 0.56,
    // 0.48 twice, 0.36, 0.32.
    const types = [
      "same_entity",
      "user_linked",
      "part_of",
      "caused_by",
      "applied_to",
      "generalizes",
    ];
    const weaker = ["mentioned_together", "mentioned_together", "similar_to", "temporal_adjacent"];
    const star = memoryOf(
      ["s", ...[...types, ...weaker].map((_, i) => `n${i}`)],
      ...[...types, ...weaker].map((type, i) => `s n${i} ${type}`),
    );
    const query = { vector: hits({ s: 1 }), bm25: hits({ s: 1 }) };
    const findsOf = (serendipity_level: reference.SerendipityLevel, initial_activation = 1) => {
      const config = { max_hops: 1, initial_activation };
      return ids(searchOf(star, query, { serendipity_level, config }).serendipity);
    };

    test.each([
      ["off", []],
      ["low", ["n0", "n1"]],
      ["medium", ["n0", "n1", "n2", "n3", "n4"]],
      ["high", ["n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9"]],
    ] as const)("with %s finds %j", (level, expected) => {
      expect(findsOf(level)).toEqual(expected);
    });

    test.each([
      ["low", ["n0"]],
      ["medium", ["n0", "n1", "n2"]],
      ["high", ["n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"]],
    ] as const)("with %s measures an unkept node by its own activation: %j", (level, expected) => {
      const activation = { low: 0.55, medium: 0.45, high: 0.45 }[level];
      expect(findsOf(level, activation)).toEqual(expected);
    });

    test("measures a kept node by its share, and may return it too", () => {
      const memory = memoryOf(["a", "b"]);
      const options = { serendipity_level: "low", config: { initial_activation: 0.01 } } as const;
      const { ranked, serendipity } = searchOf(memory, { bm25: hits({ a: 1, b: 0.39 }) }, options);
      expect(ids(ranked)).toEqual(["a", "b"]);
      expect(serendipity).toEqual([{ id: "a", activation: 1 }]);
    });

    test("gives a search result that is not a seed a vector score of 0", () => {
      const memory = memoryOf(["a", "b"], "a b");
      const options = { serendipity_level: "high", config: { max_seeds: 1 } } as const;
      expect(
        ids(searchOf(memory, { vector: hits({ a: 0.9, b: 0.8 }) }, options).serendipity),
      ).toEqual(["b"]);
    });

    test("does not return nodes similar to the query", () => {
      const memory = memoryOf(["a", "b"]);
      const vector = hits({ a: 0.5, b: 0.49 });
      expect(ids(searchOf(memory, { vector }, { serendipity_level: "high" }).serendipity)).toEqual([
        "b",
      ]);
    });
  });

  describe("filters", () => {
    const rows: Record<string, Partial<reference.SearchNode>> = {
      plain: { type: "note", subtype: null, lifecycle: "ACTIVE" },
      thesis: {
        type: "concept",
        subtype: "custom:thesis",
        lifecycle: "WEAK",
        tags: ["btc", "macro"],
      },
      trade: {
        type: "episode",
        subtype: "custom:trade",
        lifecycle: "DORMANT",
        tags: ["btc"],
        clusters: ["x", "y"],
      },
      old: {
        created_at: NOW - 100 * DAY,
        last_accessed: NOW - 10 * DAY,
        tags: ["eth"],
        clusters: ["z"],
      },
      unread: { created_at: NOW - 9 * DAY, last_accessed: null },
    };
    const memory = memoryOf(Object.entries(rows).map(([id, fields]) => node(id, fields)));
    const query = { bm25: Object.keys(rows).map((id) => ({ id, score: 1 })) };
    test.each<[reference.SearchFilters, string]>([
      [{}, "plain thesis trade old unread"],
      [{ types: ["concept", "episode"] }, "thesis trade"],
      [{ types: [] }, "plain thesis trade old unread"],
      [{ excluded_types: ["note"] }, "thesis trade"],
      [{ types: ["note", "concept"], excluded_types: ["note"] }, "thesis"],
      [{ subtypes: ["custom:thesis", "custom:trade"] }, "thesis trade"],
      [{ lifecycles: ["WEAK", "DORMANT"] }, "thesis trade"],
      [{ created_after: NOW - 30 * DAY }, "plain thesis trade unread"],
      [{ created_after: new Date(NOW - 30 * DAY + 1) }, "unread"],
      [{ created_before: NOW - 30 * DAY }, "plain thesis trade old"],
      [{ created_after: NOW - 99 * DAY, created_before: NOW - 30 * DAY - 1 }, ""],
      [{ accessed_within_days: 10 }, "plain thesis trade old unread"],
      [{ accessed_within_days: 9.5 }, "plain thesis trade unread"],
      [{ accessed_within_days: 8 }, "plain thesis trade"],
      [{ cluster_ids: ["y", "z"] }, "trade old"],
      [{ tags_any: ["macro", "eth"] }, "thesis old"],
      [{ tags_all: ["btc", "macro"] }, "thesis"],
      [{ tags_none: ["macro", "eth"] }, "plain trade unread"],
      [{ tags_any: ["btc"], tags_none: ["macro"], types: ["episode"] }, "trade"],
    ])("%j", (filters, expected) => {
      expect(ids(searchOf(memory, query, { filters }).ranked).sort()).toEqual(
        expected.split(" ").filter(Boolean).sort(),
      );
    });

    test("hold for the nodes that spreading reaches, and edges have their own", () => {
      const types = memoryOf(
        ["a", node("b", { type: "person" }), "c", "d"],
        "a b",
        "b c",
        "a d part_of",
      );
      const activeWith = (filters: reference.SearchFilters) =>
        ids(searchOf(types, found, { filters }).spread.activated);
      expect(activeWith({ excluded_types: ["person"] })).toEqual(["a", "d"]);
      expect(activeWith({ relationship_types: ["same_entity"] })).toEqual(["a", "b", "c"]);
    });
  });
});

describe("laws", () => {
  const reportOf = (
    memory: GraphMemory,
    query: reference.SearchQuery,
    options: reference.SearchOptions,
    dimensions = 0,
  ) =>
    reference.search(
      reference.prepareMemory(memory.nodes, memory.edges, { dimensions }),
      query,
      options,
    );

  test("a report is consistent with itself and with the request", () => {
    fc.assert(
      fc.property(smallCase, ({ memory, dimensions, query, options }) => {
        const { seeds, spread, ranked, serendipity, connections, metrics } = reportOf(
          memory,
          query,
          options,
          dimensions,
        );
        const config = { ...reference.SEARCH_DEFAULTS, ...options.config };
        const byId = new Map(memory.nodes.map((each) => [each.id, each]));
        const active = new Map(spread.activated.map((each) => [each.id, each]));

        expect(seeds.length).toBeLessThanOrEqual(options.max_seeds ?? config.max_seeds);
        expect(seeds.map(({ combined_score }) => combined_score)).toEqual(
          seeds.map(({ combined_score }) => combined_score).sort((a, b) => b - a),
        );
        expect(spread.visited).toBe(active.size);
        expect(spread.visited).toBeLessThanOrEqual(Math.max(config.max_nodes, seeds.length + 1));
        expect(spread.hops).toBeLessThanOrEqual(config.max_hops);
        expect(spread.activated.filter(({ is_seed }) => is_seed).map(({ id }) => id)).toEqual(
          seeds.map(({ node_id }) => node_id),
        );
        for (const { id } of spread.activated) {
          expect(reference.nodePasses(byId.get(id)!, options.filters ?? {}, options.now)).toBe(
            true,
          );
        }
        expect(ranked.length).toBe(
          Math.min(options.limit ?? config.default_limit, metrics.nodes_filtered),
        );
        for (const { id, score } of ranked) {
          expect(active.has(id)).toBe(true);
          expect(Number.isFinite(score)).toBe(true);
        }
        expect(serendipity.every(({ id }) => active.has(id))).toBe(true);
        expect(connections !== undefined).toBe(options.include_connections === true);
      }),
      runs(300),
    );
  });

  test("sequence numbers decide, not arrival: a shuffled memory gives the same answers", () => {
    const shuffled = <T>(list: T[]) =>
      list.map((each, sequence) => ({ ...each, sequence })).reverse();
    fc.assert(
      fc.property(smallCase, ({ memory, dimensions, query, options }) => {
        const again = { nodes: shuffled(memory.nodes), edges: shuffled(memory.edges) };
        const report = reportOf(again, query, options, dimensions);
        report.connections?.forEach((each) => {
          delete each.sequence;
        });
        expect(same(report, reportOf(memory, query, options, dimensions))).toBeNull();
      }),
      runs(),
    );
  });

  test("edges without a node change nothing", () => {
    const shape = { nodes: 300, edges: 900, dimensions: 20, seed: SEED, dangling: 0.1 };
    const memory = makeMemory(shape);
    const present = new Set(memory.nodes.map(({ id }) => id));
    const whole = memory.edges.filter(
      (each) => present.has(each.source_id) && present.has(each.target_id),
    );
    expect(memory.edges.length - whole.length).toBeGreaterThan(50);
    for (let seed = SEED; seed < SEED + 20; seed++) {
      const { query, options } = makeSearch(memory, seed);
      const report = reportOf(memory, query, options, 20);
      expect(same(report, reportOf({ ...memory, edges: whole }, query, options, 20))).toBeNull();
    }
  });

  test("the generator repeats itself for a seed, and covers every ending of a search", () => {
    const shape = { nodes: 800, edges: 1600, dimensions: 16, seed: SEED };
    const memory = makeMemory(shape);
    expect(same(makeMemory(shape), memory)).toBeNull();
    const degree = new Map<string, number>();
    for (const { source_id, target_id } of memory.edges) {
      for (const id of [source_id, target_id]) degree.set(id, (degree.get(id) ?? 0) + 1);
    }
    const degrees = [...degree.values()].sort((a, b) => b - a);
    expect(degrees[0]).toBeGreaterThan(10 * degrees[degrees.length >> 1]!);
    expect(memory.edges.some((each) => each.source_id === each.target_id)).toBe(true);
    expect(memory.nodes.some((each) => each.embedding === null)).toBe(true);

    const endings = new Set<string>();
    let ranked = 0;
    for (let seed = SEED; seed < SEED + 100; seed++) {
      const { query, options } = makeSearch(memory, seed);
      expect(same(makeSearch(memory, seed), { query, options })).toBeNull();
      const report = reportOf(memory, query, options, 16);
      endings.add(report.spread.terminated);
      if (report.ranked.length > 0) ranked += 1;
    }
    expect([...endings].sort()).toEqual(["max_hops", "max_nodes", "no_spread"]);
    expect(ranked).toBeGreaterThan(50);
  });
});
