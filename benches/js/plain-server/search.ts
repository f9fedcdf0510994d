// The plain server's search: full text and embeddings find seeds, activation spreads from them in
// rounds, and the formulas rank.

import type { RankedNode } from "../../../js/reference/rerank.ts";
import { rerankWithSectionWeights } from "../../../js/reference/rivals/plain.ts";
import {
  EDGE_WEIGHTS,
  extractTerms,
  SEARCH_DEFAULTS,
  type Seed,
} from "../../../js/reference/search.ts";
import { tuned as classifyQuery } from "../rivals/regexes.ts";
import type { Accesses } from "./accesses.ts";
import { lastAccessOf } from "./fading.ts";
import type { Question } from "./requests.ts";
import type { Hit, Store } from "./store.ts";
import type { Vectors } from "./vectors.ts";

const OVERFETCH = 3;
const OVERFETCH_OF_LOOKUP = 2;
const HITS_PER_SEED = 3;
const THRESHOLD_WITH_VECTOR = 0.15;
const THRESHOLD_WITHOUT_VECTOR = 0.05;
const UNKNOWN_EDGE_WEIGHT = 0.5;

const {
  dense_weight,
  bm25_weight,
  max_seeds,
  initial_activation,
  hop_decay,
  min_threshold,
  max_hops,
  max_nodes,
} = SEARCH_DEFAULTS;

/** The parts of a memory that a search uses. */
export interface Memory {
  store: Store;
  vectors: Vectors;
  accesses: Accesses;
  /** Numbers of nodes and edges, updated by writes. */
  counts: { nodes: number; edges: number };
}

/** The results of a search, and the milliseconds of its parts. */
export interface Found {
  ranked: RankedNode[];
  asked: ReturnType<typeof classifyQuery>;
  multiplier: number;
  usesVector: boolean;
  seeds: number;
  activated: number;
  kept: number;
  took: { understanding: number; fullText: number; spreading: number; ranking: number };
}

/** Searches by words, embedding and graph. Returns the best memories. */
export function search(memory: Memory, { query, limit, embedding }: Question, now: number): Found {
  const start = performance.now();
  const asked = classifyQuery(query);
  const multiplier =
    asked.query_type === "LOOKUP" && !asked.disqualified ? OVERFETCH_OF_LOOKUP : OVERFETCH;
  const max = Math.max(max_seeds, limit * multiplier);
  const terms = extractTerms(query, "unicode");
  const understood = performance.now();

  const hits = memory.store.fullText(terms, memory.counts.nodes, max * HITS_PER_SEED);
  const read = performance.now();

  const vector = memory.vectors.size > 0 ? embedding : undefined;
  const near =
    vector === undefined ? undefined : memory.vectors.nearest(vector, max * HITS_PER_SEED);
  const seeds = seedsOf(memory.vectors, near, hits, max);
  const activation = spread(memory.store, seeds);
  const spreadOut = performance.now();

  const kept = seeds.filter(({ vector_score, bm25_score }) => vector_score > 0 || bm25_score > 0);
  const ranked = rank(memory, kept, activation, now).slice(0, limit);
  const done = performance.now();
  return {
    ranked,
    asked,
    multiplier,
    usesVector: near !== undefined,
    seeds: seeds.length,
    activated: activation.size,
    kept: kept.length,
    took: {
      understanding: understood - start,
      fullText: read - understood,
      spreading: spreadOut - read,
      ranking: done - spreadOut,
    },
  };
}

