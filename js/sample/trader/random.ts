// Seeded randomness for the sample: the same seed gives the same memories on every machine. It uses
// only integer arithmetic, sums and products, which do not depend on a platform's Math library.

/** Returns the 32-bit FNV-1a hash of a text, which seeds a stream from its name. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  return value >>> 0;
}

/** A stream of pseudo-random numbers (sfc32), with the draws that the generators need. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;
  readonly #decks = new Map<readonly unknown[], unknown[]>();

  constructor(
    readonly seed: number,
    readonly name = "",
  ) {
    this.#a = seed >>> 0;
    this.#b = Math.floor(seed / 2 ** 32) >>> 0;
    this.#c = hash(name);
    for (let i = 0; i < 15; i++) this.#next();
  }

  /**
   * Returns a separate stream for one purpose, so that a change in one part does not affect the
   * others.
   */
  fork(name: string): Random {
    return new Random(this.seed, `${this.name}/${name}`);
  }

  #next(): number {
    const t = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + t;
    this.#c |= 0;
    return t >>> 0;
  }

  /** Returns a uniform number in [0, 1). */
  unit(): number {
    return this.#next() / 2 ** 32;
  }

  /** Returns a uniform number in [low, high). */
  between(low: number, high: number): number {
    return low + (high - low) * this.unit();
  }

  /** Returns a whole number from low to high, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /**
   * Returns a nearly normal number with mean 0 and deviation 1: the scaled sum of four uniform
   * numbers, whose deviation is 1 / √3.
   */
  normal(): number {
    return (this.unit() + this.unit() + this.unit() + this.unit() - 2) * Math.sqrt(3);
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError(`nothing to pick from in ${this.name}`);
    return items[Math.floor(this.unit() * items.length)] as T;
  }

  /** Returns one of the items, with probabilities proportional to their weights. */
  weighted<T>(items: readonly T[], weight: (item: T) => number): T {
    let rest = this.unit() * items.reduce((sum, item) => sum + weight(item), 0);
    for (const item of items) {
      rest -= weight(item);
      if (rest < 0) return item;
    }
    return items[items.length - 1] as T;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const copy = [...items];
    for (let i = copy.length - 1; i > 0; i--) {
      const j = this.whole(0, i);
      [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
    }
    return copy;
  }

  /** Returns the items like cards of a deck: none repeats before all have come once. */
  deal<T>(items: readonly T[]): T {
    let deck = this.#decks.get(items) as T[] | undefined;
    if (deck === undefined || deck.length === 0) {
      deck = this.shuffled(items);
      this.#decks.set(items, deck);
    }
    return deck.pop() as T;
  }
}
