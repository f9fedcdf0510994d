// The conditions of a filter, one row each: what requests give, what databases check, which values
// may pass before that check, and what the index knows. Schemas, statements and tests of columns
// all come from these tables, so that a new condition is a new row.
//
// This file has no schemas, so that agent threads need not load them.

import { labelOf } from "nous-memory";
import type { MemorySection, SearchFilters, StoredLifecycleState } from "nous-wasm";
import { oneOfAll, type Query, raw, sql } from "../query.ts";
import type { Compared } from "./compared.ts";
import type { Dialect, Found, Scalar } from "./dialect.ts";
import { differentFrom, equalToOne, ofEach, ofSome, type Test, within } from "./may-pass.ts";

/** What a condition is given, by kind. */
export interface GivenValues {
  scalar: Scalar;
  scalars: readonly Scalar[];
  comparable: string | number;
  flag: boolean;
  time: string;
  /** A time that a day without a time of day ends. */
  lastTime: string;
  ids: readonly string[];
  /** One or several names. */
  names: readonly string[];
  /** One or several names; null stands for no name. */
  namesOrNone: readonly (string | null)[];
  sections: readonly MemorySection[];
  states: readonly StoredLifecycleState[];
}

/** As `GivenValues`, with what conditions of conditions are given. */
export interface Given extends GivenValues {
  tags: GivenOf<typeof TAG_OPERATORS>;
  times: GivenOf<typeof TIME_OPERATORS>;
  metadata: Readonly<Record<string, Scalar | GivenOf<typeof VALUE_OPERATORS>>>;
}

/** What the conditions of a table are given, by name. */
type GivenOf<
  Table extends Readonly<Record<string, { given: keyof Kinds }>>,
  Kinds = GivenValues,
> = { readonly [Name in keyof Table]?: Kinds[Table[Name]["given"]] | undefined };

interface Row<Kind> {
  given: Kind;
  /** The description of the field in the API. */
  says: string;
}

/** A condition on the value at a path of the metadata, or on a time. */
export interface ValueOperator<Kind extends keyof GivenValues = keyof GivenValues>
  extends Row<Kind> {
  holds(found: Found, given: GivenValues[Kind]): Query;
  /** Returns a test that no value fails which passes in a database; see `may-pass.ts`. */
  mayHold(given: GivenValues[Kind]): Test;
}

const onValue = <Kind extends keyof GivenValues>(row: ValueOperator<Kind>): ValueOperator<Kind> =>
  row;

/** A bound: its operator in SQL, and the sign of `within`. */
const bound = (operator: string, sign: 1 | -1, says: string) =>
  onValue({
    given: "comparable",
    says,
    holds: (found, limit) => found.compares(raw(operator), limit),
    mayHold: (limit) => ofSome(within(limit, sign)),
  });

/** Conditions on a value of the metadata. */
export const VALUE_OPERATORS = {
  eq: onValue({
    given: "scalar",
    says: "Equal to this value.",
    holds: (found, one) => found.isOneOf([one]),
    mayHold: (one) => ofSome(equalToOne([one])),
  }),
  ne: onValue({
    given: "scalar",
    says: "There, and not equal to this value, nor a list with it.",
    holds: (found, one) => sql`(${found.isThere} AND NOT ${found.isOneOf([one])})`,
    mayHold: (one) => ofEach(differentFrom(one)),
  }),
  gt: bound(">", 1, "Greater than this number, or later in the order of texts."),
  gte: bound(">=", 1, "Greater or equal."),
  lt: bound("<", -1, "Less."),
  lte: bound("<=", -1, "Less or equal."),
  in: onValue({
    given: "scalars",
    says: "Equal to one of these values.",
    holds: (found, listed) => found.isOneOf(listed),
    mayHold: (listed) => ofSome(equalToOne(listed)),
  }),
  exists: onValue({
    given: "flag",
    says: "Whether the path leads to a value.",
    holds: ({ isThere }, wanted) => (wanted ? isThere : sql`NOT ${isThere}`),
    mayHold: (wanted) => (value) => (value !== undefined) === wanted,
  }),
};

const { gte, gt, lte, lt } = VALUE_OPERATORS;
/** Conditions on a time. */
export const TIME_OPERATORS = {
  gte: { ...gte, given: "time" as const, says: "At this time or later, in ISO 8601." },
  gt: {
    ...gt,
    given: "lastTime" as const,
    says: "Later than this time, or than the whole of this day.",
  },
  lte: {
    ...lte,
    given: "lastTime" as const,
    says: "At this time or earlier; a day counts as a whole.",
  },
  lt: { ...lt, given: "time" as const, says: "Earlier than this time, or than this day." },
};

