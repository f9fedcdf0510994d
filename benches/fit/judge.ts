// How good the answers of fitted weights are.

import { type Bin, binsOf, calibrationError } from "../quality/calibration.ts";
import { JUDGES, type Judge } from "../quality/measure.ts";
import { DEPTH } from "../quality/metrics.ts";
import { GRADE, type Grade } from "../quality/questions.ts";
import { bestRows, type EvidenceTable, sumsOf } from "./evidence-table.ts";
import { firstOfAll, probabilityOf, type Scale } from "./logistic.ts";

/** The names of the metrics, in the order of the tables. */
export const JUDGE_NAMES = Object.keys(JUDGES) as Judge[];

/** The figures of a set. */
export interface Figures {
  /** A value for each question with an answer, by metric. */
  readonly values: Readonly<Record<Judge, readonly number[]>>;
  /** The kinds of these questions. */
  readonly kinds: readonly string[];
  /** The bins of the scores of the first ten memories of all questions. */
  readonly bins: readonly Bin[];
  /** The expected calibration error over these bins. */
  readonly error: number;
}

/**
 * Measures the ranking of a set by weights.
 *
 * @param weights - By kind of evidence. A kind without a weight counts 0.
 */
export function judge(
  table: EvidenceTable,
  weights: Readonly<Record<string, number>>,
  scale: Scale,
): Figures {
  const sums = sumsOf(table, weights);
  const lists = table.questionKinds.map((_, q) => bestRows(table, sums, q, DEPTH));
  const graded = table.questionKinds.map((_, q) => gradesOf(table, q));
  const answered = [...lists.keys()].filter((q) => [...graded[q]!.values()].includes(GRADE.exact));
  const valuesOf = (name: Judge) =>
    answered.map((q) => JUDGES[name](lists[q]!.map(String), graded[q]!));
  const bins = binsOf(
    firstOfAll(table, sums, DEPTH).map((judged) => ({
      score: probabilityOf(scale, judged),
      isAnswer: judged.isAnswer,
    })),
  );
  return {
    values: {
      "nDCG@10": valuesOf("nDCG@10"),
      "hit@1": valuesOf("hit@1"),
      "recall@10": valuesOf("recall@10"),
    },
    kinds: answered.map((q) => table.questionKinds[q]!),
    bins,
    error: calibrationError(bins),
  };
}

/** Returns the grades of a question by row. */
export function gradesOf({ starts, grades }: EvidenceTable, question: number): Map<string, Grade> {
  const found = new Map<string, Grade>();
  for (let row = starts[question]!; row < starts[question + 1]!; row++)
    if (grades[row] !== 0) found.set(String(row), grades[row] as Grade);
  return found;
}

/** Returns the mean of some values; 0 without values. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
