// MemoryIndex equals the reference to the bit: whole lives of small memories, with every answer and
// all stored data compared, and searches of larger ones.

import fc from "fast-check";
import { MemoryIndex } from "nous-wasm";
import { describe, expect, test } from "vitest";
import { makeRandom, NOW, pick } from "../../js/reference/inputs.ts";
import { ReferenceMemory, type ReferenceMemoryOptions } from "../../js/reference/memory.ts";
import { MAX_STEPS } from "../../js/reference/search.ts";
import { amount, runs, SEED } from "../support/amount.ts";
import { type MemoryShape, makeMemory, makeSearch } from "./inputs/graphs.ts";
import {
  answerTo,
  contentOf,
  EDGE_IDS,
  fill,
  foundBy,
  type Life,
  life,
  NODE_IDS,
  placesOf,
  queryOf,
  settingsOf,
} from "./inputs/memories.ts";
import { same } from "./support/same.ts";

const DAY = 86_400_000;

function expectSame(actual: unknown, expected: unknown, what = ""): void {
  const difference = same(actual, expected);
  if (difference !== null) expect.fail(`${what} ${difference}`);
}

/** An index and a reference with equal options. */
function both(
  options: ReferenceMemoryOptions,
  use: (index: MemoryIndex, reference: ReferenceMemory) => void,
): void {
  const index = new MemoryIndex(options);
  try {
    use(index, new ReferenceMemory(options));
  } finally {
    index.free();
  }
}

/** Runs the life on both, and compares each answer and the stored data after it. */
function live({ options, calls }: Life, compareAll: boolean): void {
  both(options, (index, reference) => {
    calls.forEach((call, i) => {
      const what = `call ${i}, ${call[0]}:`;
      expectSame(answerTo(index, call), answerTo(reference, call), what);
      if (!compareAll && i < calls.length - 1) return;
      expectSame(
        contentOf(index, NODE_IDS, EDGE_IDS),
        contentOf(reference, NODE_IDS, EDGE_IDS),
        `after ${what}`,
      );
      const ids = ["nobody", ...NODE_IDS.toReversed(), NODE_IDS[0]!, ""];
      const stored = ids.map((id) => reference.get(id));
      expectSame(index.getAll(ids), stored, `all after ${what}`);
    });
    for (const days of [0, 30, 61, 121, 900, -20]) {
      const now = NOW + days * DAY;
      const expected = reference.decay(now);
      expectSame(index.decay(now), expected, `decay after ${days} days:`);
      expectSame(index.transitions(now), expected.transitions, `transitions after ${days} days:`);
    }
  });
}

