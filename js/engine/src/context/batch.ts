// Batches: numbers and texts for one call of the module, gathered from a caller's objects before
// the scratch is taken.

import type { EngineLease, EnginePool } from "../runtime.ts";
import { maxBytes, writeText } from "../text.ts";

/** The numbers and texts of one call. @internal */
export class Batch {
  readonly #numbers: number[] = [];
  readonly #texts: string[] = [];
  /** The places of the texts' lengths among the numbers. */
  readonly #lengths: number[] = [];
  #bytes = 0;

  number(number: number): void {
    this.#numbers.push(number);
  }

  numbers(numbers: readonly number[]): void {
    for (let place = 0; place < numbers.length; place++) this.#numbers.push(numbers[place]!);
  }

  text(text: string): void {
    this.#lengths.push(this.#numbers.length);
    this.#numbers.push(0);
    this.#texts.push(text);
    this.#bytes += maxBytes(text.length);
  }

  /**
   * Calls `use` with an engine that has the batch in its scratch, and room for `answers` numbers.
   */
  ask<T>(pool: EnginePool, answers: number, use: (lease: EngineLease) => T): T {
    const lease = pool.acquire();
    try {
      lease.reserve(Math.max(this.#numbers.length, answers), 0, this.#bytes);
      const { numbers, bytes, numbersAt } = lease;
      numbers.set(this.#numbers, numbersAt);
      let at = lease.bytesAt;
      for (let place = 0; place < this.#texts.length; place++) {
        const length = writeText(this.#texts[place]!, bytes, at);
        numbers[numbersAt + this.#lengths[place]!] = length;
        at += length;
      }
      return use(lease);
    } finally {
      pool.release(lease);
    }
  }
}

/** Returns the numbers that a call has written over those of its batch. @internal */
export function answerOf(lease: EngineLease, count: number): Float64Array {
  lease.revalidateViews();
  return lease.numbers.slice(lease.numbersAt, lease.numbersAt + count);
}
