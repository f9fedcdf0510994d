// From the filters of mem0 to those of /v1.
//
// Idea: all conditions of a request hold together, whether they stand in `filters`, in an `AND`, or beside
// `filters` as older clients send them.
//
// Invariant: nothing that narrows is dropped. What has no counterpart is refused, and so is null: a variable
// that is not set would answer the memories of all users. For the same reason a request names an entity.

import { isDeepStrictEqual } from "node:util";
import { wrong } from "../refusal.ts";

type Json = Readonly<Record<string, unknown>>;
/** A filter of /v1. */
export type Filter = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Stands for any value. */
const ANY = "*";
/** The entities of mem0 that have a place of their own in a filter of /v1, and those in the metadata. */
const NAMES: Readonly<Record<string, string>> = { user_id: "user", run_id: "session" };
const OF_METADATA = ["agent_id", "app_id"];
const isEntity = (name: string): boolean => name in NAMES || OF_METADATA.includes(name);
const BOUNDS = ["gte", "lte", "gt", "lt"];
/** Days beside the filters, and the bounds of `created_at` that they are. */
const DAYS: Readonly<Record<string, string>> = { start_date: "gte", end_date: "lte" };
/** Name the project of a client. Here the key and the path do. */
const OF_PROJECT = ["org_id", "project_id"];
/** Fields beside the filters that leave no memory out. */
const HARMLESS = [
  ...["output_format", "version", "api_version", "rerank", "fields", "show_expired", "source"],
  ...["reference_date", "keyword_search", "enable_graph", "async_mode"],
];

/** The conditions of a request, as they are collected. */
class Conditions {
  readonly filter: Filter = {};
  readonly metadata: Filter = {};
  /** Whether an entity is named; `*` names all. */
  hasEntity = false;

  /** Adds the conditions of an object. @throws {Refusal} For those that have no counterpart. */
  add(given: unknown, at: string): void {
    if (!isObject(given)) throw wrong(at, "must be an object");
    for (const [name, value] of Object.entries(given)) {
      const path = at === "" ? name : `${at}.${name}`;
      if (OF_PROJECT.includes(name)) continue;
      if (value == null) throw wrong(path, "must not be null: give a value, or leave it out");
      if (isEntity(name)) this.hasEntity = true;
      if (value === ANY) continue;
      if (name === "AND") {
        if (!Array.isArray(value)) throw wrong(path, "must be a list");
        for (const [place, one] of value.entries()) this.add(one, `${path}.${place}`);
      } else if (name in NAMES) set(this.filter, NAMES[name]!, entityOf(value, path), path);
      else if (OF_METADATA.includes(name))
        set(this.metadata, name, inOrOne(entityOf(value, path)), path);
      else if (name === "created_at") this.#bound(value, path);
      else if (name === "categories")
        set(this.filter, "tags", { any: [oneOf(value, path)].flat() }, path);
      else if (name === "metadata") {
        if (!isObject(value)) throw wrong(path, "must be an object");
        for (const [key, one] of Object.entries(value))
          set(this.metadata, key, inOrOne(oneOf(one, `${path}.${key}`)), `${path}.${key}`);
      } else
        throw wrong(
          path,
          "has no counterpart here: filter by user_id, run_id, agent_id, app_id, categories, created_at, metadata, and AND of them",
        );
    }
  }

  /** Adds bounds of the time when a memory was made. */
  #bound(value: unknown, path: string): void {
    if (!isObject(value) || !Object.keys(value).every((name) => BOUNDS.includes(name)))
      throw wrong(path, `must have some of ${BOUNDS.join(", ")}`);
    this.filter.created ??= {};
    for (const [bound, time] of Object.entries(value)) {
      if (time == null) throw wrong(`${path}.${bound}`, "must not be null");
      set(this.filter.created as Filter, bound, time, `${path}.${bound}`);
    }
  }

  /** Returns a filter of /v1; undefined if there is no condition. */
  whole(): Filter | undefined {
    if (Object.keys(this.metadata).length > 0) this.filter.metadata = this.metadata;
    return Object.keys(this.filter).length === 0 ? undefined : this.filter;
  }
}

/** @throws {Refusal} If there is another condition of this name: all have to hold. */
function set(target: Filter, name: string, value: unknown, path: string): void {
  if (Object.hasOwn(target, name) && !isDeepStrictEqual(target[name], value))
    throw wrong(path, "is a second condition on the same: give one");
  target[name] = value;
}

/**
 * Returns the conditions of a request as a filter of /v1: those in `filters`, and those in the fields beside
 * it, without the fields `others`. Undefined if it asks for all entities.
 *
 * @throws {Refusal} If it names no entity, or a condition has no counterpart.
 */
export function filterOf(
  { filters, ...beside }: Json,
  others: readonly string[],
): Filter | undefined {
  const conditions = new Conditions();
  if (filters != null) conditions.add(filters, "filters");
  for (const [name, value] of Object.entries(beside)) {
    if (others.includes(name) || HARMLESS.includes(name)) continue;
    if (isEntity(name)) conditions.add({ [name]: value }, "");
    // What is not asked for narrows nothing.
    else if (value == null || value === false) continue;
    else if (name in DAYS) conditions.add({ created_at: { [DAYS[name]!]: value } }, "");
    else conditions.add({ [name]: value }, "");
  }
  if (!conditions.hasEntity)
    throw wrong(
      "filters",
      "must name user_id, run_id, agent_id or app_id: the memories of all users would be answered. * names all.",
    );
  return conditions.whole();
}

/** Returns the parameters of a query. @throws {Refusal} If one that is no list is there twice. */
export function fieldsIn(query: URLSearchParams): Json {
  const fields: Record<string, unknown> = {};
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name);
    if (values.length > 1 && name !== "categories") throw wrong(name, "must be given once");
    fields[name] = values.length > 1 ? values : values[0];
  }
  return fields;
}

/**
 * Returns the filter of a deletion.
 *
 * @throws {Refusal} If it names nobody: all memories would go.
 */
export function filterOfQuery(query: URLSearchParams): Filter {
  const conditions = new Conditions();
  conditions.add(fieldsIn(query), "");
  const filter = conditions.whole();
  if (filter === undefined || !conditions.hasEntity)
    throw wrong("user_id", "must be given, or run_id, agent_id or app_id");
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

/** Returns the name of an entity, or several. Null within them would be a variable that is not set. */
function entityOf(value: unknown, path: string): unknown {
  const one = oneOf(value, path);
  const all = [one].flat();
  const isName = (each: unknown) =>
    (typeof each === "string" && each !== "") || Number.isFinite(each);
  if (all.length === 0 || !all.every(isName))
    throw wrong(path, "must be a name, or a list of names");
  return one;
}

const inOrOne = (one: unknown): unknown => (Array.isArray(one) ? { in: one } : one);
