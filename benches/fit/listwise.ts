// Fits weights of evidence so that answers come first.
//
// # Idea
//
// The softmax of the weighted sums of a question's memories is a distribution over memories. The
// loss is the cross-entropy between it and equal shares of the answers. Sets count by their weight,
// whatever the number of their questions.
//
// Sets differ in sharpness: one abstract of 5,000 answers a claim, 57 of 575 turns a question about
// a meeting. With one sharpness for all they would pull the lengths of the weights apart, and the
// order of memories with them. So each set has a temperature of its own, by which its sums are
// multiplied. It is fitted along and thrown away; calibration finds the scale of probabilities.
//
// # Invariants
//
// - Questions without an answer take no part.
// - The same tables give the same weights: sums run in the order of the rows.
//
// # Cost
//
// Each step reads every value of every table twice.

import { GRADE } from "../quality/questions.ts";
import type { EvidenceTable } from "./evidence-table.ts";
import { minimise } from "./lbfgs.ts";

/** The factor of the squared weights. */
const RIDGE = 2e-3;
/** The factor of the squared logarithms of the temperatures, which keeps their mean near 1. */
const TEMPERATURE_RIDGE = 2e-2;
/** All weights start here: sums that are all 0 say nothing of a temperature. */
const START = 0.1;

/** A set with its share of the loss. */
export interface WeightedTable {
  readonly table: EvidenceTable;
  /** Above 0. Weights count relative to each other. */
  readonly weight: number;
}

/** Which weights {@link fitListwise} finds. */
export interface ListwiseOptions {
  /** The kinds of evidence whose weights are fitted. */
  readonly kinds: readonly string[];
  /** The kinds whose weight may be negative. Default: none. */
  readonly signed?: ReadonlySet<string>;
}

/** Fitted weights. */
export interface Listwise {
  /** The weight of each fitted kind. */
  readonly weights: Readonly<Record<string, number>>;
  /** The temperature of each set, in the order of the sets. */
  readonly temperatures: readonly number[];
  /** The loss at the end. */
  readonly loss: number;
  /** The steps of the minimisation. */
  readonly steps: number;
}

/**
 * Fits weights.
 *
 * @throws {RangeError} If there is no set, a set has no question with an answer, or a weight of a
 * set is not above 0.
 * @throws {Error} If the minimisation does not converge.
 * @example
 * ```ts
 * const { weights } = fitListwise([{ table, weight: 1 }], { kinds: ["bm", "sem"] });
 * ```
 */
export function fitListwise(
  sets: readonly WeightedTable[],
  { kinds, signed = new Set() }: ListwiseOptions,
): Listwise {
  if (sets.length === 0) throw new RangeError("no sets to fit on");
  const total = sets.reduce((sum, { weight }) => sum + weight, 0);
  const losses = sets.map(({ table, weight }) => {
    if (!(weight > 0) || !Number.isFinite(weight))
      throw new RangeError(`${table.name}: a weight of ${weight}. Weights lie above 0`);
    return new SetLoss(table, kinds, weight / total);
  });
  const width = kinds.length;
  const slopeAt = (point: Float64Array) => {
    const gradient = new Float64Array(point.length);
    let value = 0;
    for (let k = 0; k < point.length; k++) {
      const ridge = k < width ? RIDGE : TEMPERATURE_RIDGE;
      value += ridge * point[k]! ** 2;
      gradient[k] = 2 * ridge * point[k]!;
    }
    const weights = point.subarray(0, width);
    for (const [place, loss] of losses.entries())
      value += loss.add(weights, point[width + place]!, gradient, width + place);
    return { value, gradient };
  };
  const start = [...kinds.map(() => START), ...sets.map(() => 0)];
  const lower = [
    ...kinds.map((kind) => (signed.has(kind) ? Number.NEGATIVE_INFINITY : 0)),
    ...sets.map(() => Number.NEGATIVE_INFINITY),
  ];
  const { point, value, steps, converged } = minimise(slopeAt, start, lower);
  if (!converged) throw new Error(`the fit of ${width} weights did not converge`);
  return {
    weights: Object.fromEntries(kinds.map((kind, k) => [kind, point[k]!])),
    temperatures: sets.map((_, place) => Math.exp(point[width + place]!)),
    loss: value,
    steps,
  };
}

/** The loss of one set. */
class SetLoss {
  readonly #table: EvidenceTable;
  /** The place of each kind of the table among the fitted ones; −1 if it is not fitted. */
  readonly #places: Int32Array;
  readonly #share: number;
  readonly #sums: Float64Array;
  readonly #answered: readonly number[];
  /** The number of answers of each question. */
  readonly #counts: Uint32Array;

  constructor(table: EvidenceTable, kinds: readonly string[], share: number) {
    this.#table = table;
    this.#places = Int32Array.from(table.kinds, (kind) => kinds.indexOf(kind));
    this.#share = share;
    const questions = table.questionKinds.length;
    this.#counts = new Uint32Array(questions);
    let max = 0;
    for (let q = 0; q < questions; q++) {
      max = Math.max(max, table.starts[q + 1]! - table.starts[q]!);
      for (let row = table.starts[q]!; row < table.starts[q + 1]!; row++)
        this.#counts[q]! += table.grades[row] === GRADE.exact ? 1 : 0;
    }
    this.#sums = new Float64Array(max);
    this.#answered = Array.from(this.#counts.keys()).filter((q) => this.#counts[q]! > 0);
    if (this.#answered.length === 0)
      throw new RangeError(`${table.name}: no question has an answer`);
  }

  /** Adds the gradient, and returns the loss. */
  add(weights: Float64Array, logTemperature: number, gradient: Float64Array, at: number): number {
    const { values, grades, starts, kinds } = this.#table;
    const width = kinds.length;
    const sums = this.#sums;
    const temperature = Math.exp(logTemperature);
    const each = Float64Array.from(this.#places, (place) => (place < 0 ? 0 : weights[place]!));
    const slope = new Float64Array(width);
    const part = this.#share / this.#answered.length;
    let loss = 0;
    let slopeOfTemperature = 0;
    for (const q of this.#answered) {
      const first = starts[q]!;
      const count = starts[q + 1]! - first;
      let best = Number.NEGATIVE_INFINITY;
      for (let row = 0, v = first * width; row < count; row++) {
        let sum = 0;
        for (let k = 0; k < width; k++) sum += each[k]! * values[v++]!;
        sums[row] = sum * temperature;
        best = Math.max(best, sums[row]!);
      }
      let mass = 0;
      for (let row = 0; row < count; row++) mass += Math.exp(sums[row]! - best);
      const share = 1 / this.#counts[q]!;
      loss += part * (best + Math.log(mass));
      for (let row = 0, v = first * width; row < count; row++, v += width) {
        const target = grades[first + row] === GRADE.exact ? share : 0;
        const over = part * (Math.exp(sums[row]! - best) / mass - target);
        loss -= part * target * sums[row]!;
        slopeOfTemperature += over * sums[row]!;
        for (let k = 0; k < width; k++) slope[k]! += over * values[v + k]!;
      }
    }
    for (const [k, place] of this.#places.entries())
      if (place >= 0) gradient[place]! += temperature * slope[k]!;
    gradient[at]! += slopeOfTemperature;
    return loss;
  }
}
