// Text that is no UTF-8, as a damaged page holds. libSQL ends the whole process, with all its agents, over the first such value that
// is read; so it is looked for before anything is read, as bytes.

import { isUtf8 } from "node:buffer";
import type Database from "libsql";
import type { Bytes } from "./rows.ts";

/** Row numbers that are looked at together. */
const BATCH = 1_000;

/** The lowest row number there can be. */
const LOWEST = String(-(2n ** 63n));

/** Those that are read as they are: of full text only SQLite itself reads what it keeps. `wr` tells that one has no row numbers. */
const TABLES = `SELECT CAST(name AS BLOB) AS name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'`;

/** A table that holds text which cannot be read; undefined where there is none. */
export function unreadableTable(db: Database.Database): string | undefined {
  for (const { name: bytes, wr } of db.prepare(TABLES).all() as { name: Bytes; wr: number }[]) {
    const name = textOf(bytes);
    if (name === undefined) return "the schema";
    const literal = `'${name.replaceAll("'", "''")}'`;
    const found = db.prepare(`SELECT CAST(name AS BLOB) AS name FROM pragma_table_info(${literal})`).all();
    const columns = (found as { name: Bytes }[]).map((column) => textOf(column.name));
    if (!columns.every((column) => column !== undefined)) return "the schema";
    if (!isReadable(db, quoted(name), columns.map(quoted), wr === 0)) return name;
  }
  return undefined;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function textOf(bytes: Bytes): string | undefined {
  const text = Buffer.from(new Uint8Array(bytes));
  return isUtf8(text) ? text.toString() : undefined;
}

/** Whether all texts of these columns are UTF-8. SQLite puts those of a column together, with a character between each two. */
function isReadable(db: Database.Database, table: string, columns: readonly string[], hasNumbers: boolean): boolean {
  const texts = columns.map((column) => `CASE WHEN typeof(${column}) = 'text' THEN ${column} END`);
  const together = texts.map((text, place) => `CAST(group_concat(${text}, '|') AS BLOB) AS texts_${place}`).join(", ");
  const areUtf8 = (found: unknown[]) =>
    Object.values(found[0] as Record<string, Bytes | null>).every(
      (bytes) => bytes === null || isUtf8(new Uint8Array(bytes)),
    );
  if (!hasNumbers) return areUtf8(db.prepare(`SELECT ${together} FROM ${table}`).all());

  // By bounds and not by a limit, for which SQLite would copy the rows first. Row numbers go as text: not all of them are safe
  // integers, and one more than the last is a number all the same.
  const next = db.prepare(
    `SELECT CAST(min(rowid) AS TEXT) AS first FROM ${table} WHERE rowid >= CAST(? AS INTEGER) + ?`,
  );
  const batch = db.prepare(
    `SELECT ${together} FROM ${table} WHERE rowid BETWEEN CAST(?1 AS INTEGER) AND ?1 + ${BATCH - 1}`,
  );
  const firstFrom = (row: string, more: number) => (next.all(row, more) as [{ first: string | null }])[0].first;
  for (let first = firstFrom(LOWEST, 0); first !== null; first = firstFrom(first, BATCH)) {
    if (!areUtf8(batch.all(first))) return false;
  }
  return true;
}
