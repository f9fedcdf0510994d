// Hynous' orchestrator, which asks its server through `search`: its rules in full, and plain. This
// is the yardstick of retrievals in compatibility mode.

import { type MergedRow, type MergeRow, mergeAndSelect } from "../../../js/reference/merge.ts";
import { classifyQuery, decompose, reformulate } from "../../../js/reference/query.ts";

const SEARCH_LIMIT = 25;
const MAX_PARTS = 4;
const THRESHOLD = 0.2;

/** The filters that all searches share. */
export interface Filters {
  type?: string;
  subtype?: string;
  lifecycle?: string;
  cluster_ids?: string[];
}

type Search<Row> = (query: string, limit: number, filters: Filters) => Promise<readonly Row[]>;

const topOf = (rows: readonly MergeRow[]) => Number(rows[0]?.score ?? 0);

/** Returns the memories of a question, the best first. */
export async function orchestrate<Row extends MergeRow>(
  question: string,
  search: Search<Row>,
  filters: Filters = {},
): Promise<MergedRow<Row>[]> {
  const texts = decompose(question, classifyQuery(question), { maxParts: MAX_PARTS });
  // Hynous asks for all parts at once: second searches follow the first ones of all parts.
  const parts = await Promise.all(
    [...new Set(texts)].map(
      async (text): Promise<[string, Row[]]> => [text, [...(await found(text, search, filters))]],
    ),
  );
  return mergeAndSelect(parts, { query: question });
}

/** Searches for a part, and once more in other words if little was found. */
async function found<Row extends MergeRow>(
  text: string,
  search: Search<Row>,
  { subtype, ...others }: Filters,
): Promise<readonly Row[]> {
  const filters = subtype === undefined ? others : { ...others, subtype };
  const first = await search(text, SEARCH_LIMIT, filters);
  if (first.length > 0 && topOf(first) >= THRESHOLD) return first;
  const other = reformulate(text, classifyQuery(text));
  if (other === null && subtype === undefined) return first;
  const second = await search(other ?? text, SEARCH_LIMIT, others);
  return first.length === 0 || topOf(second) > topOf(first) ? second : first;
}
