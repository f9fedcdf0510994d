// The requests that a worker has yet to answer: bounded, answered in their order, and rejected when
// it ends.

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
  readonly #most: number;
  #waiting: Waiting[] = [];
  /** How many of them are answered: a long list is not moved for each. */
  #answered = 0;
  /** Whether the script said that it is there. */
  #isLoaded = false;
  /** Makes what every request is answered with, once the thread has ended. */
  #ended: (() => NousError) | undefined;
  #ending: Promise<void> | undefined;

  constructor(thread: Thread, most: number) {
    this.#thread = thread;
    this.#most = most;
    thread.listen({
      heard: (message) => this.#heard(message),
      lost: (how, cause) => this.#lost(how, cause),
    });
    thread.hold(false);
  }

  /** Sends what `load` makes, which is called at once. */
  ask<T>(load: (cargo: Cargo) => Start | Request, read: (value: unknown) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#requireLiving();
      if (this.#left >= this.#most) {
        throw new NousError(
          "queue_full",
          `The worker has ${this.#most} requests to answer: wait for some of them.`,
        );
      }
      const cargo: Cargo = new Set();
      const message = load(cargo);
      // Reading the caller's objects may have run code of the caller's.
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

  /** Ends the thread, and rejects what waits; resolves once it has ended. */
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

  /** Whose turn it is to be answered. */
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
    // Held until it is gone, so that whoever waits for that is told.
    this.#thread.hold(true);
    this.#ending = this.#thread.terminate();
    for (const { reject } of left) reject(why());
  }
}

/** What was refused on the way to the worker, by the name of the argument and its entry. */
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
