// Everything the package exports, without a word on where the module comes from: that is for the
// entries.

import { engineOver } from "./engine.ts";
import { defaultContext } from "./engine-context.ts";
import { NousError } from "./errors.ts";
import { isLoaded, load, type ModuleSource } from "./runtime.ts";

declare const __VERSION__: string;

/** The version of this package. */
export const version: string = __VERSION__;

export {
  DECAY_CONFIG,
  getInitialDifficulty,
  getInitialEdgeStrength,
  getInitialStability,
  INITIAL_DIFFICULTY,
  INITIAL_STABILITY,
  LIFECYCLE_STATES,
  MEMORY_SECTIONS,
  RERANKING_WEIGHTS,
} from "./constants.ts";

/** The engine without a configuration. */
const engine = engineOver(defaultContext);

export const {
  rerankWithSectionWeights,
  rerankCandidates,
  rerankTop,
  calculateRetrievability,
  decayColumns,
  classifyIntent,
  checkDisqualifiers,
  classifyQueryType,
  classifyQuery,
  extractQueryEntities,
  extractQueryAttribute,
  calculateRetrievalConfidence,
  decompose,
  reformulate,
  understand,
  calculateSalience,
  modulateStability,
  applyOutcome,
  extractSymbol,
  groupEpisodes,
  findPatterns,
  planConsolidation,
  mergeAndSelect,
  coRecallPairs,
  formatContext,
  classifyTurn,
  planRetrieval,
  planTurn,
  selectFrame,
  nextTopic,
  memoryTypeOf,
  buildContext,
  contextMemory,
  expandMemory,
  getSectionForSubtype,
  getInitialStabilityForSubtype,
  SECTION_PROFILES,
  SUBTYPE_TO_SECTION,
  SUBTYPE_INITIAL_STABILITY,
} = engine;

