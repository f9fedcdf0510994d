// The engine: all functions that depend on a configuration, bound to one configuration. Look here
// for the contract of each function; its code is in the file that it is imported from.

import { limitOf } from "./arguments.ts";
import { type EngineConfig, withModuleConfig } from "./config.ts";
import { extractSymbol, groupEpisodes } from "./consolidate/episodes.ts";
import { findPatterns } from "./consolidate/patterns.ts";
import { planConsolidation } from "./consolidate/plan.ts";
import type * as consolidation from "./consolidate/types.ts";
import { DECAY_CONFIG } from "./constants.ts";
import { buildContext } from "./context/build.ts";
import { expandMemory, type FindMemory } from "./context/expand.ts";
import * as lines from "./context/lines.ts";
import { contextMemory, type RecalledRow } from "./context/memory.ts";
import type { MemoryType } from "./context/turn.ts";
import * as turn from "./context/turn.ts";
import type { BuildContextOptions, BuiltContext, ContextMemory } from "./context/types.ts";
import * as decay from "./decay.ts";
import { EngineContext } from "./engine-context.ts";
import { invalid } from "./errors.ts";
import * as intent from "./intent.ts";
import * as merge from "./merge.ts";
import { applyOutcome } from "./playbook/outcome.ts";
import type { AppliedPlaybook, PlaybookRecord } from "./playbook/types.ts";
import * as query from "./query.ts";
import {
  isNeutral,
  isNeutralIn,
  RERANK_LIMIT,
  type RerankOptions,
  type RerankTopOptions,
  rank,
  uniform,
} from "./rerank.ts";
import { requireLoaded } from "./runtime.ts";
import * as salience from "./salience.ts";
import type {
  GraphMetrics,
  Instant,
  MemorySection,
  RankedNode,
  RerankingWeights,
  ScoredNode,
  SectionDecayConfig,
  SectionProfile,
} from "./types.ts";

/**
 * The functions and tables of this package that depend on the configuration. `createEngine` makes
 * one; the exports of the same names use the default configuration.
 */
