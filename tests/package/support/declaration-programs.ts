// Programs that must compile: texts of user files, which TypeScript checks against the installed
// package.

/** The functions as existing callers declare them, with types of their own. */
export const DECLARED = `
type Instant = Date | number;
type MemorySection = "EPISODIC" | "SIGNALS" | "KNOWLEDGE" | "PROCEDURAL";
type AlgorithmNodeType = "person" | "fact" | "concept" | "event" | "note" | "document" | "preference";
type DecayLifecycleState = "ACTIVE" | "WEAK" | "DORMANT" | "COMPRESS" | "ARCHIVE";
interface ScoredNode {
  id: string; semantic_score?: number; bm25_score?: number; graph_score?: number;
  last_accessed: Instant; created_at: Instant; access_count: number; inbound_edge_count: number; subtype?: string;
}
interface GraphMetrics {
  total_nodes: number; total_edges: number; density: number; avg_inbound_edges: number; avg_outbound_edges: number;
}
interface RerankingWeights {
  semantic: number; keyword: number; graph: number; recency: number; authority: number; affinity: number;
}
interface RankedNode {
  node: ScoredNode; score: number; breakdown: RerankingWeights; primary_signal: keyof RerankingWeights;
}
interface SectionDecayConfig {
  initial_stability_days: number; growth_rate: number; active_threshold: number; weak_threshold: number;
  max_stability_days: number;
}
interface SectionProfile {
  name: string; section: MemorySection; reranking_weights: RerankingWeights; decay: SectionDecayConfig;
  encoding: { base_difficulty: number; salience_enabled: boolean; max_salience_multiplier: number };
  consolidation_role: "source" | "target"; intent_boost: number;
}
interface Mergeable { id?: string | null; score?: unknown; subtype?: string | null }
interface MergeOptions {
  query?: string; sectionsEnabled?: boolean; intentBoost?: number; relevanceRatio?: number; maxResults?: number;
}
type Merged<T> = T & { score: number; _original_score?: number; _intent_boosted?: true; _sub_query_group: number };
interface MemoryRow {
  subtype?: string | null; type?: string | null; memory_section?: string | null; content_title?: string | null;
  content_body?: string | null; content_summary?: string | null; provenance_created_at?: string | null;
}
interface Playbook {
  id: string; title?: string; trigger?: unknown; action?: string; direction?: string; success_count?: number; sample_size?: number;
}
interface AnomalyEvent { type: string; symbol?: string | null; severity: number }
interface PlaybookMatch {
  id: string; title: string; action: string; direction: string; success_count: number; sample_size: number; type: string;
  symbol: string | null; severity: number; success_rate: number; relevance: number;
}
interface PlaybookRecord { success_count: number; sample_size: number; stability: number }
type ContextMode = "default" | "seed-compatible";
type MemoryType = "decision" | "fact" | "procedure" | "episode" | "signal";
interface TurnSignals {
  input: string; frame_type: string; entity_mentions: string[]; temporal_recency: number;
  memory_type_hints: Partial<Record<MemoryType, number>>; is_question: boolean; is_greeting: boolean; topic_keywords: string[];
}
interface RetrievalPlan {
  queries: { memory_type: MemoryType; query_text: string; limit: number }[];
  budget_overrides: Partial<Record<"decisions" | "facts" | "procedures" | "episodes" | "signals", number>>;
  skip_types: MemoryType[];
}
interface FrameSelection {
  frame_id: string; frame_name: string; confidence: number; match_method: "pattern" | "default"; description: string | null;
  default_category: string | null; default_stakes: string | null; questions_to_ask: string[];
}
interface DisqualifierResult {
  disqualified: boolean; reason?: string; category?: "D1" | "D2" | "D3" | "D4" | "D5" | "D6"; pattern?: string;
}
interface UsageRecord { memory_id: string; memory_type?: string | null; retrieved_at: number; was_referenced: boolean }
interface Declared {
  rerankCandidates(candidates: ScoredNode[], metrics: GraphMetrics, weights?: RerankingWeights, now?: Instant): RankedNode[];
  rerankWithSectionWeights(candidates: ScoredNode[], metrics: GraphMetrics, now?: Instant): RankedNode[];
  semanticScore(node: ScoredNode): number;
  keywordScore(node: ScoredNode, maxBM25: number, candidateCount: number): number;
  graphScore(node: ScoredNode): number;
  recencyScore(lastAccessed: Instant, now?: Instant): number;
  authorityScore(inboundEdges: number, avgInbound: number): number;
  affinityScore(accessCount: number, createdAt: Instant, lastAccessed: Instant, now?: Instant): number;
  calculateRetrievability(daysSinceAccess: number, stability: number): number;
  calculateDifficulty(type: AlgorithmNodeType, contentLength: number, edgeCount: number): number;
  updateStabilityOnAccess(stability: number, difficulty: number): number;
  updateStabilityOnAccessForSection(stability: number, difficulty: number, decay: SectionDecayConfig): number;
  getDecayLifecycleState(retrievability: number, daysDormant: number): DecayLifecycleState;
  getDecayLifecycleStateForSection(retrievability: number, daysDormant: number, decay: SectionDecayConfig): DecayLifecycleState;
  applyCascadeDecay(edgeWeight: number, retrievability: number): number;
  getInitialStability(type: AlgorithmNodeType): number;
  getInitialDifficulty(type: AlgorithmNodeType): number;
  getSectionForSubtype(subtype: string | null | undefined): MemorySection;
  getInitialStabilityForSubtype(subtype: string | null | undefined): number;
  SECTION_PROFILES: Record<MemorySection, SectionProfile>;
  classifyIntent(query: string): MemorySection[];
  mergeAndSelect<T extends Mergeable>(subResults: Map<string, T[]> | [string, T[]][], options?: MergeOptions): Merged<T>[];
  coRecallPairs(selected: { id: string; _sub_query_group?: number }[]): [string, string][];
  formatContext(results: MemoryRow[], maxTokens?: number): string | null;
  memoryGuidance(): string;
  checkDisqualifiers(query: string): DisqualifierResult;
  extractQueryEntities(query: string): string[];
  extractQueryAttribute(query: string): string | null;
  classifyTurn(text: string, frame?: string, options?: { mode?: ContextMode }): TurnSignals;
  planRetrieval(signals: TurnSignals, options?: { mode?: ContextMode }): RetrievalPlan;
  planTurn(text: string, frame?: string, options?: { mode?: ContextMode }): {
    signals: TurnSignals; plan: RetrievalPlan; temporal_boost: boolean; recap: boolean;
  };
  selectFrame(text: string): FrameSelection;
  nextTopic(text: string): string | null;
  memoryTypeOf(subtype: string | null | undefined): MemoryType;
  overlap(context: string, response: string, options?: { mode?: ContextMode }): number;
  deduplicate(memories: { id: string; content: string }[], messages: string[], options?: { mode?: ContextMode }): Promise<
    { memory_id: string; content: string; max_similarity: number; is_redundant: boolean }[]
  >;
  estimateTokens(text: string): number;
  buildContext(options: {
    input: string; identity: string; retrieve: (query: { memory_type: MemoryType; query_text: string; limit: number }) =>
      Promise<{ id: string; score: number; text: string }[]>;
  }): Promise<{ prompt: string; recalled_ids: Record<MemoryType, string[]>; recalled_content: Record<string, string> }>;
  expandMemory(type: MemoryType, id: string, find: (id: string) => Promise<{ id: string } | null>): Promise<string>;
  calculateSalience(subtype: string | null | undefined, signals: Record<string, unknown> | null | undefined): number;
  modulateStability(subtype: string | null | undefined, salience: number): number | null;
  matchPlaybooks(playbooks: Playbook[], events: AnomalyEvent[]): PlaybookMatch[];
  formatPlaybookMatches(matches: PlaybookMatch[]): string;
  applyOutcome(playbook: PlaybookRecord, profitable: boolean, now?: Instant): PlaybookRecord & { last_applied: string };
  extractSymbol(node: { content_title?: string; content_body?: string | null }): string | null;
  extractPlaybookTrigger(text: string): Record<string, unknown> | null;
  parsePatternOutput(text: string): { title: string | null; body: string | null };
}
`;

