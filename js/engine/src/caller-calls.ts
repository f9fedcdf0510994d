// Calls of the caller's functions during a preparation: a call that fails or exceeds the time limit
// does not affect the others.

import { Cancellation, Deadline, type Waiting, withSignal } from "./deadline.ts";
import { reasonOf } from "./errors.ts";
import type { CancelSignal } from "./types.ts";

/** Options that a function of the caller's receives. */
export interface SeamOptions {
  /**
   * Aborted when the answer is no longer needed: with a `TimeoutError`, or with the caller's
   * reason.
   */
  readonly signal: CancelSignal;
}

/** An answer, or the reason of a failure. @internal */
export type CallResult<T> = { answer: T; failure?: undefined } | { failure: string };

/**
 * Calls the caller's functions under one time limit and the caller's signal. Call `close` at the
 * end of the work, also after an error. @internal
 */
export class CallerCalls {
  readonly #deadline: Deadline;

  constructor(timeoutSeconds: number, signal: CancelSignal | undefined) {
    this.#deadline = new Deadline(timeoutSeconds, signal, performance.now());
  }

  /**
   * Calls a function and reads its answer. The promise is rejected only with the caller's reason,
   * if the signal is aborted.
   */
  ask<T>(
    call: (options: SeamOptions) => unknown,
    read: (answer: unknown) => T,
  ): Promise<CallResult<T>> {
    return new Promise((resolve, reject) => {
      this.requireWanted();
      const cancellation = new Cancellation();
      const settle = (answer: CallResult<T>) => {
        if (this.#deadline.conclude(waiting)) resolve(answer);
      };
      const fail = (error: unknown) => settle({ failure: reasonOf(error) });
      const waiting: Waiting = { cancellation, late: fail, unwanted: reject };
      if (!this.#deadline.begin(waiting)) return;
      const asked = new Promise((answer) => answer(call(withSignal(cancellation, {}))));
      asked.then((found) => settle({ answer: read(found) })).catch(fail);
    });
  }

  /** Resolves when this share of the time limit is over; never if the work ends before. */
  passed(share: number): Promise<undefined> {
    return this.#deadline.passed(share);
  }

  /** Throws the caller's reason if the signal is aborted. */
  requireWanted(): void {
    this.#deadline.requireWanted();
  }

  /** Removes timers and listeners, and aborts the open calls. */
  close(): void {
    this.#deadline.close();
  }
}
