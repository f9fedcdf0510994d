// Retrieval in several passes: searches for a question's parts at once, searches again where a part
// found too little, merges the results, and replaces weak ones. The rules run in the module. This
// file decides which search runs when, and when a retrieval ends.

import { copyWith, finiteScore, optionsOf, presentOf } from "../arguments.ts";
import { signalOf } from "../deadline.ts";
import type { ModuleOrchestratorConfig } from "../engine-context.ts";
import { invalid, NousError, reasonOf, show } from "../errors.ts";
import type { MergedRow, MergeOptions, MergeRow, SubResults } from "../merge.ts";
import type {
  ClassifiedQuery,
  DecomposeOptions,
  RetrievalConfidence,
  SettleWeak,
  Understanding,
} from "../query.ts";
import type { MemorySection } from "../types.ts";
import { accountOf } from "./account.ts";
import { replaceWeak } from "./replace.ts";
import { type Answer, isAnswered, Searches } from "./searches.ts";
import type {
  FoundRow,
  Orchestrator,
  PartTrace,
  RetrievalSearch,
  RetrievalTrace,
  Retrieved,
  RetrieveOptions,
  RetryTrace,
} from "./types.ts";

/** The engine functions that the orchestrator uses. @internal */
export interface OrchestratorEngine {
  understand(query: string, options: DecomposeOptions): Understanding;
  classifyQuery(query: string): ClassifiedQuery;
  reformulate(query: string, classification: ClassifiedQuery): string | null;
  mergeAndSelect<Row extends MergeRow>(
    subResults: SubResults<Row>,
    options: MergeOptions,
  ): MergedRow<Row>[];
  settleWeak: SettleWeak;
  calculateRetrievalConfidence(
    topScore: number,
    secondScore: number | null,
    resultCount: number,
    hasAttribute: boolean,
  ): RetrievalConfidence;
  getSectionForSubtype(subtype: string | null | undefined): MemorySection;
  /**
   * The boost of each section when the question asks for it; 1 for all if sections are disabled.
   */
  readonly intentBoosts: Readonly<Record<MemorySection, number>>;
}

/** Filters that a second attempt leaves out. */
const SUBTYPE_KEYS = ["subtype", "subtypes"];
const RETRIEVE_KEYS = new Set(["filters", "now", "signal"]);

/** Creates an orchestrator. Throws `invalid_argument` if the search is no function. @internal */
export function createOrchestratorOver<Row extends FoundRow, Filters extends object>(
  engine: OrchestratorEngine,
  config: ModuleOrchestratorConfig,
  search: RetrievalSearch<Row, Filters>,
): Orchestrator<Row, Filters> {
  if (typeof search !== "function")
    throw invalid("search", `must be a function, found ${show(search)}`);
  return {
    async retrieve(query, options) {
      const started = performance.now();
      const { filters, now, signal } = readRequest(query, options);
      const searches = new Searches(search, now, signal, config.timeout_seconds, started);
      try {
        const retrieved = await new Retrieval(engine, config, searches, query, filters).run(
          started,
        );
        searches.requireWanted();
        return retrieved;
      } finally {
        searches.close();
      }
    },
  };
}

function readRequest<Filters extends object>(
  query: string,
  given: RetrieveOptions<Filters> | undefined,
) {
  if (typeof query !== "string") throw invalid("query", `must be a string, found ${show(query)}`);
  const { filters, now, signal } = optionsOf<RetrieveOptions<Filters>>(
    "options",
    given,
    RETRIEVE_KEYS,
  );
  if (filters != null && (typeof filters !== "object" || Array.isArray(filters))) {
    throw invalid("filters", `must be an object, found ${show(filters)}`);
  }
  return { filters: filters ?? undefined, now: presentOf(now), signal: signalOf(signal) };
}

/** A part with the results that are used for it. */
interface Part<Row> {
  first: Answer<Row>;
  rows: readonly Row[];
  trace: PartTrace;
}

/** The results of all searches for a question. */
interface Gathered<Row> {
  mode: RetrievalTrace["mode"];
  parts: readonly Part<Row>[];
  /** The one search whose results are returned as they came. */
  plain?: Answer<Row>;
}

