// Probabilities, and the logarithms of their odds.

/** Smaller probabilities, and those nearer to 1, count as so far from it. */
const MIN = 1e-6;

/** Returns the probability of the logarithm of its odds. */
export const logistic = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));

/** Returns the logarithm of the odds of a probability. */
export function logOdds(probability: number): number {
  const held = Math.min(1 - MIN, Math.max(MIN, probability));
  return Math.log(held / (1 - held));
}
