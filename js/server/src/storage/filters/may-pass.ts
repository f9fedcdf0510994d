// Whether a value may fulfil a condition of a filter: a check in this process that comes before the
// check in the database.
//
// Idea: a search asks the index for memories that may pass, and the database checks those that were
// found. So a test need not be exact, but no memory that passes in the database may fail here.
//
// Why that holds, whatever the database:
// - Values come from the database, by the expressions that its conditions compare.
// - Databases read decimals in their own ways. Numbers that differ by little count as equal, and
//   bounds are always inclusive.
// - Long texts are cut. A cut keeps the order of texts but for equal ones, and bounds are
//   inclusive.
// - Databases order texts by code points, and JavaScript by UTF-16 units. The orders differ only
//   for texts with units from U+D800 on. These pass every bound.
// - A database may end a text at U+0000, replace it, or replace a lone surrogate. A text with
//   U+0000 passes every condition on texts, and every text a condition with one of these.
// - A long list is not read, and passes every condition on its entries.
// - Only a condition that something is not so could fail too much by inexact values. It fails only
//   for values that are equal beyond doubt.
//
// Cost: a test of one value takes some nanoseconds; one of a list takes a look-up.

import type { ComparedValue, Entry } from "./compared.ts";
import type { Scalar } from "./dialect.ts";

/** A value of a column; undefined for a memory without one. */
export type Value = ComparedValue | undefined;
/** Returns whether a value may fulfil a condition. */
export type Test = (value: Value) => boolean;

/** The units of a text that are kept: more than those of a time or a UUID. */
const KEPT_UNITS = 40;
/** The greatest relative difference of numbers that count as equal. */
const SLACK = 1e-14;
/** Units by which JavaScript orders texts in another way than databases. */
const ODD_UNIT = /[\0\ud800-\uffff]/;
/** What databases do not store as it is. */
const CHANGED = /[\0\p{Surrogate}]/u;
/** Stands for every text with U+0000. */
const WITH_NUL = "\0";

/** Returns the part of a text that is compared. */
export function cut(text: string): string {
  if (text.includes(WITH_NUL)) return WITH_NUL;
  if (text.length <= KEPT_UNITS) return text;
  // A slice would keep the whole text in memory.
  return Buffer.from(text.slice(0, KEPT_UNITS), "utf16le").toString("utf16le");
}

/** The test that some entry of a list passes; any value that is no list. An unread list passes. */
export const ofSome =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value)
      ? value.length === 0 || value.some((entry) => test(entryOf(entry)))
      : test(value);

/** The test that each entry of a list passes. */
export const ofEach =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) ? value.every((entry) => test(entryOf(entry))) : test(value);

const entryOf = (entry: Entry): Entry => (typeof entry === "string" ? cut(entry) : entry);

/** Returns a test that a value may equal one of these. */
export function equalToOne(wanted: readonly Scalar[]): Test {
  const numbers = Float64Array.from(wanted.filter((one) => typeof one === "number")).sort();
  const others = new Set<Value>(
    wanted.map((one) => (typeof one === "string" ? cut(one) : one)).concat(WITH_NUL),
  );
  const takesTexts = wanted.some((one) => typeof one === "string" && CHANGED.test(one));
  const hasTexts = wanted.some((one) => typeof one === "string");
  return (value) => {
    if (typeof value === "number") return isNearOne(numbers, value);
    if (typeof value === "string") return hasTexts && (takesTexts || others.has(value));
    return value !== undefined && others.has(value);
  };
}

/** Returns whether a number is near one of these, which are in order. */
function isNearOne(numbers: Float64Array, value: number): boolean {
  const slack = Math.abs(value) * SLACK;
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (numbers[middle]! < value - slack) from = middle + 1;
    else to = middle;
  }
  return from < numbers.length && numbers[from]! <= value + slack;
}

/** Returns a test that a value may be there and differ from this one. */
export function differentFrom(wanted: Scalar): Test {
  const isSure =
    typeof wanted === "number"
      ? Number.isSafeInteger(wanted)
      : typeof wanted !== "string" || (wanted.length < KEPT_UNITS && !ODD_UNIT.test(wanted));
  return (value) => value !== undefined && !(isSure && value === wanted);
}

/** Returns a test that a value may be at least a bound, with the sign 1, or at most, with −1. */
export function within(bound: string | number, sign: 1 | -1): Test {
  if (typeof bound === "number") {
    const limit = sign * bound - Math.abs(bound) * SLACK;
    return (value) => typeof value === "number" && sign * value >= limit;
  }
  if (ODD_UNIT.test(bound)) return (value) => typeof value === "string";
  const limit = cut(bound);
  return (value) =>
    typeof value === "string" &&
    ((sign > 0 ? value >= limit : value <= limit) || ODD_UNIT.test(value));
}