export type { SeamOptions } from "./caller-calls.ts";
export type {
  EngineConfig,
  IntentMatcher,
  OrchestratorConfig,
  QueryConfig,
  SalienceConfig,
  SearchConfig,
} from "./config.ts";
/** @internal */
export { inSnakeCase } from "./config.ts";
export { extractPlaybookTrigger, parsePatternOutput } from "./consolidate/answer.ts";
export { patternPrompt } from "./consolidate/prompt.ts";
export type * from "./consolidate/types.ts";
export type { DecayConstants } from "./constants.ts";
export { contextBudget } from "./context/budget.ts";
export type { DeduplicateOptions, DeduplicationResult, Embed } from "./context/dedup.ts";
export { deduplicate } from "./context/dedup.ts";
export type { FindMemory } from "./context/expand.ts";
export type { FormatContextOptions, MemoryRow } from "./context/lines.ts";
export { memoryGuidance } from "./context/lines.ts";
export type { RecalledRow } from "./context/memory.ts";
export { estimateTokens, overlap, overlaps } from "./context/overlap.ts";
export type {
  BudgetName,
  ContextMode,
  ContextOptions,
  FrameSelection,
  MemoryType,
  RetrievalPlan,
  RetrievalQuery,
  SignalsToPlan,
  TurnPlan,
  TurnSignals,
} from "./context/turn.ts";
export type {
  BuildContextOptions,
  BuiltContext,
  Censor,
  ContextBudget,
  ContextFailure,
  ContextMemory,
  ContextSection,
  ConversationMessage,
  Given,
  LeftOut,
  LeftOutReason,
  ProfileFact,
  RecentConversation,
  SectionName,
  TurnFrame,
  WorkingMemory,
} from "./context/types.ts";
export type {
  MemoryUsageStats,
  UsageFeedback,
  UsageRecord,
  UsageState,
  UsageTrackerOptions,
} from "./context/usage.ts";
export { UsageTracker } from "./context/usage.ts";
export type { Column, DecayColumns, DecayedColumns } from "./decay.ts";
export {
  applyCascadeDecay,
  calculateDifficulty,
  exponentialStabilityFromFsrs,
  fsrsStabilityFromExponential,
  getDecayLifecycleState,
  getDecayLifecycleStateForSection,
  updateStabilityOnAccess,
  updateStabilityOnAccessForSection,
} from "./decay.ts";
export type { Engine } from "./engine.ts";
export { createEngine } from "./engine.ts";
export type { NousErrorCode, NousErrorDetails } from "./errors.ts";
export { NousError } from "./errors.ts";
export type { IntentEvidence, IntentOptions } from "./intent.ts";
export { MemoryIndex } from "./memory/memory-index.ts";
export { Ranking } from "./memory/ranking.ts";
export type * from "./memory/types.ts";
/** @internal */
export { setIndexThreads } from "./memory/worker/threads.ts";
export type {
  AsynchronousIndex,
  IndexWorker,
  IndexWorkerOptions,
  WorkerUpsertOptions,
} from "./memory/worker/worker-index.ts";
export { createIndexWorker } from "./memory/worker/worker-index.ts";
export type { MergedRow, MergeOptions, MergeRow, SubResults } from "./merge.ts";
export { type CreateOrchestratorOptions, createOrchestrator } from "./orchestrator/create.ts";
export type * from "./orchestrator/types.ts";
export { matchPlaybooks, PlaybookBook } from "./playbook/book.ts";
export { formatPlaybookMatches } from "./playbook/render.ts";
export type {
  AnomalyEvent,
  AppliedPlaybook,
  MarketSnapshot,
  MissingVariable,
  Playbook,
  PlaybookBody,
  PlaybookCondition,
  PlaybookMatch,
  PlaybookProblem,
  PlaybookRecord,
  PlaybookRow,
  PlaybookTrigger,
} from "./playbook/types.ts";
export type {
  ClassifiedQuery,
  ConfidenceFlag,
  ConfidenceLevel,
  DecomposeOptions,
  Disqualification,
  DisqualifierCategory,
  QueryClassification,
  QueryType,
  QueryTypeResult,
  RetrievalConfidence,
  Understanding,
  UnderstandOptions,
} from "./query.ts";
export { getConfidenceLevel } from "./query.ts";
export type { RerankOptions, RerankTopOptions } from "./rerank.ts";
export {
  affinityScore,
  authorityScore,
  graphScore,
  keywordScore,
  recencyScore,
  semanticScore,
} from "./rerank.ts";
export type { SnapshotSource } from "./resident/snapshot.ts";
export type { ModuleBytes, ModuleResponse, ModuleSource } from "./runtime.ts";
export { initSync } from "./runtime.ts";
export type { StakeSignals } from "./salience.ts";
export type {
  TextDocument,
  TextHit,
  TextIndexOptions,
  TextSearchOptions,
  TextUse,
} from "./text-index.ts";
export { TextIndex } from "./text-index.ts";
export type * from "./types.ts";

let findModule: (() => ModuleSource) | undefined;

/** Says where `init()` without an argument finds the module; for entries. @internal */
export function setDefaultModule(find: () => ModuleSource): void {
  findModule = find;
}

/**
 * Loads the module, once; later calls do nothing. In Node it is loaded already. In a browser, and
 * with `/slim`, call and await it before anything else.
 *
 * @param source where the module comes from: a URL, a `Response`, bytes, or a compiled module. The
 * `./browser` entry
 * finds the .wasm beside itself; `/slim` has to be told.
 * @throws {NousError} `unsupported` when there is nothing to load, or when this environment cannot
 * run it.
 */
export async function init(source?: ModuleSource): Promise<void> {
  if (isLoaded()) return;
  const from = source ?? findModule?.();
  if (from === undefined) {
    throw new NousError(
      "unsupported",
      "This entry has no module of its own: pass init() its URL, its bytes or a compiled one.",
    );
  }
  await load(from);
}
