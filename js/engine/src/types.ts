// The shapes that cross the package's surface. Data is in snake_case, as it is stored.

/**
 * A moment: a `Date`, milliseconds since 1970, or ISO 8601 text, in which a missing zone means UTC.
 */
export type Instant = Date | number | string;

/** The four kinds of memory. */
export type MemorySection = "EPISODIC" | "SIGNALS" | "KNOWLEDGE" | "PROCEDURAL";

/** What kind of thing a node is, for difficulty and for stability without sections. */
export type AlgorithmNodeType =
  | "person"
  | "fact"
  | "concept"
  | "event"
  | "note"
  | "document"
  | "preference";

/** Where a memory stands between fresh and put away. */
export type DecayLifecycleState = "ACTIVE" | "WEAK" | "DORMANT" | "COMPRESS" | "ARCHIVE";

/** A memory that search found. Missing scores count as 0. */
export interface ScoredNode {
  id: string;
  /** Similarity of meaning: a cosine, so it may be negative. */
  semantic_score?: number | null | undefined;
  /** BM25 score, at least 0. */
  bm25_score?: number | null | undefined;
  /** Activation that reached the memory over the graph, at least 0. */
  graph_score?: number | null | undefined;
  last_accessed: Instant;
  created_at: Instant;
  /** Whole, at least 0. */
  access_count: number;
  /** Edges that point at the memory: whole, at least 0. */
  inbound_edge_count: number;
  /** Decides the section; unknown or missing is KNOWLEDGE. */
  subtype?: string | null | undefined;
}

/**
 * The graph around the candidates. Ranking reads `avg_inbound_edges` alone; missing, it counts as
 * 0.
 */
export interface GraphMetrics {
  total_nodes: number;
  total_edges: number;
  density: number;
  avg_inbound_edges: number;
  avg_outbound_edges: number;
}

/** How much each of the six signals counts. */
export interface RerankingWeights {
  semantic: number;
  keyword: number;
  graph: number;
  recency: number;
  authority: number;
  affinity: number;
}

/** The value of each of the six signals. */
export type SignalBreakdown = { [Signal in keyof RerankingWeights]: number };

/** A candidate in its place of the ranking. `node` is the very object that was passed in. */
export interface RankedNode<Node extends ScoredNode = ScoredNode> {
  node: Node;
  /** The weighted sum of the breakdown. */
  score: number;
  breakdown: SignalBreakdown;
  /** The signal that contributes most; of equals, the first. */
  primary_signal: keyof RerankingWeights;
}

/** How memories of a section fade and grow. */
export interface SectionDecayConfig {
  /** Days of stability of a new memory whose subtype has none of its own. */
  initial_stability_days: number;
  /** Factor of a recall. */
  growth_rate: number;
  /** Retrievability above which a memory is ACTIVE. */
  active_threshold: number;
  /** Retrievability above which it is WEAK. */
  weak_threshold: number;
  /** The most that stability grows to, in days. */
  max_stability_days: number;
}

/** How strongly memories of a section are first stored. */
export interface SectionEncodingConfig {
  /** Difficulty in [0, 1] of a memory whose own cannot be computed. */
  base_difficulty: number;
  /** Whether what is at stake changes the initial stability. */
  salience_enabled: boolean;
  /** The most that salience multiplies it by. */
  max_salience_multiplier: number;
}

/** Everything that belonging to a section decides. */
export interface SectionProfile {
  name: string;
  section: MemorySection;
  reranking_weights: RerankingWeights;
  decay: SectionDecayConfig;
  encoding: SectionEncodingConfig;
  /** Whether its memories are condensed, or condensed into. */
  consolidation_role: "source" | "target";
  /** Factor for results of this section when the query asks for it. */
  intent_boost: number;
}

/**
 * The `AbortSignal` of wherever this runs, as much of it as is needed where its types are unknown.
 */
export type CancelSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : {
      readonly aborted: boolean;
      readonly reason: unknown;
      addEventListener(type: "abort", listener: () => void): void;
      removeEventListener(type: "abort", listener: () => void): void;
    };
