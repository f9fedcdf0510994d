// Turns sums of evidence into probabilities.

import { GRADE } from "../quality/questions.ts";
import { bestRows, type EvidenceTable } from "./evidence-table.ts";

/** The probability of a sum is 1 / (1 + exp(−(scale · sum + offset))). */
export interface Scale {
  readonly scale: number;
  readonly offset: number;
}

/** A sum of evidence, and whether its memory answers. */
export interface JudgedSum {
  readonly sum: number;
  readonly isAnswer: boolean;
}

/** Sums with their share of the loss. */
export interface WeightedSums {
  readonly judged: readonly JudgedSum[];
  /** Above 0. */
  readonly weight: number;
}

/** Returns the probability that a memory with this sum answers. */
export function probabilityOf({ scale, offset }: Scale, sum: number): number {
  return 1 / (1 + Math.exp(-(scale * sum + offset)));
}

/** Returns the sums of the first `most` memories of each question, best first. */
export function firstOf(table: EvidenceTable, sums: Float64Array, most: number): JudgedSum[] {
  return table.questionKinds.flatMap((_, question) =>
    bestRows(table, sums, question, most).map((row) => ({
      sum: sums[row]!,
      isAnswer: table.grades[row] === GRADE.exact,
    })),
  );
}

/** Newton's steps are halved until the loss falls, so that twice as many always suffice. */
const MOST_STEPS = 100;
const TOLERANCE = 1e-10;
/** Keeps the scale finite where a threshold parts answers from others. */
const RIDGE = 1e-6;

/**
 * Fits scale and offset by logistic regression. Each set counts by its weight, whatever the number
 * of its sums.
 *
 * @throws {RangeError} If all memories answer, or none does.
 * @example
 * ```ts
 * const judged = firstOf(table, sums, 10);
 * const { scale, offset } = fitScale([{ judged, weight: 1 }]);
 * ```
 */
export function fitScale(sets: readonly WeightedSums[]): Scale {
  const all = sets.flatMap(({ judged }) => judged);
  const answers = all.filter(({ isAnswer }) => isAnswer).length;
  if (answers === 0 || answers === all.length)
    throw new RangeError(`${answers} of ${all.length} memories answer: nothing to calibrate by`);
  const total = sets.reduce((sum, { weight }) => sum + weight, 0);
  const lossAt = (scale: number, offset: number) => {
    // Gradient and Hessian by scale and offset.
    let [value, a, b] = [RIDGE * scale * scale, 2 * RIDGE * scale, 0];
    let [aa, ab, bb] = [2 * RIDGE, 0, 0];
    for (const { judged, weight } of sets) {
      const part = weight / total / judged.length;
      for (const { sum, isAnswer } of judged) {
        const z = scale * sum + offset;
        const p = 1 / (1 + Math.exp(-z));
        value += part * (Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z))) - (isAnswer ? z : 0));
        const over = part * (p - (isAnswer ? 1 : 0));
        const bend = part * p * (1 - p);
        a += over * sum;
        b += over;
        aa += bend * sum * sum;
        ab += bend * sum;
        bb += bend;
      }
    }
    return { value, a, b, aa, ab, bb };
  };
  let [scale, offset] = [0, 0];
  let at = lossAt(scale, offset);
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const { a, b, aa, ab, bb } = at;
    const determinant = aa * bb - ab * ab;
    const [down, left] = [(bb * a - ab * b) / determinant, (aa * b - ab * a) / determinant];
    let length = 1;
    let next = lossAt(scale - down, offset - left);
    while (!(next.value <= at.value) && length > TOLERANCE) {
      length /= 2;
      next = lossAt(scale - length * down, offset - length * left);
    }
    if (!(next.value <= at.value)) break;
    scale -= length * down;
    offset -= length * left;
    const fell = at.value - next.value;
    at = next;
    if (fell < TOLERANCE) break;
  }
  return { scale, offset };
}
