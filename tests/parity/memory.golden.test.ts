// The golden graphs of searching, through MemoryIndex, which computes similarities itself, in f32:
// so the embeddings have cosines that equal the golden scores rounded to f32. The results equal the
// reference to the bit, and the golden file to six decimals.

import { readFileSync } from "node:fs";
import { MemoryIndex } from "nous-wasm";
import { describe, expect, test } from "vitest";
import type { MemoryEdge, MemoryNode } from "../../js/engine/src/memory/types.ts";
import { ReferenceMemory } from "../../js/reference/memory.ts";
import * as reference from "../../js/reference/search.ts";
import { foundBy, settingsOf } from "./inputs/memories.ts";
import { same } from "./support/same.ts";

type StoreResult = { nodeId: string; score: number };
interface Graph {
  nodes: (MemoryNode & { subtype: string | null })[];
  edges: MemoryEdge[];
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
const golden: { now: number; graphs: Graph[] } = JSON.parse(
  readFileSync(new URL("../golden/search.json", import.meta.url), "utf8"),
);

/**
 * At this cosine from the query, which is [1, 0]. Nodes that no search found are orthogonal to it.
 */
const at = (cosine: number) => [cosine, Math.sqrt(1 - cosine ** 2)];
const QUERY = [1, 0];

const DIGITS = 6;

function expectClose(actual: unknown, expected: unknown): void {
  if (typeof expected === "number") expect(actual).toBeCloseTo(expected, DIGITS);
  else if (typeof expected !== "object" || expected === null) expect(actual).toBe(expected);
  else {
    expect(Object.keys(actual as object).sort()).toEqual(Object.keys(expected).sort());
    for (const [key, value] of Object.entries(expected))
      expectClose((actual as Record<string, unknown>)[key], value);
  }
}

describe.each(golden.graphs.map((graph, i) => [i, graph] as const))("graph %i", (_, graph) => {
  const { nodes, edges, vector, bm25, config, filters, limit, serendipity_level } = graph;
  const cosines = new Map(vector.map(({ nodeId, score }) => [nodeId, score]));
  const placed = nodes.map((node) => ({ ...node, embedding: at(cosines.get(node.id) ?? 0) }));
  const hits = bm25.map(({ nodeId, score }) => ({ id: nodeId, score }));
  const query = {
    embedding: QUERY,
    bm25: hits,
    filters,
    limit,
    serendipity_level,
    now: golden.now,
  };

  test("has the golden ranking, counts and finds, and equals the reference to the bit", () => {
    const options = { dimensions: 2, config: { search: settingsOf(config) } };
    const index = new MemoryIndex(options);
    const plain = new ReferenceMemory(options);
    for (const memory of [index, plain]) {
      memory.upsert(placed);
      memory.link(edges);
    }
    const found = foundBy(index.search({ ...query, include_connections: true }));
    expect(same(found, foundBy(plain.search({ ...query, include_connections: true })))).toBeNull();
    index.free();

    expect(found.ranking.ids).toEqual(graph.ranked.map(({ id }) => id));
    expectClose(found.ranking.each, graph.ranked);
    expect(found.serendipity.map(({ id }) => id)).toEqual(graph.serendipity);
    const { hops, edges_traversed, terminated, visited, activated } = graph.spread;
    expect(found.metrics).toMatchObject({
      hops,
      edges_traversed,
      terminated,
      nodes_activated: visited,
    });
    expect(found.metrics.seeds_found).toBe(graph.seeds.length);
    expect(found.metrics.nodes_returned).toBe(graph.ranked.length);
    const active = new Set(activated.map(({ id }) => id));
    const connections = edges.filter(
      ({ source_id, target_id }) => active.has(source_id) && active.has(target_id),
    );
    expect(found.connections!.map(({ id }) => id)).toEqual(connections.map(({ id }) => id));
  });

  test("has cosines that are the golden scores in f32", () => {
    const index = new MemoryIndex({ dimensions: 2 });
    index.upsert(placed);
    const { ids, scores } = index.similar(QUERY, { limit: nodes.length });
    index.free();
    expect([...ids].sort()).toEqual(nodes.map(({ id }) => id).sort());
    ids.forEach((id, i) => {
      expect(Math.abs(scores[i]! - (cosines.get(id) ?? 0))).toBeLessThan(2 ** -23);
    });
  });
});

test("a search by words only keeps the golden rules to the bit", () => {
  for (const { nodes, edges, bm25, config, filters, limit, serendipity_level } of golden.graphs) {
    const hits = bm25.map(({ nodeId, score }) => ({ id: nodeId, score }));
    const index = new MemoryIndex({ config: { search: settingsOf(config) } });
    index.upsert(nodes);
    index.link(edges);
    const query = { bm25: hits, filters, limit, serendipity_level, now: golden.now };
    const { ranking, serendipity, metrics } = foundBy(index.search(query));
    index.free();
    const memory = reference.prepareMemory(
      nodes as reference.SearchNode[],
      edges as reference.SearchEdge[],
    );
    const options = { now: golden.now, config, filters, limit, serendipity_level };
    const expected = reference.search(memory, { bm25: hits }, options);
    expect(same([...ranking.each], expected.ranked)).toBeNull();
    expect(same(serendipity, expected.serendipity)).toBeNull();
    const { hops, edges_traversed, terminated } = expected.spread;
    expect(same(metrics, { ...expected.metrics, hops, edges_traversed, terminated })).toBeNull();
  }
});
