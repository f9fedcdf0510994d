// The package's functions have the types that existing callers declare: tsc assigns each to its
// declaration. The declarations are properties, not methods, so that parameters are compared
// strictly.

import * as nous from "nous-wasm";

type Instant = Date | number;
type MemorySection = "EPISODIC" | "SIGNALS" | "KNOWLEDGE" | "PROCEDURAL";
type AlgorithmNodeType =
  | "person"
  | "fact"
  | "concept"
  | "event"
  | "note"
  | "document"
  | "preference";
type DecayLifecycleState = "ACTIVE" | "WEAK" | "DORMANT" | "COMPRESS" | "ARCHIVE";

interface ScoredNode {
  id: string;
  semantic_score?: number;
  bm25_score?: number;
  graph_score?: number;
  last_accessed: Instant;
  created_at: Instant;
  access_count: number;
  inbound_edge_count: number;
  subtype?: string;
}

interface GraphMetrics {
  total_nodes: number;
  total_edges: number;
  density: number;
  avg_inbound_edges: number;
  avg_outbound_edges: number;
}

interface RerankingWeights {
  semantic: number;
  keyword: number;
  graph: number;
  recency: number;
  authority: number;
  affinity: number;
}

interface RankedNode {
  node: ScoredNode;
  score: number;
  breakdown: { [signal in keyof RerankingWeights]: number };
  primary_signal: keyof RerankingWeights;
}

interface SectionDecayConfig {
  initial_stability_days: number;
  growth_rate: number;
  active_threshold: number;
  weak_threshold: number;
  max_stability_days: number;
}

interface SectionProfile {
  name: string;
  section: MemorySection;
  reranking_weights: RerankingWeights;
  decay: SectionDecayConfig;
  encoding: { base_difficulty: number; salience_enabled: boolean; max_salience_multiplier: number };
  consolidation_role: "source" | "target";
  intent_boost: number;
}

interface Mergeable {
  id?: string | null;
  score?: unknown;
  subtype?: string | null;
}

interface MergeOptions {
  query?: string;
  sectionsEnabled?: boolean;
  intentBoost?: number;
  relevanceRatio?: number;
  maxResults?: number;
}

interface Selected {
  score: number;
  _original_score?: number;
  _intent_boosted?: true;
  _sub_query_group: number;
}

interface MemoryRow {
  subtype?: string | null;
  type?: string | null;
  memory_section?: string | null;
  content_title?: string | null;
  content_body?: string | null;
  content_summary?: string | null;
  provenance_created_at?: string | null;
}

interface DisqualifierResult {
  disqualified: boolean;
  reason?: string;
  category?: "D1" | "D2" | "D3" | "D4" | "D5" | "D6";
  pattern?: string;
}