/** A condition on the tags of a memory. */
export interface TagOperator extends Row<"ids"> {
  holds(dialect: Dialect, tags: readonly string[]): Query;
  /** The filter of the index that takes the labels of the tags. */
  indexed: "tags_any" | "tags_all" | "tags_none";
}

/** Conditions on tags. */
export const TAG_OPERATORS = {
  any: {
    given: "ids",
    says: "At least one of these tags.",
    holds: (dialect, tags) => dialect.hasAnyTag(tags),
    indexed: "tags_any",
  },
  all: {
    given: "ids",
    says: "All of these tags.",
    holds: (dialect, tags) => dialect.hasAllTags(tags),
    indexed: "tags_all",
  },
  none: {
    given: "ids",
    says: "None of these tags.",
    holds: (dialect, tags) => sql`NOT ${dialect.hasAnyTag(tags)}`,
    indexed: "tags_none",
  },
} as const satisfies Record<string, TagOperator>;

/** A stored state, corrected by the memories whose state changes with the next flush or sweep. */
export interface LifecycleFilter {
  state: StoredLifecycleState;
  /** Ids of memories stored with the state that count as having left it. */
  leaving: readonly string[];
  /** Ids of memories stored with another state that count as having this one. */
  arriving: readonly string[];
}

/** What the agent looks up for a condition; what is given for all others. */
export interface LookedUp {
  /** The subtypes of the sections; null stands for no subtype. */
  sections: readonly (string | null)[];
  /** The states as of now. */
  states: readonly LifecycleFilter[];
}

type ForDatabase<Kind extends keyof Given> = Kind extends keyof LookedUp
  ? LookedUp[Kind]
  : Given[Kind];

/** A test of what memories have at a path or as a time. */
export interface ComparedTest {
  compared: Compared;
  test: Test;
}

/** A function that a table may hold beside those that take something else, as a method. */
type Taking<Value, Result> = { of(given: Value): Result }["of"];

/** A condition on a memory. */
export interface Field<Kind extends keyof Given = keyof Given> extends Row<Kind> {
  /** Returns conditions that all have to hold. */
  holds(dialect: Dialect, given: ForDatabase<Kind>): Query[];
  /** Returns tests of values that come before the database; null if no column has them. */
  mayHold: null | Taking<Given[Kind], ComparedTest[]>;
  /**
   * Returns the part of the condition that the index knows; null if it knows nothing of it.
   * Several conditions may add to `tags_all`, and each other filter has one.
   */
  indexed: null | Taking<Given[Kind], SearchFilters>;
}

const onMemory = <Kind extends keyof Given>(row: Field<Kind>): Field<Kind> => row;

/** A condition that a column has one of some values. */
const column = <Kind extends "ids" | "names" | "namesOrNone">(
  name: string,
  given: Kind,
  says: string,
  indexed: Field<Kind>["indexed"] = null,
): Field<Kind> => ({
  given,
  says,
  holds: (dialect, values) => [hasOneOf(dialect, name, values as Given["namesOrNone"])],
  mayHold: null,
  indexed,
});

/** The condition that a column has one of these values; null stands for no value. */
function hasOneOf(dialect: Dialect, name: string, wanted: readonly (string | null)[]): Query {
  const value = raw(`nodes.${name}`);
  const texts = wanted.filter((one) => one !== null);
  const isAmong = dialect.isAmong(value, texts);
  return wanted.includes(null) ? sql`(${value} IS NULL OR ${value} = '' OR ${isAmong})` : isAmong;
}

/** The condition that a memory is in a state as of now. */
export function isInState(dialect: Dialect, { state, leaving, arriving }: LifecycleFilter): Query {
  const id = raw("nodes.id");
  return sql`(coalesce(nodes.state_lifecycle, 'ACTIVE') = ${state}
    AND NOT ${dialect.isAmong(id, leaving)} OR ${dialect.isAmong(id, arriving)})`;
}

/** Returns the filter of the index for a user or a session, if exactly one is named. */
const onlyLabel =
  (kind: "user" | "session") =>
  (names: readonly (string | null)[]): SearchFilters =>
    names.length === 1 && names[0] != null ? { tags_all: [labelOf(kind, names[0])] } : {};