describe("small memories", () => {
  test("live alike: every call has the same answer and the same effect", () => {
    fc.assert(
      fc.property(life, (each) => live(each, true)),
      runs(300),
    );
  });

  test("live alike without reads in between", () => {
    fc.assert(
      fc.property(life, (each) => live(each, false)),
      runs(150),
    );
  });

  test("have eventful lives: most searches find something, and states change", () => {
    const seen = {
      searches: 0,
      found: 0,
      connected: 0,
      swept: 0,
      ignored: 0,
      grown: 0,
      similar: 0,
    };
    // This tests the generator. Its seed is fixed: by another, a rare event could be missing.
    for (const { options, calls } of fc.sample(life, { numRuns: 200, seed: 1 })) {
      const memory = new ReferenceMemory(options);
      for (const call of calls) {
        // biome-ignore lint/suspicious/noExplicitAny: every method answers in its own shape
        const answer = answerTo(memory, call) as any;
        if (call[0] === "search") seen.searches += 1;
        if (call[0] === "search" && answer.metrics.nodes_activated > 0) seen.found += 1;
        if (call[0] === "search" && answer.connections?.length > 0) seen.connected += 1;
        if (call[0] === "transitions" && answer.length > 0) seen.swept += 1;
        if (call[0] === "link" && answer.ignored.length > 0) seen.ignored += 1;
        if (call[0] === "strengthen" && answer.ids.length > 0) seen.grown += 1;
        if (call[0] === "similar" && answer.ids.length > 1) seen.similar += 1;
      }
    }
    expect(seen.found).toBeGreaterThan(seen.searches / 4);
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(25);
  });

  test("treat a removed id that comes again as a new memory, and likewise a removed edge", () => {
    both({ dimensions: 2 }, (index, reference) => {
      for (const memory of [index, reference]) {
        const nodes = ["a", "b", "c"].map((id) => ({
          id,
          embedding: [1, 2],
          access_count: 7,
          tags: ["btc"],
        }));
        memory.upsert(nodes, { now: NOW });
        memory.link([
          { id: "ab", source_id: "a", target_id: "b", strength: 1 },
          { id: "bc", source_id: "b", target_id: "c", type: "causes" },
        ]);
        expect(memory.remove(["b", "b", "nobody"])).toBe(1);
        expect([memory.size, memory.edgeCount, memory.getEdge("ab")]).toEqual([2, 0, undefined]);
        expect(memory.upsert([{ id: "b" }, { id: "b", type: "note" }], { now: NOW + 1 })).toBe(1);
        expect(memory.get("b")).toEqual({
          id: "b",
          type: "note",
          subtype: null,
          created_at: NOW + 1,
          last_accessed: NOW + 1,
          access_count: 0,
          inbound_edge_count: 0,
          stability: 60,
          retrievability: 1,
          difficulty: 0.4,
          lifecycle: "ACTIVE",
          tags: [],
          clusters: [],
          has_embedding: false,
          sequence: 3,
        });
        expect(memory.link([{ id: "ab", source_id: "c", target_id: "b" }])).toEqual({
          linked: 1,
          ignored: [],
        });
        const again = {
          id: "ab",
          source_id: "c",
          target_id: "b",
          type: "relates_to",
          strength: 0.5,
          sequence: 2,
        };
        expect(memory.getEdge("ab")).toEqual(again);
        expect(memory.similar([1, 2]).ids).toEqual(["a", "c"]);
      }
    });
  });

  test("continue sequence numbers from the highest so far, even if it was removed", () => {
    both({}, (index, reference) => {
      for (const memory of [index, reference]) {
        const numbers = () => ["a", "b", "c", "d"].map((id) => memory.get(id)?.sequence);
        memory.upsert([
          { id: "a", sequence: 70 },
          { id: "a", sequence: 5 },
          { id: "b" },
          { id: "c", sequence: 3 },
        ]);
        expect(numbers()).toEqual([5, 71, 3, undefined]);
        memory.remove(["b"]);
        memory.upsert([{ id: "d" }, { id: "b", sequence: 0 }, { id: "a", type: "note" }]);
        expect(numbers()).toEqual([5, 0, 3, 72]);

        const edge = (id: string, sequence?: number) => ({
          id,
          source_id: "a",
          target_id: "b",
          sequence,
        });
        memory.link([edge("e", 70), edge("e", 5)]);
        memory.link([edge("f"), { ...edge("gone", 900), source_id: "nobody" }, edge("g", 3)]);
        memory.unlink(["f"]);
        memory.link([edge("h"), edge("f", 0), edge("e")]);
        expect(["e", "f", "g", "h"].map((id) => memory.getEdge(id)?.sequence)).toEqual([
          5, 0, 3, 72,
        ]);
        const { connections } = memory.search({
          bm25: [{ id: "a", score: 1 }],
          include_connections: true,
          now: NOW,
        });
        expect(connections!.map(({ id }) => id)).toEqual(["f", "g", "e", "h"]);
      }
    });
  });

  test("move an edge to its new ends, and leave it unchanged if an end is missing", () => {
    both({}, (index, reference) => {
      for (const memory of [index, reference]) {
        memory.upsert([{ id: "a" }, { id: "b" }, { id: "c" }], { now: NOW });
        memory.link([{ id: "e", source_id: "a", target_id: "b", type: "causes" }]);
        const inbound = () => ["a", "b", "c"].map((id) => memory.get(id)!.inbound_edge_count);
        expect(inbound()).toEqual([0, 1, 0]);
        expect(
          memory.link([{ id: "e", source_id: "b", target_id: "c", strength: 0.25 }]),
        ).toMatchObject({ linked: 1 });
        expect(inbound()).toEqual([0, 0, 1]);
        const missing = {
          id: "e",
          source_id: "b",
          target_id: "gone",
          type: "part_of",
          strength: 1,
        };
        expect(memory.link([missing, { ...missing, id: "f" }])).toEqual({
          linked: 0,
          ignored: ["e", "f"],
        });
        const moved = {
          id: "e",
          source_id: "b",
          target_id: "c",
          type: "causes",
          strength: 0.25,
          sequence: 0,
        };
        expect(memory.getEdge("e")).toEqual(moved);
        // Three times in a batch: every step builds on the one before.
        memory.link([
          { id: "e", source_id: "a", target_id: "b", strength: 0.75 },
          { id: "e", source_id: "a", target_id: "a", type: "part_of" },
          { id: "e", source_id: "c", target_id: "c" },
        ]);
        expect(memory.getEdge("e")).toMatchObject({
          source_id: "c",
          type: "part_of",
          strength: 0.75,
          sequence: 0,
        });
        expect([memory.edgeCount, inbound()]).toEqual([1, [0, 0, 1]]);
        expect(memory.strengthen([["a", "b", "c"]], 0.1)).toEqual({
          ids: [],
          strengths: new Float64Array(),
        });
      }
    });
  });

  test("count an access before the last one, without turning time back", () => {
    both({}, (index, reference) => {
      for (const memory of [index, reference]) {
        memory.upsert([{ id: "a", lifecycle: "DELETED", access_count: 2 ** 32 - 2 }], { now: NOW });
        expect(memory.touch(["a", "nobody", "a"], NOW - DAY)).toBe(2);
        expect(memory.get("a")).toMatchObject({
          last_accessed: NOW,
          access_count: 2 ** 32 - 1,
          stability: 60,
        });
        expect(memory.recall(["a", "a", "nobody"], NOW + 90 * DAY)).toBe(2);
        const grown = {
          access_count: 2 ** 32 - 1,
          last_accessed: NOW + 90 * DAY,
          lifecycle: "DELETED",
        };
        expect(memory.get("a")).toMatchObject({
          ...grown,
          stability: 60 * 3 * 0.8 * 3 * 0.8,
          retrievability: 1,
        });
      }
    });
  });

  test("keep each label once, in the order of arrival; an empty subtype means none", () => {
    both({}, (index, reference) => {
      for (const memory of [index, reference]) {
        memory.upsert([{ id: "a", tags: ["b", "a", "b"], clusters: ["b", "b"], subtype: "" }], {
          now: NOW,
        });
        expect(memory.get("a")).toMatchObject({ tags: ["b", "a"], clusters: ["b"], subtype: null });
        memory.upsert([{ id: "a", clusters: [], subtype: "custom:thesis" }]);
        expect(memory.get("a")).toMatchObject({
          tags: ["b", "a"],
          clusters: [],
          subtype: "custom:thesis",
          stability: 60,
        });
      }
    });
  });

  test("use the last score of a hit that is listed twice, in the place of the first", () => {
    both({}, (index, reference) => {
      for (const memory of [index, reference]) {
        memory.upsert([{ id: "a" }, { id: "b" }], { now: NOW });
        const scores = [0.5, 0.9, 0.9];
        const bm25 = ["a", "b", "a"].map((id, i) => ({ id, score: scores[i]! }));
        expect(memory.search({ bm25, now: NOW }).ranking.ids).toEqual(["a", "b"]);
      }
    });
  });
});