class Retrieval<Row extends FoundRow, Filters extends object> {
  constructor(
    readonly engine: OrchestratorEngine,
    readonly config: ModuleOrchestratorConfig,
    readonly searches: Searches<Row, Filters>,
    readonly query: string,
    readonly filters: Readonly<Filters> | undefined,
  ) {}

  async run(started: number): Promise<Retrieved<Row>> {
    const { engine, config, query, searches, filters } = this;
    const { max_parts: maxParts, by_subject: bySubject, max_replacements: budget } = config;
    const understanding = engine.understand(query, { maxParts, bySubject });
    const understood = performance.now();

    const { mode, parts, plain } = await this.#gather(understanding);
    const searched = performance.now();

    const { selected, merge, unboosted } =
      plain === undefined
        ? this.#merge(parts, understanding.intents)
        : {
            selected: asTheyCame(plain.rows, config.max_results),
            merge: null,
            unboosted: new Map(),
          };
    const merged = performance.now();

    // Results of a plain search are not replaced.
    const floor = plain === undefined ? config.replacement_floor : null;
    const replacing = { settleWeak: engine.settleWeak, searches, filters, floor, budget };
    const { nodes, ...changes } = await replaceWeak(selected, replacing);
    const settled = performance.now();

    const { query_type, disqualifier_category, entity, attribute, confidence, intents } =
      understanding;
    const trace: RetrievalTrace = {
      query,
      mode,
      classification: { query_type, disqualifier_category, entity, attribute, confidence, intents },
      parts: parts.map((part) => part.trace),
      ...(mode === "fallback" ? { fallback: plain!.trace } : {}),
      merge,
      ...changes,
      confidence: this.#confidence(nodes, unboosted, attribute !== null),
      ms: {
        understand: understood - started,
        search: searched - understood,
        merge: merged - searched,
        replace: settled - merged,
        total: settled - started,
      },
    };
    return { nodes, groups: idsByGroup(nodes, parts.length), trace };
  }

  async #gather(understanding: Understanding): Promise<Gathered<Row>> {
    const { config, query } = this;
    if (!config.enabled) {
      const plain = await this.#plainSearch();
      const { rows, trace } = plain;
      const parts = [{ first: plain, rows, trace }];
      if (!isAnswered(plain)) throw searchFailed(parts);
      return { mode: "plain", parts, plain };
    }
    // Equal parts are one part, with one search. A part of commas only is empty and is skipped.
    const asked = understanding.parts.filter((text) => text !== "");
    const texts = [...new Set(asked.length > 0 ? asked : [query])];
    const parts = await Promise.all(
      texts.map((text) => this.#part(text, text === query ? understanding : undefined)),
    );
    if (parts.some(({ first }) => isAnswered(first))) return { mode: "parts", parts };
    if (config.fallback === "plain") {
      const plain = await this.#plainSearch();
      if (isAnswered(plain)) return { mode: "fallback", parts, plain };
    }
    throw searchFailed(parts);
  }

