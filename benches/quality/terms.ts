// Splits texts into terms as the full-text index does. A word that finds nothing there, such as a
// stop word, is no term.

import MiniSearch from "minisearch";
import { term } from "./library.ts";

const divide: (text: string) => string[] = MiniSearch.getDefault("tokenize");

/** Returns the terms of a text in order, with repetitions. */
export function termsOf(text: string): readonly string[] {
  return divide(text).flatMap((word) => term(word) || []);
}
