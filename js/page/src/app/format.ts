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

const DAY = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/** Returns an instant as a day: "3 Oct 2026". */
export const dayOf = (instant: number): string => DAY.format(instant);

/** Returns a share as a percentage: "42 %". Small shares have a decimal, tiny ones a bound. */
export function percent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 0.05) return "< 0.1 %";
  return `${value < 10 && value > 0 ? value.toFixed(1) : Math.round(value)} %`;
}

const COUNT = new Intl.NumberFormat("en-GB");

/** Returns a count with separators: "12,345". */
export const count = (value: number): string => COUNT.format(value);

/** Returns milliseconds with a sensible number of digits: "0.84 ms". */
export const ms = (value: number): string =>
  `${value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : Math.round(value)} ms`;

/** Returns a number with a sign and two digits: "+1.30", "−0.20". */
export const signed = (value: number): string =>
  `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;

const ORDINALS = new Intl.PluralRules("en-GB", { type: "ordinal" });
const ENDINGS: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd" };

/** Returns a place as a word: "1st", "22nd", "1,013th". */
export const ordinal = (place: number): string =>
  `${count(place)}${ENDINGS[ORDINALS.select(place)] ?? "th"}`;
