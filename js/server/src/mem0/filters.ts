// From the filters of mem0 to those of /v1.

import { wrong } from "../refusal.ts";

type Json = Readonly<Record<string, unknown>>;
/** A filter of /v1. */
export type Filter = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Stands for any value. */
const ANY = "*";
/** The conditions of mem0, and where they stand in a filter of /v1. */
const NAMES: Readonly<Record<string, string>> = { user_id: "user", run_id: "session" };
const OF_METADATA = ["agent_id", "app_id"];
const TIMES: Readonly<Record<string, string>> = { created_at: "created" };
const BOUNDS = ["gte", "lte", "gt", "lt"];

/**
 * Returns a filter of mem0 as one of /v1: an object of conditions, or `AND` of them. Undefined if it has
 * none.
 *
 * @throws {Refusal} For conditions that have no counterpart, such as `OR`.
 */
export function filterOf(given: unknown, at = "filters"): Filter | undefined {
  if (given == null) return undefined;
  if (!isObject(given)) throw wrong(at, "must be an object");
  const filter: Filter = {};
  const metadata: Filter = {};
  for (const [name, value] of Object.entries(given)) {
    if (value == null || value === ANY) continue;
    const path = `${at}.${name}`;
    if (name === "AND") {
      if (!Array.isArray(value)) throw wrong(path, "must be a list");
      for (const [place, one] of value.entries()) {
        const { metadata: more, ...rest } = filterOf(one, `${path}.${place}`) ?? {};
        for (const key of Object.keys(rest))
          if (key in filter) throw wrong(`${path}.${place}`, `names ${key} twice`);
        Object.assign(filter, rest);
        Object.assign(metadata, more);
      }
    } else if (name in NAMES) filter[NAMES[name]!] = oneOf(value, path);
    else if (OF_METADATA.includes(name)) metadata[name] = conditionOf(value, path);
    else if (name in TIMES) filter[TIMES[name]!] = boundsOf(value, path);
    else if (name === "categories") filter.tags = { any: [oneOf(value, path)].flat() };
    else if (name === "metadata") {
      if (!isObject(value)) throw wrong(path, "must be an object");
      for (const [key, one] of Object.entries(value))
        metadata[key] = conditionOf(one, `${path}.${key}`);
    } else if (["page", "page_size", "org_id", "project_id", "fields"].includes(name)) continue;
    else
      throw wrong(
        path,
        "has no counterpart here: filter by user_id, run_id, agent_id, app_id, categories, created_at, metadata, and AND of them",
      );
  }
  if (Object.keys(metadata).length > 0) filter.metadata = metadata;
  return Object.keys(filter).length === 0 ? undefined : filter;
}

/**
 * Returns the filter of a deletion.
 *
 * @throws {Refusal} If it names nobody: all memories would go.
 */
export function filterOfQuery(query: URLSearchParams): Filter {
  const filter = filterOf(Object.fromEntries(query), "query");
  if (filter === undefined) throw wrong("user_id", "must be given, or run_id, agent_id or app_id");
  return filter;
}

/** Returns a value, or the values of `in`, `eq` or `contains`. */
function oneOf(value: unknown, path: string): unknown {
  if (!isObject(value)) return value;
  const [operator, ...more] = Object.keys(value);
  if (more.length === 0 && ["in", "eq", "contains"].includes(operator ?? ""))
    return value[operator!];
  throw wrong(path, "must be a value, or one of in, eq and contains");
}

const conditionOf = (value: unknown, path: string): unknown => {
  const one = oneOf(value, path);
  return Array.isArray(one) ? { in: one } : one;
};

function boundsOf(value: unknown, path: string): unknown {
  if (isObject(value) && Object.keys(value).every((name) => BOUNDS.includes(name))) return value;
  throw wrong(path, `must have some of ${BOUNDS.join(", ")}`);
}
