// Instants in milliseconds since 1970.

import type { Instant } from "./types.ts";
import { checkTimeZone, endIn, instantIn } from "./zone.ts";

/**
 * ISO 8601: a date, an optional time, an optional zone. Other texts mean different instants in
 * different places.
 */
const ISO =
  /^((?:\d{4}|[+-]\d{6})-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/**
 * Returns the milliseconds since 1970 of a `Date`, a number or ISO 8601 text; NaN for anything else,
 * and for a day that does not exist, such as 31 February. Text without a zone is in UTC, and text
 * without a time means the start of the day.
 *
 * @example
 * ```ts
 * toMilliseconds("2026-01-15T09:30:00Z"); // 1768469400000
 * toMilliseconds("soon"); // NaN
 * ```
 */
export function toMilliseconds(instant: Instant | null | undefined): number {
  return millisecondsIn("UTC", instant);
}

/**
 * Returns the milliseconds since 1970 of an instant, as `toMilliseconds` does. Text without a zone is
 * in a time zone.
 *
 * @param zone The name of the zone in the database of IANA.
 * @throws {NousError} `invalid_argument` for a zone that the runtime does not know.
 *
 * @example
 * ```ts
 * new Date(millisecondsIn("Europe/Berlin", "2026-05-31")); // 2026-05-30T22:00:00.000Z
 * ```
 */
export function millisecondsIn(zone: string, instant: Instant | null | undefined): number {
  checkTimeZone(zone);
  if (typeof instant === "number") return instant;
  if (instant instanceof Date) return instant.getTime();
  if (typeof instant === "string") return parse(instant, zone);
  // A Date of another realm, as tests and workers have them.
  if (Object.prototype.toString.call(instant) === "[object Date]")
    return (instant as unknown as Date).getTime();
  return Number.NaN;
}

/** The last instant that a `Date` has. */
const LAST = 8.64e15;

/** A day without a time of day. */
const DAY = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\d$/;

/**
 * Returns the milliseconds since 1970 of the last instant that is meant, as `millisecondsIn` does of
 * the first: a day without a time of day ends with its last millisecond.
 *
 * @param zone The name of the zone in the database of IANA.
 * @throws {NousError} `invalid_argument` for a zone that the runtime does not know.
 *
 * @example
 * ```ts
 * new Date(lastMillisecondsIn("UTC", "2026-05-31")); // 2026-05-31T23:59:59.999Z
 * ```
 */
export function lastMillisecondsIn(zone: string, instant: Instant | null | undefined): number {
  const first = millisecondsIn(zone, instant);
  const isWholeDay = typeof instant === "string" && DAY.test(instant);
  if (!isWholeDay || Number.isNaN(first)) return first;
  return Math.min(endIn(zone, Date.parse(instant) + 86_400_000) - 1, LAST);
}

/** A missing time means the start of the day. */
function parse(text: string, timeZone: string): number {
  const [iso, date = "", time, zone] = ISO.exec(text) ?? [];
  if (iso === undefined || !isDay(date)) return Number.NaN;
  if (time === undefined) return instantIn(timeZone, Date.parse(date));
  if (zone === undefined) return instantIn(timeZone, Date.parse(`${date}T${time}Z`));
  const [hours, minutes] = /z/i.test(zone)
    ? []
    : [zone.slice(0, 3), zone.slice(3).replace(":", "")];
  return Date.parse(`${date}T${time}${hours === undefined ? "Z" : `${hours}:${minutes || "00"}`}`);
}

/** Whether the month has that day. `Date.parse` reads 31 February as 3 March in some engines. */
function isDay(date: string): boolean {
  const day = date.slice(-2);
  // Every month has 28 days. `Date.parse` refuses day 00 and month 13.
  return day <= "28" || new Date(Date.parse(date)).getUTCDate() === Number(day);
}
