// Instants in milliseconds since 1970.

import type { Instant } from "./types.ts";

/** An instant as text, for messages. @internal */
export const EXAMPLE_INSTANT = "2026-01-15T09:30:00Z";

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
  if (typeof instant === "number") return instant;
  if (instant instanceof Date) return instant.getTime();
  if (typeof instant === "string") return parse(instant);
  // A Date of another realm, as tests and workers have them.
  if (Object.prototype.toString.call(instant) === "[object Date]")
    return (instant as unknown as Date).getTime();
  return Number.NaN;
}

/** A missing zone means UTC. A missing time means the start of the day in UTC. */
function parse(text: string): number {
  const [iso, date = "", time, zone] = ISO.exec(text) ?? [];
  if (iso === undefined || !isDay(date)) return Number.NaN;
  if (time === undefined) return Date.parse(date);
  const [hours, minutes] =
    zone === undefined || /z/i.test(zone) ? [] : [zone.slice(0, 3), zone.slice(3).replace(":", "")];
  return Date.parse(`${date}T${time}${hours === undefined ? "Z" : `${hours}:${minutes || "00"}`}`);
}

/** Whether the month has that day. `Date.parse` reads 31 February as 3 March in some engines. */
function isDay(date: string): boolean {
  const day = date.slice(-2);
  // Every month has 28 days. `Date.parse` refuses day 00 and month 13.
  return day <= "28" || new Date(Date.parse(date)).getUTCDate() === Number(day);
}