const time = (compared: "created_at" | "temporal_event_time", says: string) =>
  onMemory({
    given: "times",
    says,
    holds: (dialect, bounds) =>
      each(TIME_OPERATORS, bounds, (row: ValueOperator, given) =>
        row.holds(foundAt(dialect, { time: compared }), given),
      ),
    mayHold: (bounds) => [{ compared: { time: compared }, test: testOf(TIME_OPERATORS, bounds) }],
    indexed: null,
  });

/** The conditions on a memory. */
export const FIELDS = {
  ids: column("id", "ids", "Only memories with these ids."),
  user: column(
    "user_id",
    "namesOrNone",
    "Only memories of this user, or of one of these; null: of no user.",
    onlyLabel("user"),
  ),
  session: column(
    "session_id",
    "namesOrNone",
    "Only memories of this session, or of one of these; null: of no session.",
    onlyLabel("session"),
  ),
  source: column(
    "provenance_source",
    "namesOrNone",
    "Only memories from this source, or one of these.",
  ),
  type: column("type", "names", "Only memories of this type, or of one of these.", (types) => ({
    types,
  })),
  subtype: column(
    "subtype",
    "namesOrNone",
    "Only memories of this subtype, or of one of these; null: of no subtype.",
  ),
  section: onMemory({
    given: "sections",
    says: "Only memories of this section, or of one of these.",
    holds: (dialect, subtypes) => [hasOneOf(dialect, "subtype", subtypes)],
    mayHold: null,
    indexed: null,
  }),
  lifecycle: onMemory({
    given: "states",
    says: "Only memories in this lifecycle state, or in one of these.",
    holds: (dialect, states) => [oneOfAll(states.map((state) => isInState(dialect, state)))],
    mayHold: null,
    indexed: null,
  }),
  tags: onMemory({
    given: "tags",
    says: "Only memories with these tags, whatever their case.",
    holds: (dialect, tags) =>
      each(TAG_OPERATORS, tags, (row: TagOperator, given: readonly string[]) =>
        row.holds(dialect, given),
      ),
    mayHold: null,
    indexed: (tags) =>
      Object.fromEntries(
        each(TAG_OPERATORS, tags, (row: TagOperator, given: readonly string[]) => [
          row.indexed,
          given.map((tag) => labelOf("tag", tag)),
        ]),
      ),
  }),
  metadata: onMemory({
    given: "metadata",
    says:
      'Conditions on metadata by path: `{"project.name": "skerry", "pages": {"gte": 10}}`. A ' +
      "condition on a list holds if it holds for one of its entries.",
    holds: (dialect, paths) =>
      Object.entries(paths).flatMap(([path, condition]) =>
        each(VALUE_OPERATORS, operatorsOf(condition), (row: ValueOperator, given) =>
          row.holds(dialect.atPath(path), given),
        ),
      ),
    mayHold: (paths) =>
      Object.entries(paths).map(([path, condition]) => ({
        compared: { path },
        test: testOf(VALUE_OPERATORS, operatorsOf(condition)),
      })),
    indexed: null,
  }),
  created: time("created_at", "Only memories that were created in this time."),
  event_time: time("temporal_event_time", "Only memories of an event in this time."),
};

/** A filter: all its conditions have to hold. */
export type Filter = GivenOf<typeof FIELDS, Given>;

/** A value alone stands for the condition that it is equal. */
const operatorsOf = (condition: Given["metadata"][string]) =>
  typeof condition === "object" && condition !== null ? condition : { eq: condition };

/** Returns what is compared of a memory. */
export function foundAt(dialect: Dialect, compared: Compared): Found {
  if ("path" in compared) return dialect.atPath(compared.path);
  const at = dialect.isoOf(`nodes.${compared.time}`);
  return {
    json: sql`'"' || ${at} || '"'`,
    isThere: sql`${at} IS NOT NULL`,
    isOneOf: (values) => dialect.isAmong(at, values.map(String)),
    compares: (operator, limit) => sql`${at} ${operator} ${limit}`,
  };
}

/** Returns what `make` returns for each row of a table whose condition is given. */
export const each = <Row, Result>(
  table: Readonly<Record<string, Row>>,
  given: object,
  make: (row: Row, given: never) => Result,
): Result[] =>
  Object.entries(table).flatMap(([name, row]) => {
    const value = (given as Readonly<Record<string, unknown>>)[name];
    return value === undefined ? [] : [make(row, value as never)];
  });

/** Returns a test of one value by all these conditions. */
function testOf(table: Readonly<Record<string, ValueOperator>>, given: object): Test {
  const tests = each(table, given, (row, value) => row.mayHold(value));
  return tests.length === 1 ? tests[0]! : (value) => tests.every((test) => test(value));
}
