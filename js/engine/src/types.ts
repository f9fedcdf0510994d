// Types that several parts of the package use. Data is in snake_case, as a database stores it.

/**
 * A point in time: a `Date`, milliseconds since 1970, or ISO 8601 text. Text without a zone is UTC.
 */
export type Instant = Date | number | string;

/** The four sections of memory. */
export type MemorySection = "EPISODIC" | "SIGNALS" | "KNOWLEDGE" | "PROCEDURAL";

/**
 * A kind of evidence that says what a memory is like, whatever the question:
 *
 * - `qm`: 1 if its title or its text ends as a question.
 * - `prevq`: 1 if the memory before it in its run does.
 * - `len`: ln((1 + words) / 21) / 2, from −1.5 to 1.5: 0 for twenty words.
 * - `num`: 1 if it holds a number.
 * - `cap`: the share of its words that begin with a capital letter, from 0 to 1.
 * - `pos`: its place in its run, from 0 for the first memory to 1 for the last.
 */
export type Trait = "qm" | "prevq" | "len" | "num" | "cap" | "pos";

/** Type of a node, for difficulty and for stability without sections. */
export type AlgorithmNodeType =
  | "person"
  | "fact"
  | "concept"
  | "event"
  | "note"
  | "document"
  | "preference";

/** Lifecycle state of a memory, from fresh to archived. */
export type DecayLifecycleState = "ACTIVE" | "WEAK" | "DORMANT" | "COMPRESS" | "ARCHIVE";

/**
 * A candidate: a memory that a search found. Missing scores count as 0.
 *
 * @example
 * ```ts
 * const candidate = {
 *   id: "m1",
 *   semantic_score: 0.82,
 *   bm25_score: 3.1,
 *   last_accessed: "2026-01-10T08:00:00Z",
 *   created_at: "2026-01-01T08:00:00Z",
 *   access_count: 4,
 *   inbound_edge_count: 2,
 *   subtype: "custom:lesson",
 * };
 * ```
 */
export interface ScoredNode {
  /** Id of the memory. Not empty. */
  id: string;
  /** Semantic score: a cosine, so it may be negative. */
  semantic_score?: number | null | undefined;
  /** BM25 score, at least 0. */
  bm25_score?: number | null | undefined;
  /** Activation of the memory from the graph, at least 0. */
  graph_score?: number | null | undefined;
  /** Time of the last access. */
  last_accessed: Instant;
  /** Time of creation. */
  created_at: Instant;
  /** Number of accesses: whole, at least 0. */
  access_count: number;
  /** Number of edges that lead to the memory: whole, at least 0. */
  inbound_edge_count: number;
  /** The subtype decides the section. Unknown or missing means KNOWLEDGE. */
  subtype?: string | null | undefined;
}

/**
 * Metrics of the graph around the candidates. Ranking reads only `avg_inbound_edges`; if it is
 * missing, it counts as 0.
 */
export interface GraphMetrics {
  /** Number of nodes. */
  total_nodes: number;
  /** Number of edges. */
  total_edges: number;
  /** Share of the possible edges that exist, in [0, 1]. */
  density: number;
  /** Mean number of edges that lead to a node. */
  avg_inbound_edges: number;
  /** Mean number of edges that lead from a node. */
  avg_outbound_edges: number;
}

/** The weights of the six signals. Those of a section lie in [0, 1] and sum to 1. */
export interface RerankingWeights {
  /** Weight of the similarity of meaning. */
  semantic: number;
  /** Weight of the BM25 score. */
  keyword: number;
  /** Weight of the activation from the graph. */
  graph: number;
  /** Weight of the time since the last access. */
  recency: number;
  /** Weight of the inbound edges. */
  authority: number;
  /** Weight of the accesses. */
  affinity: number;
}

/** The values of the six signals, before weighting. */
export type SignalBreakdown = { [Signal in keyof RerankingWeights]: number };

/** A result of a ranking. */
export interface RankedNode<Node extends ScoredNode = ScoredNode> {
  /** The same object that was passed in. */
  node: Node;
  /** The weighted sum of the signals. */
  score: number;
  /** The six signals before weighting. */
  breakdown: SignalBreakdown;
  /** The signal that contributes most. If several are equal, the first. */
  primary_signal: keyof RerankingWeights;
}

/** Decay parameters of a section. */
export interface SectionDecayConfig {
  /** Initial stability in days, for subtypes without one of their own. */
  initial_stability_days: number;
  /** Factor by which a recall multiplies the stability. */
  growth_rate: number;
  /** Above this retrievability a memory is ACTIVE. */
  active_threshold: number;
  /** Above this retrievability a memory is WEAK. */
  weak_threshold: number;
  /** The highest stability, in days. */
  max_stability_days: number;
}

/** Encoding parameters of a section: how strongly a new memory is stored. */
export interface SectionEncodingConfig {
  /** Difficulty in [0, 1] of a memory whose difficulty cannot be computed. */
  base_difficulty: number;
  /** Whether salience changes the initial stability. */
  salience_enabled: boolean;
  /** The highest factor by which salience multiplies the initial stability. */
  max_salience_multiplier: number;
}

/** The numbers of a section. */
export interface SectionProfile {
  /** Name of the section in words. */
  name: string;
  /** The section. */
  section: MemorySection;
  /** Weights of the six signals. */
  reranking_weights: RerankingWeights;
  /** Decay parameters. */
  decay: SectionDecayConfig;
  /** Encoding parameters. */
  encoding: SectionEncodingConfig;
  /** Whether consolidation reads the section's memories (`source`) or writes to it (`target`). */
  consolidation_role: "source" | "target";
  /** Factor of the score of this section's results if the query asks for the section. */
  intent_boost: number;
}

/**
 * The `AbortSignal` of this environment. Where its types are unknown, the part of it that this
 * package uses.
 */
export type CancelSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : {
      /** Whether the signal is aborted. */
      readonly aborted: boolean;
      /** The reason of the abort. */
      readonly reason: unknown;
      /** Adds a listener. */
      addEventListener(type: "abort", listener: () => void): void;
      /** Removes a listener. */
      removeEventListener(type: "abort", listener: () => void): void;
    };
