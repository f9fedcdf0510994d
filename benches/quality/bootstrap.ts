// Confidence intervals by resampling. Questions are drawn with replacement, and the same draws
// serve every system, so that differences between systems are paired.

import { Random } from "../../js/sample/trader/random.ts";

const SEED = 41;
/** The number of resamples. */
export const RESAMPLES = 2000;
/** The confidence level of an interval. */
export const CONFIDENCE = 0.95;

/** A mean with its interval. */
export interface Estimate {
  mean: number;
  low: number;
  high: number;
}

/** Returns the draws for series of `length` values: indices, resample by resample. */
export function draws(length: number): Uint32Array {
  const random = new Random(SEED, `bootstrap ${length}`);
  return Uint32Array.from({ length: RESAMPLES * length }, () => random.whole(0, length - 1));
}

/** Returns the mean, and the percentiles of the means of the resamples in `places`. */
export function estimate(values: readonly number[], places: Uint32Array): Estimate {
  const { length } = values;
  const means = new Float64Array(RESAMPLES);
  for (let resample = 0, at = 0; resample < RESAMPLES; resample++) {
    let sum = 0;
    for (let i = 0; i < length; i++, at++) sum += values[places[at]!]!;
    means[resample] = sum / length;
  }
  means.sort();
  const percentile = (share: number) => means[Math.round(share * (RESAMPLES - 1))]!;
  return {
    mean: values.reduce((sum, value) => sum + value, 0) / length,
    low: percentile((1 - CONFIDENCE) / 2),
    high: percentile((1 + CONFIDENCE) / 2),
  };
}
