// From the filter of a request to conditions of SQL.

import { foldedTag } from "nous-memory";
import type { StoredLifecycleState } from "nous-wasm";
import type { Filter, MetadataCondition, TimeBounds } from "../../api/filter.ts";
import { FOLDED_TAG, type SqlValue } from "../connection.ts";
import { isoOf, LISTED } from "../sql.ts";
import { type Compared, MAX_LIST } from "./compared.ts";

/** A stored state, corrected by the memories whose state changes with the next flush or sweep. */
export interface LifecycleFilter {
  state: StoredLifecycleState;
  /** Ids of memories stored with the state that count as having left it. */
  leaving: readonly string[];
  /** Ids of memories stored with another state that count as having this one. */
  arriving: readonly string[];
}

/** A filter, with its conditions that the agent has to look up. */
export interface Wanted {
  filter: Filter;
  /** The subtypes of the sections that it names; null stands for no subtype. */
  subtypes?: readonly (string | null)[] | undefined;
  /** The states that it names, of which the memory has one. */
  lifecycles?: readonly LifecycleFilter[] | undefined;
}

/** A condition or another expression, and the values bound in it. */
export interface Condition {
  sql: string;
  values: readonly SqlValue[];
}

/** The condition that a memory is in a state as of now. */
export const inState = ({ state, leaving, arriving }: LifecycleFilter): Condition => ({
  sql: `(coalesce(nodes.state_lifecycle, 'ACTIVE') = ? AND nodes.id NOT IN ${LISTED} OR nodes.id IN ${LISTED})`,
  values: [state, JSON.stringify(leaving), JSON.stringify(arriving)],
});

/** The condition that a column has one of these values; null stands for no value. */
export const oneOf = (column: string, wanted: readonly (string | null)[]): Condition => ({
  sql: wanted.includes(null)
    ? `(${column} IS NULL OR ${column} = '' OR ${column} IN ${LISTED})`
    : `${column} IN ${LISTED}`,
  values: [JSON.stringify(wanted.filter((value) => value !== null))],
});

/** Returns the conditions that a memory has to fulfil. */
export function conditionsOfWanted({ filter, subtypes, lifecycles }: Wanted): Condition[] {
  const { ids, user, session, source, type, subtype, tags, metadata, created, event_time } = filter;
  return [
    ...(ids === undefined ? [] : [oneOf("nodes.id", ids)]),
    ...(user === undefined ? [] : [oneOf("nodes.user_id", user)]),
    ...(session === undefined ? [] : [oneOf("nodes.session_id", session)]),
    ...(source === undefined ? [] : [oneOf("nodes.provenance_source", source)]),
    ...(type === undefined ? [] : [oneOf("nodes.type", type)]),
    ...(subtype === undefined ? [] : [oneOf("nodes.subtype", subtype)]),
    ...(subtypes === undefined ? [] : [oneOf("nodes.subtype", subtypes)]),
    ...(lifecycles === undefined ? [] : [anyOf(lifecycles.map(inState))]),
    ...(tags?.any === undefined ? [] : [tagged(tags.any, "> 0")]),
    ...(tags?.all === undefined ? [] : [tagged(tags.all, ALL)]),
    ...(tags?.none === undefined ? [] : [tagged(tags.none, "= 0")]),
    ...(created === undefined ? [] : within("nodes.created_at", created)),
    ...(event_time === undefined ? [] : within("nodes.temporal_event_time", event_time)),
    ...Object.entries(metadata ?? {}).flatMap(([path, condition]) => ofMetadata(path, condition)),
  ];
}

