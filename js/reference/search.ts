// From seeds to the ranked list: terms, cosine similarity, seeding, spreading activation, the whole
// search. The search rules, in full. Plain on purpose: this is the yardstick of the parity tests.
// Input is taken as valid.

import type { SerendipityLevel } from "nous-wasm";
import { rerankTop, type SignalBreakdown } from "./rerank.ts";
import type { RerankingWeights } from "./sections.ts";
import { type Instant, toMs } from "./signals.ts";
import type { StoredLifecycleState } from "./sweep.ts";

export type { SerendipityLevel } from "nous-wasm";

// ---- inputs -------------------------------------------------------------------------------------

export interface SearchNode {
  id: string;
  type: string;
  subtype?: string | null | undefined;
  created_at: Instant;
  /** Never read: `created_at` stands in for it. */
  last_accessed?: Instant | null | undefined;
  access_count: number;
  lifecycle?: StoredLifecycleState | undefined;
  tags?: readonly string[] | undefined;
  clusters?: readonly string[] | undefined;
  /** Of any length; absent while it is pending. */
  embedding?: ArrayLike<number> | null | undefined;
  /** The place in every order. Absent: the order of arrival. */
  sequence?: number | undefined;
}

export interface SearchEdge {
  id: string;
  source_id: string;
  target_id: string;
  type: string;
  /** In [0, 1]. */
  strength: number;
  /** The place in every order. Absent: the order of arrival. */
  sequence?: number | undefined;
}

/** The other end of an edge, as seen from one of its nodes. */
export interface Neighbour {
  node: SearchNode;
  edge: SearchEdge;
}

/** A memory prepared for searching. Its lists are in the order of sequence numbers. */
export interface Memory {
  nodes: Map<string, SearchNode>;
  /** Edges between existing nodes; one with a missing end is ignored. */
  edges: SearchEdge[];
  /**
   * The neighbours of each node, over the edges from it and to it. A self-loop is one neighbour.
   */
  neighbours: Map<string, Neighbour[]>;
  /** The number of incoming edges of each node. */
  inbound: Map<string, number>;
  /** The length of embeddings; 0 in a memory without embeddings. */
  dimensions: number;
  vectors: Vectors;
}

export interface MemoryOptions {
  /** The length of embeddings; by default that of the nodes' embeddings, 0 if they have none. */
  dimensions?: number;
  /** The storage format of embeddings ("f32"). */
  embeddings?: Vectors["form"];
  /** Prepared rows, in the order of sequence; by default made from the nodes' embeddings. */
  vectors?: Vectors;
}

