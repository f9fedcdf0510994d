// Pieces of SQL that several statements share.

/** Runs a statement; the answer are its rows. Statements are prepared once, by their text. */
export type Ask = <T>(sql: string, ...values: unknown[]) => T[];

/** A stored time as the one form that sorts: ISO 8601 in UTC with milliseconds. */
export const isoOf = (column: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column})`;

/** When a row was made, as it is indexed. */
export const CREATED_AT: string = isoOf("created_at");

/** Whether a column holds what can be an id. A database that others write may hold anything. */
export const isId = (column: string): string => `(typeof(${column}) = 'text' AND ${column} <> '')`;
