// The searches of one retrieval: all under one time limit and the caller's signal, each with a
// signal of its own.

import { finiteScore } from "../arguments.ts";
import { Cancellation, Deadline, type Waiting, withSignal } from "../deadline.ts";
import { invalid, invalidShape, reasonOf, show } from "../errors.ts";
import type { CancelSignal } from "../types.ts";
import type { FoundRow, RetrievalSearch, SearchOutcome, SearchTrace } from "./types.ts";

/** Result of a search. @internal */
export interface Answer<Row> {
  /** Results with an id, in their order; empty unless the outcome is `ok`. */
  rows: readonly Row[];
  /** The reason if the search failed or exceeded the time limit. */
  error?: unknown;
  trace: SearchTrace;
}

/** A search without an answer yet. */
interface Open<Row> extends Waiting {
  query: string;
  began: number;
  resolve: (answer: Answer<Row>) => void;
}

/** Returns whether a search was answered, also with no results. @internal */
export const isAnswered = ({ trace: { outcome } }: Answer<unknown>): boolean =>
  outcome === "ok" || outcome === "empty";

/** The searches of a retrieval. Call `close` at its end, also after an error. @internal */
export class Searches<Row extends FoundRow, Filters extends object> {
  readonly #deadline: Deadline;

  /** `started` is the start of the retrieval, by `performance.now()`. */
  constructor(
    readonly search: RetrievalSearch<Row, Filters>,
    readonly now: number,
    signal: CancelSignal | undefined,
    timeoutSeconds: number,
    started: number,
  ) {
    this.#deadline = new Deadline(timeoutSeconds, signal, started);
  }

  /**
   * Starts a search. The promise is rejected only with the caller's reason, if the signal is
   * aborted.
   */
  ask(query: string, limit: number, filters: Readonly<Filters> | undefined): Promise<Answer<Row>> {
    return new Promise((resolve, reject) => {
      this.requireWanted();
      const cancellation = new Cancellation();
      const late = (error: DOMException) => this.#conclude(open, "late", [], null, error);
      const open: Open<Row> = {
        query,
        began: performance.now(),
        cancellation,
        resolve,
        late,
        unwanted: reject,
      };
      if (!this.#deadline.begin(open, open.began)) return;
      try {
        const { search, now } = this;
        const found: unknown = search(query, withSignal(cancellation, { limit, filters, now }));
        if (Array.isArray(found)) this.#read(open, found);
        else {
          Promise.resolve(found).then(
            (rows) => this.#read(open, rows),
            (error) => this.#fail(open, error),
          );
        }
      } catch (error) {
        this.#fail(open, error);
      }
    });
  }

  /** Throws the caller's reason if the signal is aborted. */
  requireWanted(): void {
    this.#deadline.requireWanted();
  }

  /** Removes timers and listeners, and aborts the open searches. */
  close(): void {
    this.#deadline.close();
  }

  #read(open: Open<Row>, found: unknown): void {
    try {
      const { rows, top } = readRows<Row>(found);
      this.#conclude(open, rows.length === 0 ? "empty" : "ok", rows, top);
    } catch (error) {
      this.#fail(open, error);
    }
  }

  #fail(open: Open<Row>, error: unknown): void {
    this.#conclude(open, "failed", [], null, error);
  }

  /** Settles a search, unless it was settled before. */
  #conclude(
    open: Open<Row>,
    outcome: SearchOutcome,
    rows: readonly Row[],
    top: number | null,
    error?: unknown,
  ): void {
    if (!this.#deadline.conclude(open)) return;
    const { query, began, resolve } = open;
    const trace: SearchTrace = {
      query,
      outcome,
      results: rows.length,
      top_score: top,
      ms: performance.now() - began,
    };
    if (outcome === "failed") trace.error = reasonOf(error);
    resolve({ rows, error, trace });
  }
}

/** Returns the results with an id, and their best score. */
function readRows<Row extends FoundRow>(found: unknown): { rows: Row[]; top: number | null } {
  if (!Array.isArray(found))
    throw invalid("search", `must give an array of results, found ${show(found)}`);
  const rows: Row[] = [];
  let top: number | null = null;
  for (let place = 0; place < found.length; place++) {
    const row: Row = found[place];
    if (typeof row !== "object" || row === null) throw invalidShape("results", place, row);
    if (row.id == null || row.id === "") continue;
    readAll(row);
    rows.push(row);
    const score = finiteScore(row.score);
    if (top === null || score > top) top = score;
  }
  return { rows, top };
}

/**
 * Reads a result once. An error of its getters then fails its search and not the whole retrieval.
 */
const readAll = (row: FoundRow): unknown => [{ ...row }, row.content_title, row.title];
