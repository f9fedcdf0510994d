// How much a test does in each tier, and from which seed it generates.
//
// `npm test` does a part of the whole, by default a tenth; `npm run test:full`, which sets
// TIER=full, does all of it. Both draw a new seed in each run, so that a hundred runs try a hundred
// times as many inputs. The seed is printed at the start, and SEED gives it again.

import { randomInt } from "node:crypto";

/** Seeds are whole numbers below this. */
const SEEDS = 2 ** 31;

/** Whether this run does the whole. */
export const isFull: boolean = process.env.TIER === "full";

/** Returns the amount of this tier: `full`, or in `npm test` a tenth, or `change` if it is given. */
export const amount = (full: number, change: number = Math.ceil(full / 10)): number =>
  isFull ? full : change;

/**
 * The timeout of a test whose amount depends on the tier, in milliseconds: ten times as much takes
 * ten times as long. It only has to catch a hang.
 */
export const patience = (ofChange: number): number => (isFull ? 5 * ofChange : ofChange);

/** The seed of this run. vitest.config.ts hands it to all test files. */
export const SEED: number = seedOf(process.env.SEED);

/** Returns what fast-check needs for so many runs from the seed of this run. */
export const runs = (numRuns: number = 100): { numRuns: number; seed: number } => ({
  numRuns,
  seed: SEED,
});

/**
 * Returns what this tier tries of a list: all of it, or in `npm test` about `count` elements (at
 * least one), at even distances from a beginning that the seed chooses.
 */
export const some = <T>(all: readonly T[], count: number): T[] => {
  const distance = isFull ? 1 : Math.ceil(all.length / count);
  return all.filter((_, at) => (at + SEED) % distance === 0);
};

/** Throws a `RangeError` if a seed is given that is none. */
function seedOf(given: string | undefined): number {
  if (given === undefined) return randomInt(SEEDS);
  const seed = Number(given);
  if (given.trim() !== "" && Number.isInteger(seed) && seed >= 0 && seed < SEEDS) return seed;
  throw new RangeError(`SEED is "${given}": give a whole number from 0 to ${SEEDS - 1}`);
}
