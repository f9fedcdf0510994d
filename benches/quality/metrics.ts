// Metrics of a list of results against the graded answers of its question. All lie in [0, 1].

import { GRADE, type Grade, type Labelled } from "./questions.ts";

type Grades = Labelled["grades"];

/** The number of results that the metrics consider. */
export const DEPTH = 10;

export const METRICS = {
  "hit@1": hit,
  "recall@10": recall,
  MRR: reciprocalRank,
  "nDCG@10": ndcg,
} as const;
export type Metric = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as Metric[];

const isExact = (id: string | undefined, grades: Grades): boolean =>
  id !== undefined && grades.get(id) === GRADE.exact;

/** Returns 1 if the first result is an exact answer, else 0. */
export function hit(ids: readonly string[], grades: Grades): number {
  return isExact(ids[0], grades) ? 1 : 0;
}

/**
 * Returns the share of the exact answers that are among the first ten results; of ten, if there are
 * more.
 */
export function recall(ids: readonly string[], grades: Grades): number {
  const exact = [...grades.values()].filter((grade) => grade === GRADE.exact).length;
  return ids.slice(0, DEPTH).filter((id) => isExact(id, grades)).length / Math.min(exact, DEPTH);
}

/** Returns the share of the exact answers that are among the first ten, however many there are. */
export function recallOfAll(ids: readonly string[], grades: Grades): number {
  const exact = [...grades.values()].filter((grade) => grade === GRADE.exact).length;
  return ids.slice(0, DEPTH).filter((id) => isExact(id, grades)).length / exact;
}

/** Returns one over the rank of the first exact answer among the first ten; 0 without one. */
export function reciprocalRank(ids: readonly string[], grades: Grades): number {
  const place = ids.slice(0, DEPTH).findIndex((id) => isExact(id, grades));
  return place < 0 ? 0 : 1 / (place + 1);
}

/**
 * Returns the discounted gain of the first ten, divided by that of the ideal order. A result at
 * rank r gains (2^grade − 1) / log2(r + 1).
 */
export function ndcg(ids: readonly string[], grades: Grades): number {
  const best = [...grades.values()].sort((a, b) => b - a);
  return gain(ids.map((id) => grades.get(id))) / gain(best);
}

function gain(grades: readonly (Grade | undefined)[]): number {
  return grades
    .slice(0, DEPTH)
    .reduce<number>((sum, grade, i) => sum + (2 ** (grade ?? 0) - 1) / Math.log2(i + 2), 0);
}
