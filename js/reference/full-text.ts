// The full-text index: tokenizing, and BM25 over all documents. Plain on purpose: this is the
// yardstick of the parity tests. It uses the Unicode tables of the running engine, so test texts
// must contain no characters that SQLite's older tables lack.

import { CJK, WORD } from "./search.ts";
import { STOP_WORDS } from "./stop-words.ts";

export interface ReferenceDocument {
  id: string;
  title?: string | null | undefined;
  summary?: string | null | undefined;
  body?: string | null | undefined;
}

/**
 * A character of a script without spaces between words; in addition to the scripts for questions:
 * Thai, Lao, Burmese, Khmer.
 */
export const UNSPACED = new RegExp(
  `(?=[${WORD}])[${CJK}\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff]`,
  "u",
);
const OF_WORDS = /[\p{L}\p{N}]/u;
const MARK = /[\u0300-\u0304\u0306-\u030c\u030f\u0311\u031b\u0323-\u0328\u032d\u032e\u0330\u0331]/;
/**
 * The normal form of a letter: lower case, and without its mark for a Latin letter with a single
 * mark.
 */
function fold(c: string): string {
  const small = c === "ς" ? "σ" : c.toLowerCase();
  const [letter, ...marks] = small.normalize("NFD");
  return /[a-z]/.test(letter!) && marks.length === 1 ? letter! : small;
}

/** Runs of one kind: words, and text without spaces. Characters are in their normal form. */
export function runs(text: string): { isWord: boolean; characters: string[] }[] {
  const all: { isWord: boolean; characters: string[] }[] = [];
  let last: (typeof all)[number] | undefined;
  for (const c of text) {
    if (MARK.test(c) && last?.isWord) continue;
    const isWord = UNSPACED.test(c) ? false : OF_WORDS.test(c) ? true : undefined;
    if (isWord === undefined) last = undefined;
    else if (last?.isWord === isWord) last.characters.push(fold(c));
    else {
      last = { isWord, characters: [fold(c)] };
      all.push(last);
    }
  }
  return all;
}

/** The pairs of adjacent characters. */
export const pairs = (characters: string[]) =>
  characters.slice(1).map((c, place) => characters[place]! + c);

/** The tokens of a document's column. */
function tokens(text: string): string[] {
  return runs(text).flatMap(({ isWord, characters }) =>
    isWord ? [characters.join("")] : [...pairs(characters), characters.at(-1)!],
  );
}

/** A term, tokenized like a text: a list of consecutive words. */
function phrases(term: string): string[][] {
  const all: string[][] = [];
  let words: string[] = [];
  const end = () => {
    if (words.length > 0) all.push(words);
    words = [];
  };
  for (const { isWord, characters } of runs(term)) {
    if (isWord) words.push(characters.join(""));
    else {
      end();
      for (const piece of characters.length > 1 ? pairs(characters) : characters) all.push([piece]);
    }
  }
  end();
  return all;
}

function timesIn(column: readonly string[], phrase: readonly string[]): number {
  const last = phrase.length - 1;
  const isAt = (from: number) =>
    phrase.every((word, place) =>
      place < last
        ? column[from + place] === word
        : (column[from + place]?.startsWith(word) ?? false),
    );
  return column.filter((_, from) => isAt(from)).length;
}

/** The result of a `TextIndex` search. */
export class ReferenceTexts {
  readonly #documents = new Map<string, string[][]>();

  upsert(documents: readonly ReferenceDocument[]): void {
    for (const { id, title, summary, body } of documents) {
      this.#documents.set(
        id,
        [title, summary, body].map((text) => tokens(text ?? "")),
      );
    }
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) this.#documents.delete(id);
  }

  search(terms: readonly string[], limit = 20): { id: string; score: number }[] {
    const asked = terms.slice(0, 64).flatMap(phrases).slice(0, 64);
    const telling = asked
      .filter((phrase) => phrase.length > 1 || !STOP_WORDS.has(phrase[0]!))
      .slice(0, 32);
    const all = this.#documents.size;
    const documents = [...this.#documents];
    const counted = (phrase: readonly string[]) => {
      const times = documents.map(([, columns]) =>
        columns.reduce((sum, column) => sum + timesIn(column, phrase), 0),
      );
      return { times, holding: times.filter((count) => count > 0).length };
    };
    const rare = telling.map(counted).filter(({ holding }) => holding > 0 && 2 * holding < all);
    const used = rare.length > 0 ? rare : asked.slice(0, 32).map(counted);
    const lengths = documents.map(([, columns]) =>
      columns.reduce((sum, column) => sum + column.length, 0),
    );
    const average = lengths.reduce((sum, length) => sum + length, 0) / all;
    const scores = documents.map(() => 0);
    for (const { times, holding } of used) {
      const log = Math.log((all - holding + 0.5) / (holding + 0.5));
      const idf = log <= 0 ? 1e-6 : log;
      documents.forEach((_, place) => {
        const f = times[place]!;
        if (f > 0)
          scores[place]! +=
            idf * ((f * (1.2 + 1)) / (f + 1.2 * (1 - 0.75 + (0.75 * lengths[place]!) / average)));
      });
    }
    return documents
      .map(([id], place) => ({ id, score: scores[place]! }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit);
  }
}
