// Turns sums of evidence into probabilities.
//
// # Idea
//
// Logistic regression on the first memories of every question. Besides the sum of a memory it reads
// four numbers of the question: the best sum, how far the second is behind it, how much the runs
// differ, and what share of the question no memory holds. Sums of different questions are not on one
// scale without them.

import { GRADE } from "../quality/questions.ts";
import { bestRows, type EvidenceTable } from "./evidence-table.ts";

/** What a probability adds up, in order: each number of a {@link Scale} times one of a sum. */
const TERMS = [
  ["scale", "sum"],
  ["ofBest", "best"],
  ["ofGap", "gap"],
  ["ofSpread", "spread"],
  ["ofUnheld", "unheld"],
] as const;

/**
 * The probability of a sum is 1 / (1 + exp(−z)), where z is
 * `scale` · sum + `ofBest` · best + `ofGap` · gap + `ofSpread` · spread + `ofUnheld` · unheld +
 * `offset`.
 */
export interface Scale extends Readonly<Record<(typeof TERMS)[number][0], number>> {
  readonly offset: number;
}

/** A sum of evidence, its question, and whether its memory answers. */
export interface JudgedSum {
  readonly sum: number;
  /** The best sum of the question. */
  readonly best: number;
  /** The best sum less the second. */
  readonly gap: number;
  /** The standard deviation of `sesb` over the memories of the question. */
  readonly spread: number;
  /** The share of the question that no memory holds. */
  readonly unheld: number;
  readonly isAnswer: boolean;
}

/** Sums with their share of the loss. */
export interface WeightedSums {
  readonly judged: readonly JudgedSum[];
  /** Above 0. */
  readonly weight: number;
}

/** Returns the probability that a memory with this sum answers. */
export function probabilityOf(scale: Scale, judged: Omit<JudgedSum, "isAnswer">): number {
  const z = TERMS.reduce((sum, [factor, input]) => sum + scale[factor] * judged[input], 0);
  return 1 / (1 + Math.exp(-(z + scale.offset)));
}

/** Returns the sums of the first `max` memories of each question, best first. */
export function firstOfAll(table: EvidenceTable, sums: Float64Array, max: number): JudgedSum[] {
  return table.questionKinds.flatMap((_, question) => firstOf(table, sums, max, question));
}

/** Returns the sums of the first `max` memories of a question, best first. */
export function firstOf(
  table: EvidenceTable,
  sums: Float64Array,
  max: number,
  question: number,
): JudgedSum[] {
  const [spread, unheld] = [spreadOf(table, question), unheldOf(table, question)];
  const rows = bestRows(table, sums, question, Math.max(max, 2));
  const [best = 0, second = 0] = rows.map((row) => sums[row]!);
  return rows.slice(0, max).map((row) => ({
    ...{ sum: sums[row]!, best, gap: best - second, spread, unheld },
    isAnswer: table.grades[row] === GRADE.exact,
  }));
}

/** Returns the standard deviation of `sesb` over the memories of a question. */
function spreadOf({ kinds, starts, values }: EvidenceTable, question: number): number {
  const column = kinds.indexOf("sesb");
  const [first, end] = [starts[question]!, starts[question + 1]!];
  if (column < 0 || first === end) return 0;
  let [total, squares] = [0, 0];
  for (let row = first; row < end; row++) {
    const value = values[row * kinds.length + column]!;
    total += value;
    squares += value * value;
  }
  const mean = total / (end - first);
  return Math.sqrt(Math.max(squares / (end - first) - mean * mean, 0));
}

/**
 * Returns the share of a question that no memory holds, by a memory whose `soft_unheld` is its
 * `p_soft` times this share; 1 if none has a `p_soft`.
 */
