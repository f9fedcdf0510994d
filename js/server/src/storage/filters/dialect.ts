// What the databases say in different words, as far as filters need it.

import type { Query } from "../query.ts";

/** A value of JSON that is neither a list nor an object. */
export type Scalar = string | number | boolean | null;

/** What a memory has at a path of its metadata, or as a time. */
export interface Found {
  /** The value as JSON, as `ComparedValue` says; null if the memory has none. */
  json: Query;
  /** The condition that there is a value. */
  isThere: Query;
  /**
   * The condition that the value, or an entry of a list, equals one of these, of the same type. It
   * is never null.
   */
  isOneOf(values: readonly Scalar[]): Query;
  /**
   * The condition on a number or a text, or on such an entry of a list. A value of another type does
   * not fulfil it.
   */
  compares(operator: Query, limit: string | number): Query;
}

/** How a database says the conditions on `nodes`. */
export interface Dialect {
  /** A stored time in the form that sorts: ISO 8601 in UTC with milliseconds. */
  isoOf(column: string): Query;
  /** The condition that an expression equals one of these texts. */
  isAmong(value: Query, texts: readonly string[]): Query;
  /** Tags are compared without case, and with letters composed. */
  hasAnyTag(tags: readonly string[]): Query;
  hasAllTags(tags: readonly string[]): Query;
  /** What the metadata have at a path: keys with points between them. */
  atPath(path: string): Found;
  /** The ids of the members of these clusters, as a query. */
  membersOf(clusters: readonly string[]): Query;
}