/** Further everyday use; `nous` is the importer's name for the package. */
export const USED = `
const declared: Declared = nous;
export const best = declared.rerankWithSectionWeights([], {} as GraphMetrics)[0]?.breakdown.affinity ?? 0;

const turn = nous.classifyTurn("should we?", undefined, { mode: "seed-compatible" });
export const planned: number[] = nous.planRetrieval(turn).queries.map(({ limit }) => limit);
export const byHand: MemoryType[] = nous.createEngine().planRetrieval({ frame_type: "task", topic_keywords: ["redis"] }).skip_types;

const usage = new nous.UsageTracker({ maxRecords: 100 });
usage.record([] as UsageRecord[]);
export const learned: Promise<number[]> = nous
  .buildContext({
    input: "what about Redis?",
    identity: "You are an agent.",
    retrieve: async ({ query_text, limit }, { signal }) =>
      signal.aborted ? [] : [nous.contextMemory({ id: "a", subtype: "custom:lesson", content_title: query_text, score: limit })],
    embed: async (texts) => texts.map(() => new Float32Array(3)),
    recent: ({ since }) => [{ id: "r", title: "a talk", created_at: since }],
    profile: [{ id: "u", text: "Likes tea", category: "preference" }],
    workingMemory: async () => ({ current_task: "a task", items: [{ text: "near", relevance: 1 }] }),
    messages: [{ role: "user", content: "hello" }],
    frame: nous.selectFrame("fix it"),
    plan: null,
    budgets: { ...nous.contextBudget("task"), total: 1000 },
    countTokens: (text) => text.length,
    usage,
  })
  .then(({ recalled_content, sections, left_out, failed }) => {
    const names: (string | null)[] = [...sections.map(({ label }) => label), ...left_out.map(({ id }) => id), ...failed.map(({ part }) => part)];
    return usage.feedback(recalled_content, names.join(" "), "2026-01-15").map(({ overlap_score }) => overlap_score);
  });
export const expanded: Promise<string> = nous.expandMemory("decision", "a", (id, type) => ({ id, subtype: type, content_title: "T" }));
export const restored: number = nous.UsageTracker.load(JSON.parse(JSON.stringify(usage.save()))).usageScore("a");

interface Lesson extends ScoredNode { title: string }
const lessons: readonly Lesson[] = [];
export const titles: string[] = nous.rerankTop(lessons, { avg_inbound_edges: 1 }, { limit: 5 }).map(({ node }) => node.title);
export const evidence: number[] = nous.classifyIntent("now", { explain: true }).map((found) => found.evidence);
export const sections: MemorySection[] = nous.classifyIntent("now", { matcher: "words" });
export const codes: Uint8Array = nous.decayColumns({ lastAccessed: [], stability: new Float32Array(), section: [] }).lifecycle;
export const engine = nous.createEngine({ sections: { profiles: { SIGNALS: { decay: { growthRate: 2 } } } }, curve: "fsrs6" });
const orchestrator = nous.createOrchestrator({
  search: async (query: string, { limit, filters }: { limit: number; filters: { subtype?: string } | undefined }) =>
    [{ id: query, score: limit, content_title: filters?.subtype ?? "" }],
  config: { orchestrator: { maxResults: 10, replacementFloor: null } },
});
export const recalled: Promise<string[]> = orchestrator
  .retrieve("a question", { filters: { subtype: "custom:lesson" }, signal: null })
  .then(({ nodes, groups, trace }) => [...nodes.map((node) => node.content_title), ...groups.flat(), trace.mode]);
const disqualifier = nous.checkDisqualifiers("a question");
export const category: DisqualifierResult["category"] | null = disqualifier.category ?? null;
export const narrowed: string = disqualifier.disqualified ? disqualifier.category + disqualifier.reason : "";
export const lined: string | null = nous.formatContext([{ content_title: "" }], 100, { emptyAsMissing: true });
export const named: string[] = nous.createEngine({ query: { adjacentPossessives: true } }).extractQueryEntities("a question");
export const asked: string | null = nous.understand("a question").disqualifier_category;
interface Close { pnl_pct: number; note?: string }
const close: Close = { pnl_pct: -4.5 };
export const days: number | null = nous.modulateStability("custom:trade_close", nous.calculateSalience("custom:trade_close", { ...close }));
const book = new nous.PlaybookBook();
book.add([
  {
    id: "fade",
    trigger: {
      anomaly_types: ["funding_extreme"],
      conditions: { all: [{ var: "funding_rate", op: ">", value: 0.001 }, { not: { var: "oi", op: "rising", window: 3 } }] },
    },
  },
  { id: "stored", content_title: null, content_body: "{}", state_lifecycle: "ACTIVE" },
]);
const { matches, missing } = book.match([{ type: "funding_extreme", severity: 0.8 }], { funding_rate: [0.001, 0.002], oi: null });
export const told: string = nous.formatPlaybookMatches(matches);
export const asks: [string, string][] = missing.map((each) => [each.id, each.var]);
export const reasons: string[] = book.problems.map(({ reason }) => reason satisfies "malformed_body" | (string & {}));
export const applied: number = engine.applyOutcome({ ...matches[0]!, stability: 60, difficulty: null }, true, "2026-01-15").strengthened;
export const grown: number = nous.createEngine({ salienceGrowth: true }).updateStabilityOnAccess(14, 0.3, undefined, null);
const texts = new nous.TextIndex({ maxBytes: 2 ** 26 });
texts.upsert([{ id: "a", title: "Gold", summary: null, body: undefined }]);
export const searched: readonly string[] = new nous.MemoryIndex().search({ bm25: texts.search(["gold"], { among: ["a"], limit: 45 }) }).ranking.ids;
export const kept: number = nous.TextIndex.restore(texts.snapshotParts()).bytes.index;
const embedder = new nous.Embedder(new Uint8Array());
const embedded: nous.TextEmbedding = embedder.embed("gold");
export const share: number = embedded.coverage + embedder.embedInto("gold", embedded.vector, 0) + embedder.embedAll(["a"] as const).coverages[0]!;
export const meant: readonly string[] = new nous.MemoryIndex({ dimensions: embedder.dimensions }).search({ embedding: embedded.vector }).ranking.ids;
interface Stored { id: string; subtype: string; content_body: string | null; created_at: string; neural_stability: number }
const stored: Stored[] = [];
const links: { id: string; source_id: string; target_id: string; type: string; strength: number }[] = [];
export const durable: number[] = nous.groupEpisodes(stored, { now: "2026-01-15" }).flatMap(({ episodes }) => episodes.map((it) => it.neural_stability));
export const lifts: (number | null)[] = nous.findPatterns(stored, links).patterns.map(({ lift }) => lift);
export const fields: string[] = nous.findPatterns(stored, links).tested.flatMap(({ conditions }) => conditions.map((it) => (it.kind === "signal" ? it.field : it.value)));
export const consolidated: Promise<string[]> = engine
  .planConsolidation(stored, [{ id: "lesson", content_body: null }], {
    edges: links,
    analyze: async ({ system, user }, { episodes }) => system + user + episodes.length,
    findSimilar: ({ title, body, subtype }) => ({ recommendation: subtype === "custom:lesson" ? "similar_found" : "unique", matches: [{ node_id: title + body, similarity: 0.92, action: "connect" }] }),
  })
  .then(({ groups, report }) => [...groups.flatMap(({ create }) => create.map(({ content_body }) => content_body)), ...report.errors.map(({ stage }) => stage)]);
export const prompted: string = nous.patternPrompt({ symbol: "ETH", episodes: stored }).user;
export const loading: Promise<void> = nous.init(new Uint8Array());
nous.initSync(new ArrayBuffer(8));

export function codeOf(error: unknown): string | undefined {
  return error instanceof nous.NousError ? error.code satisfies "unsupported" | (string & {}) : undefined;
}

// @ts-expect-error: not an instant
nous.recencyScore(true);
// @ts-expect-error: not a mode
nous.planTurn("hey", "task", { mode: "seed" });
// @ts-expect-error: nothing to retrieve by
nous.buildContext({ input: "hey", identity: "You are an agent." });
// @ts-expect-error: not an action
nous.buildContext({ input: "", identity: "", retrieve: () => [], censors: [{ id: "c", text: "x", action: "forbid" }] });
// @ts-expect-error: a number of tokens
nous.contextBudget("task", { facts: "many" });
// @ts-expect-error: no frame
nous.planRetrieval({ topic_keywords: [] });
// @ts-expect-error: not a key
nous.createEngine({ sections: { intent_boost: 2 } });
// @ts-expect-error: not a key
nous.createEngine({ query: { adjacent_possessives: true } });
// @ts-expect-error: not a way to fall back
nous.createEngine({ orchestrator: { fallback: "simple" } });
// @ts-expect-error: stakes count for growth in an engine that says so, not here
nous.updateStabilityOnAccess(14, 0.3, 0.9, 0.8);
// @ts-expect-error: not a section
nous.createEngine({ sections: { defaultSection: "OTHER" } });
// @ts-expect-error: not a moment of the market
book.match([], { oi: "rising" });
// @ts-expect-error: no id
book.add([{ title: "a playbook" }]);
// @ts-expect-error: not a number
nous.applyOutcome({ success_count: 1, sample_size: 1, stability: "60" }, true);
// @ts-expect-error: no list
nous.findPatterns(stored, links, { symbols: "ETH" });
// @ts-expect-error: not a recommendation
nous.planConsolidation(stored, [], { findSimilar: () => ({ recommendation: "perhaps" }) });
// @ts-expect-error: frozen
nous.RERANKING_WEIGHTS.semantic = 1;
`;