  #plainSearch(): Promise<Answer<Row>> {
    return this.searches.ask(this.query, this.config.max_results, this.filters);
  }

  /** Searches for a part, and again in other words if that found too little. */
  async #part(text: string, known: ClassifiedQuery | undefined): Promise<Part<Row>> {
    const { engine, config, searches, filters } = this;
    const { search_limit_per_query: limit, quality_threshold } = config;
    const first = await searches.ask(text, limit, filters);
    const isTooLittle = isAnswered(first) && topOf(first) < quality_threshold;
    const part = { first, rows: first.rows, trace: first.trace };
    if (!isTooLittle || config.max_retries === 0) return part;

    const query = engine.reformulate(text, known ?? engine.classifyQuery(text)) ?? text;
    const wider = withoutSubtypes(filters);
    if (query === text && wider === filters) return part;
    const second = await searches.ask(query, limit, wider);
    const isMerged = config.retry === "merge" && second.rows.length > 0;
    const stands = isMerged || topOf(second) > topOf(first);
    const retry: RetryTrace = { ...second.trace, filters_dropped: wider !== filters, stands };
    const rows = isMerged
      ? bestOfEach([...first.rows, ...second.rows])
      : stands
        ? second.rows
        : first.rows;
    return { first, rows, trace: { ...first.trace, retry } };
  }

  #merge(parts: readonly Part<Row>[], intents: readonly MemorySection[]) {
    const { engine, query, config } = this;
    const { relevance_ratio: relevanceRatio, max_results: maxResults } = config;
    const { getSectionForSubtype, intentBoosts } = engine;
    const subResults = parts.map(({ trace, rows }) => [trace.query, rows] as const);
    const selected = engine.mergeAndSelect(subResults, { query, relevanceRatio, maxResults });
    const groups = parts.map(({ rows }) => rows);
    const terms = { relevanceRatio, intents, intentBoosts, getSectionForSubtype };
    const { trace, unboosted } = accountOf(groups, selected, terms);
    return { selected, merge: trace, unboosted };
  }

  #confidence(
    nodes: readonly MergedRow<Row>[],
    unboosted: ReadonlyMap<MergedRow<Row>, number>,
    hasAttribute: boolean,
  ): RetrievalConfidence {
    const { length } = nodes;
    let [top, second] = [-Number.MAX_VALUE, -Number.MAX_VALUE];
    for (const node of nodes) {
      // A boost raises what the question asks for. It is no sign of a better match.
      const score = unboosted.get(node) ?? node.score;
      if (score > top) [top, second] = [score, top];
      else if (score > second) second = score;
    }
    if (length === 0) top = 0;
    return this.engine.calculateRetrievalConfidence(
      top,
      length > 1 ? second : null,
      length,
      hasAttribute,
    );
  }
}

/** Returns the results of one search as new objects in the form of merged ones. */
function asTheyCame<Row extends FoundRow>(
  rows: readonly Row[],
  maxResults: number,
): MergedRow<Row>[] {
  return rows
    .slice(0, maxResults)
    .map((row) => copyWith(row, { score: finiteScore(row.score), _sub_query_group: 0 }));
}

/**
 * Returns for each memory the result with the best score, the first if several are equal; best
 * memory first.
 */
function bestOfEach<Row extends FoundRow>(rows: readonly Row[]): Row[] {
  const best = new Map<unknown, { row: Row; score: number }>();
  for (const row of rows) {
    const score = finiteScore(row.score);
    const known = best.get(row.id);
    if (known === undefined || score > known.score) best.set(row.id, { row, score });
  }
  return [...best.values()].sort((one, other) => other.score - one.score).map(({ row }) => row);
}

/** The best score of an answer; −∞ without results. */
const topOf = ({ trace }: Answer<unknown>): number => trace.top_score ?? Number.NEGATIVE_INFINITY;

/** Returns the filters without `subtype` and `subtypes`; the same object if it has neither. */
function withoutSubtypes<Filters extends object>(
  filters: Readonly<Filters> | undefined,
): Readonly<Filters> | undefined {
  if (filters === undefined) return undefined;
  const { subtype, subtypes } = filters as Record<string, unknown>;
  if (subtype == null && subtypes == null) return filters;
  // Getters and inherited fields stay, because a second attempt must not search where the first may
  // not.
  const prototype: object | null = Object.getPrototypeOf(filters);
  const fields: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(filters);
  for (const key of SUBTYPE_KEYS) {
    delete fields[key];
    if (key in (prototype ?? {})) fields[key] = { value: undefined };
  }
  return Object.create(prototype, fields);
}

function idsByGroup<Row extends FoundRow>(
  nodes: readonly MergedRow<Row>[],
  count: number,
): string[][] {
  const groups: string[][] = [];
  for (let group = 0; group < count; group++) groups.push([]);
  for (const { id, _sub_query_group } of nodes) groups[_sub_query_group]!.push(id!);
  return groups.filter((ids) => ids.length > 0);
}

/**
 * Returns the error for a retrieval without an answered part. Its cause is the first failure; if
 * there is none, the timeout.
 */
function searchFailed(parts: readonly Part<FoundRow>[]): NousError {
  const answers = parts.map(({ first }) => first);
  const failed = answers.filter(({ trace }) => trace.outcome === "failed");
  const { error } = failed[0] ?? answers[0]!;
  const late = answers.length - failed.length;
  const message = `search answered none of ${answers.length} (${failed.length} failed, ${late} late): ${reasonOf(error)}`;
  return new NousError("search_failed", message, { field: "search" }, { cause: error });
}
