// Migration: the frame and the censors with which a memory was stored, and which counted trades the
// agent's client counted as well.

import { FRAMED, SUMMED } from "../checksums.ts";
import type { Connection } from "../connection.ts";

/**
 * Columns that this schema adds: the table, the column, its definition, and the value for existing
 * rows.
 */
const ADDED = [
  ...FRAMED.map((column) => ["nodes", column, "TEXT", "NULL"] as const),
  ["playbook_outcomes", "client_counted", "INTEGER NOT NULL DEFAULT 0", "0"] as const,
];

export function addFrames(db: Connection): void {
  for (const [table, column, definition] of ADDED) {
    if (!columnsOf(db, table).has(column))
      db.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${definition}`);
  }
  db.exec(`
    DROP TRIGGER nodes_checksum_update;
    CREATE TRIGGER nodes_checksum_update AFTER UPDATE OF ${[...SUMMED, ...FRAMED, "embedding_vector"].join(", ")} ON nodes
      BEGIN DELETE FROM row_checksums WHERE id = old.id; END;
  `);
}

/** Adds the columns of this schema to the rows of a read-only database with an earlier schema. */
export function readWithAdded(db: Connection): void {
  for (const table of new Set(ADDED.map(([table]) => table))) {
    const there = columnsOf(db, table);
    const missing = ADDED.filter(([of, column]) => of === table && !there.has(column));
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
