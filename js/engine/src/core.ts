// All exports of the package. The entries in `entries/` import this file and add the source of the
// module.

import { engineOver } from "./engine.ts";
import { defaultContext } from "./engine-context.ts";
import { NousError } from "./errors.ts";
import { isLoaded, load, type ModuleSource } from "./runtime.ts";

declare const __VERSION__: string;

/** The version of this package. */
export const version: string = __VERSION__;

export {
  ANSWERABLE,
  DECAY_CONFIG,
  FITTED_EVIDENCE,
  getInitialDifficulty,
  getInitialEdgeStrength,
  getInitialStability,
  INITIAL_DIFFICULTY,
  INITIAL_STABILITY,
  LIFECYCLE_STATES,
  MAX_LEARNED,
  MEMORY_SECTIONS,
  RERANKING_WEIGHTS,
  TRAITS,
} from "./constants.ts";

/** The engine with the default configuration. */
const engine = engineOver(defaultContext);

// One statement for each name: in the declarations a destructuring has no room for doc comments. The
// build puts those of `Engine` in their places, because editors do not follow {@inheritDoc}.

/** {@inheritDoc Engine.rerankWithSectionWeights} */
export const rerankWithSectionWeights = engine.rerankWithSectionWeights;
/** {@inheritDoc Engine.rerankCandidates} */
export const rerankCandidates = engine.rerankCandidates;
/** {@inheritDoc Engine.rerankTop} */
export const rerankTop = engine.rerankTop;
/** {@inheritDoc Engine.calculateRetrievability} */
export const calculateRetrievability = engine.calculateRetrievability;
/** {@inheritDoc Engine.decayColumns} */
export const decayColumns = engine.decayColumns;
/** {@inheritDoc Engine.classifyIntent} */
export const classifyIntent = engine.classifyIntent;
/** {@inheritDoc Engine.checkDisqualifiers} */
export const checkDisqualifiers = engine.checkDisqualifiers;
/** {@inheritDoc Engine.classifyQueryType} */
export const classifyQueryType = engine.classifyQueryType;
/** {@inheritDoc Engine.classifyQuery} */
export const classifyQuery = engine.classifyQuery;
/** {@inheritDoc Engine.extractQueryEntities} */
export const extractQueryEntities = engine.extractQueryEntities;
/** {@inheritDoc Engine.extractQueryAttribute} */
export const extractQueryAttribute = engine.extractQueryAttribute;
/** {@inheritDoc Engine.calculateRetrievalConfidence} */
export const calculateRetrievalConfidence = engine.calculateRetrievalConfidence;
/** {@inheritDoc Engine.decompose} */
export const decompose = engine.decompose;
/** {@inheritDoc Engine.reformulate} */
export const reformulate = engine.reformulate;
/** {@inheritDoc Engine.understand} */
export const understand = engine.understand;
/** {@inheritDoc Engine.calculateSalience} */
export const calculateSalience = engine.calculateSalience;
/** {@inheritDoc Engine.modulateStability} */
export const modulateStability = engine.modulateStability;
/** {@inheritDoc Engine.applyOutcome} */
export const applyOutcome = engine.applyOutcome;
/** {@inheritDoc Engine.extractSymbol} */
export const extractSymbol = engine.extractSymbol;
/** {@inheritDoc Engine.groupEpisodes} */
export const groupEpisodes = engine.groupEpisodes;
/** {@inheritDoc Engine.findPatterns} */
export const findPatterns = engine.findPatterns;
/** {@inheritDoc Engine.planConsolidation} */
export const planConsolidation = engine.planConsolidation;
/** {@inheritDoc Engine.mergeAndSelect} */
export const mergeAndSelect = engine.mergeAndSelect;
/** {@inheritDoc Engine.coRecallPairs} */
export const coRecallPairs = engine.coRecallPairs;
/** {@inheritDoc Engine.formatContext} */
export const formatContext = engine.formatContext;
/** {@inheritDoc Engine.classifyTurn} */
export const classifyTurn = engine.classifyTurn;
/** {@inheritDoc Engine.planRetrieval} */
export const planRetrieval = engine.planRetrieval;
/** {@inheritDoc Engine.planTurn} */
export const planTurn = engine.planTurn;
/** {@inheritDoc Engine.selectFrame} */
export const selectFrame = engine.selectFrame;
/** {@inheritDoc Engine.nextTopic} */
export const nextTopic = engine.nextTopic;
/** {@inheritDoc Engine.memoryTypeOf} */
export const memoryTypeOf = engine.memoryTypeOf;
/** {@inheritDoc Engine.buildContext} */
export const buildContext = engine.buildContext;
/** {@inheritDoc Engine.contextMemory} */
export const contextMemory = engine.contextMemory;
/** {@inheritDoc Engine.expandMemory} */
export const expandMemory = engine.expandMemory;
/** {@inheritDoc Engine.getSectionForSubtype} */
export const getSectionForSubtype = engine.getSectionForSubtype;
/** {@inheritDoc Engine.getInitialStabilityForSubtype} */
export const getInitialStabilityForSubtype = engine.getInitialStabilityForSubtype;
/** {@inheritDoc Engine.SECTION_PROFILES} */
export const SECTION_PROFILES = engine.SECTION_PROFILES;
/** {@inheritDoc Engine.SUBTYPE_TO_SECTION} */
export const SUBTYPE_TO_SECTION = engine.SUBTYPE_TO_SECTION;
/** {@inheritDoc Engine.SUBTYPE_INITIAL_STABILITY} */
export const SUBTYPE_INITIAL_STABILITY = engine.SUBTYPE_INITIAL_STABILITY;

