// From filters to conditions of databases, to tests of columns, and to filters of the index.

import type { SearchFilters } from "nous-wasm";
import { oneOfAll, type Query, raw, sql } from "../query.ts";
import type { Dialect } from "./dialect.ts";
import {
  type ComparedTest,
  each,
  FIELDS,
  type Field,
  type Filter,
  isInState,
  type LifecycleFilter,
  type LookedUp,
} from "./operators.ts";

export type { ComparedTest, Filter, LifecycleFilter };

/** A filter, with its conditions that the agent has to look up. */
export interface Wanted {
  filter: Filter;
  /** The subtypes of the sections that it names; null stands for no subtype. */
  subtypes?: LookedUp["sections"] | undefined;
  /** The states that it names, of which the memory has one. */
  lifecycles?: LookedUp["states"] | undefined;
}

/** Which memories a list or a search may return. Times are ISO 8601 in UTC, bounds inclusive. */
export interface NodeFilter {
  type?: string | undefined;
  subtype?: string | undefined;
  /** The memory has one of these subtypes; null stands for no subtype. */
  subtypes?: readonly (string | null)[] | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
  /** Bounds on the time of the event, on the time of storing, or on either. */
  time_range?:
    | { by: "event" | "ingestion" | "any"; start?: string | undefined; end?: string | undefined }
    | undefined;
  /** The memory is in one of these clusters, by id. */
  cluster_ids?: readonly string[] | undefined;
  lifecycle?: LifecycleFilter | undefined;
  /** The filter of the request. */
  wanted?: Wanted | undefined;
  /** The memory is one of these. */
  ids?: readonly string[] | undefined;
  /** More such filters, of which all have to hold. */
  alsoWanted?: readonly Wanted[] | undefined;
}

/** Returns the conditions on `nodes` that all have to hold. */
export function conditionsOf(dialect: Dialect, filter: NodeFilter): Query[] {
  const { ids, type, subtype, subtypes, created_after, created_before, cluster_ids } = filter;
  const created = dialect.isoOf("created_at");
  const ofSubtype = raw("coalesce(nodes.subtype, '')");
  return [
    ...(ids === undefined ? [] : [dialect.isAmong(raw("nodes.id"), ids)]),
    ...(type === undefined ? [] : [sql`nodes.type = ${type}`]),
    ...(subtype === undefined ? [] : [sql`nodes.subtype = ${subtype}`]),
    ...(subtypes === undefined
      ? []
      : [
          dialect.isAmong(
            ofSubtype,
            subtypes.map((one) => one ?? ""),
          ),
        ]),
    ...(created_after === undefined ? [] : [sql`${created} >= ${created_after}`]),
    ...(created_before === undefined ? [] : [sql`${created} <= ${created_before}`]),
    ...(cluster_ids === undefined || cluster_ids.length === 0
      ? []
      : [sql`nodes.id IN (${dialect.membersOf(cluster_ids)})`]),
    ...(filter.time_range === undefined ? [] : [isWithin(dialect, filter.time_range)]),
    ...(filter.lifecycle === undefined ? [] : [isInState(dialect, filter.lifecycle)]),
    ...[filter.wanted ?? [], filter.alsoWanted ?? []]
      .flat()
      .flatMap((wanted) => conditionsOfWanted(dialect, wanted)),
  ];
}

const COLUMNS_OF_RANGE = {
  event: ["temporal_event_time"],
  ingestion: ["provenance_created_at"],
  any: ["temporal_event_time", "provenance_created_at"],
};

function isWithin(dialect: Dialect, range: NonNullable<NodeFilter["time_range"]>): Query {
  const { by, start, end } = range;
  const ranges = COLUMNS_OF_RANGE[by].map(
    (column) => sql`${dialect.isoOf(`nodes.${column}`)} BETWEEN ${start ?? ""} AND ${end ?? "~"}`,
  );
  return oneOfAll(ranges);
}

function conditionsOfWanted(dialect: Dialect, { filter, subtypes, lifecycles }: Wanted): Query[] {
  const given = { ...filter, section: subtypes, lifecycle: lifecycles };
  return each(FIELDS, given, (row: Field, value) => row.holds(dialect, value)).flat();
}

/** Returns the conditions of a filter on times and metadata. */
export const comparedTestsOf = (filter: Filter): ComparedTest[] =>
  each(FIELDS, filter, (row: Field, value) => row.mayHold?.(value) ?? []).flat();

/** Returns the part of a filter that the index knows: users, sessions and tags are its labels. */
export function indexedPartOf(filter: Filter): SearchFilters {
  const parts = each(FIELDS, filter, (row: Field, value) => row.indexed?.(value) ?? {});
  const all = parts.flatMap(({ tags_all }) => tags_all ?? []);
  return Object.assign({}, ...parts, all.length === 0 ? {} : { tags_all: all });
}
