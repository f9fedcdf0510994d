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
// No pair of a text with one that remains is missed. Let the texts have a and b different words, b at most a, and let s be shared. From
// s / (a + b - s) ≥ 0.9 follows s ≥ 0.9 a: at most a tenth of the words of each is not shared. One of
// the first ⌊a / 10⌋ + 1 words is therefore shared, and the first shared word of both is the same.
//
// # Cost
//
// Grows with the texts that have a rare word in common, and not with the pairs of all texts.

import { comparedWords, saysTheSame } from "./duplicates.ts";

/** The share of a text's words that the other text may lack; see `saysTheSame`. */
const LACKING = 0.1;

/**
 * Returns the pairs of texts that say the same, as places, with pauses: for each text the first one
 * before it that `mayMerge` allows. At most `most` pairs.
 */
export function* sameTexts(
  texts: readonly string[],
  mayMerge: (first: number, second: number) => boolean,
  most: number,
): Generator<undefined, [first: number, second: number][]> {
  const words = texts.map(comparedWords);
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
      if (pairs.length === most) break;
    } else {
      for (const word of few) {
        const its = holders.get(word);
        if (its === undefined) holders.set(word, [place]);
        else its.push(place);
      }
    }
    yield;
  }
  return pairs;
}