const inSequence = <T extends { sequence?: number | undefined }>(items: readonly T[]): T[] =>
  items
    .map((item, arrival) => ({ item, place: item.sequence ?? arrival }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);

export function prepareMemory(
  allNodes: readonly SearchNode[],
  allEdges: readonly SearchEdge[],
  { dimensions, embeddings = "f32", vectors }: MemoryOptions = {},
): Memory {
  const nodes = new Map(inSequence(allNodes).map((node) => [node.id, node]));
  const edges = inSequence(allEdges).filter(
    (edge) => nodes.has(edge.source_id) && nodes.has(edge.target_id),
  );

  const neighbours = new Map([...nodes.keys()].map((id): [string, Neighbour[]] => [id, []]));
  const inbound = new Map([...nodes.keys()].map((id) => [id, 0]));
  for (const edge of edges) {
    const source = nodes.get(edge.source_id)!;
    const target = nodes.get(edge.target_id)!;
    neighbours.get(source.id)!.push({ node: target, edge });
    if (source !== target) neighbours.get(target.id)!.push({ node: source, edge });
    inbound.set(target.id, inbound.get(target.id)! + 1);
  }

  return {
    nodes,
    edges,
    neighbours,
    inbound,
    dimensions:
      dimensions ?? allNodes.find((node) => node.embedding != null)?.embedding?.length ?? 0,
    vectors: vectors ?? prepareVectors([...nodes.values()], embeddings),
  };
}

// ---- configuration ------------------------------------------------------------------------------

export interface SearchConfig {
  dense_weight: number;
  bm25_weight: number;
  /** The minimum combined score of a seed. Null: 0.15 if the query has an embedding, else 0.05. */
  seed_threshold: number | null;
  max_seeds: number;
  initial_activation: number;
  /** The share of an activation that remains after each hop. */
  hop_decay: number;
  /** An activation below this neither spreads nor arrives. */
  min_threshold: number;
  max_hops: number;
  /** Spreading stops at this many active nodes, seeds included. */
  max_nodes: number;
  /** How several activations of one node combine. */
  aggregation: "sum" | "max";
  default_limit: number;
  /** By type, by the type's default strength in the store, or the stored strength of each edge. */
  edge_weight: "type" | "stored_type" | "learned";
  /** Rank every active node (true), or only those that a search found. */
  graph_reach: boolean;
  /** Rank with the weights of each node's section (true), or with the global ones. */
  sections: boolean;
}

export const SEARCH_DEFAULTS: Readonly<SearchConfig> = Object.freeze({
  dense_weight: 0.7,
  bm25_weight: 0.3,
  seed_threshold: null,
  max_seeds: 15,
  initial_activation: 1.0,
  hop_decay: 0.8,
  min_threshold: 0.01,
  max_hops: 3,
  max_nodes: 500,
  aggregation: "sum",
  default_limit: 30,
  edge_weight: "type",
  graph_reach: false,
  sections: true,
});

const SEED_THRESHOLD_WITH_EMBEDDING = 0.15;
const SEED_THRESHOLD_WITHOUT_EMBEDDING = 0.05;

/** Vector results requested per possible seed. */
const RESULTS_PER_SEED = 3;

const UNKNOWN_EDGE_WEIGHT = 0.5;

/** The weights of known types. The types of stored edges are mostly others, and weigh 0.50. */
export const EDGE_WEIGHTS: Readonly<Record<string, number>> = Object.freeze({
  same_entity: 0.95,
  user_linked: 0.9,
  part_of: 0.85,
  caused_by: 0.8,
  applied_to: 0.75,
  generalizes: 0.7,
  mentioned_together: 0.6,
  related_to: 0.5,
  similar_to: 0.45,
  temporal_adjacent: 0.4,
});

/** The strength that the store gives a new edge of a type. */
export const STORED_EDGE_STRENGTHS: Readonly<Record<string, number>> = Object.freeze({
  relates_to: 0.5,
  part_of: 0.85,
  causes: 0.8,
  precedes: 0.4,
  similar_to: 0.45,
  mentioned_in: 0.6,
  derived_from: 0.5,
  contradicts: 0.5,
  supersedes: 0.5,
  user_linked: 0.9,
  generalizes: 0.7,
  applied_to: 0.75,
});

export function getInitialEdgeStrength(type: string): number {
  return Object.hasOwn(STORED_EDGE_STRENGTHS, type)
    ? STORED_EDGE_STRENGTHS[type]!
    : UNKNOWN_EDGE_WEIGHT;
}

export function edgeWeight(edge: SearchEdge, by: SearchConfig["edge_weight"]): number {
  if (by === "learned") return edge.strength;
  const table = by === "type" ? EDGE_WEIGHTS : STORED_EDGE_STRENGTHS;
  return Object.hasOwn(table, edge.type) ? table[edge.type]! : UNKNOWN_EDGE_WEIGHT;
}

// ---- filters ------------------------------------------------------------------------------------

/** Every given filter must let a node (or an edge) pass. An empty list filters nothing. */
export interface SearchFilters {
  types?: readonly string[] | undefined;
  excluded_types?: readonly string[] | undefined;
  subtypes?: readonly string[] | undefined;
  lifecycles?: readonly StoredLifecycleState[] | undefined;
  /** Inclusive. */
  created_after?: Instant | undefined;
  /** Inclusive. */
  created_before?: Instant | undefined;
  /** Inclusive; a fraction is legal. */
  accessed_within_days?: number | undefined;
  /** In at least one of them. */
  cluster_ids?: readonly string[] | undefined;
  tags_all?: readonly string[] | undefined;
  tags_any?: readonly string[] | undefined;
  tags_none?: readonly string[] | undefined;
  excluded_ids?: readonly string[] | undefined;
  /** Types of the edges that activation may spread over. */
  relationship_types?: readonly string[] | undefined;
}

const MS_PER_DAY = 86_400_000;

const lastAccess = (node: SearchNode): Instant => node.last_accessed ?? node.created_at;

/** Whether one of `values` is among the `wanted`; everything passes if `wanted` is empty. */
function anyOf(values: readonly unknown[], wanted: readonly unknown[] = []): boolean {
  return wanted.length === 0 || values.some((value) => wanted.includes(value));
}

export function nodePasses(node: SearchNode, filters: SearchFilters, now: Instant): boolean {
  const tags = node.tags ?? [];
  const created = toMs(node.created_at);
  const { created_after, created_before, accessed_within_days } = filters;

  if (!anyOf([node.type], filters.types)) return false;
  if (filters.excluded_types?.includes(node.type)) return false;
  if (!anyOf([node.subtype], filters.subtypes)) return false;
  if (!anyOf([node.lifecycle], filters.lifecycles)) return false;
  if (created_after !== undefined && created < toMs(created_after)) return false;
  if (created_before !== undefined && created > toMs(created_before)) return false;
  if (accessed_within_days !== undefined) {
    if (toMs(now) - toMs(lastAccess(node)) > accessed_within_days * MS_PER_DAY) return false;
  }
  if (!anyOf(node.clusters ?? [], filters.cluster_ids)) return false;
  if (filters.tags_all?.some((tag) => !tags.includes(tag))) return false;
  if (!anyOf(tags, filters.tags_any)) return false;
  if (filters.tags_none?.some((tag) => tags.includes(tag))) return false;
  if (filters.excluded_ids?.includes(node.id)) return false;
  return true;
}

/** The types of the edges of guesses that one memory replaces another, the surest first. */
export const [LIKELY, POSSIBLE, FAINT] = [
  "likely_supersedes",
  "possibly_supersedes",
  "faintly_supersedes",
] as const;

/** Whether an edge is a guess. */
export const isGuess = (type: string | null | undefined): boolean =>
  type === LIKELY || type === POSSIBLE || type === FAINT;

/** Activation passes over guesses only if they are asked for. */
export function edgePasses(
  { type }: SearchEdge,
  { relationship_types = [] }: SearchFilters,
): boolean {
  return relationship_types.length === 0 ? !isGuess(type) : relationship_types.includes(type);
}

// ---- terms --------------------------------------------------------------------------------------

const MIN_TERM_LENGTH = 2;
/** A word character by UTS #18. */
export const WORD = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}";
const NO_WORD = { ascii: /[^\w\s]/g, unicode: new RegExp(`[^${WORD}\\s]`, "gu") };
/** Chinese, Japanese and Korean, by blocks: so no edition of Unicode moves a border. */
export const CJK = [
  "\\u1100-\\u11ff\\u2e80-\\u2fdf\\u3005-\\u3007\\u3021-\\u3029\\u3031-\\u3035\\u3038-\\u303b\\u3040-\\u30ff\\u3130-\\u318f",
  "\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\ua960-\\ua97f\\uac00-\\ud7ff\\uf900-\\ufaff\\uff66-\\uffdc",
  "\\u{1aff0}-\\u{1b16f}\\u{20000}-\\u{3ffff}",
].join("");
const CJK_RUN = new RegExp(`^[${CJK}]`, "u");
const RUNS = new RegExp(`[${CJK}]+|[^${CJK}]+`, "gu");

