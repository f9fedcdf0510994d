// Rule: how far a message supports a fact that a language model took out of it. A fact is put in
// other words than the message, so that a share of 0 proves nothing: the fact is stored, and the
// share is the confidence of the edge between them.

import { comparedWords } from "../statement.ts";

/** Shorter words are mostly function words. */
const MIN_LENGTH = 4;

/** Returns the share of the longer words and the numbers of a fact that a text has, from 0 to 1. */
export function shareOfWords(fact: string, text: string): number {
  const all = [...new Set(comparedWords(fact))];
  const telling = all.filter((word) => word.length >= MIN_LENGTH || /\p{N}/u.test(word));
  const words = telling.length > 0 ? telling : all;
  const said = new Set(comparedWords(text));
  const shared = words.filter((word) => said.has(word)).length;
  return words.length === 0 ? 0 : Math.round((100 * shared) / words.length) / 100;
}
