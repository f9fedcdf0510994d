// Text that is no UTF-8, as a damaged page holds. libSQL ends the whole process, with all its agents, over the first such value that
// is read; so it is looked for before anything is read, as bytes.

import { isUtf8 } from "node:buffer";
import type Database from "libsql";
import type { Bytes } from "./rows.ts";

/** Rows that are looked at together. */
const BATCH = 1_000;

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

/** Whether all texts of these columns are UTF-8. SQLite puts them together, with a character between each two. */
function isReadable(db: Database.Database, table: string, columns: readonly string[], hasNumbers: boolean): boolean {
  const texts = columns.map((column) => `iif(typeof(${column}) = 'text', ${column}, '')`).join(" || '|' || ");
  const rows = hasNumbers
    ? `SELECT rowid AS place, ${texts} AS texts FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${BATCH}`
    : `SELECT NULL AS place, ${texts} AS texts FROM ${table} WHERE ? IS NOT NULL`;
  const page = db.prepare(`SELECT CAST(group_concat(texts, '|') AS BLOB) AS texts, max(place) AS last FROM (${rows})`);
  let after: number | null = Number.MIN_SAFE_INTEGER;
  while (after !== null) {
    const [{ texts, last }] = page.all(after) as [{ texts: Bytes | null; last: number | null }];
    if (texts !== null && !isUtf8(new Uint8Array(texts))) return false;
    after = last;
  }
  return true;
}
