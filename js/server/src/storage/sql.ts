// How tables run statements, and pieces of SQL that several statements share.

import type { SqlValue, Statement } from "./connection.ts";
import { StorageError } from "./errors.ts";

/** Runs statements on one connection. Each statement is prepared once, by its text. */
export interface Sql {
  /** Returns the rows of a statement. */
  all<T>(sql: string, ...values: SqlValue[]): T[];
  /** Returns the first row of a statement; undefined if there is none. */
  first<T>(sql: string, ...values: SqlValue[]): T | undefined;
  /** Runs a statement that returns no rows. */
  run(sql: string, ...values: SqlValue[]): void;
  /** Runs SQL that is not kept prepared, such as a PRAGMA. */
  exec(sql: string): void;
  prepared(sql: string): Statement;
  /**
   * Returns the rows of a whole table in batches. The statement binds the sequence number of the
   * row before the batch, and the size of the batch.
   */
  pages<T extends { sequence: number }>(sql: string): Iterable<T[]>;
  /** Returns whether there is a table: a file that is only read may have an older schema. */
  hasTable(name: string): boolean;
}

/** A part of a list in the order of sequence numbers; the whole list if both bounds are missing. */
export interface Page {
  /** The sequence number of the last row before the page. */
  after?: number | undefined;
  limit?: number | undefined;
  room?: ReadRoom | undefined;
}

/** The limit of an answer on texts: rows that do not fit are not read. */
export interface ReadRoom {
  /** Returns how many of the first rows fit, by the bytes that the texts of each row take. */
  fitting(octets: readonly number[]): number;
}

/** Comes before every number that a row can have. Another program may have given a row any number. */
export const BEFORE_ALL: number = Number.NEGATIVE_INFINITY;

/**
 * Returns the number after which the next batch of a table begins: that of the last row of a batch.
 *
 * @throws {StorageError} If it is not beyond the number before: numbers above 2^53 are rounded, and
 * so many rows with such numbers would be read for ever.
 */
export function advanced(before: number, last: number): number {
  if (last > before) return last;
  throw new StorageError(
    `The database has rows with numbers near ${last}, which cannot be told apart: restore a backup.`,
  );
}

/** The rows after a sequence number, in order. */
export const AFTER = "rowid > ? ORDER BY rowid";
/** A page of a list whose rows are in order; `boundsOf` returns the values to bind. */
export const PAGE: string = `${AFTER} LIMIT ?`;
/** The members of a list that is bound as JSON. */
export const LISTED = "(SELECT value FROM json_each(?))";

/** Returns the values to bind in `PAGE`. SQLite takes the limit -1 for no limit. */
export const boundsOf = ({
  after = BEFORE_ALL,
  limit = -1,
}: Page): [after: number, limit: number] => [after, limit];

/** Returns SQL for a stored time in the form that sorts: ISO 8601 in UTC with milliseconds. */
export const isoOf = (column: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column})`;

/** The time of creation of a row, in the form of its index. */
export const CREATED_AT: string = isoOf("created_at");

/**
 * When what a memory tells of happened, in the form of its index: the time of the event, or else
 * that of the creation. SQLite reads a text without a digit, such as `now`, as the current time,
 * which no index can hold: it counts as no time.
 */
export const HAPPENED_AT: string = `coalesce(CASE WHEN temporal_event_time GLOB '*[0-9]*'
  THEN ${isoOf("temporal_event_time")} END, ${CREATED_AT})`;

/**
 * Returns SQL for the condition that a column holds a valid id. Other programs may store anything.
 */
export const isId = (column: string): string => `(typeof(${column}) = 'text' AND ${column} <> '')`;

/**
 * Returns SQL for whether the memory exists that a column of another table names. It looks for one
 * memory per row. With `IN (SELECT id FROM nodes)` SQLite may look for one row per memory.
 */
export const isThere = (column: string): string =>
  `EXISTS (SELECT 1 FROM nodes WHERE nodes.id = ${column})`;

/**
 * Returns SQL for the distinct values of an indexed column, as `name`. It jumps from each value to
 * the next, so that the time grows with the values and not with the rows. The last row is null.
 */
export const eachOf = (table: string, column: string): string =>
  `WITH RECURSIVE each(name) AS (
     SELECT min(${column}) FROM ${table}
     UNION ALL SELECT (SELECT min(${column}) FROM ${table} WHERE ${column} > each.name) FROM each
     WHERE each.name IS NOT NULL)
   SELECT name FROM each`;

/**
 * Returns SQL for the bytes of the texts in some columns. SQLite knows them without reading the
 * texts.
 */
export const octetsOf = (columns: readonly string[]): string =>
  columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(" + ");

/**
 * Returns the rows of a statement, which is given without its columns, up to a limit. With `room`,
 * the sizes of the texts are read first, and only the rows that fit are read whole.
 */
export function readWithin<T>(
  sql: Sql,
  { columns, texts, from }: { columns: string; texts: readonly string[]; from: string },
  values: readonly SqlValue[],
  limit: number,
  room: ReadRoom | undefined,
): T[] {
  const read = `SELECT ${columns} ${from} LIMIT ?`;
  if (room === undefined) return sql.all<T>(read, ...values, limit);
  const sizes = sql.all<{ octets: number }>(
    `SELECT ${octetsOf(texts)} AS octets ${from} LIMIT ?`,
    ...values,
    limit,
  );
  if (sizes.length === 0) return [];
  return sql.all<T>(read, ...values, room.fitting(sizes.map(({ octets }) => octets)));
}

/**
 * Returns rows newest first, and then those without a time. `read` returns one of both parts. Each is
 * a range of an index; both at once are none, so that a page would read all rows before it.
 */
export function newestFirst<Row>(
  {
    limit,
    after,
    room,
  }: {
    limit: number;
    /** The place of the row before the page. */
    after: { listed_at: string | null } | undefined;
    room: ReadRoom | undefined;
  },
  read: (isTimed: boolean, limit: number, room: ReadRoom | undefined) => Row[],
): Row[] {
  let wasCut = false;
  const watched = room && {
    fitting(octets: readonly number[]) {
      const fitting = room.fitting(octets);
      wasCut = fitting < octets.length;
      return fitting;
    },
  };
  const timed = after?.listed_at === null ? [] : read(true, limit, watched);
  if (wasCut || timed.length === limit) return timed;
  return [...timed, ...read(false, limit - timed.length, room)];
}
