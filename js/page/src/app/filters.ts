// The filters of the list, which the address holds.

import { type Param, param } from "./address.ts";

export const text = param("find", "");
export const section = param("section", "");
export const kind = param("kind", "");
export const tag = param("tag", "");
export const from = param("from", "");
export const to = param("to", "");
export const order = param("order", "newest");
export const page = param("page", "1");
export const FILTERS = [text, section, kind, tag, from, to];

/** Changes a filter; the list begins anew. */
export function change(filter: Param, value: string): void {
  page.set("1");
  filter.set(value);
}

/** Returns the day of a date field in milliseconds since 1970; null if it is empty. */
export function dayIn(value: string): number | null {
  const day = Date.parse(value);
  return Number.isNaN(day) ? null : day;
}

/** Shows all memories. */
export function clearFilters(): void {
  for (const filter of FILTERS) change(filter, "");
}
