// A ranking, light: ids and scores, and the signals behind a score when they are asked for.

import { own } from "../constants.ts";
import type { RerankingWeights, SignalBreakdown } from "../types.ts";
import type { RankedEntry } from "./types.ts";

/** Numbers of a place: the row, the score, six signals, which of them is primary. */
const RECORD = 9;

/** What a search or a reranking came to, best first. */
export class Ranking implements Iterable<RankedEntry> {
  /** Ids, best first. */
  readonly ids: readonly string[];
  readonly #records: ArrayLike<number>;
  #scores: Float64Array | undefined;

  /** @internal */
  constructor(ids: readonly string[], records: ArrayLike<number>) {
    this.ids = ids;
    this.#records = records;
  }

  /** Their scores, falling. */
  get scores(): Float64Array {
    if (this.#scores === undefined) {
      this.#scores = new Float64Array(this.ids.length);
      for (let place = 0; place < this.ids.length; place++) this.#scores[place] = this.#records[place * RECORD + 1]!;
    }
    return this.#scores;
  }

  /** How many places there are. */
  get length(): number {
    return this.ids.length;
  }

  /** The six signals of a place, counted from 0. Undefined where there is no such place. */
  breakdown(place: number): SignalBreakdown | undefined {
    if (this.ids[place] === undefined) return undefined;
    const at = place * RECORD + 2;
    return Object.fromEntries(own.signals.map((signal, i) => [signal, this.#records[at + i]!])) as SignalBreakdown;
  }

  /** The signal that contributes most to a place's score; of equals, the first. */
  primarySignal(place: number): keyof RerankingWeights | undefined {
    return this.ids[place] === undefined ? undefined : own.signals[this.#records[place * RECORD + 8]!];
  }

  /** All there is about a place, counted from 0. */
  at(place: number): RankedEntry | undefined {
    const id = this.ids[place];
    if (id === undefined) return undefined;
    return {
      id,
      score: this.scores[place]!,
      breakdown: this.breakdown(place)!,
      primary_signal: this.primarySignal(place)!,
    };
  }

  *[Symbol.iterator](): IterableIterator<RankedEntry> {
    for (let place = 0; place < this.ids.length; place++) yield this.at(place)!;
  }

  /** What crosses to another thread. @internal */
  toData(): RankingData {
    return { ids: this.ids, records: this.#records };
  }
}

/** A ranking as data. @internal */
export interface RankingData {
  ids: readonly string[];
  records: ArrayLike<number>;
}

/** The ranking of `count` records in a view; `ids` are those of all rows. @internal */
export function readRanking(
  numbers: Float64Array,
  at: number,
  count: number,
  ids: readonly (string | undefined)[],
): Ranking {
  const ranked = new Array<string>(count);
  for (let place = 0; place < count; place++) ranked[place] = ids[numbers[at + place * RECORD]!]!;
  return new Ranking(ranked, count > FEW ? numbers.slice(at, at + count * RECORD) : copyOfFew(numbers, at, count));
}

/** Of few records a plain array is made in half the time of a typed one, whose memory is not the heap's. */
const FEW = 100;

/** Number by number: an inner loop takes half as long again. */
function copyOfFew(numbers: Float64Array, at: number, count: number): number[] {
  const copy = new Array<number>(count * RECORD);
  for (let to = 0; to < copy.length; to += RECORD) {
    const from = at + to;
    copy[to] = numbers[from]!;
    copy[to + 1] = numbers[from + 1]!;
    copy[to + 2] = numbers[from + 2]!;
    copy[to + 3] = numbers[from + 3]!;
    copy[to + 4] = numbers[from + 4]!;
    copy[to + 5] = numbers[from + 5]!;
    copy[to + 6] = numbers[from + 6]!;
    copy[to + 7] = numbers[from + 7]!;
    copy[to + 8] = numbers[from + 8]!;
  }
  return copy;
}

/** Numbers that a ranking of so many places takes. @internal */
export const rankingNumbers = (places: number): number => places * RECORD;
