// Time limits: one time limit and a caller's signal over several pieces of work, each with a signal
// of its own.

import { invalid, show } from "./errors.ts";
import type { CancelSignal } from "./types.ts";

/** The longest time of a timer, in whole seconds. */
const MAX_SECONDS = Math.floor((2 ** 31 - 1) / 1000);

/** A piece of work that is waited for. @internal */
export interface Waiting {
  readonly cancellation: Cancellation;
  /** Called when the time limit is over. */
  late(error: DOMException): void;
  /** Called when the caller's signal is aborted. */
  unwanted(reason: unknown): void;
}

/**
 * A time limit with a signal. Call `close` at the end of the work, also after an error. @internal
 */
export class Deadline {
  readonly #waiting = new Set<Waiting>();
  readonly #timers: ReturnType<typeof setTimeout>[] = [];
  readonly #end: number;
  /** The error of work that exceeded the time limit. Set when the limit is over. */
  #error: DOMException | undefined;

  /** `started` is the start of the work, by `performance.now()`. */
  constructor(
    readonly timeoutSeconds: number,
    readonly signal: CancelSignal | undefined,
    started: number,
  ) {
    this.#end = started + timeoutSeconds * 1000;
    signal?.addEventListener("abort", this.#abort);
    this.#timers.push(setTimeout(this.#endInTime, this.#end - performance.now()));
  }

  /** Resolves when this share of the time limit is over; never if the work ends before. */
  passed(share: number): Promise<undefined> {
    const left = this.#end - (1 - share) * this.timeoutSeconds * 1000 - performance.now();
    return new Promise((resolve) => {
      this.#timers.push(setTimeout(resolve, left, undefined));
    });
  }

  /**
   * Starts to wait for work. Work that starts after the time limit fails at once. Returns whether
   * the work may start.
   */
  begin(waiting: Waiting, at = performance.now()): boolean {
    this.#waiting.add(waiting);
    // The clock is read, too, because a timer does not fire while code runs without a pause.
    if (this.#error === undefined && at < this.#end) return true;
    waiting.late(this.#timeoutError());
    return false;
  }

  /** Ends the wait for work. Returns whether it was still waited for. */
  conclude(waiting: Waiting): boolean {
    return this.#waiting.delete(waiting);
  }

  /** Throws the caller's reason if the signal is aborted. */
  requireWanted(): void {
    if (this.signal?.aborted) throw this.signal.reason;
  }

  /** Removes timers and listeners, and aborts the work that is still waited for. */
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
 * A signal that is created on first use, because creating one costs more than a search in memory.
 * @internal
 */
export class Cancellation {
  #controller: AbortController | undefined;
  /** Set if it was aborted before its signal was created. */
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

/** Adds a signal to options. The signal is created on first use. @internal */
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

/** Checks a caller's signal by its methods, because it may come from another realm. @internal */
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

/** Checks a caller's time limit in seconds. `usual` is the default. @internal */
export function timeoutOf(given: number | undefined, byDefault: number): number {
  if (given === undefined) return byDefault;
  if (typeof given === "number" && given > 0 && given <= MAX_SECONDS) return given;
  throw invalid(
    "timeoutSeconds",
    `must be a number above 0 and at most ${MAX_SECONDS}, found ${show(given)}`,
  );
}