/** Text of a script without spaces between words: every two adjacent characters. */
function overlappingPairs(run: string): string[] {
  const characters = [...run];
  return characters.slice(1).map((character, i) => characters[i]! + character);
}

/**
 * The words of a query for the full-text index: lower-case, of 2 characters (code points) or more,
 * each once. `ascii` knows only letters, digits and `_` of ASCII; `unicode` letters, marks, digits
 * and connectors of every script.
 */
export function extractTerms(query: string, mode: "ascii" | "unicode" = "ascii"): string[] {
  const lower = query.toLowerCase();
  const words = lower.replace(NO_WORD[mode], " ").split(/\s+/);
  const terms =
    mode === "ascii"
      ? words
      : words
          .flatMap((word) => word.match(RUNS) ?? [])
          .flatMap((run) => (CJK_RUN.test(run) ? overlappingPairs(run) : [run]));
  return [...new Set(terms.filter((term) => [...term].length >= MIN_TERM_LENGTH))];
}

/** The query of the full-text index: each term quoted, as a prefix, any of them. */
export function fullTextQuery(terms: readonly string[]): string {
  return terms.map((term) => `"${term}"*`).join(" OR ");
}

/**
 * BM25 from full-text indexes (of either sign, far from 0 is better) → magnitudes divided by the
 * largest.
 */
