// The searches of one retrieval: all under one deadline and the caller's signal, each with a signal of its own.

import { invalid, invalidShape, show } from "../errors.ts";
import { numberOf } from "../merge.ts";
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
interface Open<Row> {
  query: string;
  began: number;
  cancellation: Cancellation;
  resolve: (answer: Answer<Row>) => void;
  reject: (reason: unknown) => void;
}

/** Whether a search gave an answer, were it an empty one. @internal */
export const isAnswered = ({ trace: { outcome } }: Answer<unknown>): boolean => outcome === "ok" || outcome === "empty";

/** To be closed however the retrieval ends. @internal */
export class Searches<Row extends FoundRow, Filters extends object> {
  readonly #open = new Set<Open<Row>>();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #deadline: number;
  /** Why what comes late is late; there from the deadline on. */
  #timeout: DOMException | undefined;

  /** `started` is when the retrieval began, by `performance.now()`. */
  constructor(
    readonly search: RetrievalSearch<Row, Filters>,
    readonly now: number,
    readonly signal: AbortSignal | undefined,
    readonly timeoutSeconds: number,
    started: number,
  ) {
    this.#deadline = started + timeoutSeconds * 1000;
    signal?.addEventListener("abort", this.#abort);
    this.#timer = setTimeout(this.#endInTime, this.#deadline - performance.now());
  }

  /** Begins a search; rejected with the caller's reason alone, when the signal is aborted. */
  ask(query: string, limit: number, filters: Readonly<Filters> | undefined): Promise<Answer<Row>> {
    return new Promise((resolve, reject) => {
      this.requireWanted();
      const cancellation = new Cancellation();
      const open: Open<Row> = { query, began: performance.now(), cancellation, resolve, reject };
      this.#open.add(open);
      // The clock is asked as well: while searches do not yield, the timer is not heard.
      if (this.#timeout !== undefined || open.began >= this.#deadline) {
        this.#conclude(open, "late", [], null, this.#timeoutError());
        return;
      }
      try {
        const { search, now } = this;
        const found: unknown = search(query, {
          limit,
          filters,
          now,
          get signal() {
            return cancellation.signal;
          },
        });
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
    if (this.signal?.aborted) throw this.signal.reason;
  }

  /** Leaves no timer and no listener behind, and no search that believes to be waited for. */
  close(): void {
    clearTimeout(this.#timer);
    this.signal?.removeEventListener("abort", this.#abort);
    for (const { cancellation } of this.#takeOpen()) cancellation.abort();
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
  #conclude(open: Open<Row>, outcome: SearchOutcome, rows: readonly Row[], top: number | null, error?: unknown): void {
    if (!this.#open.delete(open)) return;
    const { query, began, resolve } = open;
    const trace: SearchTrace = { query, outcome, results: rows.length, top_score: top, ms: performance.now() - began };
    if (outcome === "failed") trace.error = reasonOf(error);
    resolve({ rows, error, trace });
  }

  #timeoutError(): DOMException {
    this.#timeout ??= new DOMException(`no answer within ${this.timeoutSeconds} s`, "TimeoutError");
    return this.#timeout;
  }

  readonly #endInTime = (): void => {
    const error = this.#timeoutError();
    const late = [...this.#open];
    for (const open of late) this.#conclude(open, "late", [], null, error);
    for (const { cancellation } of late) cancellation.abort(error);
  };

  readonly #abort = (): void => {
    const reason: unknown = this.signal?.reason;
    const unwanted = this.#takeOpen();
    for (const { reject } of unwanted) reject(reason);
    for (const { cancellation } of unwanted) cancellation.abort(reason);
  };

  #takeOpen(): Open<Row>[] {
    const open = [...this.#open];
    this.#open.clear();
    return open;
  }
}

/** A signal that is made when somebody asks for it: making one costs more than a search in memory. */
class Cancellation {
  #controller: AbortController | undefined;
  /** Set when it was ended before anybody asked. */
  #ended: { reason: unknown } | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ended !== undefined) this.#controller.abort(this.#ended.reason);
    }
    return this.#controller.signal;
  }

  abort(reason?: unknown): void {
    if (this.#controller === undefined) this.#ended = { reason };
    else this.#controller.abort(reason);
  }
}

/** Results with an id, and the best of their scores. */
function readRows<Row extends FoundRow>(found: unknown): { rows: Row[]; top: number | null } {
  if (!Array.isArray(found)) throw invalid("search", `must give an array of results, found ${show(found)}`);
  const rows: Row[] = [];
  let top: number | null = null;
  for (let place = 0; place < found.length; place++) {
    const row: Row = found[place];
    if (typeof row !== "object" || row === null) throw invalidShape("results", place, row);
    if (row.id == null || row.id === "") continue;
    rows.push(row);
    const score = numberOf(row.score);
    if (top === null || score > top) top = score;
  }
  return { rows, top };
}

/** A signal that may end something, by what it does: it may be of another realm. @internal */
export function signalOf(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || signal === null) return undefined;
  const { aborted, addEventListener, removeEventListener } = signal as Partial<AbortSignal>;
  const methods = [addEventListener, removeEventListener];
  if (typeof aborted === "boolean" && methods.every((method) => typeof method === "function")) {
    return signal as AbortSignal;
  }
  throw invalid("signal", `must be an AbortSignal, found ${show(signal)}`);
}

/** Why something failed, in words. @internal */
export function reasonOf(error: unknown): string {
  const message: unknown =
    typeof error === "object" && error !== null && "message" in error ? error.message : undefined;
  return typeof message === "string" && message !== "" ? message : show(error);
}
