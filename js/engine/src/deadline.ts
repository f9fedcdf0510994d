// A time limit and a caller's signal over things that are waited for, each with a signal of its
// own.

import { invalid, show } from "./errors.ts";
import type { CancelSignal } from "./types.ts";

/** As long as a timer can wait, in whole seconds. */
const MOST_SECONDS = Math.floor((2 ** 31 - 1) / 1000);

/** Something that is waited for. @internal */
export interface Waiting {
  readonly cancellation: Cancellation;
  /** The time is over. */
  late(error: DOMException): void;
  /** The caller's signal is aborted. */
  unwanted(reason: unknown): void;
}

/** To be closed however the work ends. @internal */
export class Deadline {
  readonly #waiting = new Set<Waiting>();
  readonly #timers: ReturnType<typeof setTimeout>[] = [];
  readonly #end: number;
  /** Why what comes late is late; there from the deadline on. */
  #error: DOMException | undefined;

  /** `started` is when the work began, by `performance.now()`. */
  constructor(
    readonly timeoutSeconds: number,
    readonly signal: CancelSignal | undefined,
    started: number,
  ) {
    this.#end = started + timeoutSeconds * 1000;
    signal?.addEventListener("abort", this.#abort);
    this.#timers.push(setTimeout(this.#endInTime, this.#end - performance.now()));
  }

  /** Resolves when so large a share of the time is over; never, when the work ends before. */
  passed(share: number): Promise<undefined> {
    const left = this.#end - (1 - share) * this.timeoutSeconds * 1000 - performance.now();
    return new Promise((resolve) => {
      this.#timers.push(setTimeout(resolve, left, undefined));
    });
  }

  /**
   * Begins to wait; what is begun when the time is over is late at once. Whether anything is waited
   * for.
   */
  begin(waiting: Waiting, at = performance.now()): boolean {
    this.#waiting.add(waiting);
    // The clock is asked as well: while nobody yields, the timer is not heard.
    if (this.#error === undefined && at < this.#end) return true;
    waiting.late(this.#timeoutError());
    return false;
  }

  /** Ends the waiting; whether there was any. */
  conclude(waiting: Waiting): boolean {
    return this.#waiting.delete(waiting);
  }

  /** Throws the caller's reason once the signal is aborted. */
  requireWanted(): void {
    if (this.signal?.aborted) throw this.signal.reason;
  }

  /** Leaves no timer and no listener behind, and nobody who believes to be waited for. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.signal?.removeEventListener("abort", this.#abort);
    for (const { cancellation } of this.#takeAll()) cancellation.abort();
  }

  #timeoutError(): DOMException {
    this.#error ??= new DOMException(`no answer within ${this.timeoutSeconds} s`, "TimeoutError");
    return this.#error;
  }

  readonly #endInTime = (): void => {
    const error = this.#timeoutError();
    const late = [...this.#waiting];
    for (const waiting of late) waiting.late(error);
    for (const { cancellation } of late) cancellation.abort(error);
  };

  readonly #abort = (): void => {
    const reason: unknown = this.signal?.reason;
    const unwanted = this.#takeAll();
    for (const waiting of unwanted) waiting.unwanted(reason);
    for (const { cancellation } of unwanted) cancellation.abort(reason);
  };

  #takeAll(): Waiting[] {
    const all = [...this.#waiting];
    this.#waiting.clear();
    return all;
  }
}

/**
 * A signal that is made when somebody asks for it: making one costs more than a search in memory.
 * @internal
 */
export class Cancellation {
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

/** Options of a call, with a signal that is made when it is asked for. @internal */
export function withSignal<Options extends object>(
  cancellation: { readonly signal: CancelSignal },
  options: Options,
): Options & { readonly signal: CancelSignal } {
  return {
    ...options,
    get signal() {
      return cancellation.signal;
    },
  };
}

/** A caller's signal, checked by what it does: it may be of another realm. @internal */
export function signalOf(signal: CancelSignal | null | undefined): CancelSignal | undefined {
  if (signal == null) return undefined;
  const methods = ["addEventListener", "removeEventListener"] as const;
  if (
    typeof signal.aborted === "boolean" &&
    methods.every((name) => typeof signal[name] === "function")
  )
    return signal;
  throw invalid("signal", `must be an AbortSignal, found ${show(signal)}`);
}

/** A caller's time limit in seconds, or the usual one. @internal */
export function timeoutOf(given: number | undefined, usual: number): number {
  if (given === undefined) return usual;
  if (typeof given === "number" && given > 0 && given <= MOST_SECONDS) return given;
  throw invalid(
    "timeoutSeconds",
    `must be a number above 0 and at most ${MOST_SECONDS}, found ${show(given)}`,
  );
}
