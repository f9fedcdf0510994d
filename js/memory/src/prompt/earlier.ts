// The mark of a memory that another one replaces: "(earlier; since 3 May: The rent is 1,000 euros)". In
// a prompt for the past it says until when the memory held: "(until 3 May)". And that of a memory which
// stands behind another one because it may replace it.

import { offsetIn } from "nous-wasm";

/** The most characters that a mark tells of the newer memory. */
const MAX_TOLD = 80;
const MINUTE = 60_000;
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** What a mark tells of the memory that replaces another one. */
export interface NewerMemory {
  /** Its words. */
  text: string;
  /** When it happened, in milliseconds since 1970; undefined if it tells of no event. */
  event_at?: number | undefined;
  /** Minutes before UTC of the clock by which the day of its event is told. Default: the zone's. */
  event_offset?: number | undefined;
  /** When it was made. */
  created_at?: number | undefined;
}

/** Returns the mark of an older memory, for a question for what holds, or for the past. */
export function markOfEarlier(
  newer: NewerMemory,
  isPast: boolean,
  now: number,
  zone: string,
): string {
  const { event_at, event_offset, created_at } = newer;
  const at = event_at ?? created_at;
  const day = at === undefined ? undefined : shortDay(at, now, zone, event_offset);
  if (isPast) return day === undefined ? "(earlier)" : `(until ${day})`;
  return `(earlier; since ${day ?? "then"}: ${told(newer.text)})`;
}

/**
 * The mark of a memory that may replace the one before it. It says no more than is sure: most of them do not.
 */
export const MARK_BEHIND = "(later than the line above)";

/** A mark of an older memory at the end of a text. */
export const MARK_OF_EARLIER =
  / \((?:earlier(?:; since [^()]*)?|until \d{1,2} [A-Z][a-z]{2}(?: \d{1,4})?)\)$/;

/** Returns a day, with its year unless that is the present one: "3 May". */
export function shortDay(
  at: number,
  now: number,
  zone: string,
  offset: number = offsetIn(zone, at),
): string {
  const day = new Date(at + offset * MINUTE);
  const year = day.getUTCFullYear();
  const isOfNow = year === new Date(now + offsetIn(zone, now) * MINUTE).getUTCFullYear();
  return `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]}${isOfNow ? "" : ` ${year}`}`;
}

/** The beginning of a text, in one line and without brackets. */
function told(text: string): string {
  const line = text.replaceAll(/[()]/g, "").replaceAll(/\s+/g, " ").trim();
  if (line.length <= MAX_TOLD) return line;
  const cut = line.slice(0, MAX_TOLD);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), MAX_TOLD / 2)).trimEnd()}…`;
}
