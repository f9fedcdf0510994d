// Types of the orchestrator: what callers pass (search, options) and get (selection, trace). Data
// is in snake_case, options are in camelCase.

import type { MergedRow, MergeRow } from "../merge.ts";
import type { RetrievalConfidence, Understanding } from "../query.ts";
import type { CancelSignal, Instant } from "../types.ts";

/** The fields of a search result that the orchestrator reads. */
export interface FoundRow extends MergeRow {
  /** Title of the memory. The orchestrator searches for the title of a weak result. */
  content_title?: string | null | undefined;
  /** Used if `content_title` is missing. */
  title?: string | null | undefined;
}

/** Options that the orchestrator passes to the caller's search. */
export interface RetrievalSearchOptions<Filters extends object = Record<string, unknown>> {
  /** The number of results to return at most. */
  limit: number;
  /** The filters of the retrieval. A second attempt may lack `subtype` and `subtypes`. */
  filters: Readonly<Filters> | undefined;
  /** The present in milliseconds since 1970, the same for all searches of a retrieval. */
  now: number;
  /**
   * Aborted when the orchestrator no longer waits for this search: with a `TimeoutError`, or with
   * the caller's reason.
   */
  signal: CancelSignal;
}

/**
 * The caller's search. It returns results, best first. A search fails if it throws, is rejected, or
 * returns anything but an array of objects. Results without an id are skipped. Scores are read as
 * in {@link MergeRow}.
 *
 * @example
 * ```ts
 * const search: RetrievalSearch = async (query, { signal }) => {
 *   const response = await fetch(url, { method: "POST", body: toBody(query), signal });
 *   return await response.json();
 * };
 * ```
 */
export type RetrievalSearch<
  Row extends FoundRow = FoundRow,
  Filters extends object = Record<string, unknown>,
> = (
  query: string,
  options: RetrievalSearchOptions<Filters>,
) => readonly Row[] | PromiseLike<readonly Row[]>;

/**
 * Options of one retrieval.
 *
 * @example
 * ```ts
 * await orchestrator.retrieve(question, {
 *   filters: { types: ["concept"] },
 *   now: "2026-01-15T09:30:00Z",
 *   signal: AbortSignal.timeout(5000),
 * });
 * ```
 */
export interface RetrieveOptions<Filters extends object = Record<string, unknown>> {
  /**
   * Filters that are passed to every search unchanged. Only a second attempt leaves out `subtype`
   * and `subtypes`.
   */
  filters?: Readonly<Filters> | null | undefined;
  /** The present. Default: the clock. */
  now?: Instant | undefined;
  /** Aborts the retrieval and all its searches. */
  signal?: CancelSignal | null | undefined;
}

/** Result of a retrieval. */
export interface Retrieved<Row extends FoundRow = FoundRow> {
  /**
   * The selection: new objects, best first. Results that were added so that every part is
   * represented come last. If a weak result was replaced, all results are in the order of their
   * scores.
   */
  nodes: MergedRow<Row>[];
  /**
   * Ids of the selection, grouped by the part that found them, for
   * `index.strengthen(groups, 0.03)`. Parts without results are left out. `coRecallPairs(nodes)`
   * returns the same as pairs.
   */
  groups: string[][];
  /** The record of what the orchestrator did and why. */
  trace: RetrievalTrace;
}

/** A retrieval in several passes over the caller's search. */
export interface Orchestrator<
  Row extends FoundRow = FoundRow,
  Filters extends object = Record<string, unknown>,
> {
  /**
   * Answers a question in several passes: divides it into parts, searches for all parts at once,
   * searches again in other words where a part found too little, merges the results, and replaces
   * weak ones. A part whose search fails or exceeds the time limit does not affect the others. The
   * selection depends only on the answers of the searches, not on the order in which they arrive.
   *
   * The promise is rejected with the signal's reason if the signal is aborted, with `search_failed`
   * if no part was answered (the first failure is its `cause`), and with `invalid_argument` for a
   * wrong argument.
   *
   * @example
   * ```ts
   * const { nodes, trace } = await orchestrator.retrieve("my BTC thesis and my last SOL trade", {
   *   filters: { types: ["concept"] },
   * });
   * ```
   */
  retrieve(query: string, options?: RetrieveOptions<Filters>): Promise<Retrieved<Row>>;
}

