// A ranking: ids and scores, and on demand the signals behind a score.

import { moduleConstants } from "../generated/constants.ts";
import {
  SIGNALS,
  SIGNALS_AFFINITY,
  SIGNALS_AUTHORITY,
  SIGNALS_GRAPH,
  SIGNALS_KEYWORD,
  SIGNALS_PRIMARY,
  SIGNALS_RECENCY,
  SIGNALS_SEMANTIC,
} from "../generated/layout.ts";
import type { RerankingWeights, SignalBreakdown } from "../types.ts";
import type { RankedEntry } from "./types.ts";

/**
 * The ranking of a search or a rerank, best first.
 *
 * @example
 * ```ts
 * const { ranking } = index.search({ embedding });
 * for (const { id, score, primary_signal } of ranking) console.log(id, score, primary_signal);
 * ```
 */
export class Ranking implements Iterable<RankedEntry> {
  /** Ids, best first. */
  readonly ids: readonly string[];
  /** Scores, in descending order. */
  readonly scores: readonly number[];
  readonly #signals: ArrayLike<number>;

  /** @internal */
  constructor({ ids, scores, signals }: RankingData) {
    this.ids = ids;
    this.scores = scores;
    this.#signals = signals;
  }

  /** The number of places. */
  get length(): number {
    return this.ids.length;
  }

  /** Returns the six signals of a place, counted from 0; undefined if there is no such place. */
  breakdown(place: number): SignalBreakdown | undefined {
    if (this.ids[place] === undefined) return undefined;
    const at = place * SIGNALS;
    return Object.fromEntries(
      moduleConstants.signals.map((signal, i) => [signal, this.#signals[at + i]!]),
    ) as SignalBreakdown;
  }

  /**
   * Returns the signal that contributes most to the score of a place; if several are equal, the
   * first. Undefined if there is no such place.
   */
  primarySignal(place: number): keyof RerankingWeights | undefined {
    return this.ids[place] === undefined
      ? undefined
      : moduleConstants.signals[this.#signals[place * SIGNALS + SIGNALS_PRIMARY]!];
  }

  /** Returns everything about a place, counted from 0; undefined if there is no such place. */
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

  /** Yields the places in order. */
  *[Symbol.iterator](): IterableIterator<RankedEntry> {
    for (let place = 0; place < this.ids.length; place++) yield this.at(place)!;
  }
}

/** A ranking as data. @internal */
interface RankingData {
  ids: readonly string[];
  scores: readonly number[];
  signals: ArrayLike<number>;
}

/**
 * Reads a ranking of `count` places from a view: rows, scores, then the signals of each place.
 * `known` holds the ids of all rows. @internal
 */
export function readRanking(
  numbers: Float64Array,
  at: number,
  count: number,
  known: readonly (string | undefined)[],
): Ranking {
  const ids = new Array<string>(count);
  const scores = new Array<number>(count);
  for (let place = 0; place < count; place++) {
    ids[place] = known[numbers[at + place]!]!;
    scores[place] = numbers[at + count + place]!;
  }
  const signalsAt = at + 2 * count;
  const signals =
    count > FEW
      ? numbers.slice(signalsAt, signalsAt + count * SIGNALS)
      : copyOfFew(numbers, signalsAt, count);
  return new Ranking({ ids, scores, signals });
}

/**
 * Up to this number of places a plain array is made in a third of the time of a typed array, whose
 * memory is not on the heap.
 */
const FEW = 100;

/** Copies number by number: an inner loop takes half as long again. */
function copyOfFew(numbers: Float64Array, at: number, count: number): number[] {
  const copy = new Array<number>(count * SIGNALS);
  for (let to = 0; to < copy.length; to += SIGNALS) {
    const from = at + to;
    copy[to + SIGNALS_SEMANTIC] = numbers[from + SIGNALS_SEMANTIC]!;
    copy[to + SIGNALS_KEYWORD] = numbers[from + SIGNALS_KEYWORD]!;
    copy[to + SIGNALS_GRAPH] = numbers[from + SIGNALS_GRAPH]!;
    copy[to + SIGNALS_RECENCY] = numbers[from + SIGNALS_RECENCY]!;
    copy[to + SIGNALS_AUTHORITY] = numbers[from + SIGNALS_AUTHORITY]!;
    copy[to + SIGNALS_AFFINITY] = numbers[from + SIGNALS_AFFINITY]!;
    copy[to + SIGNALS_PRIMARY] = numbers[from + SIGNALS_PRIMARY]!;
  }
  return copy;
}

/** The count of the numbers of a ranking. @internal */
export const rankingNumbers = (places: number): number => places * (2 + SIGNALS);
