// Rule: the pairs of texts that are the same statement, among many texts.

import { statementOf } from "../statement.ts";
import type { Steps } from "../steps.ts";

/** Texts between two pauses. */
const TEXTS_OF_A_STEP = 100;

/**
 * Returns the pairs of texts that say the same, as places, with pauses: for each text the first one
 * before it that `mayMerge` allows and that is no second one itself. At most `max` pairs.
 */
export function* sameTexts(
  texts: readonly string[],
  mayMerge: (first: number, second: number) => boolean,
  max: number,
): Steps<[first: number, second: number][]> {
  const places = new Map<string, number[]>();
  const pairs: [number, number][] = [];
  for (const [place, text] of texts.entries()) {
    const statement = statementOf(text);
    const before = places.get(statement) ?? [];
    const first = statement === "" ? undefined : before.find((other) => mayMerge(other, place));
    if (first === undefined) places.set(statement, [...before, place]);
    else pairs.push([first, place]);
    if (pairs.length === max) break;
    if (place % TEXTS_OF_A_STEP === 0) yield;
  }
  return pairs;
}
