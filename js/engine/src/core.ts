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

// One statement for each name: in the declarations a destructuring has no room for doc comments.

/**
 * Ranks candidates, each by the weights of its section, best first.
 * Details and errors: {@link Engine.rerankWithSectionWeights}.
 *
 * @example
 * ```ts
 * const ranked = rerankWithSectionWeights(candidates, { avg_inbound_edges: 2 });
 * ranked[0]?.node.id; // the best candidate
 * ```
 */
export const rerankWithSectionWeights = engine.rerankWithSectionWeights;

/**
 * Ranks candidates by the same weights for all, best first.
 * Details and errors: {@link Engine.rerankCandidates}.
 *
 * @example
 * ```ts
 * const ranked = rerankCandidates(candidates, { avg_inbound_edges: 2 }, RERANKING_WEIGHTS);
 * ```
 */
export const rerankCandidates = engine.rerankCandidates;

/**
 * Returns the first `limit` entries of a ranking. Details and errors: {@link Engine.rerankTop}.
 *
 * @example
 * ```ts
 * const top = rerankTop(candidates, { avg_inbound_edges: 2 }, { limit: 10 });
 * ```
 */
export const rerankTop = engine.rerankTop;

/**
 * Returns the retrievability in [0, 1]: exp(−days / stability).
 * Details and errors: {@link Engine.calculateRetrievability}.
 *
 * @example
 * ```ts
 * calculateRetrievability(30, 30); // exp(−1)
 * ```
 */
export const calculateRetrievability = engine.calculateRetrievability;

/**
 * Computes retrievability and lifecycle state of many nodes, as columns.
 * Details and errors: {@link Engine.decayColumns}.
 *
 * @example
 * ```ts
 * const { retrievability, lifecycle } = decayColumns({
 *   lastAccessed: [Date.parse("2026-01-01")],
 *   stability: [30],
 *   section: [MEMORY_SECTIONS.indexOf("KNOWLEDGE")],
 * });
 * const state = LIFECYCLE_STATES[lifecycle[0]];
 * ```
 */
export const decayColumns = engine.decayColumns;

/**
 * Returns the intents of a question: the sections that it asks for.
 * Details and errors: {@link Engine.classifyIntent}.
 *
 * @example
 * ```ts
 * classifyIntent("What lessons did I learn?"); // ["KNOWLEDGE"]
 * classifyIntent("What lessons did I learn?", { explain: true }); // with the strings found
 * ```
 */
export const classifyIntent = engine.classifyIntent;

/**
 * Returns the pattern that disqualifies a question from being a plain lookup.
 * Details and errors: {@link Engine.checkDisqualifiers}.
 *
 * @example
 * ```ts
 * checkDisqualifiers("Compare BTC and ETH").disqualified; // true
 * ```
 */
export const checkDisqualifiers = engine.checkDisqualifiers;

/**
 * Returns whether a question asks for one attribute of one entity.
 * Details and errors: {@link Engine.classifyQueryType}.
 *
 * @example
 * ```ts
 * classifyQueryType("What is Anna's email?").type; // "LOOKUP"
 * ```
 */
export const classifyQueryType = engine.classifyQueryType;

/**
 * Returns the query type and the disqualification of a question.
 * Details and errors: {@link Engine.classifyQuery}.
 *
 * @example
 * ```ts
 * classifyQuery("What is Anna's email?").query_type; // "LOOKUP"
 * ```
 */
export const classifyQuery = engine.classifyQuery;

/**
 * Returns the entities that a question names.
 * Details and errors: {@link Engine.extractQueryEntities}.
 *
 * @example
 * ```ts
 * extractQueryEntities("What is Anna's email?"); // ["Anna"]
 * ```
 */
export const extractQueryEntities = engine.extractQueryEntities;

/**
 * Returns the attribute that a question asks for, or null.
 * Details and errors: {@link Engine.extractQueryAttribute}.
 *
 * @example
 * ```ts
 * extractQueryAttribute("What is Anna's email?"); // "email"
 * ```
 */
export const extractQueryAttribute = engine.extractQueryAttribute;

/**
 * Returns the confidence in a search result, by its two best scores.
 * Details and errors: {@link Engine.calculateRetrievalConfidence}.
 *
 * @example
 * ```ts
 * calculateRetrievalConfidence(0.9, 0.4, 12, true).level; // "HIGH"
 * ```
 */
export const calculateRetrievalConfidence = engine.calculateRetrievalConfidence;

