// From the filter of a request to conditions on `nodes`.

import type { MetadataCondition, TimeBounds } from "../../../api/filter.ts";
import { type Compared, MAX_LIST } from "../../tables/compared.ts";
import type { NodeFilter } from "../../tables/nodes.ts";
import type { LifecycleFilter, Wanted } from "../../tables/wanted.ts";
import { CREATED_AT, isoOf } from "../columns.ts";
import { oneOfAll, type Query, raw, sql } from "../query.ts";

/** Returns the conditions of a filter on `nodes`. */
export function conditionsOf(agent: string, filter: NodeFilter): Query[] {
  const { ids, type, subtype, subtypes, created_after, created_before, cluster_ids } = filter;
  return [
    ...(ids === undefined ? [] : [sql`nodes.id = ANY(${ids}::text[])`]),
    ...(type === undefined ? [] : [sql`nodes.type = ${type}`]),
    ...(subtype === undefined ? [] : [sql`nodes.subtype = ${subtype}`]),
    ...(subtypes === undefined
      ? []
      : [sql`coalesce(nodes.subtype, '') = ANY(${subtypes.map((one) => one ?? "")}::text[])`]),
    ...(created_after === undefined ? [] : [sql`${CREATED_AT} >= ${created_after}`]),
    ...(created_before === undefined ? [] : [sql`${CREATED_AT} <= ${created_before}`]),
    ...(cluster_ids === undefined || cluster_ids.length === 0
      ? []
      : [
          sql`nodes.id IN (SELECT node_id FROM nous.cluster_memberships
            WHERE agent = ${agent} AND cluster_id = ANY(${cluster_ids}::text[]))`,
        ]),
    ...(filter.time_range === undefined ? [] : [withinRange(filter.time_range)]),
    ...(filter.lifecycle === undefined ? [] : [inState(filter.lifecycle)]),
    ...(filter.wanted === undefined ? [] : conditionsOfWanted(filter.wanted)),
    ...(filter.alsoWanted ?? []).flatMap(conditionsOfWanted),
  ];
}

function withinRange({ by, start, end }: NonNullable<NodeFilter["time_range"]>): Query {
  const columns = {
    event: ["temporal_event_time"],
    ingestion: ["provenance_created_at"],
    any: ["temporal_event_time", "provenance_created_at"],
  }[by];
  return oneOfAll(
    columns.map(
      (column) => sql`${isoOf(`nodes.${column}`)} BETWEEN ${start ?? ""} AND ${end ?? "~"}`,
    ),
  );
}

const inState = ({ state, leaving, arriving }: LifecycleFilter): Query =>
  sql`(coalesce(nodes.state_lifecycle, 'ACTIVE') = ${state} AND nodes.id <> ALL(${leaving}::text[])
    OR nodes.id = ANY(${arriving}::text[]))`;

function oneOf(column: string, wanted: readonly (string | null)[]): Query {
  const named = raw(`nodes.${column}`);
  const values = sql`${named} = ANY(${wanted.filter((value) => value !== null)}::text[])`;
  return wanted.includes(null) ? sql`(${named} IS NULL OR ${named} = '' OR ${values})` : values;
}

function conditionsOfWanted({ filter, subtypes, lifecycles }: Wanted): Query[] {
  const { ids, user, session, source, type, subtype, tags, metadata, created, event_time } = filter;
  const named = [
    ["id", ids],
    ["user_id", user],
    ["session_id", session],
    ["provenance_source", source],
    ["type", type],
    ["subtype", subtype],
    ["subtype", subtypes],
  ] as const;
  const TAGS = folded(raw("nodes.tag_names"));
  return [
    ...named.flatMap(([column, values]) => (values === undefined ? [] : [oneOf(column, values)])),
    ...(lifecycles === undefined ? [] : [oneOfAll(lifecycles.map(inState))]),
    ...(tags?.any === undefined ? [] : [sql`${TAGS} && ${folded(sql`${tags.any}::text[]`)}`]),
    ...(tags?.all === undefined ? [] : [sql`${TAGS} @> ${folded(sql`${tags.all}::text[]`)}`]),
    ...(tags?.none === undefined ? [] : [sql`NOT ${TAGS} && ${folded(sql`${tags.none}::text[]`)}`]),
    ...(created === undefined ? [] : within("nodes.created_at", created)),
    ...(event_time === undefined ? [] : within("nodes.temporal_event_time", event_time)),
    ...Object.entries(metadata ?? {}).flatMap(([path, condition]) => ofMetadata(path, condition)),
  ];
}