export function bm25Scores(rows: readonly ScoredId[]): ScoredId[] {
  const largest = rows.reduce((max, { score }) => Math.max(max, Math.abs(score)), 0);
  return rows.map(({ id, score }) => ({ id, score: largest > 0 ? Math.abs(score) / largest : 0 }));
}

// ---- similarity ---------------------------------------------------------------------------------

/** A row in a quarter of the memory: component i is about codes[i] · scale. */
export interface Quantised {
  codes: Int8Array;
  /** An f32. */
  scale: number;
}

/** A query, whose codes are finer, since they are not stored. */
export interface QuantisedQuery {
  codes: Int16Array;
  /** An f32. */
  scale: number;
}

/** Rows of unit length, in the order of equal scores. */
export type Vectors =
  | { form: "f32"; rows: { id: string; row: Float32Array }[] }
  | { form: "i8"; rows: { id: string; row: Quantised }[] };

export interface ScoredId {
  id: string;
  score: number;
}

/** Lanes that a dot product is summed in. */
const LANES = 16;
const MAX_CODE = 127;
const MAX_I16 = 2 ** 15 - 1;
const MAX_I32 = 2 ** 31 - 1;

/**
 * A row of length 1: the squares are added in f64 from the first component to the last, each
 * component is divided by the root in f64 and rounded to f32. A row of zeros stays unchanged.
 */
export function normalise(embedding: ArrayLike<number>): Float32Array {
  let squares = 0;
  for (let i = 0; i < embedding.length; i++) squares += embedding[i]! * embedding[i]!;
  const length = Math.sqrt(squares);
  const row = new Float32Array(embedding.length);
  if (length > 0) for (let i = 0; i < row.length; i++) row[i] = embedding[i]! / length;
  return row;
}

/**
 * The dot product in f32, in the one order that every implementation keeps:
 *
 * 1. 16 lanes start at 0; lane l takes the components l, l + 16, l + 32, … in turn. The product is
 * rounded to f32,
 *    then the sum of lane and product: two roundings, not a fused one.
 * 2. Where the dimension is no multiple of 16, the last components of the higher lanes count as 0.
 * 3. The lanes are added in pairs, each sum rounded to f32: l and l + 8 for l below 8, then l and l
 * + 4, l and l + 2,
 *    and last lane 0 and lane 1.
 */
export function dot(a: Float32Array, b: Float32Array): number {
  // Writing into a Float32Array rounds to f32, as Math.fround does.
  const lanes = new Float32Array(LANES);
  for (let i = 0; i < a.length; i++) lanes[i % LANES]! += Math.fround(a[i]! * b[i]!);
  for (let half = LANES / 2; half >= 1; half /= 2) {
    for (let l = 0; l < half; l++) lanes[l]! += lanes[l + half]!;
  }
  return lanes[0]!;
}

const roundHalfAwayFromZero = (x: number): number => Math.sign(x) * Math.round(Math.abs(x));

/**
 * step = max |x| / the largest code, divided in f64 and rounded to f32; code = x / step, divided in
 * f64 and rounded to an integer, halves away from zero.
 *
 * The scale is not the step, but 1 / (the codes times the row), added in f64 from the first
 * component to the last and rounded to f32. So the stored row has the row's exact length along the
 * row, and the rounding error is orthogonal to it: the cosines of similar rows have similar errors.
 * A row of zeros has a scale of 0.
 */
function quantiseInto<T extends Int8Array | Int16Array>(
  codes: T,
  row: Float32Array,
  maxCode: number,
) {
  const largest = row.reduce((max, x) => Math.max(max, Math.abs(x)), 0);
  const step = Math.fround(largest / maxCode);
  let along = 0;
  for (let i = 0; i < row.length; i++) {
    codes[i] = step > 0 ? roundHalfAwayFromZero(row[i]! / step) : 0;
    along += codes[i]! * row[i]!;
  }
  return { codes, scale: along > 0 ? Math.fround(1 / along) : 0 };
}

/** A row in codes of up to 127. */
export function quantise(row: Float32Array): Quantised {
  return quantiseInto(new Int8Array(row.length), row, MAX_CODE);
}

/**
 * A query in the largest i16 codes for which every sum of products with a row's codes fits an i32.
 */