/**
 * Divides a question into its parts. Details and errors: {@link Engine.decompose}.
 *
 * @example
 * ```ts
 * const question = "What's my BTC thesis and how did my last SOL trade go?";
 * decompose(question, classifyQuery(question)); // two parts
 * ```
 */
export const decompose = engine.decompose;

/**
 * Returns a question to ask after a poor answer, or null.
 * Details and errors: {@link Engine.reformulate}.
 *
 * @example
 * ```ts
 * reformulate("Can you tell me about my BTC thesis?"); // "tell me about my BTC thesis"
 * ```
 */
export const reformulate = engine.reformulate;

/**
 * Returns classification, intents, parts and search terms of a question, and the times that it
 * names if `now` is given.
 * Details and errors: {@link Engine.understand}.
 *
 * @example
 * ```ts
 * const understanding = understand("What's my BTC thesis?");
 * understand("What did I buy in May?", { now: "2023-06-20" }).times;
 * // [{ text: "May", start: 1682899200000, end: 1685577600000, grain: "month" }]
 * ```
 */
export const understand = engine.understand;

/**
 * Returns the salience of a memory, in [0.1, 1]; 0.5 is neutral.
 * Details and errors: {@link Engine.calculateSalience}.
 *
 * @example
 * ```ts
 * calculateSalience("custom:trade_close", { pnl_pct: 12.5 }); // about 0.85
 * ```
 */
export const calculateSalience = engine.calculateSalience;

/**
 * Returns the initial stability in days of a memory with this salience, or null.
 * Details and errors: {@link Engine.modulateStability}.
 *
 * @example
 * ```ts
 * modulateStability("custom:trade_close", 0.9); // 37.8
 * ```
 */
export const modulateStability = engine.modulateStability;

/**
 * Returns the record of a playbook after a trade that followed it was closed.
 * Details and errors: {@link Engine.applyOutcome}.
 *
 * @example
 * ```ts
 * const record = { success_count: 3, sample_size: 5, stability: 120 };
 * const { success_count, stability } = applyOutcome(record, true);
 * ```
 */
export const applyOutcome = engine.applyOutcome;

/**
 * Returns the symbol that a memory is about, in capitals, or null.
 * Details and errors: {@link Engine.extractSymbol}.
 *
 * @example
 * ```ts
 * extractSymbol({ content_title: "Closed the BTC long" }); // "BTC"
 * ```
 */
export const extractSymbol = engine.extractSymbol;

/**
 * Groups the episodes that are due for review by symbol.
 * Details and errors: {@link Engine.groupEpisodes}.
 *
 * @example
 * ```ts
 * for (const { symbol, episodes } of groupEpisodes(rows)) console.log(symbol, episodes.length);
 * ```
 */
export const groupEpisodes = engine.groupEpisodes;

/**
 * Finds conditions under which closed trades were profitable more or less often.
 * Details and errors: {@link Engine.findPatterns}.
 *
 * @example
 * ```ts
 * const { patterns } = findPatterns(episodes, edges, { symbols: ["BTC"] });
 * ```
 */
export const findPatterns = engine.findPatterns;

/**
 * Plans which lessons and playbooks to create, update or strengthen.
 * Details and errors: {@link Engine.planConsolidation}.
 *
 * @example
 * ```ts
 * const { groups, report } = await planConsolidation(episodes, existing, { edges });
 * ```
 */
export const planConsolidation = engine.planConsolidation;

/**
 * Merges the results of several sub-queries into one selection.
 * Details and errors: {@link Engine.mergeAndSelect}.
 *
 * @example
 * ```ts
 * const selected = mergeAndSelect(new Map([["btc thesis", first], ["sol trade", second]]), {
 *   query: "What's my BTC thesis and how did my last SOL trade go?",
 *   maxResults: 10,
 * });
 * ```
 */
export const mergeAndSelect = engine.mergeAndSelect;

/**
 * Returns each pair of different nodes that the same sub-query found.
 * Details and errors: {@link Engine.coRecallPairs}.
 *
 * @example
 * ```ts
 * for (const [one, other] of coRecallPairs(selected)) strengthen(one, other);
 * ```
 */
export const coRecallPairs = engine.coRecallPairs;

/**
 * Formats memories as lines of a prompt, within a budget of tokens.
 * Details and errors: {@link Engine.formatContext}.
 *
 * @example
 * ```ts
 * const lines = formatContext(rows, 2000);
 * ```
 */
