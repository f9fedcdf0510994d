// What the orchestrator takes and gives. Data is in snake_case, options are in camelCase.

import type { MergedRow, MergeRow } from "../merge.ts";
import type { RetrievalConfidence, Understanding } from "../query.ts";
import type { CancelSignal, Instant } from "../types.ts";

/** A result of a search, as much of it as the orchestrator reads. */
export interface FoundRow extends MergeRow {
  /** What a weak result is searched for again by. */
  content_title?: string | null | undefined;
  /** Stands in for a missing `content_title`. */
  title?: string | null | undefined;
}

/** What a search is told. */
export interface RetrievalSearchOptions<Filters extends object = Record<string, unknown>> {
  /** How many results are asked for. */
  limit: number;
  /** The retrieval's own filters, perhaps without `subtype` and `subtypes`. */
  filters: Readonly<Filters> | undefined;
  /** The present in milliseconds since 1970, the same for all searches of a retrieval. */
  now: number;
  /**
   * Aborted when this search's answer is no longer waited for: with a `TimeoutError`, or with the
   * caller's reason.
   */
  signal: CancelSignal;
}

/**
 * The caller's own search. What it throws, is rejected with, or gives that is no array of objects
 * makes this one search failed. Results without an id are passed over; scores are read as in
 * merging.
 */
export type RetrievalSearch<
  Row extends FoundRow = FoundRow,
  Filters extends object = Record<string, unknown>,
> = (
  query: string,
  options: RetrievalSearchOptions<Filters>,
) => readonly Row[] | PromiseLike<readonly Row[]>;

/** What one retrieval can be told. */
export interface RetrieveOptions<Filters extends object = Record<string, unknown>> {
  /**
   * Handed to the searches as they are; only a second attempt leaves out `subtype` and `subtypes`.
   */
  filters?: Readonly<Filters> | null | undefined;
  /** The present. Default: the clock. */
  now?: Instant | undefined;
  /** Ends the retrieval and all its searches. */
  signal?: CancelSignal | null | undefined;
}

/** What a retrieval came to. */
export interface Retrieved<Row extends FoundRow = FoundRow> {
  /**
   * The selection: new objects, best first, but what was added for the sake of a part comes last.
   * Where a weak result was replaced, all of them stand by score.
   */
  nodes: MergedRow<Row>[];
  /**
   * Ids of the selection by the part that found them, for `index.strengthen(groups, 0.03)`; parts
   * with none are left out. `coRecallPairs(nodes)` gives the same as pairs.
   */
  groups: string[][];
  /** How it came about. */
  trace: RetrievalTrace;
}

/** Retrieval in several passes over a search of the caller's. */
export interface Orchestrator<
  Row extends FoundRow = FoundRow,
  Filters extends object = Record<string, unknown>,
> {
  /**
   * Divides a question, searches for all parts at once, again in other words where that found too
   * little, merges what was found, and replaces what is weak. A part that fails or is late costs
   * only itself. The same answers of the searches give the same selection, in whatever order they
   * arrive.
   *
   * The promise is rejected with the signal's reason when that is aborted, with `search_failed`
   * when no part was answered (the first failure is its `cause`), and with `invalid_argument` for a
   * wrong argument.
   */
  retrieve(query: string, options?: RetrieveOptions<Filters>): Promise<Retrieved<Row>>;
}

/**
 * What a search came to; `late` when it had not answered in time, or could not be begun any more.
 */
export type SearchOutcome = "ok" | "empty" | "failed" | "late";

/** One search. */
export interface SearchTrace {
  query: string;
  outcome: SearchOutcome;
  /** Results with an id. */
  results: number;
  /** The best of their scores. */
  top_score: number | null;
  /** Why it failed. */
  error?: string;
  /** Milliseconds until it was answered or given up. */
  ms: number;
}

/** The second search for a part. */
export interface RetryTrace extends SearchTrace {
  /** Whether `subtype` and `subtypes` were left out. */
  filters_dropped: boolean;
  /** Whether its results count: merged with the first ones, or in their place. */
  stands: boolean;
}

/** A part and its first search; its place is the `_sub_query_group` of what it found. */
export interface PartTrace extends SearchTrace {
  retry?: RetryTrace;
}

/** The search for a weak result's title. */
export interface TitleTrace extends SearchTrace {
  /** The weak result. */
  id: string;
}

/** How results became a selection. */
export interface MergeTrace {
  /** Results of all parts together. */
  found: number;
  /** Different memories among them. */
  kept: number;
  /** The least score that was selected for its own sake. */
  cutoff: number;
  /** Selected memories whose section the question asks for: the score before and after. */
  boosted: { id: string; from: number; to: number }[];
  /** Ids that were added so that each part has a say. */
  covered: string[];
  /**
   * Memories left out, in the order in which they were found: the first 100, with the score that
   * decided.
   */
  cut: { id: string; score: number; why: "below_cutoff" | "max_results" }[];
  /** How many were left out in all. */
  cut_total: number;
}

/**
 * How a retrieval came about, as plain data. All but the milliseconds is the same for the same
 * answers of the searches.
 */
export interface RetrievalTrace {
  query: string;
  /**
   * `parts`: all passes. `plain`: one search, since the orchestrator is off. `fallback`: one
   * search, since all parts failed.
   */
  mode: "parts" | "plain" | "fallback";
  classification: Pick<
    Understanding,
    "query_type" | "disqualifier_category" | "entity" | "attribute" | "confidence" | "intents"
  >;
  /** What was searched for: different parts of the question, or the question itself. */
  parts: PartTrace[];
  /** The search that served when all parts had failed. */
  fallback?: SearchTrace;
  /** Null where results were given as they came. */
  merge: MergeTrace | null;
  /**
   * Searches for the titles of weak results; one that is not answered leaves its result where it
   * is.
   */
  titles: TitleTrace[];
  /** Weak results that others stand in for. */
  replaced: { id: string; score: number; by: string; by_score: number }[];
  /**
   * Weak results that are gone: nothing better was found, there was no title, or enough had been
   * replaced already.
   */
  dropped: { id: string; score: number; why: "nothing_better" | "no_title" | "budget" }[];
  /** How far the selection can be trusted, by its two best scores before any boost. */
  confidence: RetrievalConfidence;
  /** How long each step took. */
  ms: { understand: number; search: number; merge: number; replace: number; total: number };
}