describe("larger memories", () => {
  test("tell of thousands of nodes at once what they tell of each", () => {
    both({}, (index, reference) => {
      const random = makeRandom(SEED);
      const some = (kind: string) =>
        Array.from({ length: Math.floor(random() * 4) }, (_, at) => `${kind}${at}`);
      const nodes = Array.from({ length: 2_345 }, (_, place) => ({
        ...{ id: `n${place}`, type: pick(random, ["note", "lesson"]), stability: 1 + place },
        ...{ tags: some("t"), clusters: some("c") },
      }));
      for (const memory of [index, reference]) memory.upsert(nodes, { now: NOW });
      for (const memory of [index, reference]) memory.remove(["n5", "n1000"]);
      const ids = nodes.map(({ id }) => id).toReversed();
      const each = ids.map((id) => reference.get(id));
      expectSame(index.getAll(ids), each);
      expectSame(index.getAll([]), []);
    });
  });

  const shapes: [string, MemoryShape, ReferenceMemoryOptions][] = [
    [
      "without embeddings",
      { nodes: 300, edges: 900, dimensions: 0, seed: SEED + 1, dangling: 0.05 },
      {},
    ],
    [
      "of 19 dimensions",
      { nodes: 300, edges: 600, dimensions: 19, seed: SEED + 2, dangling: 0.05 },
      { embeddings: "f32" },
    ],
    [
      "of 19 dimensions, quantised",
      { nodes: 300, edges: 900, dimensions: 19, seed: SEED + 3 },
      { embeddings: "i8" },
    ],
    [
      "of 384 dimensions",
      { nodes: 300, edges: 900, dimensions: 384, seed: SEED + 4, unembedded: 0.2 },
      {},
    ],
    [
      "of 384 dimensions, quantised",
      { nodes: 300, edges: 1500, dimensions: 384, seed: SEED + 5 },
      { embeddings: "i8" },
    ],
    [
      "with many edges",
      { nodes: 1500, edges: 12_000, dimensions: 3, seed: SEED + 6, twins: 0.5 },
      {},
    ],
  ];

  test.each(shapes)("%s: searches, similar nodes, and reranking", (_, shape, options) => {
    const content = makeMemory(shape);
    const { dimensions, seed } = shape;
    const searches = Array.from({ length: 40 }, (_, i) => makeSearch(content, seed + i));
    const byDefault = searches.filter(({ options }) => options.config === undefined);
    const rest = searches.filter(({ options }) => options.config !== undefined);
    for (const [configuration, several] of [
      [{}, byDefault] as const,
      ...rest.map((search) => [settingsOf(search.options.config), [search]] as const),
    ]) {
      both({ ...options, dimensions, config: { search: configuration } }, (index, reference) => {
        for (const memory of [index, reference]) fill(memory, content);
        for (const search of several) {
          const query = queryOf(search);
          const found = index.search(query);
          expectSame(foundBy(found), foundBy(reference.search(query)), "search:");

          const { embedding, filters: filter, now } = query;
          if (embedding != null) {
            expectSame(
              index.similar(embedding, { filter, now }),
              reference.similar(embedding, { filter, now }),
            );
          }
          const ids = found.ranking.ids;
          const bm25 = ids.map((id) => (query.bm25 ?? []).find((hit) => hit.id === id)?.score ?? 0);
          const graph = found.ranking.scores;
          const ranked = placesOf(reference.rerank({ ids, bm25, graph }, { now }));
          expectSame(placesOf(index.rerank({ ids, bm25, graph }, { now })), ranked, "rerank:");
          const handles = index.handles(ids);
          expectSame(
            placesOf(index.rerank({ handles, bm25, graph }, { now })),
            ranked,
            "rerank by handles:",
          );
        }
      });
    }
  });

  test("of 300 tags and clusters, each filter finds the memories that have it", () => {
    const LABELS = 300;
    const nameOf = (place: number) => `l${place % LABELS}`;
    const nodes = Array.from({ length: LABELS }, (_, place) => ({
      id: `n_${place}`,
      created_at: NOW,
      embedding: [1, place],
      tags: [nameOf(place), nameOf(7 * place + 1)],
      clusters: [nameOf(11 * place + 2)],
    }));
    both({ dimensions: 2 }, (index, reference) => {
      for (const memory of [index, reference]) memory.upsert(nodes, { now: NOW });
      for (let place = 0; place < LABELS; place++) {
        const names = [nameOf(place), nameOf(13 * place + 3)];
        for (const filter of [
          { tags_all: names },
          { tags_any: names },
          { tags_none: names },
          { cluster_ids: names },
        ]) {
          const options = { filter, now: NOW, limit: LABELS };
          expectSame(index.similar([1, 0], options), reference.similar([1, 0], options));
        }
      }
    });
  });

  test("few candidates and many: around each size at which another algorithm is used", () => {
    const content = makeMemory({ nodes: 1500, edges: 6000, dimensions: 0, seed: SEED });
    const random = makeRandom(SEED);
    both({}, (index, reference) => {
      for (const memory of [index, reference]) fill(memory, content);
      for (const size of [
        0, 1, 2, 49, 50, 127, 128, 129, 511, 512, 513, 2047, 2048, 2049, 2305, 4000,
      ]) {
        // With coarse scores many are equal; an id may occur twice.
        const column = (max: number, steps: number) =>
          Array.from({ length: size }, () => (Math.floor(random() * steps) / steps) * max);
        const ids = Array.from(
          { length: size },
          () => content.nodes[Math.floor(random() * 1500)]!.id,
        );
        for (const steps of [4, 2 ** 40]) {
          const columns = {
            semantic: column(1, steps),
            bm25: column(14, steps),
            graph: column(1, steps),
          };
          for (const limit of [0, 1, 20, size]) {
            // After ten years nothing is recent, and no access lies in a table.
            for (const now of [NOW, NOW + 3650 * DAY]) {
              const ranked = placesOf(reference.rerank({ ids, ...columns }, { now, limit }));
              expectSame(
                placesOf(index.rerank({ ids, ...columns }, { now, limit })),
                ranked,
                "rerank:",
              );
              const handles = index.handles(ids);
              expectSame(
                placesOf(index.rerank({ handles, ...columns }, { now, limit })),
                ranked,
                "by handles:",
              );
            }
          }
        }
      }
    });
  });

  test("that change constantly: nodes and edges come, move and go between searches", () => {
    const content = makeMemory({
      nodes: 1200,
      edges: 5000,
      dimensions: 19,
      seed: SEED,
      dangling: 0.02,
    });
    const config = { search: { edgeWeight: "learned", graphReach: true } } as const;
    const random = makeRandom(SEED);
    const someOf = <T>(from: readonly T[], share: number) => from.filter(() => random() < share);
    both({ dimensions: 19, config }, (index, reference) => {
      fill(index, content);
      fill(reference, content);
      let now = NOW;
      for (let day = 0; day < 40; day++) {
        now += random() * 6 * DAY;
        const gone = someOf(content.nodes, 0.01).map(({ id }) => id);
        const cut = someOf(content.edges, 0.01).map(({ id }) => id);
        const back = someOf(content.nodes, 0.01).map((node) => ({
          ...node,
          created_at: now,
          last_accessed: null,
        }));
        const moved = someOf(content.edges, 0.02).map((edge) => ({
          ...edge,
          source_id: pick(random, content.nodes).id,
          sequence: random() < 0.3 ? Math.floor(random() * 2 ** 40) : undefined,
        }));
        const read = someOf(content.nodes, 0.02).map(({ id }) => id);
        const query = queryOf(makeSearch(content, SEED + day));
        const step = (memory: typeof index | typeof reference) => [
          memory.remove(gone),
          memory.unlink(cut),
          memory.upsert(back, { now }),
          memory.link(moved),
          memory.recall(read, now),
          memory.strengthen([read, gone], 0.05),
          foundBy(memory.search({ ...query, include_connections: true, now })),
          memory.transitions(now),
          memory.decay(now),
          day % 3 === 0 ? memory.applyDecay(memory.decay(now).changes) : 0,
          memory.transitions(now),
          [memory.size, memory.edgeCount],
        ];
        expectSame(step(index), step(reference), `day ${day}:`);
      }
      const ids = content.nodes.map(({ id }) => id);
      const edgeIds = content.edges.map(({ id }) => id);
      expectSame(contentOf(index, ids, edgeIds), contentOf(reference, ids, edgeIds));
    });
  });
});

