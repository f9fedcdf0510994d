// Time zones, by the tables of the runtime.

import { invalid, show } from "./errors.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
/** The clocks of the days beyond are taken for those of UTC: the tables need a day before and after. */
const LAST = 8.64e15 - 2 * DAY;
/** The formats of zones by their names. Making one takes longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const numeric = "numeric" as const;
  const format = new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
    ...{ timeZone: zone, hourCycle: "h23", era: "short" },
    ...{ year: numeric, month: numeric, day: numeric },
    ...{ hour: numeric, minute: numeric, second: numeric },
  });
  formats.set(zone, format);
  return format;
}

/** Whether the runtime knows a time zone of this name, such as `Europe/Berlin`. */
export function isTimeZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns how far the clocks of a time zone are before UTC at an instant, in minutes.
 *
 * @param zone The name of the zone in the database of IANA.
 * @param instant Milliseconds since 1970, within 8.64e15.
 * @throws {NousError} `invalid_argument` for a zone that the runtime does not know.
 *
 * @example
 * ```ts
 * offsetIn("America/New_York", Date.UTC(2026, 0, 15)); // -300
 * ```
 */
export function offsetIn(zone: string, instant: number): number {
  if (zone === "UTC") return 0;
  checkTimeZone(zone);
  const parts = new Map(
    formatOf(zone)
      .formatToParts(instant)
      .map((it) => [it.type, it.value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
  const year =
    parts.get("era") === "BC" || parts.get("era") === "B" ? 1 - part("year") : part("year");
  const wall = new Date(0);
  wall.setUTCFullYear(year, part("month") - 1, part("day"));
  wall.setUTCHours(part("hour"), part("minute"), part("second"));
  return Math.round((wall.getTime() - Math.floor(instant / 1000) * 1000) / MINUTE);
}

/**
 * Returns the instant at which the clocks of a zone show a time, which is given as if it were in UTC.
 * Of two instants it is the first. A time that clocks leave out counts by the clock before.
 *
 * @internal
 */
export function instantIn(zone: string, wall: number): number {
  if (zone === "UTC" || !(Math.abs(wall) < LAST)) return wall;
  return instantsOf(zone, wall)[0] ?? wall - offsetIn(zone, wall - DAY) * MINUTE;
}

/**
 * Returns the instant at which a stretch of time ends that the clocks of a zone show: the first one
 * after it, which is given as if it were in UTC. A stretch that clocks show twice ends the second time.
 *
 * @internal
 */
export function endIn(zone: string, wall: number): number {
  if (zone === "UTC" || !(Math.abs(wall) < LAST)) return wall;
  const last = instantsOf(zone, wall - 1).at(-1);
  return last === undefined ? instantIn(zone, wall) : last + 1;
}

/** Returns the instants at which the clocks of a zone show a time: none, one or two, in order. */
function instantsOf(zone: string, wall: number): number[] {
  const offsets = [offsetIn(zone, wall - DAY), offsetIn(zone, wall + DAY)];
  return offsets
    .map((offset) => ({ offset, instant: wall - offset * MINUTE }))
    .filter(({ offset, instant }) => offsetIn(zone, instant) === offset)
    .map(({ instant }) => instant);
}

/** @throws {NousError} If the runtime knows no time zone of this name. */
export function checkTimeZone(zone: unknown): asserts zone is string {
  if (typeof zone === "string" && (zone === "UTC" || isTimeZone(zone))) return;
  throw invalid("time_zone", `must name a time zone, such as Europe/Berlin, found ${show(zone)}`);
}
