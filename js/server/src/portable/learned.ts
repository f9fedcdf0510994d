// What use has taught an agent, as its database has it.

import { type Learned, MAX_LEARNED, TRAITS, type Trait } from "nous-wasm";
import type { Storage } from "../storage/storage.ts";

/** The most steps of learning. */
export const MAX_STEPS = 2 ** 32 - 1;

/** Returns a value for each trait. */
export function byTrait<T>(of: (trait: Trait) => T): Record<Trait, T> {
  return Object.fromEntries(TRAITS.map((trait) => [trait, of(trait)])) as Record<Trait, T>;
}

/**
 * Returns what an agent has learned, whether or not it ranks by it. Whatever another program has
 * stored in its place counts as nothing.
 */
export function learnedIn(storage: Storage): Learned {
  const { steps, shifts, means } = fieldsOf(storage.learned.get());
  const isCount = typeof steps === "number" && Number.isInteger(steps);
  if (!isCount || steps < 0 || steps > MAX_STEPS || !isByTrait(shifts) || !isByTrait(means))
    return { steps: 0, shifts: byTrait(() => 0), means: byTrait(() => 0) };
  return {
    steps,
    shifts: byTrait((trait) => shifts[trait]),
    means: byTrait((trait) => means[trait]),
  };
}

function isByTrait(value: unknown): value is Record<Trait, number> {
  const fields = fieldsOf(value);
  return TRAITS.every((trait) => {
    const number = fields[trait];
    return typeof number === "number" && Math.abs(number) <= MAX_LEARNED;
  });
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
