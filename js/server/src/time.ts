// Instants: milliseconds inside, ISO 8601 in UTC with milliseconds wherever they are stored or
// sent.

import { toMilliseconds } from "../../engine/src/instant.ts";

/**
 * The years that ISO 8601 writes with four digits: others would be in no order beside them as text.
 */
const FIRST = Date.parse("0000-01-01T00:00:00.000Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * How far an instant may lie ahead of the clock before it is doubted, in milliseconds: clocks of
 * machines differ by as much.
 */
export const MOST_AHEAD = 60_000;
/**
 * An instant that is further from the clock tells of a wrong clock, or stands for "never". In
 * milliseconds.
 */
export const MOST_JUMP = 400 * 86_400_000;

/**
 * Milliseconds since 1970 of an ISO 8601 text, in UTC if it names no zone; undefined if it is no
 * instant, or one outside the years 0000 to 9999.
 */
export function parseInstant(text: string): number | undefined {
  const time = toMilliseconds(text);
  return time >= FIRST && time <= LAST ? time : undefined;
}

/** Such as `toIso` writes; not all of those, but none that is no instant. */
const IN_FORM =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

export const toIso = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** A stored time as it is sent; one that cannot be read stays as it is. */
export function normaliseTime(stored: string | null): string | null {
  // Most are, and reading them costs ten times as much as looking.
  if (stored === null || IN_FORM.test(stored)) return stored;
  const time = parseInstant(stored);
  return time === undefined ? stored : toIso(time);
}
