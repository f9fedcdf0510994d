// Texts as terms, divided as the full-text index divides them: what finds nothing there, such as a stop word, is no term.

import MiniSearch from "minisearch";
import type { Library } from "../../js/terminal/library.ts";

/** The terms of a text, in their order, as often as they occur. */
export type Terms = (text: string) => readonly string[];

/** Terms as the full-text index of this memory knows them. */
export function termsOf(library: Library): Terms {
  const divide: (text: string) => string[] = MiniSearch.getDefault("tokenize");
  const known = new Map<string, string | null>();
  const term = (word: string): string | null => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const found = library.hits(word).length === 0 ? null : singular(word.toLowerCase());
    known.set(word, found);
    return found;
  };
  return (text) => divide(text).flatMap((word) => term(word) ?? []);
}

/** A word without the s of a plural. */
function singular(word: string): string {
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}
