// Deterministic pseudo-random numbers from a seed, cheap enough for a hundred per call.

/** A seeded source of choices. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A whole number from 0 to 4,294,967,295 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** A whole number from 0 to `bound` − 1. */
  below(bound: number): number {
    return this.next() % bound;
  }

  /** True with a probability of one in this number. */
  oneIn(times: number): boolean {
    return this.next() % times === 0;
  }

  /** A number in [0, 1). */
  share(): number {
    return this.next() / 2 ** 32;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.next() % list.length]!;
  }
}

/** The seed of one of many objects that share a seed. */
export const seedOf = (seed: number, place: number): number =>
  Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ (place * 7919);