export interface Engine {
  /**
   * Ranks candidates, each by the weights of its section, best first. Equal scores keep their
   * order. With `onInvalid: "neutral"` wrong values of candidates are no errors, and all candidates
   * are ranked.
   *
   * @example
   * ```ts
   * const ranked = rerankWithSectionWeights(candidates, { avg_inbound_edges: 2 });
   * ranked[0]?.node.id; // the best candidate
   * ```
   *
   * @throws {NousError} `invalid_argument` with id and field: a score that is not finite, a
   *   negative BM25 or graph score, an invalid date, a count that is not a whole number of at least
   *   0, a missing id. Nothing is ranked then.
   */
  rerankWithSectionWeights<Node extends ScoredNode>(
    candidates: readonly Node[],
    metrics: Partial<GraphMetrics>,
    now?: Instant,
    options?: RerankOptions,
  ): RankedNode<Node>[];
  /**
   * Ranks candidates by the same weights for all. Default: `RERANKING_WEIGHTS`. Throws as
   * `rerankWithSectionWeights`.
   *
   * @example
   * ```ts
   * const ranked = rerankCandidates(candidates, { avg_inbound_edges: 2 }, RERANKING_WEIGHTS);
   * ```
   */
  rerankCandidates<Node extends ScoredNode>(
    candidates: readonly Node[],
    metrics: Partial<GraphMetrics>,
    weights?: RerankingWeights,
    now?: Instant,
    options?: RerankOptions,
  ): RankedNode<Node>[];
  /**
   * Returns the first `limit` entries of the ranking. It builds only those, which is several times
   * faster than building all. Throws as `rerankWithSectionWeights`.
   *
   * @example
   * ```ts
   * const top = rerankTop(candidates, { avg_inbound_edges: 2 }, { limit: 10 });
   * ```
   */
  rerankTop<Node extends ScoredNode>(
    candidates: readonly Node[],
    metrics: Partial<GraphMetrics>,
    options?: RerankTopOptions,
  ): RankedNode<Node>[];
  /**
   * Returns the retrievability in [0, 1]: exp(−days / stability), and 0 if the stability is 0 or
   * less. On the `fsrs6` curve: the retrievability of FSRS-6.
   *
   * @example
   * ```ts
   * calculateRetrievability(30, 30); // exp(−1)
   * ```
   */
  calculateRetrievability(daysSinceAccess: number, stability: number): number;
  /**
   * Returns the stability in days after a recall, without a section. On the `fsrs6` curve: the
   * stability after a recall rated Good at the given `retrievability` (default 0.9); the difficulty
   * in [0, 1] is mapped to FSRS's range from 1 to 10. With `salienceGrowth`, growth is multiplied
   * by 1 + (`salience` − 0.5) · 0.5, up to the cap: the rate, or on the `fsrs6` curve the amount
   * that a recall adds. A missing salience is neutral. Without `salienceGrowth` the salience is not
   * read.
   *
   * @throws {NousError} `invalid_argument` for a salience outside [0, 1].
   */
  updateStabilityOnAccess(
    stability: number,
    difficulty: number,
    retrievability?: number,
    salience?: number | null,
  ): number;
  /**
   * Returns the stability in days after a recall, with the rate and cap of a section. On the
   * `fsrs6` curve only the cap applies. Throws as `updateStabilityOnAccess`.
   */
  updateStabilityOnAccessForSection(
    stability: number,
    difficulty: number,
    decay: SectionDecayConfig,
    retrievability?: number,
    salience?: number | null,
  ): number;
  /**
   * Computes retrievability and lifecycle state of many nodes, by the thresholds of their sections.
   * Days dormant are the days without access below the weak threshold.
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
   *
   * @throws {NousError} `invalid_argument` with column and index: columns of unequal length, an
   *   instant out of range, a stability that is not finite, an unknown section code.
   */
  decayColumns(columns: decay.DecayColumns, now?: Instant): decay.DecayedColumns;
  /**
   * Returns the intents of a question: the sections that it asks for, in the order SIGNALS,
   * EPISODIC, KNOWLEDGE, PROCEDURAL. With `explain` it returns the strings that were found.
   *
   * @example
   * ```ts
   * classifyIntent("What lessons did I learn?"); // ["KNOWLEDGE"]
   * classifyIntent("What lessons did I learn?", { explain: true }); // with the strings found
   * ```
   *
   * @throws {NousError} `invalid_argument` for a query that is no string, or an unknown matcher.
   */
  classifyIntent(
    query: string,
    options?: intent.IntentOptions & { explain?: false | undefined },
  ): MemorySection[];
  /** Returns the evidence for each intent, in the same order. */
  classifyIntent(
    query: string,
    options: intent.IntentOptions & { explain: true },
  ): intent.IntentEvidence[];
  /**
   * Returns the first pattern, in the order of the categories, that disqualifies a question from
   * being a plain lookup.
   *
   * @example
   * ```ts
   * checkDisqualifiers("Compare BTC and ETH").disqualified; // true
   * ```
   */
  checkDisqualifiers(query: string): query.Disqualification;
  /**
   * Returns whether a question asks for one attribute of one entity, with both.
   *
   * @example
   * ```ts
   * classifyQueryType("What is Anna's email?").type; // "LOOKUP"
   * ```
   */
  classifyQueryType(query: string): query.QueryTypeResult;
  /**
   * Returns the query type and the disqualification of a question, in the shape of
   * `POST /classify-query`. A search needs embeddings if the type is not LOOKUP or the question is
   * disqualified.
   *
   * @example
   * ```ts
   * classifyQuery("What is Anna's email?").query_type; // "LOOKUP"
   * ```
   */
  classifyQuery(query: string): query.QueryClassification;
  /**
   * Returns the entities that a question names, each once: owners in possessives, then the words
   * after `for`, then those after `who is` and similar phrases. The word after a possessive is no
   * owner, unless the configuration has `query.adjacentPossessives`.
   *
   * @example
   * ```ts
   * extractQueryEntities("What is Anna's email?"); // ["Anna"]
   * ```
   */
  extractQueryEntities(query: string): string[];
  /**
   * Returns the attribute that a question asks for; null if no known attribute is found.
   *
   * @example
   * ```ts
   * extractQueryAttribute("What is Anna's email?"); // "email"
   * ```
   */
  extractQueryAttribute(query: string): string | null;
  /**
   * Returns the confidence in a result: the weighted geometric mean of match quality, distinctness
   * and clarity, within bounds. Inputs are the best score, the second score (null without a second
   * result), the number of results, and whether the question asks for an attribute.
   *
   * @example
   * ```ts
   * calculateRetrievalConfidence(0.9, 0.4, 12, true).level; // "HIGH"
   * ```
   */
  calculateRetrievalConfidence(
    topScore: number,
    secondScore: number | null | undefined,
    resultCount: number,
    hasAttribute: boolean,
  ): query.RetrievalConfidence;
  /**
   * Divides a question of category D1 or D4 into its parts; any other question is its only part.
   * `classification` is the result of `classifyQuery`; without it nothing is divided. Parts of less
   * than 3 UTF-16 units are dropped. A question of more than 500 units is not divided.
   *
   * @example
   * ```ts
   * const question = "What's my BTC thesis and how did my last SOL trade go?";
   * decompose(question, classifyQuery(question)); // two parts
   * ```
   */
  decompose(
    query: string,
    classification: query.ClassifiedQuery | null | undefined,
    options?: query.DecomposeOptions,
  ): string[];
  /**
   * Returns a question to ask after a poor answer: the question without its opening phrase and its
   * final punctuation; else the entity of its classification; else null.
   *
   * @example
   * ```ts
   * reformulate("Can you tell me about my BTC thesis?"); // "tell me about my BTC thesis"
   * ```
   */
  reformulate(
    query: string,
    classification?: query.ClassifiedQuery | null | undefined,
  ): string | null;
  /**
   * Returns everything about a question at once: its classification, intents, parts, and the terms
   * for a full-text index. If `now` is given, also the times that the question names, as ranges:
   * "last week", "in May 2023", "since Friday". The guide on retrieval states the rules.
   *
   * @example
   * ```ts
   * const understanding = understand("What's my BTC thesis?");
   * understand("What did I buy in May?", { now: "2023-06-20" }).times;
   * // [{ text: "May", start: 1682899200000, end: 1685577600000, grain: "month" }]
   * ```
   *
   * @throws {NousError} `invalid_argument` for options that are wrong, `now` among them.
   */
  understand(query: string, options?: query.UnderstandOptions): query.Understanding;
  /**
   * Returns the salience of a memory, in [0.1, 1], by figures such as `pnl_pct`. Returns 0.5
   * (neutral) without a subtype or figures, for a subtype without a configured source, and in
   * sections that ignore salience.
   *
   * @example
   * ```ts
   * calculateSalience("custom:trade_close", { pnl_pct: 12.5 }); // about 0.85
   * ```
   *
   * @throws {NousError} `invalid_argument` for a figure that is not a finite number.
   */
  calculateSalience(
    subtype: string | null | undefined,
    signals: salience.StakeSignals | null | undefined,
  ): number;
  /**
   * Returns the initial stability in days of a memory with this salience, rounded to two decimals;
   * null if the default applies.
   *
   * @example
   * ```ts
   * modulateStability("custom:trade_close", 0.9); // 37.8
   * ```
   *
   * @throws {NousError} `invalid_argument` for a salience outside [0, 1].
   */
  modulateStability(subtype: string | null | undefined, salience: number): number | null;
  /**
   * Returns the record of a playbook after a trade that followed it was closed. Each success
   * multiplies the stability once by the growth of a recall, each failure divides it. The result
   * stays between the initial stability of a missed opportunity and the section's cap.
   *
   * @example
   * ```ts
   * const record = { success_count: 3, sample_size: 5, stability: 120 };
   * const { success_count, stability } = applyOutcome(record, true);
   * ```
   */
  applyOutcome(playbook: PlaybookRecord, profitable: boolean, now?: Instant): AppliedPlaybook;
  /**
   * Returns the symbol that a memory is about, in capitals: the `symbol` or `coin` of its signals;
   * else the known symbol that its title names first, as a whole word in any case; else the first
   * one of its text; else null.
   *
   * @example
   * ```ts
   * extractSymbol({ content_title: "Closed the BTC long" }); // "BTC"
   * ```
   *
   * @throws {NousError} `invalid_argument` with the field: a title or a body that is no string.
   */
  extractSymbol(node: consolidation.MemoryText): string | null;
  /**
   * Groups the episodes that are due for review by symbol: ACTIVE trade entries, closes and
   * modifications, turn summaries and signals of the last 14 days (30 days if those are fewer than
   * 8), the newest 50 of each kind. Returns groups of at least 3 episodes, largest first; equal
   * groups are ordered by their newest episode. At most 5 groups with their 15 newest episodes. Of
   * several rows with one id the first counts.
   *
   * @example
   * ```ts
   * for (const { symbol, episodes } of groupEpisodes(rows)) console.log(symbol, episodes.length);
   * ```
   *
   * @throws {NousError} `invalid_argument` with id and field: a missing id, a text that is no
   *   string, an invalid date.
   */
  groupEpisodes<Row extends consolidation.EpisodeRow>(
    episodes: readonly Row[],
    options?: consolidation.GroupEpisodesOptions,
  ): consolidation.EpisodeGroup<Row>[];
  /**
   * Finds conditions under which closed trades were profitable more or less often than the other
   * trades of their group. Conditions are anomalies, direction, trade type and signals of the
   * close's entry, and its weekday, hours and funding (percent per hour). The entry is the memory
   * that a `part_of` edge, else a `relates_to` edge, connects with the close; the direction of the
   * edge does not matter. All given trades count, however old. Each way to divide a group is tested
   * once, by its smaller side, if both sides have at least 5 trades. Throws as `groupEpisodes`, and
   * for wrong edges.
   *
   * @example
   * ```ts
   * const { patterns } = findPatterns(episodes, edges, { symbols: ["BTC"] });
   * ```
   */
  findPatterns(
    episodes: readonly consolidation.EpisodeRow[],
    edges: readonly consolidation.LinkRow[],
    options?: consolidation.FindPatternsOptions,
  ): consolidation.FoundPatterns;
  /**
   * Plans a consolidation: for each group of `groupEpisodes` the lessons and playbooks to create,
   * update or strengthen. It changes nothing itself. By default the statistics of `findPatterns`
   * decide, over all given trades of a group, however old; with `analyze` a language model decides.
   * `existing` holds the known lessons and playbooks: after a plan is carried out, the same
   * episodes lead to no further plan. A group whose calls fail or exceed the time limit stays
   * unchanged and is named in the report.
   *
   * The promise is rejected with the signal's reason if the signal is aborted, and with
   * `invalid_argument` for a wrong argument.
   *
   * @example
   * ```ts
   * const { groups, report } = await planConsolidation(episodes, existing, { edges });
   * ```
   */
  planConsolidation<Row extends consolidation.EpisodeRow>(
    episodes: readonly Row[],
    existing: readonly consolidation.ExistingRow[],
    options?: consolidation.PlanConsolidationOptions<Row>,
  ): Promise<consolidation.ConsolidationPlan>;
  /**
   * Merges the results of several sub-queries: the best instance of each id, boosted if the
   * question asks for its section, in the order of scores, down to a share of the best score, and
   * at least one result of each sub-query. Inputs are not changed.
   *
   * @example
   * ```ts
   * const selected = mergeAndSelect(new Map([["btc thesis", first], ["sol trade", second]]), {
   *   query: "What's my BTC thesis and how did my last SOL trade go?",
   *   maxResults: 10,
   * });
   * ```
   */
  mergeAndSelect<Row extends merge.MergeRow>(
    subResults: merge.SubResults<Row>,
    options?: merge.MergeOptions,
  ): merge.MergedRow<Row>[];
  /**
   * Returns each unordered pair of different nodes that the same sub-query found, once.
   *
   * @example
   * ```ts
   * for (const [one, other] of coRecallPairs(selected)) strengthen(one, other);
   * ```
   */
  coRecallPairs(
    selected: readonly { id: string; _sub_query_group?: number | undefined }[],
  ): [string, string][];
  /**
   * Formats memories as lines: `- [lesson · KNOWLEDGE] Title (2026-01-15): text`, in order, until a
   * line would exceed the budget at four code points per token. Returns null if no line fits or
   * there are no memories. `maxTokens` is 4000 by default.
   *
   * @example
   * ```ts
   * const lines = formatContext(rows, 2000);
   * ```
   */
  formatContext(
    results: readonly lines.MemoryRow[],
    maxTokens?: number,
    options?: lines.FormatContextOptions,
  ): string | null;
  /**
   * Returns what a turn asks of memory, by its English words and phrases. `frame` defaults to the
   * frame of `selectFrame`.
   *
   * The default mode ignores a greeting before other text, recognizes acknowledgements, knows more
   * word forms as hints ("decide", "how did", "earlier"), recognizes capitals of every script, and
   * hints at signals for questions whose intent is SIGNALS.
   *
   * @example
   * ```ts
   * const signals = classifyTurn("Why did we decide to short ETH yesterday?");
   * ```
   */
  classifyTurn(text: string, frame?: string, options?: turn.ContextOptions): turn.TurnSignals;
  /**
   * Plans the retrieval for these signals: 8 memories of the type with the strongest hint and 3 of
   * every other type; 5 of each type without hints; none for greetings, acknowledgements and turns
   * without content. Pass the mode that the signals were made with.
   *
   * @example
   * ```ts
   * const { queries } = planRetrieval(classifyTurn("Why did we decide to short ETH?"));
   * ```
   *
   * @throws {NousError} `invalid_argument` with the field: a recency outside [0, 1], a hint that is
   *   not a number of at least 0, a keyword that is no string.
   */
  planRetrieval(signals: turn.SignalsToPlan, options?: turn.ContextOptions): turn.RetrievalPlan;
  /**
   * Classifies a turn and plans its retrieval. A turn that asks for a recap is planned as one that
   * means something recent.
   *
   * @example
   * ```ts
   * const { signals, plan } = planTurn("Why did we decide to short ETH?");
   * ```
   */
  planTurn(text: string, frame?: string, options?: turn.ContextOptions): turn.TurnPlan;
  /**
   * Returns the frame that most words of a turn suggest. If several are equal, the order is
   * decision, debug, task, question, creative, conversation.
   *
   * @example
   * ```ts
   * selectFrame("Fix the failing test").frame_id; // "debug"
   * ```
   */
  selectFrame(text: string): turn.FrameSelection;
  /**
   * Returns the topic that a turn opens: its first 200 characters. Returns null if the turn
   * continues the previous topic.
   *
   * @example
   * ```ts
   * nextTopic("Let's talk about funding rates");
   * ```
   */
  nextTopic(text: string): string | null;
  /**
   * Returns the memory type of a subtype: theses and trade entries are decisions, closes are facts.
   * For other subtypes the section decides.
   *
   * @example
   * ```ts
   * memoryTypeOf("custom:trade_close"); // "fact"
   * ```
   */
  memoryTypeOf(subtype: string | null | undefined): turn.MemoryType;
  /**
   * Builds the prompt of a turn: plans the retrieval, calls `retrieve`, leaves out memories that
   * score too low, repeat others, or repeat the conversation, orders the rest by relevance,
   * circumstances and usage, and writes everything within its budgets. A call of the caller's that
   * fails or exceeds the time limit is named in `failed`, and the prompt is built without it. If
   * everything fails, the prompt is the identity.
   *
   * The promise is rejected with `invalid_argument` for a wrong option, and with the signal's
   * reason if the signal is aborted.
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
  buildContext(options: BuildContextOptions): Promise<BuiltContext>;
  /**
   * Converts a stored row into a memory of a prompt. The subtype decides its type; title, body,
   * summary and tags give the other fields.
   *
   * @example
   * ```ts
   * const retrieve = async ({ query_text }) => (await search(query_text)).map(contextMemory);
   * ```
   */
  contextMemory(row: RecalledRow): ContextMemory;
  /**
   * Returns all fields of a memory as text for the model. Use it as the answer of a tool with which
   * an agent looks up a line of its prompt.
   *
   * The text starts with type and title. A line each follows for id, section, subtype, day, tags
   * and other fields of the row and its body. The last part is the quoted, unshortened text. As in
   * the lines of a prompt, quoting keeps memories from being read as instructions.
   *
   * @example
   * ```ts
   * const text = await expandMemory("decision", id, (id) => store.get(id));
   * ```
   *
   * @param type The memory type. An unknown type gives the answer `Unknown memory type: …` and no
   *   error, because the model chooses it.
   * @param find Returns the stored row of an id. If it returns none, or a row of another type, the
   *   answer is `not found`.
   * @throws {NousError} `invalid_argument`, as a rejection: an empty id, a type that is no string,
   *   a row that is no object. Errors of `find` are passed on.
   */
  expandMemory(type: MemoryType | (string & {}), id: string, find: FindMemory): Promise<string>;
  /**
   * Returns the section of a subtype. An unknown or missing subtype has the default section.
   *
   * @example
   * ```ts
   * getSectionForSubtype("custom:trade_close"); // "EPISODIC"
   * ```
   */
  getSectionForSubtype(subtype: string | null | undefined): MemorySection;
  /**
   * Returns the initial stability in days of a memory of this subtype.
   *
   * @example
   * ```ts
   * getInitialStabilityForSubtype("custom:trade_close"); // 21
   * ```
   */
  getInitialStabilityForSubtype(subtype: string | null | undefined): number;
  /** The profile of each section. */
  readonly SECTION_PROFILES: Readonly<Record<MemorySection, SectionProfile>>;
  /** The section of each known subtype. */
  readonly SUBTYPE_TO_SECTION: Readonly<Record<string, MemorySection>>;
  /** The initial stability in days of each known subtype. */
  readonly SUBTYPE_INITIAL_STABILITY: Readonly<Record<string, number>>;
}

