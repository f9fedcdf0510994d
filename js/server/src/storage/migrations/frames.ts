// Migration: the frame and the censors with which a memory was stored, and which counted trades the
// agent's client counted as well.

import { FRAMED, SUMMED } from "../checksums.ts";
import type { Connection } from "../connection.ts";

/** An added column: the table, the column, its definition, and the value for existing rows. */
export type Added = readonly [table: string, column: string, definition: string, value: string];

/** The columns that this schema adds. */
export const WITH_FRAMES: readonly Added[] = [
  ...FRAMED.map((column): Added => ["nodes", column, "TEXT", "NULL"]),
  ["playbook_outcomes", "client_counted", "INTEGER NOT NULL DEFAULT 0", "0"],
];

export function addFrames(db: Connection): void {
  addColumns(db, WITH_FRAMES);
  db.exec(`
    DROP TRIGGER nodes_checksum_update;
    CREATE TRIGGER nodes_checksum_update AFTER UPDATE OF ${[...SUMMED, ...FRAMED, "embedding_vector"].join(", ")} ON nodes
      BEGIN DELETE FROM row_checksums WHERE id = old.id; END;
  `);
}

/** Adds those of the columns that a database lacks. */
export function addColumns(db: Connection, added: readonly Added[]): void {
  for (const [table, column, definition] of added) {
    if (!columnsOf(db, table).has(column))
      db.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${definition}`);
  }
}

/** Adds columns to the rows of a read-only database whose schema is from before these columns. */
export function readWithAdded(db: Connection, added: readonly Added[]): void {
  for (const table of new Set(added.map(([table]) => table))) {
    const there = columnsOf(db, table);
    const missing = added.filter(([of, column]) => of === table && !there.has(column));
    if (there.size === 0 || missing.length === 0) continue;
    const columns = missing.map(([, column, , value]) => `${value} AS ${column}`).join(", ");
    const rowid = table === "nodes" ? "rowid, " : "";
    db.exec(`CREATE TEMP VIEW ${table} AS SELECT ${rowid}*, ${columns} FROM main.${table}`);
  }
}

function columnsOf(db: Connection, table: string): Set<string> {
  const rows = db.prepare("SELECT name FROM pragma_table_info(?)").all(table) as { name: string }[];
  return new Set(rows.map(({ name }) => name));
}
