// The engine: all functions that a configuration has a say in, under one configuration.

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

/** The functions of this package that a configuration changes, and its tables. */
export interface Engine {
  /**
   * Ranks candidates, each by the weights of its section, best first; equal scores keep their
   * order. With `onInvalid: "neutral"` a wrong value of a candidate is no error, and all candidates
   * are ranked.
   *
   * @throws {NousError} `invalid_argument` naming id and field: a score that is not finite, a
   * negative BM25 or graph
   * score, an invalid date, a count that is no whole number of at least 0, a missing id. Nothing is
   * ranked then.
   */
  rerankWithSectionWeights<Node extends ScoredNode>(
    candidates: readonly Node[],
    metrics: Partial<GraphMetrics>,
    now?: Instant,
    options?: RerankOptions,
  ): RankedNode<Node>[];
  /**
   * Ranks candidates by the same weights for all: the global ones unless given. Throws as above.
   */
  rerankCandidates<Node extends ScoredNode>(
    candidates: readonly Node[],
    metrics: Partial<GraphMetrics>,
    weights?: RerankingWeights,
    now?: Instant,
    options?: RerankOptions,
  ): RankedNode<Node>[];
  /**
   * The first `limit` of the ranking, and only those are built: several times quicker. Throws as
   * above.
   */
  rerankTop<Node extends ScoredNode>(
    candidates: readonly Node[],
    metrics: Partial<GraphMetrics>,
    options?: RerankTopOptions,
  ): RankedNode<Node>[];
  /**
   * Chance in [0, 1] that a memory is at hand: exp(−days / stability), and 0 for a stability of 0
   * or less; on the `fsrs6` curve FSRS-6's.
   */
  calculateRetrievability(daysSinceAccess: number, stability: number): number;
  /**
   * Stability in days after a recall without a section. On the `fsrs6` curve: after a recall rated
   * Good, when `retrievability` was left (0.9 unless given), with difficulty in [0, 1] spread over
   * FSRS's 1 to
   * 10. With `salienceGrowth`
   * growth is multiplied by 1 + (`salience` − 0.5) · 0.5, within the cap: the rate, or on the
   * `fsrs6` curve what a recall adds. No salience is a neutral one; without `salienceGrowth` it is
   * not looked at.
   *
   * @throws {NousError} `invalid_argument` for a salience outside [0, 1].
   */
  updateStabilityOnAccess(
    stability: number,
    difficulty: number,
    retrievability?: number,
    salience?: number | null,
  ): number;
  /** The same with a section's rate and cap; on the `fsrs6` curve with its cap. */
  updateStabilityOnAccessForSection(
    stability: number,
    difficulty: number,
    decay: SectionDecayConfig,
    retrievability?: number,
    salience?: number | null,
  ): number;
  /**
   * Retrievability and lifecycle of many nodes at once, by the thresholds of their sections. Days
   * dormant are those without access once retrievability is below the weak threshold.
   *
   * @throws {NousError} `invalid_argument` naming column and index: columns of unequal length, an
   * instant out of range,
   * a stability that is not finite, an unknown section code.
   */
  decayColumns(columns: decay.DecayColumns, now?: Instant): decay.DecayedColumns;
  /** The sections a question asks for, in the order SIGNALS, EPISODIC, KNOWLEDGE, PROCEDURAL. */
  classifyIntent(
    query: string,
    options?: intent.IntentOptions & { explain?: false | undefined },
  ): MemorySection[];
  classifyIntent(
    query: string,
    options: intent.IntentOptions & { explain: true },
  ): intent.IntentEvidence[];
  /**
   * What keeps a question from being a plain lookup: the first pattern, in the order of the
   * categories, that it contains.
   */
  checkDisqualifiers(query: string): query.Disqualification;
  /** Whether a question asks for one attribute of one thing, and for which of what. */
  classifyQueryType(query: string): query.QueryTypeResult;
  /**
   * Both together, in the shape of `POST /classify-query`. A search uses embeddings when the type
   * is not LOOKUP or the question is disqualified.
   */
  classifyQuery(query: string): query.QueryClassification;
  /**
   * The things that a question names, each once: owners of something, then what follows `for`, then
   * `who is` and its like. The word after a possessive is no owner, unless the configuration has
   * `query.adjacentPossessives`.
   */
  extractQueryEntities(query: string): string[];
  /** What a question asks of something; null for nothing that is known. */
  extractQueryAttribute(query: string): string | null;
  /**
   * How far an answer can be trusted, by its best score, the second (null where there is none), the
   * number of results and whether an attribute was asked for: the weighted geometric mean of match
   * quality, distinctness and clarity, within bounds.
   */
  calculateRetrievalConfidence(
    topScore: number,
    secondScore: number | null | undefined,
    resultCount: number,
    hasAttribute: boolean,
  ): query.RetrievalConfidence;
  /**
   * The parts of a question of category D1 or D4, or the question itself; `classification` is what
   * `classifyQuery` answers, and none divides nothing. Parts shorter than 3 UTF-16 units are
   * dropped, and a question of more than 500 is not divided.
   */
  decompose(
    query: string,
    classification: query.ClassifiedQuery | null | undefined,
    options?: query.DecomposeOptions,
  ): string[];
  /**
   * What to ask instead after a poor answer: the question without the phrase that it opens with and
   * the marks that it ends in; else the entity of its classification; else null.
   */
  reformulate(
    query: string,
    classification?: query.ClassifiedQuery | null | undefined,
  ): string | null;
  /**
   * Everything about a question at once: its classification, intents, parts, and the terms for a
   * full-text index.
   */
  understand(query: string, options?: query.UnderstandOptions): query.Understanding;
  /**
   * How much was at stake in a memory, in [0.1, 1], by figures of it such as `pnl_pct`: 0.5,
   * neutral, without a subtype or figures, for a subtype without a source, and where the section
   * lets stakes change nothing.
   */
  calculateSalience(
    subtype: string | null | undefined,
    signals: salience.StakeSignals | null | undefined,
  ): number;
  /**
   * Days of stability that a new memory of this salience starts with, rounded to two decimals; null
   * where the default stays.
   */
  modulateStability(subtype: string | null | undefined, salience: number): number | null;
  /**
   * A playbook's record after a trade that followed it was closed: its stability grows once for
   * each success and shrinks by the inverse for each failure, within the section's cap and not
   * below that of a new missed opportunity.
   */
  applyOutcome(playbook: PlaybookRecord, profitable: boolean, now?: Instant): AppliedPlaybook;
  /**
   * What a memory is about, in capitals: the `symbol` or `coin` of its signals, whatever it is;
   * else the known symbol that its title names first as a whole word in any case, or else its text;
   * null for none.
   *
   * @throws {NousError} `invalid_argument` naming the field: a title or a body that is no text.
   */
  extractSymbol(node: consolidation.MemoryText): string | null;
  /**
   * The episodes that are due for review, by symbol: active trade entries, closes and modifies,
   * turn summaries and signals of the last 14 days (of 30, where fewer than 8 are), the newest 50
   * of each kind. Groups of 3 and more, the largest first, of equals that with the newest episode;
   * 5 at most, with their 15 newest. Of several with one id the first counts.
   *
   * @throws {NousError} `invalid_argument` naming id and field: a missing id, texts that are none,
   * an invalid date.
   */
  groupEpisodes<Row extends consolidation.EpisodeRow>(
    episodes: readonly Row[],
    options?: consolidation.GroupEpisodesOptions,
  ): consolidation.EpisodeGroup<Row>[];
  /**
   * Under which conditions closed trades were won more often, or less, than the others of their
   * group: anomalies, direction, trade type and signals of the entry that a close is tied to
   * (`part_of`, or else `relates_to`; an edge counts in either direction, and edges in both
   * directions are one tie), its weekday, hours and funding (percent an hour). All of the trades
   * given count, however old. Each way to divide a group is tested once, by the smaller side, where
   * both have 5 trades or more. Throws as above, and for wrong edges.
   */
  findPatterns(
    episodes: readonly consolidation.EpisodeRow[],
    edges: readonly consolidation.LinkRow[],
    options?: consolidation.FindPatternsOptions,
  ): consolidation.FoundPatterns;
  /**
   * What many episodes add up to: which lessons and playbooks to create, which to update or to
   * strengthen, for each of the groups of `groupEpisodes`. Nothing is changed here. By default the
   * statistics of `findPatterns` tell, over all of a group's trades that are given, however old;
   * with `analyze` a language model does. What is known is told by the `existing` lessons and
   * playbooks: once a plan is carried out, the same episodes lead to no other. A group whose
   * answers fail or are late changes nothing and is named in the report.
   *
   * The promise is rejected with the signal's reason when that is aborted, and with
   * `invalid_argument` for a wrong argument.
   */
  planConsolidation<Row extends consolidation.EpisodeRow>(
    episodes: readonly Row[],
    existing: readonly consolidation.ExistingRow[],
    options?: consolidation.PlanConsolidationOptions<Row>,
  ): Promise<consolidation.ConsolidationPlan>;
  /**
   * Merges the results of several sub-queries: the best instance of each id, boosted where the
   * question asks for its section, by score down to a share of the best, and something from each
   * sub-query. Inputs are never changed.
   */
  mergeAndSelect<Row extends merge.MergeRow>(
    subResults: merge.SubResults<Row>,
    options?: merge.MergeOptions,
  ): merge.MergedRow<Row>[];
  /** Each unordered pair of different nodes that one sub-query recalled together, once. */
  coRecallPairs(
    selected: readonly { id: string; _sub_query_group?: number | undefined }[],
  ): [string, string][];
  /**
   * One line for each memory, `- [lesson · KNOWLEDGE] Title (2026-01-15): text`, in order, until
   * one would pass the budget of four code points a token; null when there is none. `maxTokens` is
   * 4000 unless given.
   */
  formatContext(
    results: readonly lines.MemoryRow[],
    maxTokens?: number,
    options?: lines.FormatContextOptions,
  ): string | null;
  /**
   * What a turn asks of memory, by its English words and phrases. `frame` is the frame of mind;
   * that of `selectFrame` unless given.
   *
   * In the default mode a greeting before more is left out, acknowledgements are known, more forms
   * of words are hints ("decide", "how did", "earlier"), capitals of every script count, and asking
   * for signals (as `classifyIntent` has it) is a hint, too.
   */
  classifyTurn(text: string, frame?: string, options?: turn.ContextOptions): turn.TurnSignals;
  /**
   * What to retrieve for these signals: 8 memories of the type that they ask for most and 3 of
   * every other, 5 of each when they ask for none, and nothing for greetings, acknowledgements and
   * turns that say nothing. In the mode in which they were classified.
   *
   * @throws {NousError} `invalid_argument` naming the field: a recency outside of [0, 1], a hint
   * that is no number of at least 0,
   * a keyword that is no text.
   */
  planRetrieval(signals: turn.SignalsToPlan, options?: turn.ContextOptions): turn.RetrievalPlan;
  /**
   * Both in one; a turn that asks what was talked about is planned as one that means something
   * recent.
   */
  planTurn(text: string, frame?: string, options?: turn.ContextOptions): turn.TurnPlan;
  /**
   * The frame of mind that most words of a turn speak for; of equals a decision, then debugging, a
   * task, a question, creative work, a conversation.
   */
  selectFrame(text: string): turn.FrameSelection;
  /**
   * The topic that a turn opens, its first 200 characters; null when it goes on with the one
   * before.
   */
  nextTopic(text: string): string | null;
  /**
   * What a memory is to a prompt: theses and entries are decisions, closes are facts; of others the
   * section decides.
   */
  memoryTypeOf(subtype: string | null | undefined): turn.MemoryType;
  /**
   * Prepares the prompt of a turn: plans what to retrieve, asks for it, leaves out what fits too
   * little, what others say too, and what the conversation says already, orders the rest by
   * relevance, circumstances and use, and writes it within its budgets. What fails or is late is
   * done without, and named; if all does, the prompt is the identity.
   *
   * The promise is rejected with `invalid_argument` for a wrong option, and with the signal's
   * reason when that is aborted.
   */
  buildContext(options: BuildContextOptions): Promise<BuiltContext>;
  /**
   * A stored row as a prompt shows it: its type by its subtype, what else by its title, body,
   * summary and tags.
   */
  contextMemory(row: RecalledRow): ContextMemory;
  /**
   * Everything that a memory holds, as a text for the model: what a tool answers by which an agent
   * looks up a line of its prompt.
   *
   * Type and title, then a line each for id, section, subtype, day, tags and what else the row and
   * its body tell, and at the end what it says, quoted and not shortened. Like a prompt's lines it
   * is kept from meaning anything but text.
   *
   * ```ts
   * await expandMemory("decision", id, (id) => store.get(id));
   * ```
   *
   * @param type What the memory is to a prompt. Of any other text the answer is `Unknown memory
   * type: …`, since it is the
   *   model that says it.
   * @param find Gets the stored row of an id. Where there is none, or one of another type, the
   * answer is `not found`.
   * @throws {NousError} `invalid_argument`, as a rejection: an empty id, a type that is no text, a
   * row that is no object.
   *   What `find` throws comes through.
   */
  expandMemory(type: MemoryType | (string & {}), id: string, find: FindMemory): Promise<string>;
  /** The section of a subtype: exact, and the default section for an unknown or missing one. */
  getSectionForSubtype(subtype: string | null | undefined): MemorySection;
  /** Days of stability that a new memory of this subtype starts with. */
  getInitialStabilityForSubtype(subtype: string | null | undefined): number;
  /** What belonging to each section means. */
  readonly SECTION_PROFILES: Readonly<Record<MemorySection, SectionProfile>>;
  /** The section of each known subtype. */
  readonly SUBTYPE_TO_SECTION: Readonly<Record<string, MemorySection>>;
  /** Days of stability of a new memory of each known subtype. */
  readonly SUBTYPE_INITIAL_STABILITY: Readonly<Record<string, number>>;
}

/**
 * An engine under a configuration of your own; whatever it does not say keeps its default.
 *
 * ```ts
 * const engine = createEngine({
 *   sections: {
 *     subtypes: { "custom:recipe": { section: "PROCEDURAL", stability: 200 } },
 *     profiles: { SIGNALS: { decay: { maxStabilityDays: 60 } } },
 *   },
 * });
 * ```
 *
 * @throws {NousError} `invalid_config` with the path of the key: unknown keys, wrong types,
 * profiles that are not valid (six weights in [0, 1] that sum to 1 within 0.01, positive days and
 * rates, thresholds in [0, 1] with weak below active, difficulty in [0, 1], multiplier and boosts
 * of at least 1).
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
      // As for `rerankCandidates`, null is none.
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