/**
 * Creates an engine with a configuration of your own. A key that is missing keeps its default.
 *
 * @example
 * ```ts
 * const engine = createEngine({
 *   sections: {
 *     subtypes: { "custom:recipe": { section: "PROCEDURAL", stability: 200 } },
 *     profiles: { SIGNALS: { decay: { maxStabilityDays: 60 } } },
 *   },
 * });
 * engine.getSectionForSubtype("custom:recipe"); // "PROCEDURAL"
 * ```
 *
 * @throws {NousError} `invalid_config` with the path of the key: unknown keys, wrong types, invalid
 *   profiles (six weights in [0, 1] that sum to 1 within 0.01, positive days and rates, thresholds
 *   in [0, 1] with weak below active, difficulty in [0, 1], multiplier and boosts of at least 1);
 *   `not_initialized` before the module is loaded.
 */
export function createEngine(config: EngineConfig = {}): Engine {
  requireLoaded();
  return withModuleConfig(config, (plain) =>
    engineOver(new EngineContext(plain), plain as ModuleConfig),
  );
}

/** The fields of a configuration in the module's form that are read here. */
interface ModuleConfig {
  curve?: EngineConfig["curve"];
  salience_growth?: boolean;
}

/** @internal */
export function engineOver(
  context: EngineContext,
  { curve, salience_growth }: ModuleConfig = {},
): Engine {
  const fsrs = curve === "fsrs6";
  const counted = salience_growth ? salience.salienceOf : () => decay.NO_SALIENCE;
  return {
    rerankWithSectionWeights: (candidates, metrics, now, options) =>
      rank(context, candidates, metrics, undefined, now, Infinity, isNeutralIn(options)),
    rerankCandidates: (candidates, metrics, weights, now, options) =>
      rank(context, candidates, metrics, uniform(weights), now, Infinity, isNeutralIn(options)),
    rerankTop: (candidates, metrics, options = {}) => {
      if (options === null) throw invalid("options", "must be an object, found null");
      const { limit, now, sections: bySection = true, weights, onInvalid } = options;
      // Null means no weights, as in `rerankCandidates`.
      const given = bySection ? (weights ?? undefined) : uniform(weights);
      return rank(
        context,
        candidates,
        metrics,
        given,
        now,
        limitOf(limit, RERANK_LIMIT),
        isNeutral(onInvalid),
      );
    },
    calculateRetrievability: (daysSinceAccess, stability) =>
      context.pool.engine().retrievability(daysSinceAccess, stability),
    updateStabilityOnAccess: fsrs
      ? (stability, difficulty, retrievability, stake) =>
          decay.growOnFsrs(
            stability,
            difficulty,
            counted(stake),
            retrievability,
            DECAY_CONFIG.max_stability_days,
          )
      : (stability, difficulty, _, stake) =>
          decay.growOnAccess(stability, difficulty, counted(stake)),
    updateStabilityOnAccessForSection: fsrs
      ? (stability, difficulty, profile, retrievability, stake) =>
          decay.growOnFsrsForSection(stability, difficulty, counted(stake), retrievability, profile)
      : (stability, difficulty, profile, _, stake) =>
          decay.growOnAccessForSection(stability, difficulty, counted(stake), profile),
    decayColumns: (columns, now = Date.now()) => decay.decayColumns(context, columns, now),
    classifyIntent: ((query: string, options?: intent.IntentOptions) =>
      intent.classifyIntent(context, query, options)) as Engine["classifyIntent"],
    calculateSalience: (subtype, signals) => salience.calculateSalience(context, subtype, signals),
    modulateStability: (subtype, value) => salience.modulateStability(context, subtype, value),
    applyOutcome: (playbook, profitable, now) => applyOutcome(context, playbook, profitable, now),
    checkDisqualifiers: (text) => query.checkDisqualifiers(context, text),
    classifyQueryType: (text) => query.classifyQueryType(context, text),
    classifyQuery: (text) => query.classifyQuery(context, text),
    extractQueryEntities: (text) => query.extractQueryEntities(context, text),
    extractQueryAttribute: (text) => query.extractQueryAttribute(context, text),
    calculateRetrievalConfidence: (top, second, count, hasAttribute) =>
      query.calculateRetrievalConfidence(context, top, second, count, hasAttribute),
    decompose: (text, classification, options) =>
      query.decompose(context, text, classification, options),
    reformulate: (text, classification) => query.reformulate(context, text, classification),
    understand: (text, options) => query.understand(context, text, options),
    extractSymbol: (node) => extractSymbol(context, node),
    groupEpisodes: (episodes, options) => groupEpisodes(context, episodes, options),
    findPatterns: (episodes, edges, options) => findPatterns(context, episodes, edges, options),
    planConsolidation: (episodes, existing, options) =>
      planConsolidation(context, episodes, existing, options),
    mergeAndSelect: (subResults, options) => merge.mergeAndSelect(context, subResults, options),
    coRecallPairs: (selected) => merge.coRecallPairs(context, selected),
    formatContext: (results, maxTokens, options) =>
      lines.formatContext(context, results, maxTokens, options),
    classifyTurn: (text, frame, options) => turn.classifyTurn(context, text, frame, options),
    planRetrieval: (signals, options) => turn.planRetrieval(context, signals, options),
    planTurn: (text, frame, options) => turn.planTurn(context, text, frame, options),
    selectFrame: (text) => turn.selectFrame(context, text),
    nextTopic: (text) => turn.nextTopic(context, text),
    memoryTypeOf: (subtype) => turn.memoryTypeOf(context, subtype),
    buildContext: (options) => buildContext(context, options),
    contextMemory: (row) => contextMemory(context, row),
    expandMemory: (type, id, find) => expandMemory(context, type, id, find),
    getSectionForSubtype: context.getSectionForSubtype,
    getInitialStabilityForSubtype: context.getInitialStabilityForSubtype,
    SECTION_PROFILES: context.profiles,
    SUBTYPE_TO_SECTION: context.sectionOf,
    SUBTYPE_INITIAL_STABILITY: context.stabilityOf,
  };
}