function seedsOf(
  vectors: Vectors,
  near: readonly Hit[] | undefined,
  hits: readonly Hit[],
  max: number,
): Seed[] {
  const vectorScores = new Map((near ?? []).map(({ id, score }) => [id, score]));
  const best = hits[0]?.score ?? 0;
  const bm25Scores = new Map(hits.map(({ id, score }) => [id, best > 0 ? score / best : score]));
  const threshold = near === undefined ? THRESHOLD_WITHOUT_VECTOR : THRESHOLD_WITH_VECTOR;
  const seeds: Seed[] = [];
  for (const id of new Set([...vectorScores.keys(), ...bm25Scores.keys()])) {
    const vector_score = vectorScores.get(id) ?? 0;
    const bm25_score = bm25Scores.get(id) ?? 0;
    const combined_score = dense_weight * vector_score + bm25_weight * bm25_score;
    // A memory without an embedding yet has the threshold of a memory that words alone found.
    const min = vectors.has(id) ? threshold : THRESHOLD_WITHOUT_VECTOR;
    if (combined_score >= min)
      seeds.push({ node_id: id, vector_score, bm25_score, combined_score });
  }
  return seeds.sort((a, b) => b.combined_score - a.combined_score).slice(0, max);
}

type Neighbours = Map<string, { id: string; weight: number }[]>;

/**
 * Returns the activation of every reached memory. Each round queries the database once for all its
 * starting nodes.
 */
function spread(store: Store, seeds: readonly Seed[]): Map<string, number> {
  const active = new Map(
    seeds.map((seed) => [seed.node_id, initial_activation * seed.combined_score]),
  );
  const neighbours: Neighbours = new Map();
  let round = [...active].map(([id, amount]) => ({ id, amount }));
  for (let hop = 0; hop < max_hops && round.length > 0; hop++) {
    round = round.filter(({ amount }) => amount >= min_threshold);
    fetchNeighbours(store, round, neighbours);
    const next: typeof round = [];
    for (const { id, amount } of round) {
      for (const neighbour of neighbours.get(id)!) {
        const arriving = amount * neighbour.weight * hop_decay;
        if (arriving < min_threshold) continue;
        const before = active.get(neighbour.id);
        active.set(neighbour.id, (before ?? 0) + arriving);
        if (before === undefined && active.size >= max_nodes) return active;
        next.push({ id: neighbour.id, amount: arriving });
      }
      if (active.size >= max_nodes) return active;
    }
    round = next;
  }
  return active;
}

/** Fetches the neighbours of memories for which they are not known yet. */
function fetchNeighbours(
  store: Store,
  round: readonly { id: string }[],
  neighbours: Neighbours,
): void {
  const asked = new Set(round.map(({ id }) => id).filter((id) => !neighbours.has(id)));
  for (const id of asked) neighbours.set(id, []);
  if (asked.size === 0) return;
  for (const { id, neighbour, type } of store.around([...asked])) {
    neighbours.get(id)!.push({ id: neighbour, weight: EDGE_WEIGHTS[type] ?? UNKNOWN_EDGE_WEIGHT });
  }
}

function rank(
  { store, accesses, counts }: Memory,
  kept: readonly Seed[],
  activation: ReadonlyMap<string, number>,
  now: number,
): RankedNode[] {
  const ids = kept.map(({ node_id }) => node_id);
  const rows = new Map(store.ranked(ids).map((row) => [row.id, accesses.ahead(row)]));
  const inbound = store.inbound(ids);
  const largest = kept.reduce((max, { node_id }) => Math.max(max, activation.get(node_id)!), 0);
  const candidates = kept.map(({ node_id, vector_score, bm25_score }) => {
    const row = rows.get(node_id)!;
    return {
      id: node_id,
      semantic_score: vector_score,
      bm25_score,
      graph_score: largest > 0 ? activation.get(node_id)! / largest : activation.get(node_id)!,
      last_accessed: lastAccessOf(row),
      created_at: Date.parse(row.provenance_created_at),
      access_count: row.neural_access_count,
      inbound_edge_count: inbound.get(node_id) ?? 0,
      subtype: row.subtype,
    };
  });
  const average = counts.nodes === 0 ? 0 : counts.edges / counts.nodes;
  const metrics = { total_nodes: counts.nodes, total_edges: counts.edges, density: 0 };
  const measures = { ...metrics, avg_inbound_edges: average, avg_outbound_edges: average };
  return rerankWithSectionWeights(candidates, measures, now);
}