/** The declarations that callers rely on. */
interface Declared {
  rerankCandidates: (
    candidates: ScoredNode[],
    metrics: GraphMetrics,
    weights?: RerankingWeights,
    now?: Instant,
  ) => RankedNode[];
  rerankWithSectionWeights: (
    candidates: ScoredNode[],
    metrics: GraphMetrics,
    now?: Instant,
  ) => RankedNode[];
  semanticScore: (node: ScoredNode) => number;
  keywordScore: (node: ScoredNode, maxBM25: number, candidateCount: number) => number;
  graphScore: (node: ScoredNode) => number;
  recencyScore: (lastAccessed: Instant, now?: Instant) => number;
  authorityScore: (inboundEdges: number, avgInbound: number) => number;
  affinityScore: (
    accessCount: number,
    createdAt: Instant,
    lastAccessed: Instant,
    now?: Instant,
  ) => number;
  calculateRetrievability: (daysSinceAccess: number, stability: number) => number;
  calculateDifficulty: (
    type: AlgorithmNodeType,
    contentLength: number,
    edgeCount: number,
  ) => number;
  updateStabilityOnAccess: (stability: number, difficulty: number) => number;
  updateStabilityOnAccessForSection: (
    stability: number,
    difficulty: number,
    decay: SectionDecayConfig,
  ) => number;
  getDecayLifecycleState: (retrievability: number, daysDormant: number) => DecayLifecycleState;
  getDecayLifecycleStateForSection: (
    retrievability: number,
    daysDormant: number,
    decay: SectionDecayConfig,
  ) => DecayLifecycleState;
  applyCascadeDecay: (edgeWeight: number, retrievability: number) => number;
  getInitialStability: (type: AlgorithmNodeType) => number;
  getInitialDifficulty: (type: AlgorithmNodeType) => number;
  getInitialEdgeStrength: (type: string) => number;
  getSectionForSubtype: (subtype: string | null | undefined) => MemorySection;
  getInitialStabilityForSubtype: (subtype: string | null | undefined) => number;
  SECTION_PROFILES: Record<MemorySection, SectionProfile>;
  classifyIntent: (query: string) => MemorySection[];
  mergeAndSelect: <T extends Mergeable>(
    subResults: Map<string, T[]> | [string, T[]][],
    options?: MergeOptions,
  ) => (T & Selected)[];
  coRecallPairs: (selected: { id: string; _sub_query_group?: number }[]) => [string, string][];
  formatContext: (results: MemoryRow[], maxTokens?: number) => string | null;
  memoryGuidance: () => string;
  checkDisqualifiers: (query: string) => DisqualifierResult;
  extractQueryEntities: (query: string) => string[];
  extractQueryAttribute: (query: string) => string | null;
}

/** The package as callers know it, and an engine as far as it has the same functions. */
export const declared: Declared = nous;
export const configured: Pick<Declared, keyof nous.Engine & keyof Declared> = nous.createEngine();

// Callers read the answer directly, or narrow it first.
const disqualifier = nous.checkDisqualifiers("a question");
export const category: DisqualifierResult["category"] | null = disqualifier.category ?? null;
export const texts: (string | null)[] = [disqualifier.reason ?? null, disqualifier.pattern ?? null];
export const narrowed: string = disqualifier.disqualified
  ? `${disqualifier.category}: ${disqualifier.reason}`
  : "";
// @ts-expect-error: narrowed to no disqualification, it has no category
export const wrong: string = disqualifier.disqualified ? "" : disqualifier.category;

/** The types that are named in data are the same in both directions. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
export const names: true[] = [
  true satisfies Same<MemorySection, nous.MemorySection>,
  true satisfies Same<AlgorithmNodeType, nous.AlgorithmNodeType>,
  true satisfies Same<DecayLifecycleState, nous.DecayLifecycleState>,
  true satisfies Same<GraphMetrics, nous.GraphMetrics>,
  true satisfies Same<RerankingWeights, nous.RerankingWeights>,
  true satisfies Same<SectionDecayConfig, nous.SectionDecayConfig>,
  true satisfies Same<SectionProfile, nous.SectionProfile>,
];

// The extra fields of a caller's own node are still there behind `node`, and in merged rows.
interface Lesson extends ScoredNode {
  title: string;
}
const lessons: readonly Lesson[] = Object.freeze([]);
export const titles: string[] = [
  ...nous.rerankWithSectionWeights(lessons, {}).map(({ node }) => node.title),
  ...nous.rerankCandidates(lessons, {}).map(({ node }) => node.title),
  ...nous.rerankTop(lessons, {}, { limit: 5 }).map(({ node }) => node.title),
  ...nous.mergeAndSelect([["a", [{ id: "a", title: "one" }]]]).map(({ title }) => title),
];

// @ts-expect-error: the instants of a node are needed
nous.rerankTop([{ id: "a", access_count: 0, inbound_edge_count: 0 }], {});
// @ts-expect-error: a matcher there is not
nous.classifyIntent("now", { matcher: "regex" });
// @ts-expect-error: evidence is not a list of sections
export const sections: MemorySection[] = nous.classifyIntent("now", { explain: true });
// @ts-expect-error: profiles are frozen
nous.SECTION_PROFILES.SIGNALS = nous.SECTION_PROFILES.EPISODIC;