function anyOf(conditions: readonly Condition[]): Condition {
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(" OR ")})`,
    values: conditions.flatMap(({ values }) => values),
  };
}

/** Rows of another program may hold a text that is no JSON. */
const TAGS = "CASE WHEN json_valid(nodes.tags) THEN nodes.tags ELSE '[]' END";
const METADATA = "(CASE WHEN json_valid(nodes.metadata) THEN nodes.metadata ELSE '{}' END)";

/** Stands for the number of the tags of a condition. */
const ALL = "all";

/** The condition on how many of these tags a memory has. */
const tagged = (tags: readonly string[], count: string): Condition => {
  const wanted = [...new Set(tags.map(foldedTag))];
  return {
    sql: `(SELECT count(DISTINCT ${FOLDED_TAG}(value)) FROM json_each(${TAGS})
      WHERE ${FOLDED_TAG}(value) IN ${LISTED}) ${count === ALL ? `= ${wanted.length}` : count}`,
    values: [JSON.stringify(wanted)],
  };
};

const OPERATORS = { gte: ">=", gt: ">", lte: "<=", lt: "<" } as const;
const COMPARED = Object.keys(OPERATORS) as (keyof typeof OPERATORS)[];

const within = (column: string, bounds: TimeBounds): Condition[] =>
  COMPARED.flatMap((bound) =>
    bounds[bound] === undefined
      ? []
      : [{ sql: `${isoOf(column)} ${OPERATORS[bound]} ?`, values: [bounds[bound]] }],
  );

type Scalar = string | number | boolean | null;

/** Returns the path of SQLite for keys with points between them: `$."a"."b"`. */
const pathOf = (keys: string): string =>
  `$${keys
    .split(".")
    .map((key) => `."${key}"`)
    .join("")}`;

/** Returns SQL for what is compared, as JSON. It is null for a memory without it. */
export function comparedIn(compared: Compared): Condition {
  if ("time" in compared)
    return { sql: `'"' || ${isoOf(`nodes.${compared.time}`)} || '"'`, values: [] };
  const path = pathOf(compared.path);
  return {
    sql: `CASE json_type(${METADATA}, ?) WHEN 'object' THEN '{}' WHEN 'array' THEN
      CASE WHEN json_array_length(${METADATA}, ?) = 0 THEN '{}'
        WHEN length(${METADATA} -> ?) > ${MAX_LIST} THEN '[]' ELSE ${METADATA} -> ? END
      ELSE ${METADATA} -> ? END`,
    values: [path, path, path, path, path],
  };
}

/**
 * The condition that the value at a path, or an entry of a list there, fulfils one about `entry`: a row
 * of `json_each`. An object at the path fulfils none.
 */
const anyAt = (path: string, { sql, values }: Condition): Condition => ({
  sql: `(coalesce(json_type(${METADATA}, ?), 'object') <> 'object' AND EXISTS
    (SELECT 1 FROM json_each(${METADATA}, ?) AS entry WHERE ${sql}))`,
  values: [path, path, ...values],
});

function ofMetadata(keys: string, condition: MetadataCondition): Condition[] {
  const path = pathOf(keys);
  const kind = `json_type(${METADATA}, ?)`;
  if (typeof condition !== "object" || condition === null) return [anyAt(path, isOne([condition]))];
  const { eq, ne, in: listed, exists } = condition;
  const equal = ne === undefined ? undefined : anyAt(path, isOne([ne]));
  return [
    ...(eq === undefined ? [] : [anyAt(path, isOne([eq]))]),
    ...(equal === undefined
      ? []
      : [{ sql: `(${kind} IS NOT NULL AND NOT ${equal.sql})`, values: [path, ...equal.values] }]),
    ...(listed === undefined ? [] : [anyAt(path, isOne(listed))]),
    ...(exists === undefined
      ? []
      : [{ sql: `${kind} IS ${exists ? "NOT NULL" : "NULL"}`, values: [path] }]),
    ...COMPARED.flatMap((bound) => {
      const limit = condition[bound];
      if (limit === undefined) return [];
      const kinds = typeof limit === "number" ? NUMBERS : "('text')";
      const sql = `entry.type IN ${kinds} AND entry.atom ${OPERATORS[bound]} ?`;
      return [anyAt(path, { sql, values: [limit] })];
    }),
  ];
}

const NUMBERS = "('integer', 'real')";

/** The condition that an entry equals one of these values, of the same type. */
function isOne(wanted: readonly Scalar[]): Condition {
  const numbers = wanted.filter((one) => typeof one === "number");
  const texts = wanted.filter((one) => typeof one === "string");
  const others = wanted.filter((one) => typeof one === "boolean" || one === null).map(String);
  const of = (sql: string, values: readonly Scalar[]): Condition[] =>
    values.length === 0 ? [] : [{ sql, values: [JSON.stringify(values)] }];
  return anyOf([
    ...of(`entry.type IN ${NUMBERS} AND entry.atom IN ${LISTED}`, numbers),
    ...of(`entry.type = 'text' AND entry.atom IN ${LISTED}`, texts),
    ...of(`entry.type IN ${LISTED}`, others),
  ]);
}
