// Numbers and texts for one call of the module, gathered from a caller's objects before the scratch
// is taken.

import type { EngineLease, EnginePool } from "../runtime.ts";
import { mostBytes, writeText } from "../text.ts";

/** What one call is asked with. @internal */
export class Batch {
  readonly #numbers: number[] = [];
  readonly #texts: string[] = [];
  /** Where among the numbers the length of each text goes. */
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
    this.#bytes += mostBytes(text.length);
  }

  /**
   * Does something with an engine that has everything in its scratch, and room for so many numbers
   * of an answer.
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

/** The numbers that a call has put in the place of those that it was asked with. @internal */
export function answerOf(lease: EngineLease, count: number): Float64Array {
  lease.revalidateViews();
  return lease.numbers.slice(lease.numbersAt, lease.numbersAt + count);
}
