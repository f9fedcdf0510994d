// Instants: milliseconds since 1970 in the program, ISO 8601 in UTC with milliseconds in the
// database and in answers.

import { lastMillisecondsIn, millisecondsIn, offsetIn } from "nous-wasm";

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

/** Returns why an instant is refused that lies ahead of the clock: most such texts lack their zone. */
export const futureProblem = (now: number, timeZone: string): string =>
  `lies in the future: it is ${toIso(now)} now. A time without a zone is read in ${timeZone}: ` +
  "end it with its zone, such as +02:00 or Z";
/**
 * The largest plausible distance of an instant from the clock, in milliseconds. Beyond it a clock
 * is wrong, or the instant stands for "never".
 */
export const MAX_JUMP = 400 * 86_400_000;

/**
 * Returns the milliseconds since 1970 of an ISO 8601 text, in UTC if the text names no zone.
 * Returns undefined if the text is not an instant of the years 0000 to 9999.
 */
export const parseInstant = (text: string): number | undefined => parseInstantIn("UTC", text);

/** Returns an instant as `parseInstant` does, in a time zone if the text names none. */
export const parseInstantIn = (zone: string, text: string): number | undefined =>
  inYears(millisecondsIn(zone, text));

const inYears = (time: number): number | undefined =>
  time >= FIRST && time <= LAST ? time : undefined;

/**
 * Returns the last instant that a text names, in milliseconds since 1970: the last one of the day, if
 * it is a day without a time of day. Returns undefined for a text that `parseInstant` does not read.
 *
 * @example
 * ```ts
 * toIso(parseLastInstantIn("UTC", "2026-05-31")!); // "2026-05-31T23:59:59.999Z"
 * ```
 */
export const parseLastInstantIn = (zone: string, text: string): number | undefined =>
  inYears(lastMillisecondsIn(zone, text));

/** Texts that `toIso` may have written. It matches valid instants only, but not days 29 to 31. */
const IN_FORM =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** Returns an instant as ISO 8601 in UTC, with milliseconds. */
export const toIso = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** How far the clock of an ISO 8601 text is before UTC: hours and minutes behind its time. */
const OFFSET = /\d\d:\d\d.* ?([+-])(\d\d):?(\d\d)?$/;
const MINUTE = 60_000;

/**
 * Returns how far the clock of an ISO 8601 text is before UTC, in minutes. Returns undefined for UTC,
 * in which programs write times of any place, and if the text names no clock.
 */
export function offsetOf(text: string): number | undefined {
  const [, sign, hours, minutes = 0] = OFFSET.exec(text) ?? [];
  const offset = 60 * Number(hours) + Number(minutes);
  return sign === undefined || offset === 0 ? undefined : sign === "-" ? -offset : offset;
}

/**
 * Returns a time at which something happened as ISO 8601 with milliseconds, by the clock that decides
 * its day: that of the text, or that of the zone if the text names none. A text in UTC stays in UTC.
 * Returns undefined if the text is not an instant of the years 0000 to 9999.
 *
 * @example
 * ```ts
 * toLocalIso("UTC", "2026-11-20T19:00-08:00"); // "2026-11-20T19:00:00.000-08:00"
 * toLocalIso("Europe/Berlin", "2026-11-20"); // "2026-11-20T00:00:00.000+01:00"
 * toLocalIso("Europe/Berlin", "2026-11-20T19:00Z"); // "2026-11-20T19:00:00.000Z"
 * ```
 */
export function toLocalIso(zone: string, text: string): string | undefined {
  const instant = parseInstantIn(zone, text);
  if (instant === undefined) return undefined;
  const isUtc = /(?:z|[+-]00(?::?00)?)$/i.test(text) && text.length > 10;
  const offset = offsetOf(text) ?? (isUtc ? 0 : offsetIn(zone, instant));
  const local = instant + offset * MINUTE;
  if (offset === 0 || local < FIRST || local > LAST) return toIso(instant);
  const far = Math.abs(offset);
  const [hours, minutes] = [Math.floor(far / 60), far % 60].map((part) =>
    String(part).padStart(2, "0"),
  );
  return `${toIso(local).slice(0, -1)}${offset < 0 ? "-" : "+"}${hours}:${minutes}`;
}

/** Returns a stored time in the form of answers; a text that cannot be read unchanged. */
export function normaliseTime(stored: string | null): string | null {
  // Most are in that form, and parsing takes ten times as long as this test.
  if (stored === null || IN_FORM.test(stored)) return stored;
  const time = parseInstant(stored);
  return time === undefined ? stored : toIso(time);
}

/** Returns a stored time of an event in the form of answers, by its own clock. */
export function normaliseEvent(stored: string | null): string | null {
  if (stored === null || IN_FORM.test(stored)) return stored;
  return toLocalIso("UTC", stored) ?? stored;
}
