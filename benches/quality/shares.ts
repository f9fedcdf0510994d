// Shares of questions: answers where there are none, answers that are missed or lost, and
// corrections whose new memory comes before the old one.

import type { Case, Measured } from "./measure.ts";
import { GRADE } from "./questions.ts";

type Found = Measured["found"];

/**
 * Returns the share of questions without an answer whose first memory reaches the threshold; 0
 * without such questions.
 *
 * @param counts - Whether a question without an answer counts. Default: all do.
 */
export function falseAnswers(
  cases: readonly Case[],
  found: Found,
  threshold: number,
  counts: (one: Case) => boolean = () => true,
): number {
  const tops = cases.flatMap((one, place) =>
    one.grades.size === 0 && counts(one) ? topOf(found, place) : [],
  );
  return shareOf(tops, (top) => top >= threshold);
}

/**
 * Returns the share of questions with an answer whose first memory does not reach the threshold; 0
 * without such questions.
 */
export function missedAnswers(cases: readonly Case[], found: Found, threshold: number): number {
  const tops = cases.flatMap(({ grades }, place) => (grades.size > 0 ? topOf(found, place) : []));
  return shareOf(tops, (top) => top < threshold);
}

/**
 * Returns the share of questions whose first memory answers but does not reach the threshold, among
 * the questions whose first memory answers; 0 without such questions.
 */
export function lostAnswers(cases: readonly Case[], found: Found, threshold: number): number {
  const tops = cases.flatMap(({ grades }, place) => {
    const first = found[place]![0];
    return first !== undefined && grades.get(first.id) === GRADE.exact ? first.score : [];
  });
  return shareOf(tops, (top) => top < threshold);
}

/** Returns the score of the first memory of a question; 0 if nothing was found. */
function topOf(found: Found, place: number): number {
  return found[place]![0]?.score ?? 0;
}

/** Shares of questions after corrections; the three add up to 1. */
export interface CorrectionShares {
  /** An answer comes before all outdated memories. */
  readonly newer: number;
  /** An outdated memory comes before all answers. */
  readonly older: number;
  /** Neither is among the results. */
  readonly neither: number;
}

/** Returns whether a question has answers, and memories that must not come before them. */
export const isCorrection = ({ grades, outdated }: Case): boolean =>
  grades.size > 0 && outdated.length > 0;

/** Returns how often an answer comes before outdated memories, over questions that have both. */
export function correctionShares(cases: readonly Case[], found: Found): CorrectionShares {
  const firsts = cases.flatMap((one, place) => {
    if (!isCorrection(one)) return [];
    const { grades, outdated } = one;
    const first = found[place]!.find(({ id }) => grades.has(id) || outdated.includes(id));
    return first === undefined ? "neither" : grades.has(first.id) ? "newer" : "older";
  });
  const share = (wanted: string) => shareOf(firsts, (first) => first === wanted);
  return { newer: share("newer"), older: share("older"), neither: share("neither") };
}

function shareOf<T>(list: readonly T[], holds: (one: T) => boolean): number {
  return list.length === 0 ? 0 : list.filter(holds).length / list.length;
}
