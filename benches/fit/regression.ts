// Logistic regression of a few weights.

import { minimise } from "./lbfgs.ts";

/** Values of one case, and what is told of it. */
export interface Row {
  readonly values: readonly number[];
  readonly isTrue: boolean;
  /** Its share of the loss. Default: 1. */
  readonly weight?: number;
}

/** A fit. */
export interface RegressionOptions {
  /** The factor of each squared weight. Default: 0. */
  readonly ridges?: readonly number[];
  /** The decimals of the weights. */
  readonly digits: number;
}

/** Returns the weights by which the values add up to log-odds, rounded. */
export function regression(
  rows: readonly Row[],
  { ridges = rows[0]!.values.map(() => 0), digits }: RegressionOptions,
): number[] {
  const total = rows.reduce((sum, { weight = 1 }) => sum + weight, 0);
  const { point } = minimise(
    (weights) => {
      const gradient = new Float64Array(weights.length);
      let value = 0;
      for (const { values, isTrue, weight = 1 } of rows) {
        let sum = 0;
        for (let k = 0; k < values.length; k++) sum += values[k]! * weights[k]!;
        const loss = Math.max(sum, 0) + Math.log1p(Math.exp(-Math.abs(sum))) - Number(isTrue) * sum;
        value += weight * loss;
        const over = weight * (1 / (1 + Math.exp(-sum)) - Number(isTrue));
        for (let k = 0; k < values.length; k++) gradient[k]! += over * values[k]!;
      }
      for (const [k, ridge] of ridges.entries()) {
        value += (ridge / 2) * weights[k]! ** 2;
        gradient[k]! += ridge * weights[k]!;
      }
      return { value: value / total, gradient: gradient.map((one) => one / total) };
    },
    ridges.map(() => 0),
    ridges.map(() => Number.NEGATIVE_INFINITY),
  );
  return Array.from(point, (one) => Number(one.toFixed(digits)) + 0);
}
