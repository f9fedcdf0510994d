// Conditions on `nodes` as PostgreSQL takes them.

import { type Query, raw, sql } from "../query.ts";
import { MAX_LIST } from "./compared.ts";
import type { Dialect, Found } from "./dialect.ts";

/** A list of tags as they are compared: without case, and with letters composed. */
const folded = (tags: Query): Query =>
  sql`ARRAY(SELECT lower(normalize(tag, NFC) COLLATE "und-x-icu") COLLATE "C"
    FROM unnest(${tags}) AS tag)`;
const TAGS = folded(raw("nodes.tag_names"));

/** An entry of a list, or a value that is no list. */
const ENTRY = raw("entry");
const KIND = raw("jsonb_typeof(entry)");
const VALUE = raw("(entry #>> '{}')");

/** What the metadata have at a path. */
function atPath(path: string): Found {
  // A step by its key alone: `#>` would take a number for a place in a list.
  const steps = path
    .split(".")
    .reduce((found, key) => sql`${found} -> ${key}::text`, raw("nodes.facts"));
  const found = sql`(${steps})`;
  /** The condition that the value, or an entry of a list, fulfils one about `ENTRY`. */
  const some = (condition: Query): Query =>
    sql`EXISTS (SELECT FROM jsonb_array_elements(CASE WHEN ${found} IS NULL THEN '[]'
      WHEN jsonb_typeof(${found}) = 'array' THEN ${found} ELSE jsonb_build_array(${found}) END)
      AS entries(entry) WHERE ${condition})`;
  return {
    json: sql`CASE jsonb_typeof(${found}) WHEN 'object' THEN '{}' WHEN 'array' THEN
      CASE WHEN jsonb_array_length(${found}) = 0 THEN '{}'
        WHEN length(${found}::text) > ${raw(String(MAX_LIST))} THEN '[]' ELSE ${found}::text END
      ELSE ${found}::text END`,
    isThere: sql`${found} IS NOT NULL`,
    isOneOf(values) {
      const numbers = values.filter((one) => typeof one === "number").map(String);
      const texts = values.filter((one) => typeof one === "string");
      const others = values.filter((one) => typeof one === "boolean" || one === null).map(String);
      return some(sql`CASE ${KIND}
        WHEN 'number' THEN ${VALUE}::double precision = ANY(${numbers}::text[]::double precision[])
        WHEN 'string' THEN ${VALUE} COLLATE "C" = ANY(${texts}::text[])
        ELSE ${ENTRY}::text = ANY(${others}::text[]) END`);
    },
    compares(operator, limit) {
      const isNumber = typeof limit === "number";
      const type = raw(isNumber ? "double precision" : "text");
      return some(sql`CASE WHEN ${KIND} = ${raw(isNumber ? "'number'" : "'string'")}
        THEN ${VALUE}::${type} ${raw(isNumber ? "" : `COLLATE "C"`)} ${operator} ${limit}::${type}
        ELSE false END`);
    },
  };
}

/** Returns the dialect for the rows of an agent. */
export const postgresOf = (agent: string): Dialect => ({
  isoOf: (column) => raw(`nous.iso(${column})`),
  isAmong: (value, texts) => sql`${value} = ANY(${texts}::text[])`,
  hasAnyTag: (tags) => sql`${TAGS} && ${folded(sql`${tags}::text[]`)}`,
  hasAllTags: (tags) => sql`${TAGS} @> ${folded(sql`${tags}::text[]`)}`,
  atPath,
  membersOf: (clusters) => sql`SELECT node_id FROM nous.cluster_memberships
    WHERE agent = ${agent} AND cluster_id = ANY(${clusters}::text[])`,
});
