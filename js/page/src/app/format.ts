// Dates, numbers and names as the page shows them.

import type { MemorySection } from "nous-wasm";

/** Sections are the same everywhere. */
export const SECTIONS: readonly MemorySection[] = [
  "EPISODIC",
  "SIGNALS",
  "KNOWLEDGE",
  "PROCEDURAL",
];

export const SECTION_NAMES: Readonly<Record<MemorySection, string>> = {
  EPISODIC: "Episodic",
  SIGNALS: "Signals",
  KNOWLEDGE: "Knowledge",
  PROCEDURAL: "Procedural",
};

/** The short names of the months, as prompts have them too: browsers differ about "Sept". */
export const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** Returns an instant as a day: "3 Oct 2026". */
export function dayOf(instant: number): string {
  const day = new Date(instant);
  return `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
}

/** Returns the days from one instant to another: "3 Oct 2026 to 5 Oct 2026", or the one day. */
export function daysOf(first: number, last: number): string {
  const [from, to] = [dayOf(first), dayOf(last)];
  return from === to ? from : `${from} to ${to}`;
}

/** The greatest percentage that has a decimal: "9.9 %", and then "10 %". */
const MAX_WITH_DECIMAL = 9.95;
const MIN_WITH_DECIMAL = 0.05;
/** From here on a share would be rounded to all, which is sure. */
const NEARLY_ALL = 99.5;

/** Keeps a number and what follows it in one line. */
export const NBSP = "\u00a0";

/**
 * Returns a share as a percentage: "42 %". Small shares have a decimal; tiny ones, and those that are
 * nearly all, a bound.
 */
export function percent(share: number): string {
  const value = share * 100;
  if (value >= NEARLY_ALL && value < 100) return `>${NBSP}99${NBSP}%`;
  if (value <= 0 || value >= MAX_WITH_DECIMAL) return `${Math.round(value)}${NBSP}%`;
  return `${value < MIN_WITH_DECIMAL ? `<${NBSP}0.1` : value.toFixed(1)}${NBSP}%`;
}

const COUNT = new Intl.NumberFormat("en-GB");

/** Returns a count with separators: "12,345". */
export const count = (value: number): string => COUNT.format(value);

/** Returns a count with its noun: "1 link", "2 links". */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** Returns milliseconds as exactly as browsers tell them: "0.8 ms", "120 ms". */
export const ms = (value: number): string =>
  `${value < 0.05 ? `<${NBSP}0.1` : value < 100 ? value.toFixed(1) : Math.round(value)}${NBSP}ms`;

/** Returns a number with a sign and two digits: "+1.30", "−0.20". What rounds to zero has no sign. */
export function signed(value: number): string {
  const digits = withMinus(value);
  return value > 0 && Number(digits) !== 0 ? `+${digits}` : digits;
}

/** Returns a number with two digits, and with a minus sign if it is below zero: "1.30", "−0.20". */
export function withMinus(value: number): string {
  const digits = Math.abs(value).toFixed(2);
  return value < 0 && Number(digits) !== 0 ? `−${digits}` : digits;
}

const ORDINALS = new Intl.PluralRules("en-GB", { type: "ordinal" });
const ENDINGS: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd" };

/** Returns a place as a word: "1st", "22nd", "1,013th". */
export const ordinal = (place: number): string =>
  `${count(place)}${ENDINGS[ORDINALS.select(place)] ?? "th"}`;
