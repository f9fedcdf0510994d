// The requests that a worker has not answered yet: bounded in number, answered in order, rejected
// if the worker ends.

import { NousError } from "../../errors.ts";
import type { Cargo } from "./cargo.ts";
import { type Answer, LOADED, type Request, type Start } from "./protocol.ts";
import type { Thread } from "./threads.ts";

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** @internal */
export class Queue {
  readonly #thread: Thread;
  readonly #max: number;
  #waiting: Waiting[] = [];
  /**
   * The number of answered requests at the start of the list. They are removed in bulk, because
   * moving a long list for each answer is slow.
   */
  #answered = 0;
  /** Whether the worker has reported that its script runs. */
  #isLoaded = false;
  /** Makes the error of every request after the thread has ended. */
  #ended: (() => NousError) | undefined;
  #ending: Promise<void> | undefined;

  constructor(thread: Thread, max: number) {
    this.#thread = thread;
    this.#max = max;
    thread.listen({
      heard: (message) => this.#heard(message),
      lost: (how, cause) => this.#lost(how, cause),
    });
    thread.hold(false);
  }

  /** Sends the message that `load` returns. Calls `load` at once. */
  ask<T>(load: (cargo: Cargo) => Start | Request, read: (value: unknown) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#requireLiving();
      if (this.#left >= this.#max) {
        throw new NousError(
          "queue_full",
          `The worker has ${this.#max} requests to answer: wait for some of them.`,
        );
      }
      const cargo: Cargo = new Set();
      const message = load(cargo);
      // Reading the caller's objects may have run code of the caller that ended the worker.
      this.#requireLiving();
      try {
        this.#thread.post(message, [...cargo]);
      } catch (cause) {
        throw unsendable("args" in message ? message.args : { ...message }, cause);
      }
      this.#waiting.push({ resolve: (value) => resolve(read(value)), reject });
      if (this.#left === 1) this.#thread.hold(true);
    });
  }

  /** Ends the thread and rejects the open requests. Resolves when the thread has ended. */
  terminate(): Promise<void> {
    this.#end(() => new NousError("terminated", "The worker has been terminated."));
    return this.#ending!;
  }

  #requireLiving(): void {
    if (this.#ended !== undefined) throw this.#ended();
  }

  #heard(message: unknown): void {
    if (message === LOADED) {
      this.#isLoaded = true;
      return;
    }
    const next = this.#next();
    if (this.#left === 0) this.#thread.hold(false);
    if (next === undefined) return;
    const answer = message as Answer;
    if ("value" in answer) next.resolve(answer.value);
    else if ("thrown" in answer) next.reject(answer.thrown);
    else
      next.reject(
        new NousError(answer.refused.code, answer.refused.message, answer.refused.details),
      );
  }

  get #left(): number {
    return this.#waiting.length - this.#answered;
  }

  /** Takes the request that is answered next. */
  #next(): Waiting | undefined {
    const next = this.#waiting[this.#answered];
    if (next === undefined) return undefined;
    this.#answered += 1;
    if (2 * this.#answered > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#answered);
      this.#answered = 0;
    }
    return next;
  }

  #lost(how: string, cause: unknown): void {
    const why = cause instanceof Error ? `: ${cause.message}` : "";
    const [code, message] = this.#isLoaded
      ? (["instance_lost", `The worker ${how}${why}, and its index is lost.`] as const)
      : (["unsupported", `The worker could not be started: it ${how}${why}.`] as const);
    this.#end(() => new NousError(code, message, {}, cause === undefined ? undefined : { cause }));
  }

  #end(why: () => NousError): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    const left = this.#waiting.slice(this.#answered);
    this.#waiting = [];
    this.#answered = 0;
    // Keeps the process alive until the thread is gone, so that a promise of its end is settled.
    this.#thread.hold(true);
    this.#ending = this.#thread.terminate();
    for (const { reject } of left) reject(why());
  }
}

/** Returns the error for a message that cannot be sent, with the argument and its entry. */
function unsendable(parts: Record<string, unknown>, cause: unknown): NousError {
  const why = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof RangeError) return new NousError("out_of_memory", why, {}, { cause });
  const names = Object.keys(parts);
  const field = names.find((name) => !canBeCloned(parts[name])) ?? names[0]!;
  const part = parts[field];
  const index = Array.isArray(part) ? part.findIndex((entry) => !canBeCloned(entry)) : -1;
  const place = index < 0 ? field : `${field}[${index}]`;
  const details = index < 0 ? { field } : { field, index };
  return new NousError(
    "invalid_argument",
    `${place} cannot be sent to the worker: ${why}`,
    details,
    { cause },
  );
}

function canBeCloned(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}
