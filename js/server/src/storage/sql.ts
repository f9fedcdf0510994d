// Pieces of SQL that several statements share.

import type { ReadRoom } from "./storage.ts";

/** Runs a statement; the answer are its rows. Statements are prepared once, by their text. */
export type Ask = <T>(sql: string, ...values: unknown[]) => T[];

/** A stored time as the one form that sorts: ISO 8601 in UTC with milliseconds. */
export const isoOf = (column: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column})`;

/** When a row was made, as it is indexed. */
export const CREATED_AT: string = isoOf("created_at");

/** Whether a column holds what can be an id. A database that others write may hold anything. */
export const isId = (column: string): string => `(typeof(${column}) = 'text' AND ${column} <> '')`;

/**
 * The values of an indexed column, as `name`: from each to the next, so that it takes as long as
 * there are values and not rows. After the last comes null.
 */
export const eachOf = (table: string, column: string): string =>
  `WITH RECURSIVE each(name) AS (
     SELECT min(${column}) FROM ${table}
     UNION ALL SELECT (SELECT min(${column}) FROM ${table} WHERE ${column} > each.name) FROM each
     WHERE each.name IS NOT NULL)
   SELECT name FROM each`;

/** Bytes of the texts in some columns of a row. SQLite knows them without reading the texts. */
export const octetsOf = (columns: readonly string[]): string =>
  columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(" + ");

/**
 * Rows in order, by the part of a statement that follows its columns, up to a limit. Where there is
 * a room for their texts, it is asked first how many of them are to be read.
 */
export function readWithin<T>(
  ask: Ask,
  { columns, texts, from }: { columns: string; texts: readonly string[]; from: string },
  values: readonly unknown[],
  limit: number,
  room: ReadRoom | undefined,
): T[] {
  const read = `SELECT ${columns} ${from} LIMIT ?`;
  if (room === undefined) return ask<T>(read, ...values, limit);
  const sizes = ask<{ octets: number }>(
    `SELECT ${octetsOf(texts)} AS octets ${from} LIMIT ?`,
    ...values,
    limit,
  );
  if (sizes.length === 0) return [];
  return ask<T>(read, ...values, room.fitting(sizes.map(({ octets }) => octets)));
}
