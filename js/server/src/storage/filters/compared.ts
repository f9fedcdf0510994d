// The values of memories that conditions on times and metadata compare, read for all memories at
// once.

/** What is compared: a time in the form that sorts, or the value at a path of the metadata. */
export type Compared =
  | { time: "created_at" | "temporal_event_time" }
  /** Keys with points between them. */
  | { path: string };

/** The most characters of a list, as JSON, that is read. */
export const MAX_LIST = 400;

/**
 * A value. An empty list stands for a list that is longer than `MAX_LIST`, and an empty object for an
 * object or a list without entries, which fulfils no condition on values. Numbers are as JSON writes
 * them, so that they may differ in the last digit from those that the database compares.
 */
export type ComparedValue = Entry | readonly Entry[];
/** A value that is no list, or an entry of one. Lists within lists are told as objects are. */
export type Entry = string | number | boolean | null | object;

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
