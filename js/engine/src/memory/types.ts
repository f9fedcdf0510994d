// What a resident memory takes and gives. Data is in snake_case, as it is stored.

import type { EngineConfig } from "../config.ts";
import type { DecayLifecycleState, Instant, RerankingWeights, SignalBreakdown } from "../types.ts";

/** A state as databases hold it: old ones know a deleted node, which no sweep touches. */
export type StoredLifecycleState = DecayLifecycleState | "DELETED";

/** How an index is made. */
export interface MemoryIndexOptions {
  /** Components of an embedding, the same for all; 0 (the default) keeps none. At most 65,536. */
  dimensions?: number | undefined;
  /**
   * How embeddings are kept: `f32`, or `i8` for a fifth of the memory, where each row has a scale
   * of its own. Default `f32`.
   */
  embeddings?: "f32" | "i8" | undefined;
  /**
   * Which model made the embeddings; kept in snapshots, so that whoever restores one can tell.
   * Default "".
   */
  embeddingId?: string | undefined;
  /** The same configuration as `createEngine` takes; searching reads `search` in it as well. */
  config?: EngineConfig | undefined;
  /**
   * What the index may take of the module's memory, in bytes: a call that could need more is
   * refused before it begins, with code `out_of_memory`. A snapshot does not count against it, so
   * that a full index can be saved. Default 3 GiB, of the 4 that WebAssembly can address.
   */
  maxBytes?: number | undefined;
}

/**
 * A memory as it goes in. For a new one whatever is missing has the default in brackets; one that
 * is there already keeps it. A null counts as missing, except where it says so.
 */
export interface MemoryNode {
  /** Not empty; the one thing that has to be there. */
  id: string;
  /** The kind of node, such as `episode` ("concept"). */
  type?: string | null | undefined;
  /** Decides the section; null for none (none, which is the default section). */
  subtype?: string | null | undefined;
  /** (`now`) */
  created_at?: Instant | null | undefined;
  /** Null: never accessed, so that `created_at` stands in for it (never). */
  last_accessed?: Instant | null | undefined;
  /** Whole, from 0 to 4,294,967,295 (0). */
  access_count?: number | null | undefined;
  /** Days; 0 or less means forgotten at once (that of the subtype, else of the section). */
  stability?: number | null | undefined;
  /** As it is stored, in [0, 1] (1). */
  retrievability?: number | null | undefined;
  /** In [0, 1] (the section's `base_difficulty`). */
  difficulty?: number | null | undefined;
  /**
   * How much was at stake, in [0, 1] (0.5, neutral). Kept where the configuration says
   * `salienceGrowth`, and nowhere else.
   */
  salience?: number | null | undefined;
  /** As it is stored ("ACTIVE"). */
  lifecycle?: StoredLifecycleState | null | undefined;
  /** (none) */
  tags?: readonly string[] | null | undefined;
  /** Ids of the clusters that it is in (none). */
  clusters?: readonly string[] | null | undefined;
  /**
   * `dimensions` numbers, not all 0; it is kept at length 1. Null: still to be made, or no longer
   * true (null).
   */
  embedding?: ArrayLike<number> | null | undefined;
  /**
   * Its place in every order, whole, from 0 to 2⁵³ − 1: a database's row number, so that an index
   * made anew answers as the one before (one more than the highest so far, and 2⁵³ − 1 once that
   * was given). Of equal ones the order is any, and stays.
   */
  sequence?: number | null | undefined;
}

/** A memory as it is kept: everything but the embedding, instants in milliseconds since 1970. */
export interface StoredMemoryNode {
  id: string;
  type: string;
  subtype: string | null;
  created_at: number;
  last_accessed: number;
  access_count: number;
  inbound_edge_count: number;
  stability: number;
  retrievability: number;
  difficulty: number;
  /** There where it is kept. */
  salience?: number;
  lifecycle: StoredLifecycleState;
  tags: string[];
  clusters: string[];
  has_embedding: boolean;
  sequence: number;
}

