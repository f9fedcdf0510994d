// Conditions on `nodes` as SQLite takes them.

import { foldedTag } from "nous-memory";
import { FOLDED_TAG } from "../connection.ts";
import { type Query, raw, sql } from "../query.ts";
import { isoOf, LISTED } from "../sql.ts";
import { MAX_LIST } from "./compared.ts";
import type { Dialect, Found } from "./dialect.ts";

/** Rows of another program may hold a text that is no JSON. */
const TAGS = raw("CASE WHEN json_valid(nodes.tags) THEN nodes.tags ELSE '[]' END");
const METADATA = raw("(CASE WHEN json_valid(nodes.metadata) THEN nodes.metadata ELSE '{}' END)");

const [BEFORE, AFTER] = LISTED.split("?") as [string, string];
/** The members of a list. */
const listed = (values: readonly unknown[]): Query =>
  sql`${raw(BEFORE)}${JSON.stringify(values)}${raw(AFTER)}`;

/** The condition on how many of these tags a memory has, or on that it has all of them. */
function hasTags(tags: readonly string[], count: "> 0" | "all"): Query {
  const wanted = [...new Set(tags.map(foldedTag))];
  const tag = raw(`${FOLDED_TAG}(value)`);
  return sql`(SELECT count(DISTINCT ${tag}) FROM json_each(${TAGS})
    WHERE ${tag} IN ${listed(wanted)}) ${raw(count === "all" ? `= ${wanted.length}` : count)}`;
}

/** What the metadata have at a path. SQLite writes it `$."a"."b"`. */
function atPath(keys: string): Found {
  const path = `$${keys
    .split(".")
    .map((key) => `.${JSON.stringify(key)}`)
    .join("")}`;
  const kind = sql`json_type(${METADATA}, ${path})`;
  const value = sql`${METADATA} -> ${path}`;
  /**
   * The condition that the value, or an entry of a list, fulfils one about `entry`: a row of
   * `json_each`. An object fulfils none.
   */
  const some = (condition: Query): Query =>
    sql`(coalesce(${kind}, 'object') <> 'object' AND EXISTS
      (SELECT 1 FROM json_each(${METADATA}, ${path}) AS entry WHERE ${condition}))`;
  return {
    json: sql`CASE ${kind} WHEN 'object' THEN '{}' WHEN 'array' THEN
      CASE WHEN json_array_length(${METADATA}, ${path}) = 0 THEN '{}'
        WHEN length(${value}) > ${raw(String(MAX_LIST))} THEN '[]' ELSE ${value} END
      ELSE ${value} END`,
    isThere: sql`${kind} IS NOT NULL`,
    isOneOf(values) {
      const numbers = values.filter((one) => typeof one === "number");
      const texts = values.filter((one) => typeof one === "string");
      const others = values.filter((one) => typeof one === "boolean" || one === null).map(String);
      return some(sql`CASE WHEN entry.type = 'text' THEN entry.atom IN ${listed(texts)}
        WHEN entry.type IN ${NUMBERS} THEN entry.atom IN ${listed(numbers)}
        ELSE entry.type IN ${listed(others)} END`);
    },
    compares(operator, limit) {
      const kinds = typeof limit === "number" ? NUMBERS : raw("('text')");
      return some(sql`entry.type IN ${kinds} AND entry.atom ${operator} ${limit}`);
    },
  };
}

const NUMBERS = raw("('integer', 'real')");

export const SQLITE: Dialect = {
  isoOf: (column) => raw(isoOf(column)),
  isAmong: (value, texts) => sql`${value} IN ${listed(texts)}`,
  hasAnyTag: (tags) => hasTags(tags, "> 0"),
  hasAllTags: (tags) => hasTags(tags, "all"),
  atPath,
  membersOf: (clusters) =>
    sql`SELECT node_id FROM cluster_memberships WHERE cluster_id IN ${listed(clusters)}`,
};
