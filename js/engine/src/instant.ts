// Moments as milliseconds since 1970.

import type { Instant } from "./types.ts";

/**
 * ISO 8601: a date, and perhaps a time, with a zone or without. Other text means other moments in
 * other places.
 */
const ISO =
  /^((?:\d{4}|[+-]\d{6})-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** Milliseconds since 1970; NaN for what is no moment. @internal */
export function toMilliseconds(instant: Instant | null | undefined): number {
  if (typeof instant === "number") return instant;
  if (instant instanceof Date) return instant.getTime();
  if (typeof instant === "string") return parse(instant);
  // A Date of another realm, as tests and workers have them.
  if (Object.prototype.toString.call(instant) === "[object Date]")
    return (instant as unknown as Date).getTime();
  return Number.NaN;
}

/** A missing zone means UTC, and a missing time the day's beginning there. */
function parse(text: string): number {
  const [iso, date, time, zone] = ISO.exec(text) ?? [];
  if (iso === undefined || time === undefined) return Date.parse(date ?? "");
  const [hours, minutes] =
    zone === undefined || /z/i.test(zone) ? [] : [zone.slice(0, 3), zone.slice(3).replace(":", "")];
  return Date.parse(`${date}T${time}${hours === undefined ? "Z" : `${hours}:${minutes || "00"}`}`);
}