export function quantiseQuery(query: Float32Array): QuantisedQuery {
  const maxCode = Math.min(MAX_I16, Math.floor(MAX_I32 / (MAX_CODE * query.length)));
  return quantiseInto(new Int16Array(query.length), query, maxCode);
}

/**
 * The sum over the codes is exact; it is multiplied in f64 by the row's scale, then by the query's.
 */
export function dotQuantised(row: Quantised, query: QuantisedQuery): number {
  let sum = 0;
  for (let i = 0; i < row.codes.length; i++) sum += row.codes[i]! * query.codes[i]!;
  return sum * row.scale * query.scale;
}

export function prepareVectors(
  nodes: readonly { id: string; embedding?: ArrayLike<number> | null | undefined }[],
  form: Vectors["form"] = "f32",
): Vectors {
  const rows = nodes
    .filter((node) => node.embedding != null)
    .map((node) => ({ id: node.id, row: normalise(node.embedding!) }));
  return form === "f32"
    ? { form, rows }
    : { form, rows: rows.map(({ id, row }) => ({ id, row: quantise(row) })) };
}

/**
 * The k rows most similar to the query by cosine, among those that pass; equal scores in the order
 * of the rows.
 */
export function similar(
  vectors: Vectors,
  query: ArrayLike<number>,
  k: number,
  passes: (id: string) => boolean = () => true,
): ScoredId[] {
  const f32 = normalise(query);
  const i8 = quantiseQuery(f32);
  const scored =
    vectors.form === "f32"
      ? vectors.rows
          .filter(({ id }) => passes(id))
          .map(({ id, row }) => ({ id, score: dot(row, f32) }))
      : vectors.rows
          .filter(({ id }) => passes(id))
          .map(({ id, row }) => ({ id, score: dotQuantised(row, i8) }));
  return scored.sort((a, b) => b.score - a.score).slice(0, k);
}

// ---- seeds --------------------------------------------------------------------------------------

/** A query. Results of the store are used as the store gives them, highest score first. */
export interface SearchQuery {
  /** Without `vector`, the memory's own vectors are searched for it. */
  embedding?: ArrayLike<number>;
  /** Cosine similarities. */
  vector?: readonly ScoredId[];
  /** Magnitudes divided by the largest. */
  bm25?: readonly ScoredId[];
}

export interface Seed {
  node_id: string;
  vector_score: number;
  bm25_score: number;
  combined_score: number;
}

/** Whether a node's vector is pending: it has none in a memory with vectors. */
function awaitsVector(memory: Memory, node: SearchNode): boolean {
  return memory.dimensions > 0 && node.embedding == null;
}

/** The starting nodes of activation, highest combined score first. */
export function seed(
  memory: Memory,
  query: SearchQuery,
  config: SearchConfig = SEARCH_DEFAULTS,
  passes: (node: SearchNode) => boolean = () => true,
): Seed[] {
  const { embedding, bm25 = [] } = query;
  const asked = config.max_seeds * RESULTS_PER_SEED;
  const search = () =>
    embedding === undefined
      ? []
      : similar(memory.vectors, embedding, asked, (id) => passes(memory.nodes.get(id)!));
  const vector = query.vector ?? search();

  const hasEmbedding = embedding !== undefined || query.vector !== undefined;
  const threshold =
    config.seed_threshold ??
    (hasEmbedding ? SEED_THRESHOLD_WITH_EMBEDDING : SEED_THRESHOLD_WITHOUT_EMBEDDING);
  const thresholdOf = (node: SearchNode) =>
    awaitsVector(memory, node) ? SEED_THRESHOLD_WITHOUT_EMBEDDING : threshold;

  const vectorScores = new Map(vector.map(({ id, score }) => [id, score]));
  const largest = bm25.reduce((max, { score }) => Math.max(max, score), 1);
  const bm25Scores = new Map(bm25.map(({ id, score }) => [id, score / largest]));

  return [...new Set([...vectorScores.keys(), ...bm25Scores.keys()])]
    .map((id): Seed => {
      const vector_score = vectorScores.get(id) ?? 0;
      const bm25_score = bm25Scores.get(id) ?? 0;
      const combined_score = config.dense_weight * vector_score + config.bm25_weight * bm25_score;
      return { node_id: id, vector_score, bm25_score, combined_score };
    })
    .filter(({ node_id, combined_score }) => {
      const node = memory.nodes.get(node_id);
      return node !== undefined && combined_score >= thresholdOf(node) && passes(node);
    })
    .sort((a, b) => b.combined_score - a.combined_score)
    .slice(0, config.max_seeds);
}

