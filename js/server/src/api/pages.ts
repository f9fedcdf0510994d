// Builds pages of lists and their cursors; cursors.ts reads cursors. This file has no schemas, so
// that agent threads need not load them.

/** The names of lists that have cursors. Each cursor holds its list's name. */
export const NODES = "nodes";
export const EDGES = "edges";
export const AGENTS = "agents";
export const CLUSTERS = "clusters";
export const MEMBERS = "members";
export const QUEUE = "conflicts";
export const TIMELINE = "timeline";
export const GRAPH = "graph";

/** How many events are read at once unless a request says. */
export const EVENTS_AT_ONCE = 100;
/** The cursor of the beginning of a memory, and of an agent that does not exist yet. */
export const BEGINNING = "0";

/** Returns the cursor of a position in a list; null if there is no next page. */
export const toCursor = (list: string, position: unknown): string | null =>
  position == null ? null : Buffer.from(JSON.stringify([list, position])).toString("base64url");

/**
 * Returns a page of `limit` rows. `rows` has one row more than the page if there is a next page.
 */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number | undefined,
): {
  rows: readonly Row[];
  /** The last row of the page; undefined on the last page. */
  last: Row | undefined;
} {
  if (limit === undefined || rows.length <= limit) return { rows, last: undefined };
  const page = rows.slice(0, limit);
  return { rows: page, last: page.at(-1) };
}

/** How many rows to ask for, for `pageOf`. */
export const oneMore = (limit: number | undefined): number | undefined =>
  limit === undefined ? undefined : limit + 1;
