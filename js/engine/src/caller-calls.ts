// What is asked of the caller while something is prepared: whatever fails or is late costs only
// itself.

import { Cancellation, Deadline, type Waiting, withSignal } from "./deadline.ts";
import { reasonOf } from "./errors.ts";
import type { CancelSignal } from "./types.ts";

/** What a function of the caller's is told. */
export interface SeamOptions {
  /**
   * Aborted when the answer is no longer waited for: with a `TimeoutError`, or with the caller's
   * reason.
   */
  readonly signal: CancelSignal;
}

/** An answer, or why there is none. @internal */
export type CallResult<T> = { answer: T; failure?: undefined } | { failure: string };

/**
 * Functions of the caller's under one deadline and the caller's signal. To be closed however the
 * work ends. @internal
 */
export class CallerCalls {
  readonly #deadline: Deadline;

  constructor(timeoutSeconds: number, signal: CancelSignal | undefined) {
    this.#deadline = new Deadline(timeoutSeconds, signal, performance.now());
  }

  /**
   * What a function answers, as far as it can be read. The promise is rejected with the caller's
   * reason alone, when the signal is aborted.
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

  /** Resolves when so large a share of the time is over; never, when the work ends before. */
  passed(share: number): Promise<undefined> {
    return this.#deadline.passed(share);
  }

  /** Throws the caller's reason once the signal is aborted. */
  requireWanted(): void {
    this.#deadline.requireWanted();
  }

  /** Leaves no timer and no listener behind, and nobody who believes to be waited for. */
  close(): void {
    this.#deadline.close();
  }
}