/** An edge as it goes in; missing fields have the default in brackets, or stay as they are. */
export interface MemoryEdge {
  /** Not empty. */
  id: string;
  source_id: string;
  target_id: string;
  /** ("relates_to") */
  type?: string | null | undefined;
  /**
   * In [0, 1] (what a store gives a new edge of its type: 0.8 for `causes`, 0.5 for an unknown one,
   * …).
   */
  strength?: number | null | undefined;
  /** As a node's. */
  sequence?: number | null | undefined;
}

/** An edge as it is kept. */
export interface StoredMemoryEdge {
  id: string;
  source_id: string;
  target_id: string;
  type: string;
  strength: number;
  sequence: number;
}

/** What `link` did. */
export interface Linked {
  /** Edges of the batch that are in the graph now. */
  linked: number;
  /** Ids of edges that lead to or from a node that is not there: they were left out. */
  ignored: string[];
}

/**
 * Which memories a search may find and activation may pass to. All that are given must hold; an
 * empty list holds.
 */
export interface SearchFilters {
  types?: readonly string[] | undefined;
  excluded_types?: readonly string[] | undefined;
  /** "" is among them for those without a subtype. */
  subtypes?: readonly string[] | undefined;
  lifecycles?: readonly StoredLifecycleState[] | undefined;
  /** Inclusive. */
  created_after?: Instant | undefined;
  /** Inclusive. */
  created_before?: Instant | undefined;
  /** At least 0, inclusive; a fraction is legal. */
  accessed_within_days?: number | undefined;
  /** In one of them at least. */
  cluster_ids?: readonly string[] | undefined;
  tags_all?: readonly string[] | undefined;
  tags_any?: readonly string[] | undefined;
  tags_none?: readonly string[] | undefined;
  /** Types of the edges that activation may spread over. */
  relationship_types?: readonly string[] | undefined;
}

/** A full-text hit: any magnitude of at least 0. */
export interface Bm25Hit {
  id: string;
  score: number;
}

/** How readily a search tells of what is active and yet unlike the query. */
export type SerendipityLevel = "off" | "low" | "medium" | "high";

/** A search: by meaning, by words that a full-text index found, or by both. */
export interface SearchQuery {
  /** The query's embedding, of any length but 0. Without one nothing is compared by meaning. */
  embedding?: ArrayLike<number> | null | undefined;
  /**
   * What the full-text index found, in its order. Ids that are not in the index are passed over.
   * Default none.
   */
  bm25?: readonly Bm25Hit[] | null | undefined;
  filters?: SearchFilters | null | undefined;
  /** Results, at least 0. Default: `search.defaultLimit` of the configuration, 30. */
  limit?: number | undefined;
  /**
   * The most seeds, at least 0; without `graphReach` no search returns more results than this.
   * Default: `search.maxSeeds` of the configuration, 15.
   */
  max_seeds?: number | undefined;
  /** The present. Default: the clock. */
  now?: Instant | undefined;
  /** Whether each memory is weighed as its section says. Default true. */
  sections?: boolean | undefined;
  /** Whether the edges between active nodes are listed. Default false. */
  include_connections?: boolean | undefined;
  /** Default `off`. */
  serendipity_level?: SerendipityLevel | undefined;
}

/** Counts of a search's steps. */
export interface SearchMetrics {
  /** Nodes that activation started from. */
  seeds_found: number;
  /** Nodes it reached, seeds included. */
  nodes_activated: number;
  /** Of these, the ones that were ranked. */
  nodes_filtered: number;
  nodes_returned: number;
  /** Rounds of spreading begun. */
  hops: number;
  /** Neighbours looked at, before any filter. */
  edges_traversed: number;
  /**
   * Why spreading ended: a round passed nothing on, as many nodes as allowed were active, or the
   * last round was over.
   */
  terminated: "no_spread" | "max_nodes" | "max_hops";
}

/** What a search found. */
export interface SearchResult<R> {
  /** Best first. */
  ranking: R;
  /** Active memories unlike the query, highest activation first; returned ones too. */
  serendipity: { id: string; activation: number }[];
  /**
   * The edges between active nodes, in the order of their creation; there when they were asked for.
   */
  connections?: StoredMemoryEdge[];
  metrics: SearchMetrics;
}

