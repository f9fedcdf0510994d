// Rule: the pairs of texts that say the same, among many texts.
//
// # Idea
//
// Two texts that `saysTheSame` joins have at least nine of ten of all their words in common. If the
// words of each text are in one order, the rarest first, then two such texts share a word among the
// first tenth of each. So only texts with a common word among these are compared.
//
// # Invariant
//
// No pair of a text with an earlier one that is no duplicate itself is missed. Let two texts have a and
// b different words, of which s are shared. From s / (a + b - s) ≥ 0.9 follows s ≥ 0.9 a and s ≥ 0.9 b:
// at most a tenth of the words of each is not shared. So one of the first ⌊a / 10⌋ + 1 words of the one
// is shared, and likewise of the other. The first shared word is the same in both, since they have one
// order.
//
// # Cost
//
// Grows with the texts that have a rare word in common, and not with the pairs of all texts.

import type { Steps } from "../steps.ts";
import { comparedWords, saysTheSame } from "../write/duplicates.ts";

/** The share of a text's words that the other text may lack; see `saysTheSame`. */
const LACKING = 0.1;
/** Texts between two pauses. */
const TEXTS_OF_A_STEP = 100;

/**
 * Returns the pairs of texts that say the same, as places, with pauses: for each text the first one
 * before it that `mayMerge` allows. At most `most` pairs.
 */
export function* sameTexts(
  texts: readonly string[],
  mayMerge: (first: number, second: number) => boolean,
  max: number,
): Steps<[first: number, second: number][]> {
  const words: string[][] = [];
  for (const [place, text] of texts.entries()) {
    words.push(comparedWords(text));
    if (place % TEXTS_OF_A_STEP === 0) yield;
  }
  const counts = new Map<string, number>();
  for (const own of words)
    for (const word of new Set(own)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const holders = new Map<string, number[]>();
  const pairs: [number, number][] = [];
  for (const [place, own] of words.entries()) {
    const ordered = [...new Set(own)].sort(
      (a, b) => counts.get(a)! - counts.get(b)! || (a < b ? -1 : 1),
    );
    const few = ordered.slice(0, Math.floor(ordered.length * LACKING) + 1);
    const candidates = new Set(few.flatMap((word) => holders.get(word) ?? []));
    const first = [...candidates]
      .sort((a, b) => a - b)
      .find((other) => mayMerge(other, place) && saysTheSame(words[other]!, own));
    if (first !== undefined) {
      pairs.push([first, place]);
      if (pairs.length === max) break;
    } else {
      for (const word of few) {
        const its = holders.get(word);
        if (its === undefined) holders.set(word, [place]);
        else its.push(place);
      }
    }
    if (place % TEXTS_OF_A_STEP === 0) yield;
  }
  return pairs;
}