function unheldOf({ kinds, starts, values }: EvidenceTable, question: number): number {
  const [soft, gated] = [kinds.indexOf("p_soft"), kinds.indexOf("soft_unheld")];
  for (let row = starts[question]!; soft >= 0 && row < starts[question + 1]!; row++) {
    const at = row * kinds.length;
    if (values[at + soft]! > 0) return gated < 0 ? 0 : values[at + gated]! / values[at + soft]!;
  }
  return 1;
}

/** Newton's steps are halved until the loss falls, so that twice as many always suffice. */
const MAX_STEPS = 100;
const TOLERANCE = 1e-10;
/** Keeps the scale finite where a threshold parts answers from others. */
const RIDGE = 1e-6;

/**
 * Fits the scale by logistic regression. Each set counts by its weight, whatever the number of its
 * sums.
 *
 * @throws {RangeError} If all memories answer, or none does.
 * @example
 * ```ts
 * const judged = firstOfAll(table, sums, 10);
 * const scale = fitScale([{ judged, weight: 1 }]);
 * ```
 */
export function fitScale(sets: readonly WeightedSums[]): Scale {
  const all = sets.flatMap(({ judged }) => judged);
  const answers = all.filter(({ isAnswer }) => isAnswer).length;
  if (answers === 0 || answers === all.length)
    throw new RangeError(`${answers} of ${all.length} memories answer: nothing to calibrate by`);
  const total = sets.reduce((sum, { weight }) => sum + weight, 0);
  const lossAt = (point: readonly number[]) => {
    let value = 0;
    const slope = point.map(() => 0);
    const bend = point.map(() => point.map(() => 0));
    for (const [k, factor] of point.entries()) {
      value += RIDGE * factor * factor;
      slope[k] = 2 * RIDGE * factor;
      bend[k]![k] = 2 * RIDGE;
    }
    for (const { judged, weight } of sets) {
      const part = weight / total / judged.length;
      for (const one of judged) {
        const { isAnswer } = one;
        const inputs = [...TERMS.map(([, input]) => one[input]), 1];
        const z = inputs.reduce((all, input, k) => all + input * point[k]!, 0);
        const p = 1 / (1 + Math.exp(-z));
        value += part * (Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z))) - (isAnswer ? z : 0));
        const over = part * (p - (isAnswer ? 1 : 0));
        const curve = part * p * (1 - p);
        for (const [j, one] of inputs.entries()) {
          slope[j]! += over * one;
          for (const [k, other] of inputs.entries()) bend[j]![k]! += curve * one * other;
        }
      }
    }
    return { value, slope, bend };
  };
  let point = [...TERMS.map(() => 0), 0];
  let at = lossAt(point);
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const step = solve(at.bend, at.slope);
    const moved = (length: number) => point.map((factor, k) => factor - length * step[k]!);
    let length = 1;
    let next = lossAt(moved(length));
    while (!(next.value <= at.value) && length > TOLERANCE) {
      length /= 2;
      next = lossAt(moved(length));
    }
    if (!(next.value <= at.value)) break;
    point = moved(length);
    const fell = at.value - next.value;
    at = next;
    if (fell < TOLERANCE) break;
  }
  const [scale = 0, ofBest = 0, ofGap = 0, ofSpread = 0, ofUnheld = 0, offset = 0] = point;
  return { scale, ofBest, ofGap, ofSpread, ofUnheld, offset };
}

/** Solves a system with a positive definite matrix by elimination. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, k) => [...row, right[k]!]);
  for (const [k, pivot] of rows.entries()) {
    for (const row of rows.slice(k + 1)) {
      const factor = row[k]! / pivot[k]!;
      for (let at = k; at < row.length; at++) row[at]! -= factor * pivot[at]!;
    }
  }
  const found = right.map(() => 0);
  for (let k = rows.length - 1; k >= 0; k--) {
    const row = rows[k]!;
    const known = found.reduce((sum, value, at) => sum + (at > k ? row[at]! * value : 0), 0);
    found[k] = (row.at(-1)! - known) / row[k]!;
  }
  return found;
}