export const formatContext = engine.formatContext;

/**
 * Returns what a turn asks of memory. Details and errors: {@link Engine.classifyTurn}.
 *
 * @example
 * ```ts
 * const signals = classifyTurn("Why did we decide to short ETH yesterday?");
 * ```
 */
export const classifyTurn = engine.classifyTurn;

/**
 * Plans the retrieval for the signals of a turn. Details and errors: {@link Engine.planRetrieval}.
 *
 * @example
 * ```ts
 * const { queries } = planRetrieval(classifyTurn("Why did we decide to short ETH?"));
 * ```
 */
export const planRetrieval = engine.planRetrieval;

/**
 * Classifies a turn and plans its retrieval. Details and errors: {@link Engine.planTurn}.
 *
 * @example
 * ```ts
 * const { signals, plan } = planTurn("Why did we decide to short ETH?");
 * ```
 */
export const planTurn = engine.planTurn;

/**
 * Returns the frame that most words of a turn suggest.
 * Details and errors: {@link Engine.selectFrame}.
 *
 * @example
 * ```ts
 * selectFrame("Fix the failing test").frame_id; // "debug"
 * ```
 */
export const selectFrame = engine.selectFrame;

/**
 * Returns the topic that a turn opens, or null. Details and errors: {@link Engine.nextTopic}.
 *
 * @example
 * ```ts
 * nextTopic("Let's talk about funding rates");
 * ```
 */
export const nextTopic = engine.nextTopic;

/**
 * Returns the memory type of a subtype. Details and errors: {@link Engine.memoryTypeOf}.
 *
 * @example
 * ```ts
 * memoryTypeOf("custom:trade_close"); // "fact"
 * ```
 */
export const memoryTypeOf = engine.memoryTypeOf;

/**
 * Builds the prompt of a turn. Details and errors: {@link Engine.buildContext}.
 *
 * @example
 * ```ts
 * const { prompt, recalled_ids } = await buildContext({
 *   input: "Why did we decide to short ETH?",
 *   identity: "You are a careful trading assistant.",
 *   retrieve: ({ query_text, limit, memory_type }) => search(query_text, limit, memory_type),
 * });
 * ```
 */
export const buildContext = engine.buildContext;

/**
 * Converts a stored row into a memory of a prompt.
 * Details and errors: {@link Engine.contextMemory}.
 *
 * @example
 * ```ts
 * const retrieve = async ({ query_text }) => (await search(query_text)).map(contextMemory);
 * ```
 */
export const contextMemory = engine.contextMemory;

/**
 * Returns all fields of a memory as text for the model.
 * Details and errors: {@link Engine.expandMemory}.
 *
 * @example
 * ```ts
 * const text = await expandMemory("decision", id, (id) => store.get(id));
 * ```
 */
export const expandMemory = engine.expandMemory;

/**
 * Returns the section of a subtype. Details and errors: {@link Engine.getSectionForSubtype}.
 *
 * @example
 * ```ts
 * getSectionForSubtype("custom:trade_close"); // "EPISODIC"
 * ```
 */
export const getSectionForSubtype = engine.getSectionForSubtype;

/**
 * Returns the initial stability in days of a memory of a subtype.
 * Details and errors: {@link Engine.getInitialStabilityForSubtype}.
 *
 * @example
 * ```ts
 * getInitialStabilityForSubtype("custom:trade_close"); // 21
 * ```
 */
export const getInitialStabilityForSubtype = engine.getInitialStabilityForSubtype;

/** The default profile of each section. */
export const SECTION_PROFILES = engine.SECTION_PROFILES;

/** The section of each built-in subtype. */
export const SUBTYPE_TO_SECTION = engine.SUBTYPE_TO_SECTION;

/** The initial stability in days of each built-in subtype. */
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
export type { TextEmbedding, TextEmbeddings } from "./embedder.ts";
export { Embedder } from "./embedder.ts";
export type { Engine } from "./engine.ts";
export { createEngine } from "./engine.ts";
export type { NousErrorCode, NousErrorDetails } from "./errors.ts";
export { NousError } from "./errors.ts";
export { toMilliseconds } from "./instant.ts";
export type { IntentEvidence, IntentOptions } from "./intent.ts";
export { MemoryIndex } from "./memory/memory-index.ts";
export { Ranking } from "./memory/ranking.ts";
export type * from "./memory/types.ts";
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