export type { SeamOptions } from "./caller-calls.ts";
export type {
  EngineConfig,
  EvidenceConfig,
  IntentMatcher,
  OrchestratorConfig,
  QueryConfig,
  SalienceConfig,
  SearchConfig,
} from "./config.ts";
export { inSnakeCase } from "./config.ts";
export { extractPlaybookTrigger, parsePatternOutput } from "./consolidate/answer.ts";
export { patternPrompt } from "./consolidate/prompt.ts";
export type * from "./consolidate/types.ts";
export type { DecayConstants, FittedEvidence, FittedPreset } from "./constants.ts";
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
export type { TextEmbedding, TextEmbeddings } from "./embedder.ts";
export { Embedder } from "./embedder.ts";
export type { Engine } from "./engine.ts";
export { createEngine } from "./engine.ts";
export type { NousErrorCode, NousErrorDetails } from "./errors.ts";
export { NousError } from "./errors.ts";
export { lastMillisecondsIn, millisecondsIn, toMilliseconds } from "./instant.ts";
export type { IntentEvidence, IntentOptions } from "./intent.ts";
export { MemoryIndex } from "./memory/memory-index.ts";
export { Ranking } from "./memory/ranking.ts";
export type * from "./memory/types.ts";
export type { MergedRow, MergeOptions, MergeRow, SubResults } from "./merge.ts";
export { type CreateOrchestratorOptions, createOrchestrator } from "./orchestrator/create.ts";
export type * from "./orchestrator/types.ts";
export type { NamedPattern } from "./patterns.ts";
export { PatternSet } from "./patterns.ts";
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
  Era,
  QueryClassification,
  QueryType,
  QueryTypeResult,
  RetrievalConfidence,
  TimeExpression,
  TimeGrain,
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
/** @internal */
export { editDistance } from "./suggest.ts";
export type {
  TextDocument,
  TextHit,
  TextIndexOptions,
  TextSearchOptions,
  TextUse,
} from "./text-index.ts";
export { TextIndex } from "./text-index.ts";
export type * from "./types.ts";
export { isTimeZone, offsetIn } from "./zone.ts";

let findModule: (() => ModuleSource) | undefined;

/** Sets where `init()` without an argument finds the module. For entries. @internal */
export function setDefaultModule(find: () => ModuleSource): void {
  findModule = find;
}

/**
 * Loads the module, once; later calls do nothing. In Node it is loaded already. In a browser, and
 * with `/slim`, call and await it before anything else.
 *
 * @param source The source of the module: a URL, a `Response`, bytes, or a compiled module. The
 *   `./browser` entry finds the .wasm beside itself. `/slim` needs a source.
 * @throws {NousError} `unsupported` if there is nothing to load, or if this environment cannot run
 *   the module.
 *
 * @example
 * ```ts
 * import { init, rerankTop } from "nous-wasm/slim";
 *
 * await init(new URL("/assets/nous_wasm.wasm", location.href));
 * ```
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
