// Moments as milliseconds since 1970.

import type { Instant } from "./types.ts";

/** A date and a time without a zone at its end. */
const WITHOUT_ZONE = /^[^Zz]*[T ]\d{1,2}:\d{2}[^Zz+-]*$/;

/** Milliseconds since 1970; NaN for what is no moment. @internal */
export function toMilliseconds(instant: Instant | null | undefined): number {
  if (typeof instant === "number") return instant;
  if (instant instanceof Date) return instant.getTime();
  if (typeof instant === "string") return Date.parse(WITHOUT_ZONE.test(instant) ? `${instant}Z` : instant);
  // A Date of another realm, as tests and workers have them.
  if (Object.prototype.toString.call(instant) === "[object Date]") return (instant as unknown as Date).getTime();
  return Number.NaN;
}
