// Whether a filter says something. This file has no schemas, so that agent threads need not load them.

import type { Filter } from "./filter.ts";

/** Whether a filter has a condition. */
export const isCondition = (given: Filter | null | undefined): given is Filter =>
  given != null && Object.values(given).some((value) => value !== undefined);