// ---- spread -------------------------------------------------------------------------------------

export interface Activated {
  id: string;
  activation: number;
  /** The round in which it became active; 0 for a seed. */
  hop: number;
  is_seed: boolean;
}

export interface Spread {
  terminated: "no_spread" | "max_nodes" | "max_hops";
  /** Rounds begun. */
  hops: number;
  /** Active nodes, seeds included. */
  visited: number;
  /** Neighbours visited, before any filter. */
  edges_traversed: number;
  /** In the order in which they became active. */
  activated: Activated[];
}

/** The most edges that a round looks at before the amounts of each node are merged. */
export const MAX_STEPS = 2 ** 20;

/** Breadth-first rounds over edges, in both directions. */
export function spread(
  memory: Memory,
  seeds: readonly Seed[],
  config: SearchConfig = SEARCH_DEFAULTS,
  passes: (node: SearchNode, edge: SearchEdge) => boolean = () => true,
): Spread {
  const start = seeds.map(({ node_id, combined_score }): Activated => {
    return {
      id: node_id,
      activation: config.initial_activation * combined_score,
      hop: 0,
      is_seed: true,
    };
  });
  const active = new Map(start.map((entry) => [entry.id, entry]));
  let hops = 0;
  let traversed = 0;
  const stop = (terminated: Spread["terminated"]): Spread => {
    return {
      terminated,
      hops,
      visited: active.size,
      edges_traversed: traversed,
      activated: [...active.values()],
    };
  };
  if (seeds.length === 0) return stop("max_hops");

  // A queued activation keeps its own amount, not its node's sum.
  let round = start.map(({ id, activation }) => ({ id, activation }));
  while (hops < config.max_hops) {
    hops += 1;
    const next: typeof round = [];
    for (const { id, activation } of round) {
      if (activation < config.min_threshold) continue;
      for (const { node, edge } of memory.neighbours.get(id) ?? []) {
        traversed += 1;
        if (!passes(node, edge)) continue;
        const amount = activation * edgeWeight(edge, config.edge_weight) * config.hop_decay;
        if (amount < config.min_threshold) continue;

        const known = active.get(node.id);
        if (known === undefined) {
          active.set(node.id, { id: node.id, activation: amount, hop: hops, is_seed: false });
          if (active.size >= config.max_nodes) return stop("max_nodes");
        } else if (config.aggregation === "sum") {
          known.activation += amount;
        } else {
          known.activation = Math.max(known.activation, amount);
        }
        next.push({ id: node.id, activation: amount });
      }
      // Reached if there are as many seeds as nodes allowed, and the first to spread activated no
      // new node.
      if (active.size >= config.max_nodes) return stop("max_hops");
    }
    if (next.length === 0) return stop("no_spread");
    const steps = next.reduce((sum, { id }) => sum + (memory.neighbours.get(id)?.length ?? 0), 0);
    round = steps > MAX_STEPS ? merged(next, config.aggregation) : next;
  }
  return stop("max_hops");
}

/** The amounts of each node as one, in the order in which they first arrived. */
function merged(
  round: readonly { id: string; activation: number }[],
  aggregation: SearchConfig["aggregation"],
): { id: string; activation: number }[] {
  const amounts = new Map<string, number>();
  for (const { id, activation } of round) {
    const known = amounts.get(id);
    if (known === undefined) amounts.set(id, activation);
    else amounts.set(id, aggregation === "sum" ? known + activation : Math.max(known, activation));
  }
  return [...amounts].map(([id, activation]) => ({ id, activation }));
}

// ---- the whole search ---------------------------------------------------------------------------

/** The minimum activation of a find, and the maximum number of finds. */
const SERENDIPITY = {
  off: { activation: Infinity, finds: 0 },
  low: { activation: 0.4, finds: 2 },
  medium: { activation: 0.3, finds: 5 },
  high: { activation: 0.2, finds: 10 },
} as const;

/** A find is unlike the query: its vector score is below this. */
const SERENDIPITY_BELOW = 0.5;

