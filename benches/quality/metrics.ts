// How good a list of results is, against the graded answers of its question. All metrics lie in [0,
// 1].

import { GRADE, type Grade, type Labelled } from "./questions.ts";

type Grades = Labelled["grades"];

/** Results that are looked at. */
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

/** Whether the first result is an exact answer. */
export function hit(ids: readonly string[], grades: Grades): number {
  return isExact(ids[0], grades) ? 1 : 0;
}

/** Share of the exact answers among the first ten; where there are more than ten, of ten. */
export function recall(ids: readonly string[], grades: Grades): number {
  const exact = [...grades.values()].filter((grade) => grade === GRADE.exact).length;
  return ids.slice(0, DEPTH).filter((id) => isExact(id, grades)).length / Math.min(exact, DEPTH);
}

/** One over the rank of the first exact answer among the first ten; 0 without one. */
export function reciprocalRank(ids: readonly string[], grades: Grades): number {
  const place = ids.slice(0, DEPTH).findIndex((id) => isExact(id, grades));
  return place < 0 ? 0 : 1 / (place + 1);
}

/**
 * Discounted gain of the first ten over that of the best order there could be: a result at rank r
 * gains (2^grade − 1) / log2(r + 1).
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
