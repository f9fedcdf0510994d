// Texts as terms, divided as the full-text index divides them: what finds nothing there, such as a
// stop word, is no term.

import MiniSearch from "minisearch";
import { term } from "../../js/demo/terminal/library.ts";

const divide: (text: string) => string[] = MiniSearch.getDefault("tokenize");

/** The terms of a text, in their order, as often as they occur. */
export function termsOf(text: string): readonly string[] {
  return divide(text).flatMap((word) => term(word) || []);
}
