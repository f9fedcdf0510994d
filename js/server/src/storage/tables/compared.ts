// The values of memories that conditions on times and metadata compare, read for all memories at
// once.

/** What is compared: a time in the form that sorts, or the value at a path of the metadata. */
export type Compared =
  | { time: "created_at" | "temporal_event_time" }
  /** Keys with points between them. */
  | { path: string };

/**
 * A value: of a list or an object only that it is one is told, by an empty list. Numbers are as
 * JSON writes them, so that they may differ in the last digit from those that the database
 * compares.
 */
export type ComparedValue = string | number | boolean | null | readonly never[];

/** Values of memories that have one. */
export interface ComparedValues {
  ids: string[];
  /** In the order of the ids. */
  values: ComparedValue[];
}

/** A batch as a database returns it: two lists of JSON, null without values. */
export interface ComparedRow {
  ids: string | null;
  list: string | null;
}

/** Returns the values of a batch. */
export const valuesIn = ({ ids, list }: ComparedRow): ComparedValues =>
  list === null
    ? { ids: [], values: [] }
    : { ids: JSON.parse(ids!) as string[], values: JSON.parse(list) as ComparedValue[] };
