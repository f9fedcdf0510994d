// BM25 over stems: the baseline that every other system is compared with.

import { stem } from "porter2";
import { STOP_WORDS } from "../../js/reference/stop-words.ts";

const K1 = 1.2;
const B = 0.75;

/** A run of letters and digits of scripts that write no spaces, or of all others. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}])+/gu;
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u;

/**
 * Returns the stems of a text, in order and with repetitions, without stop words and accents.
 * Japanese and Chinese are cut into pairs of characters.
 *
 * @example
 * ```ts
 * stemsOf("Tom was painting the houses"); // ["tom", "paint", "hous"]
 * ```
 */
export function stemsOf(text: string): string[] {
  // NFD takes the marks of Japanese letters off, too; NFKC puts them back.
  const plain = text
    .normalize("NFD")
    .replace(/(\p{Script=Latin})\p{M}+/gu, "$1")
    .normalize("NFKC")
    .toLowerCase();
  return (plain.match(WORD) ?? []).flatMap((word) => {
    if (UNSPACED.test(word)) return pairsOf(word);
    return STOP_WORDS.has(word) ? [] : [stem(word)];
  });
}

function pairsOf(word: string): string[] {
  const characters = [...word];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, place) => `${characters[place]}${character}`);
}

/** A memory that was found. */
export interface Hit {
  readonly id: string;
  /** Higher is better. */
  readonly score: number;
}

interface Posting {
  /** Place of the document. */
  readonly place: number;
  readonly count: number;
}

/** An index of documents. */
export class Bm25 {
  readonly #ids: readonly string[];
  readonly #postings = new Map<string, Posting[]>();
  /** Length of each document over the average length. */
  readonly #lengths: readonly number[];

  constructor(documents: readonly { readonly id: string; readonly text: string }[]) {
    this.#ids = documents.map(({ id }) => id);
    const lengths = documents.map(({ text }, place) => {
      const stems = stemsOf(text);
      const counts = new Map<string, number>();
      for (const one of stems) counts.set(one, (counts.get(one) ?? 0) + 1);
      for (const [one, count] of counts) {
        const postings = this.#postings.get(one);
        if (postings === undefined) this.#postings.set(one, [{ place, count }]);
        else postings.push({ place, count });
      }
      return stems.length;
    });
    const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length || 1;
    this.#lengths = lengths.map((length) => length / average);
  }

  /**
   * Returns the documents that hold a word of the question, best first, at most `limit`. Equal
   * scores are in the order of the documents.
   */
  search(question: string, limit: number): Hit[] {
    const scores = new Map<number, number>();
    const total = this.#ids.length;
    for (const one of new Set(stemsOf(question))) {
      const postings = this.#postings.get(one) ?? [];
      const rarity = Math.log(1 + (total - postings.length + 0.5) / (postings.length + 0.5));
      for (const { place, count } of postings) {
        const norm = K1 * (1 - B + B * this.#lengths[place]!);
        const score = (rarity * (count * (K1 + 1))) / (count + norm);
        scores.set(place, (scores.get(place) ?? 0) + score);
      }
    }
    return [...scores]
      .sort(([a, one], [b, other]) => other - one || a - b)
      .slice(0, limit)
      .map(([place, score]) => ({ id: this.#ids[place]!, score }));
  }
}
