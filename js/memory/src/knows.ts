// Rule: whether a memory knows the answer to a question, in a word.

import { ANSWERABLE } from "nous-wasm";

/** Whether a memory knows an answer. */
export type Knows = (typeof KNOWS)[number];
/** All values, from certain to hardly possible. */
export const KNOWS = ["yes", "perhaps", "no"] as const;

/**
 * The least probability of an answer that a memory may know. Of the first memories that were right
 * in the development questions, at most one in twenty is below it, in stores of any size.
 */
export const MIN_PERHAPS = 0.1;

/**
 * Returns whether a memory knows an answer: `yes` from `ANSWERABLE` on, `perhaps` from
 * {@link MIN_PERHAPS} on, else `no`.
 *
 * @param probability The probability of the best memory, from 0 to 1.
 */
export const knowsOf = (probability: number): Knows =>
  probability >= ANSWERABLE ? "yes" : probability >= MIN_PERHAPS ? "perhaps" : "no";
