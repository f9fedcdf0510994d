// The searches of one retrieval: all under one deadline and the caller's signal, each with a signal
// of its own.

import { finiteScore } from "../arguments.ts";
import { Cancellation, Deadline, type Waiting, withSignal } from "../deadline.ts";
import { invalid, invalidShape, reasonOf, show } from "../errors.ts";
import type { CancelSignal } from "../types.ts";
import type { FoundRow, RetrievalSearch, SearchOutcome, SearchTrace } from "./types.ts";

/** What a search came to. @internal */
export interface Answer<Row> {
  /** Results with an id, in their order; none unless the outcome is `ok`. */
  rows: readonly Row[];
  /** Why there is no answer, where it failed or is late. */
  error?: unknown;
  trace: SearchTrace;
}

/** A search that is waited for. */
interface Open<Row> extends Waiting {
  query: string;
  began: number;
  resolve: (answer: Answer<Row>) => void;
}

/** Whether a search gave an answer, were it an empty one. @internal */
export const isAnswered = ({ trace: { outcome } }: Answer<unknown>): boolean =>
  outcome === "ok" || outcome === "empty";

/** To be closed however the retrieval ends. @internal */
export class Searches<Row extends FoundRow, Filters extends object> {
  readonly #deadline: Deadline;

  /** `started` is when the retrieval began, by `performance.now()`. */
  constructor(
    readonly search: RetrievalSearch<Row, Filters>,
    readonly now: number,
    signal: CancelSignal | undefined,
    timeoutSeconds: number,
    started: number,
  ) {
    this.#deadline = new Deadline(timeoutSeconds, signal, started);
  }

  /** Begins a search; rejected with the caller's reason alone, when the signal is aborted. */
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

  /** Throws the caller's reason once the signal is aborted. */
  requireWanted(): void {
    this.#deadline.requireWanted();
  }

  /** Leaves no timer and no listener behind, and no search that believes to be waited for. */
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

  /** Answers a search that is still waited for. */
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

/** Results with an id, and the best of their scores. */
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
 * Throws what a result's getters throw, so that they fail its search and not the whole retrieval.
 */
const readAll = (row: FoundRow): unknown => [{ ...row }, row.content_title, row.title];
