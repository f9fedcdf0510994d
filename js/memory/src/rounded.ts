// Numbers as answers and prompts have them.

/** Numbers in answers have four decimals. */
const SCALE = 10_000;

/**
 * Returns a number as answers write it. An answer by evidence has some two hundred numbers, and
 * `toFixed` would take ten times as long.
 */
export const rounded = (value: number): number => Math.round(value * SCALE) / SCALE;