/**
 * Outcome of a search. `late`: it exceeded the time limit, or there was no time left to start it.
 */
export type SearchOutcome = "ok" | "empty" | "failed" | "late";

/** The record of one search. */
export interface SearchTrace {
  /** The text that was searched for. */
  query: string;
  /** How the search ended. */
  outcome: SearchOutcome;
  /** Number of results with an id. */
  results: number;
  /** The highest score among them; null without results. */
  top_score: number | null;
  /** The reason of a failure, in words. */
  error?: string;
  /** Milliseconds until the answer, or until the orchestrator stopped waiting. */
  ms: number;
}

/** The record of the second search for a part. */
export interface RetryTrace extends SearchTrace {
  /** Whether `subtype` and `subtypes` were left out of the filters. */
  filters_dropped: boolean;
  /** Whether its results were used: merged with the first ones, or in place of them. */
  stands: boolean;
}

/**
 * The record of a part and its first search. Its index is the `_sub_query_group` of its results.
 */
export interface PartTrace extends SearchTrace {
  /** The second search, if there was one. */
  retry?: RetryTrace;
}

/** The record of the search for a weak result's title. */
export interface TitleTrace extends SearchTrace {
  /** Id of the weak result. */
  id: string;
}

/** The record of merging. */
export interface MergeTrace {
  /** Number of results of all parts together. */
  found: number;
  /** Number of different memories among them. */
  kept: number;
  /** The lowest score that is selected without regard to parts. */
  cutoff: number;
  /**
   * Selected memories whose section is an intent of the question, with the scores before and after
   * the boost.
   */
  boosted: {
    /** Id of the memory. */
    id: string;
    /** The score before the boost. */
    from: number;
    /** The score after the boost. */
    to: number;
  }[];
  /** Ids that were added so that every part is represented. */
  covered: string[];
  /**
   * Memories that were left out, in the order in which they were found: the first 100, each with
   * the score that decided.
   */
  cut: {
    /** Id of the memory. */
    id: string;
    /** The best score of the memory, after the boost. */
    score: number;
    /** Whether the score was below `cutoff`, or the limit of results was reached. */
    why: "below_cutoff" | "max_results";
  }[];
  /** Number of all memories that were left out. */
  cut_total: number;
}

/**
 * The record of a retrieval, as plain data. Equal answers of the searches give an equal record,
 * except for the milliseconds.
 */
export interface RetrievalTrace {
  /** The question. */
  query: string;
  /**
   * `parts`: all passes. `plain`: one search, because the orchestrator is disabled. `fallback`: one
   * search, because all parts failed.
   */
  mode: "parts" | "plain" | "fallback";
  /** The classification of the question. */
  classification: Pick<
    Understanding,
    "query_type" | "disqualifier_category" | "entity" | "attribute" | "confidence" | "intents"
  >;
  /** The parts that were searched for. If the question was not divided, it is the only part. */
  parts: PartTrace[];
  /** The one search after all parts failed. */
  fallback?: SearchTrace;
  /** The record of merging; null if the results were returned as they came. */
  merge: MergeTrace | null;
  /**
   * Searches for the titles of weak results. A weak result whose search fails stays in the
   * selection.
   */
  titles: TitleTrace[];
  /** Weak results that were replaced by others. */
  replaced: {
    /** Id of the weak result. */
    id: string;
    /** Score of the weak result. */
    score: number;
    /** Id of the memory in its place. */
    by: string;
    /** Score of the memory in its place. */
    by_score: number;
  }[];
  /**
   * Weak results that were removed without replacement: nothing better was found, there was no
   * title, or the limit of replacements was reached.
   */
  dropped: {
    /** Id of the weak result. */
    id: string;
    /** Score of the weak result. */
    score: number;
    /** The reason. `budget`: the limit of replacements was reached. */
    why: "nothing_better" | "no_title" | "budget";
  }[];
  /** The confidence in the selection, by its two highest scores before any boost. */
  confidence: RetrievalConfidence;
  /** Milliseconds of each step. */
  ms: {
    /** Classifying and dividing the question. */
    understand: number;
    /** The searches for the parts. */
    search: number;
    /** Merging the results. */
    merge: number;
    /** Replacing weak results, with its searches. */
    replace: number;
    /** The whole retrieval. */
    total: number;
  };
}