/** Returns a list of tags as they are compared: without case, and with letters composed. */
const folded = (tags: Query): Query =>
  sql`ARRAY(SELECT lower(normalize(tag, NFC) COLLATE "und-x-icu") COLLATE "C" FROM unnest(${tags}) AS tag)`;

const OPERATORS = { gte: raw(">="), gt: raw(">"), lte: raw("<="), lt: raw("<") } as const;
const COMPARED = Object.keys(OPERATORS) as (keyof typeof OPERATORS)[];

const within = (column: string, bounds: TimeBounds): Query[] =>
  COMPARED.flatMap((bound) =>
    bounds[bound] === undefined ? [] : [sql`${isoOf(column)} ${OPERATORS[bound]} ${bounds[bound]}`],
  );

type Scalar = string | number | boolean | null;

/** Returns the value at a path of the metadata. */
function valueAt(path: string): Query {
  // A step by its key alone: `#>` would take a number for a place in a list.
  const value = path
    .split(".")
    .reduce((found, key) => sql`${found} -> ${key}::text`, raw("nodes.facts"));
  return sql`(${value})`;
}

/** Returns what is compared, as JSON. It is null for a memory without it. */
export function comparedIn(compared: Compared): Query {
  if ("time" in compared) return sql`'"' || ${isoOf(`nodes.${compared.time}`)} || '"'`;
  const found = valueAt(compared.path);
  return sql`CASE jsonb_typeof(${found}) WHEN 'object' THEN '{}' WHEN 'array' THEN
    CASE WHEN jsonb_array_length(${found}) = 0 THEN '{}'
      WHEN length(${found}::text) > ${raw(String(MAX_LIST))} THEN '[]' ELSE ${found}::text END
    ELSE ${found}::text END`;
}

/** An entry of a list, or a value that is no list. */
const ENTRY = raw("entry");

/** The condition that a value, or an entry of it if it is a list, fulfils one about `ENTRY`. */
const anyOf = (found: Query, condition: Query): Query =>
  sql`EXISTS (SELECT FROM jsonb_array_elements(CASE WHEN ${found} IS NULL THEN '[]'
    WHEN jsonb_typeof(${found}) = 'array' THEN ${found} ELSE jsonb_build_array(${found}) END)
    AS entries(entry) WHERE ${condition})`;

function ofMetadata(path: string, condition: MetadataCondition): Query[] {
  const found = valueAt(path);
  if (typeof condition !== "object" || condition === null)
    return [anyOf(found, isOne([condition]))];
  const { eq, ne, in: listed, exists } = condition;
  return [
    ...(eq === undefined ? [] : [anyOf(found, isOne([eq]))]),
    ...(ne === undefined ? [] : [sql`(${found} IS NOT NULL AND NOT ${anyOf(found, isOne([ne]))})`]),
    ...(listed === undefined ? [] : [anyOf(found, isOne(listed))]),
    ...(exists === undefined ? [] : [sql`${found} IS ${raw(exists ? "NOT NULL" : "NULL")}`]),
    ...COMPARED.flatMap((bound) => {
      const limit = condition[bound];
      return limit === undefined ? [] : [anyOf(found, compared(ENTRY, OPERATORS[bound], limit))];
    }),
  ];
}

/** The condition that an entry equals one of these values, of the same type. */
function isOne(wanted: readonly Scalar[]): Query {
  const numbers = wanted.filter((one) => typeof one === "number").map(String);
  const texts = wanted.filter((one) => typeof one === "string");
  const others = wanted.filter((one) => typeof one === "boolean" || one === null).map(String);
  return sql`CASE jsonb_typeof(${ENTRY})
    WHEN 'number' THEN (${ENTRY} #>> '{}')::double precision = ANY(${numbers}::text[]::double precision[])
    WHEN 'string' THEN (${ENTRY} #>> '{}') COLLATE "C" = ANY(${texts}::text[])
    ELSE ${ENTRY}::text = ANY(${others}::text[]) END`;
}

/** The condition on a number or a text of JSON. It is false for a value of another type. */
function compared(found: Query, operator: Query, limit: number | string): Query {
  const kind = typeof limit === "number" ? "number" : "string";
  const value = typeof limit === "number" ? raw("::double precision") : raw(` COLLATE "C"`);
  const bound = typeof limit === "number" ? raw("::double precision") : raw("::text");
  return sql`CASE WHEN jsonb_typeof(${found}) = ${raw(`'${kind}'`)}
    THEN (${found} #>> '{}')${value} ${operator} ${limit}${bound} ELSE false END`;
}
