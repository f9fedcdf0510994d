// Texts that are not UTF-8: another program wrote them, or a page is damaged. They are read with
// replacement characters, and a check names their places.

import { isUtf8 } from "node:buffer";
import { AFTER, type Sql } from "../sql.ts";

/** The place of a text. */
export interface TextPlace {
  table: string;
  /** A row number, or a key in hexadecimal. */
  place: string;
  column: string;
}

/** The most texts that a message names. */
const MAX_NAMED = 20;

/** Returns the places of texts, for a message. */
export function namesOf(texts: readonly TextPlace[]): string {
  const named = texts
    .slice(0, MAX_NAMED)
    .map(({ table, place, column }) => `${table}, row ${place}, column ${column}`);
  const more = texts.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join("; ");
}

/** The place of a row, in SQL. */
const BY_NUMBER = "CAST(rowid AS TEXT)";
/** Tables with texts that requests show, and the place of a row. */
const SHOWN: Readonly<Record<string, string>> = {
  nodes: BY_NUMBER,
  node_signals: BY_NUMBER,
  edges: BY_NUMBER,
  clusters: BY_NUMBER,
  cluster_memberships: BY_NUMBER,
  conflict_queue: BY_NUMBER,
  memory_usage: BY_NUMBER,
  // It has no row numbers.
  playbook_outcomes: "hex(playbook_id) || '.' || hex(entry_id)",
  nous_meta: BY_NUMBER,
  nous_retries: BY_NUMBER,
};

/** Stands for each part of a text that is not UTF-8. A text may also contain it by itself. */
const REPLACEMENT = "\ufffd";

/** Returns the texts that are not UTF-8. */
export const oddTexts = (sql: Sql): TextPlace[] =>
  Object.entries(SHOWN).flatMap(([table, place]) =>
    sql.hasTable(table) ? [...oddIn(sql, table, place)] : [],
  );

type Row = { sequence: number; place: string } & Record<string, unknown>;

function* oddIn(sql: Sql, table: string, placeOf: string): Iterable<TextPlace> {
  const columns = sql
    .all<{ name: string }>("SELECT name FROM pragma_table_info(?)", table)
    .map(({ name }) => name);
  const rows = (sequence: string) =>
    `SELECT ${sequence} AS sequence, ${placeOf} AS place, ${columns.join(", ")} FROM ${table}`;
  const batches =
    placeOf === BY_NUMBER
      ? sql.pages<Row>(`${rows("rowid")} WHERE ${AFTER} LIMIT ?`)
      : [sql.all<Row>(rows("0"))];
  for (const batch of batches)
    for (const row of batch) {
      for (const column of columns) {
        const value = row[column];
        if (typeof value !== "string" || !value.includes(REPLACEMENT)) continue;
        const stored = sql.first<{ bytes: Uint8Array }>(
          `SELECT CAST(${column} AS BLOB) AS bytes FROM ${table} WHERE ${placeOf} = ?`,
          row.place,
        );
        if (stored !== undefined && !isUtf8(stored.bytes))
          yield { table, place: row.place, column };
      }
    }
}