describe("loops and parallel edges", () => {
  /** A few memories, each pair of which, loops included, is joined by up to 400 edges. */
  const multigraph = fc
    .record({
      nodes: fc.integer({ min: 1, max: 5 }),
      bundles: fc.array(
        fc.record({
          source: fc.nat({ max: 4 }),
          target: fc.nat({ max: 4 }),
          type: fc.constantFrom("same_entity", "user_linked", "related_to"),
          strengths: fc.constantFrom([1], [0.9, 0.95], [0.7, 0.8, 0.9, 1]),
          count: fc.constantFrom(1, 2, 30, 400),
        }),
        { minLength: 1, maxLength: 6 },
      ),
      edgeWeight: fc.constantFrom<"type" | "learned">("type", "learned"),
      aggregation: fc.constantFrom<"sum" | "max">("sum", "max"),
      maxHops: fc.integer({ min: 1, max: 5 }),
    })
    .map(({ nodes, bundles, edgeWeight, aggregation, maxHops }) => ({
      ids: Array.from({ length: nodes }, (_, at) => `n_${at}`),
      edges: bundles.flatMap(({ source, target, type, strengths, count }, bundle) =>
        Array.from({ length: count }, (_, at) => ({
          id: `e_${bundle}_${at}`,
          source_id: `n_${source % nodes}`,
          target_id: `n_${target % nodes}`,
          type,
          strength: strengths[at % strengths.length]!,
        })),
      ),
      search: { edgeWeight, aggregation, maxHops },
    }));

  test("activate alike, in a number of steps that the edges bound", () => {
    fc.assert(
      fc.property(multigraph, ({ ids, edges, search }) => {
        both({ config: { search } }, (index, reference) => {
          for (const memory of [index, reference]) {
            memory.upsert(
              ids.map((id) => ({ id, type: "note", created_at: NOW })),
              { now: NOW },
            );
            memory.link(edges);
          }
          const query = { bm25: [{ id: "n_0", score: 9 }], now: NOW };
          const found = index.search(query);
          const expected = reference.search(query);
          expectSame(placesOf(found.ranking), placesOf(expected.ranking), "ranking");
          expectSame(found.metrics, expected.metrics, "metrics");
          expect(found.metrics.edges_traversed).toBeLessThanOrEqual(
            search.maxHops * Math.max(MAX_STEPS, 2 * edges.length),
          );
        });
      }),
      runs(amount(60, 20)),
    );
  });

  test("are explained also where their amounts go on as one", () => {
    const edges = Array.from({ length: 1500 }, (_, at) => ({
      id: `e_${at}`,
      source_id: "n_0",
      target_id: at < 1499 ? "n_0" : "n_1",
      type: "same_entity",
    }));
    both({}, (index) => {
      index.upsert(
        ["n_0", "n_1"].map((id) => ({ id, type: "note", created_at: NOW })),
        { now: NOW },
      );
      index.link(edges);
      const { score } = index.explain("n_1", {
        bm25: ["n_0", "n_1"].map((id) => ({ id, score: 9 })),
        now: NOW,
      });
      expect(JSON.stringify(score)).toContain("all that arrived in hop 1, passed on as one");
    });
  });
});