export interface SearchOptions {
  now: Instant;
  config?: Partial<SearchConfig>;
  filters?: SearchFilters | null;
  /** Default: `default_limit`; 0 gives none. */
  limit?: number;
  /** Default: that of the configuration. */
  max_seeds?: number;
  include_connections?: boolean;
  serendipity_level?: SerendipityLevel;
}

export interface SearchResult {
  id: string;
  score: number;
  breakdown: SignalBreakdown;
  primary_signal: keyof RerankingWeights;
}

export interface SearchReport {
  seeds: Seed[];
  spread: Spread;
  ranked: SearchResult[];
  /** Active nodes far from the query, highest activation first. */
  serendipity: { id: string; activation: number }[];
  /** The edges between active nodes, if requested. */
  connections?: SearchEdge[];
  metrics: {
    seeds_found: number;
    nodes_activated: number;
    /** The number of results above the relevance floor. */
    nodes_filtered: number;
    nodes_returned: number;
  };
}

/** Seeds, spreading, relevance floor, ranking. */
export function search(memory: Memory, query: SearchQuery, options: SearchOptions): SearchReport {
  const { now, include_connections = false, serendipity_level = "off" } = options;
  const config: SearchConfig = { ...SEARCH_DEFAULTS, ...options.config };
  config.max_seeds = options.max_seeds ?? config.max_seeds;
  const filters = options.filters ?? {};
  const limit = options.limit ?? config.default_limit;

  const seeds = seed(memory, query, config, (node) => nodePasses(node, filters, now));
  const spreading = spread(memory, seeds, config, (node, edge) => {
    return edgePasses(edge, filters) && nodePasses(node, filters, now);
  });

  // From here on only a seed has scores of its own.
  const seedOf = new Map(seeds.map((each) => [each.node_id, each]));
  const vectorScore = (id: string) => seedOf.get(id)?.vector_score ?? 0;
  const bm25Score = (id: string) => seedOf.get(id)?.bm25_score ?? 0;

  const isKept = ({ id }: Activated) =>
    config.graph_reach || vectorScore(id) > 0 || bm25Score(id) > 0;
  const kept = spreading.activated.filter(isKept);
  const largest = kept.reduce((max, { activation }) => Math.max(max, activation), 0);
  const share = (activation: number) => (largest > 0 ? activation / largest : activation);

  const candidates = kept.map(({ id, activation }) => {
    const node = memory.nodes.get(id)!;
    return {
      id,
      semantic_score: vectorScore(id),
      bm25_score: bm25Score(id),
      graph_score: share(activation),
      last_accessed: lastAccess(node),
      created_at: node.created_at,
      access_count: node.access_count,
      inbound_edge_count: memory.inbound.get(id)!,
      subtype: node.subtype,
    };
  });
  const ranked = rerankTop(candidates, graphMetrics(memory), {
    limit,
    now,
    sections: config.sections,
  }).map(
    ({ node, score, breakdown, primary_signal }): SearchResult => ({
      id: node.id,
      score,
      breakdown,
      primary_signal,
    }),
  );

  const level = SERENDIPITY[serendipity_level];
  const serendipity = spreading.activated
    .map((entry) => ({
      id: entry.id,
      activation: isKept(entry) ? share(entry.activation) : entry.activation,
    }))
    .filter(
      ({ id, activation }) => activation >= level.activation && vectorScore(id) < SERENDIPITY_BELOW,
    )
    .sort((a, b) => b.activation - a.activation)
    .slice(0, level.finds);

  const report: SearchReport = {
    seeds,
    spread: spreading,
    ranked,
    serendipity,
    metrics: {
      seeds_found: seeds.length,
      nodes_activated: spreading.visited,
      nodes_filtered: kept.length,
      nodes_returned: ranked.length,
    },
  };
  if (include_connections) {
    const active = new Set(spreading.activated.map(({ id }) => id));
    report.connections = memory.edges.filter(
      (edge) => active.has(edge.source_id) && active.has(edge.target_id),
    );
  }
  return report;
}

function graphMetrics({ nodes, edges }: Memory) {
  const average = nodes.size === 0 ? 0 : edges.length / nodes.size;
  const pairs = nodes.size * (nodes.size - 1);
  return {
    total_nodes: nodes.size,
    total_edges: edges.length,
    density: pairs === 0 ? 0 : edges.length / pairs,
    avg_inbound_edges: average,
    avg_outbound_edges: average,
  };
}
