// Columns that later schemas add to tables.

import type { Connection } from "../connection.ts";
import { COLUMN_GROUPS } from "../node-columns.ts";

/** An added column: the table, the column, its definition, and the value for existing rows. */
export type Added = readonly [table: string, column: string, definition: string, value: string];

/** The columns of a group of `storage/node-columns.ts`. All are texts, and null in existing rows. */
const addedBy = (group: number): readonly Added[] =>
  COLUMN_GROUPS[group]!.map((column) => ["nodes", column, "TEXT", "NULL"]);

/** The columns of all groups that later schemas added to the memories. */
export const ADDED_LATER: readonly Added[] = COLUMN_GROUPS.flatMap((_, group) =>
  group === 0 ? [] : addedBy(group),
);

/** Adds the columns of a group to the memories. */
export function addGroup(db: Connection, group: number): void {
  addColumns(db, addedBy(group));
  forgetSums(db, group);
}

/** Makes an update of a column in one of the groups so far remove the checksum of its row. */
export function forgetSums(db: Connection, lastGroup: number): void {
  const columns = [...COLUMN_GROUPS.slice(0, lastGroup + 1).flat(), "embedding_vector"];
  db.exec(`
    DROP TRIGGER IF EXISTS nodes_checksum_update;
    CREATE TRIGGER nodes_checksum_update AFTER UPDATE OF ${columns.join(", ")} ON nodes
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
