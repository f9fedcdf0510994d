// Pages of lists as those make them who answer; what comes in as a cursor is read in cursors.ts. No
// schema is in here: a thread of agents does without them.

/** The lists that go on from a cursor, each by the name that its cursors carry. */
export const NODES = "nodes";
export const EDGES = "edges";
export const AGENTS = "agents";
export const CLUSTERS = "clusters";
export const MEMBERS = "members";
export const QUEUE = "conflicts";
export const GRAPH = "graph";

/** Where a page ended, with the name of its list, as text; null where there is no next page. */
export const toCursor = (list: string, position: unknown): string | null =>
  position == null ? null : Buffer.from(JSON.stringify([list, position])).toString("base64url");

/**
 * A page out of rows of which there is one more than it is to have, should there be a next page.
 */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number | undefined,
): {
  rows: readonly Row[] /** Its last row, where there is a next page. */;
  last: Row | undefined;
} {
  if (limit === undefined || rows.length <= limit) return { rows, last: undefined };
  const page = rows.slice(0, limit);
  return { rows: page, last: page.at(-1) };
}

/** How many rows to ask for, for `pageOf`. */
export const oneMore = (limit: number | undefined): number | undefined =>
  limit === undefined ? undefined : limit + 1;