/**
 * Candidates as columns of one length, by ids or by handles. A missing column counts as 0
 * everywhere.
 */
export interface ResidentCandidates {
  ids?: readonly string[] | undefined;
  /** What `handles(ids)` gave: numbers, which are quicker to look up. */
  handles?: Uint32Array | undefined;
  semantic?: ArrayLike<number> | null | undefined;
  bm25?: ArrayLike<number> | null | undefined;
  graph?: ArrayLike<number> | null | undefined;
}

/** What `rerank` can be told. */
export interface ResidentRerankOptions {
  /** How many results, at least 0. Default 20. */
  limit?: number | undefined;
  /** The present. Default: the clock. */
  now?: Instant | undefined;
  /** Whether each memory is weighed as its section says. Default true. */
  sections?: boolean | undefined;
}

/** What `similar` can be told. */
export interface SimilarOptions {
  /** How many results, at least 0. Default 20. */
  limit?: number | undefined;
  filter?: SearchFilters | null | undefined;
  /** The present, for the filter `accessed_within_days`. Default: the clock. */
  now?: Instant | undefined;
}

/** Ids and cosines, highest first; equal ones in the order of sequence. */
export interface Similar {
  ids: string[];
  scores: Float64Array;
}

/** A state that changes. */
export interface Transition {
  id: string;
  from: StoredLifecycleState;
  to: DecayLifecycleState;
  subtype: string | null;
}

/** New stored values, as columns of one length. */
export interface DecayChanges {
  ids: string[];
  /** Rounded to 4 decimals, half to even. */
  retrievability: Float64Array;
  /** Codes: places in LIFECYCLE_STATES. */
  lifecycle: Uint8Array;
}

/** What a sweep proposes. Everything is in the order of sequence. */
export interface Sweep {
  /** Nodes looked at: all but those whose stored state is ARCHIVE or DELETED. */
  processed: number;
  /**
   * Nodes whose retrievability is off the stored one by more than 0.001, or whose state changes.
   */
  changes: DecayChanges;
  transitions: Transition[];
}

/** Edges that became stronger, in the order of their creation. */
export interface Strengthened {
  ids: string[];
  strengths: Float64Array;
}

/** Memory in bytes. */
export interface MemoryUse {
  /** What the columns of nodes hold, and have room for. */
  nodes: number;
  nodes_capacity: number;
  /** The same of edges with their lists. */
  edges: number;
  edges_capacity: number;
  /** The same of embeddings. */
  embeddings: number;
  embeddings_capacity: number;
  /**
   * The module's whole memory, as the process pays for it; ids and JavaScript's own are not in it.
   */
  module: number;
}

/** One number behind a score, and the numbers that it comes from. */
export interface Explanation {
  /** What it is: `score`, `keyword`, `activation`, … */
  name: string;
  value: number;
  /**
   * How the value comes from those of `parts`, from left to right: their sum, product, quotient,
   * largest or smallest. None for a number that was given, or that its `note` explains.
   */
  operation?: "sum" | "product" | "quotient" | "maximum" | "minimum";
  parts?: Explanation[];
  /** In words: a formula, a reason. */
  note?: string;
  /** The node that passed activation on. */
  from?: string;
  /** The edge that it came over. */
  edge?: string;
}

/** Why a memory stands where it stands in a search's ranking. */
export interface ExplainedNode {
  id: string;
  /** Its place in the ranking, from 1; null when it is not in it. */
  rank: number | null;
  /**
   * Why it is not: `filtered`, `not_reached`, `below_floor` (active, but no search had found it),
   * `below_limit`.
   */
  absent?: "filtered" | "not_reached" | "below_floor" | "below_limit";
  /** The score's tree; null for a node that was not ranked at all. */
  score: Explanation | null;
}

/** A place of a ranking, whole. */
export interface RankedEntry {
  id: string;
  score: number;
  breakdown: SignalBreakdown;
  primary_signal: keyof RerankingWeights;
}
