// Pieces of statements that several tables share.

import { joined, type Query, raw, sql } from "../query.ts";
import type { Page, ReadRoom } from "../sql.ts";
import type { AgentRows } from "./agent-rows.ts";

/** A part of a statement with these columns, each of the table if one is named. */
export const listOf = (columns: readonly string[], table?: string): Query =>
  raw(columns.map((column) => (table === undefined ? column : `${table}.${column}`)).join(", "));

/** The values of a row in the order of its columns. A missing value is null. */
export const valuesOf = (
  columns: readonly string[],
  row: Readonly<Record<string, unknown>>,
): Query =>
  joined(
    columns.map((column) => sql`${row[column] ?? null}`),
    ", ",
  );

/** A stored time in the form that sorts: ISO 8601 in UTC with milliseconds. */
export const isoOf = (column: string): Query => raw(`nous.iso(${column})`);

/** The time of creation of a row, in the form of its index. */
export const CREATED_AT: Query = isoOf("created_at");

/** The number of a new row of a table: above those of all others of the agent. */
export const nextSequence = (table: string, agent: string): Query =>
  sql`coalesce((SELECT max(sequence) FROM nous.${raw(table)} WHERE agent = ${agent}), 0) + 1`;

/** Returns the rows of an INSERT with the agent and the next numbers before their values. */
export const rowsOf = (table: string, agent: string, rows: readonly Query[]): Query =>
  joined(
    rows.map(
      (values, place) =>
        sql`(${agent}, ${nextSequence(table, agent)} + ${raw(String(place))}, ${values})`,
    ),
    ", ",
  );

/** The bounds of a page: the number of the row before it, and how many rows it has at most. */
export const boundsOf = ({ after, limit }: Page): { after: number; limit: number | null } => ({
  after: after ?? Number.MIN_SAFE_INTEGER,
  // PostgreSQL takes null for no limit, and SQLite a number below 0.
  limit: limit === undefined || limit < 0 ? null : limit,
});

/**
 * Returns the rows of a statement, which is given without its columns, up to a limit. With `room`,
 * the sizes of the texts are read first, and only the rows that fit are read whole.
 */
export function readWithin<T>(
  rows: AgentRows,
  { columns, texts, from }: { columns: Query; texts: readonly string[]; from: Query },
  limit: number | null,
  room: ReadRoom | undefined,
): T[] {
  if (room === undefined) return rows.all(sql`SELECT ${columns} ${from} LIMIT ${limit}`);
  const octets = raw(texts.map((text) => `coalesce(octet_length(${text}), 0)`).join(" + "));
  const sizes = rows.all<{ octets: number }>(
    sql`SELECT ${octets} AS octets ${from} LIMIT ${limit}`,
  );
  if (sizes.length === 0) return [];
  const fitting = room.fitting(sizes.map(({ octets }) => octets));
  return rows.all(sql`SELECT ${columns} ${from} LIMIT ${fitting}`);
}

/**
 * Returns a value as JSON for jsonb, which holds neither U+0000 nor halves of pairs of surrogates.
 * The first becomes what stands for it in statements, the others U+FFFD.
 */
export const jsonOf = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(/(?<!\\)((?:\\\\)*)\\u0000/g, "$1\\u0001")
    .replaceAll(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, "$1\ufffd");
