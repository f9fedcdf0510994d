// Instants: milliseconds since 1970 in the program, ISO 8601 in UTC with milliseconds in the
// database and in answers.

import { toMilliseconds } from "nous-wasm";

/**
 * The years that ISO 8601 writes with four digits. As text, others would not sort in order of time.
 */
const FIRST = Date.parse("0000-01-01T00:00:00.000Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * How far an instant may lie ahead of the clock, in milliseconds: clocks of machines differ by as
 * much.
 */
export const MAX_AHEAD = 60_000;
/**
 * The largest plausible distance of an instant from the clock, in milliseconds. Beyond it a clock
 * is wrong, or the instant stands for "never".
 */
export const MAX_JUMP = 400 * 86_400_000;

/**
 * Returns the milliseconds since 1970 of an ISO 8601 text, in UTC if the text names no zone.
 * Returns undefined if the text is not an instant of the years 0000 to 9999.
 */
export function parseInstant(text: string): number | undefined {
  const time = toMilliseconds(text);
  return time >= FIRST && time <= LAST ? time : undefined;
}

/** Texts that `toIso` may have written. It matches valid instants only, but not days 29 to 31. */
const IN_FORM =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** Returns an instant as ISO 8601 in UTC, with milliseconds. */
export const toIso = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** Returns a stored time in the form of answers; a text that cannot be read unchanged. */
export function normaliseTime(stored: string | null): string | null {
  // Most are in that form, and parsing takes ten times as long as this test.
  if (stored === null || IN_FORM.test(stored)) return stored;
  const time = parseInstant(stored);
  return time === undefined ? stored : toIso(time);
}
