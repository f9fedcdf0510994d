// Migration: the original bytes of texts that were not UTF-8 and are read with replacement
// characters.

import type { Connection } from "../connection.ts";

/**
 * The table of replaced bytes. A row names the place of its text: a row number, or a key in
 * hexadecimal.
 */
export const REPLACED_TEXTS = `CREATE TABLE IF NOT EXISTS nous_replaced_texts (
  table_name TEXT NOT NULL,
  place TEXT NOT NULL,
  column_name TEXT NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (table_name, place, column_name)
)`;

/** Columns of a memory whose texts a client may change. Soft state is not among them. */
const TEXTS = [
  "type",
  "subtype",
  "content_title",
  "content_summary",
  "content_body",
  "provenance_source",
  "provenance_created_at",
  "layer",
  "created_at",
  "embedding_model",
  "temporal_event_time",
  "temporal_event_source",
];
/** Tables other than memories and edges that other programs write to. */
const WRITTEN = ["clusters", "conflict_queue"];
const OF_ROW = (table: string) => `table_name = '${table}' AND place = CAST(old.rowid AS TEXT)`;

/**
 * Triggers remove replaced bytes with their row, and those of a memory also when its text changes.
 * The change log names rows of other tables by their row numbers.
 */
export function createReplacedTexts(db: Connection): void {
  const changed = TEXTS.map(
    (column) => `column_name = '${column}' AND old.${column} IS NOT new.${column}`,
  );
  db.exec(`
    ${REPLACED_TEXTS};
    CREATE TRIGGER nodes_replaced_update AFTER UPDATE OF ${TEXTS.join(", ")} ON nodes BEGIN
      DELETE FROM nous_replaced_texts WHERE ${OF_ROW("nodes")} AND (${changed.join(" OR ")});
    END;
  `);
  for (const table of ["nodes", "edges", ...WRITTEN]) {
    db.exec(`
      CREATE TRIGGER ${table}_replaced_delete AFTER DELETE ON ${table} BEGIN
        DELETE FROM nous_replaced_texts WHERE ${OF_ROW(table)};
      END;
    `);
  }
  for (const table of WRITTEN) {
    for (const event of ["INSERT", "UPDATE"]) {
      db.exec(`
        CREATE TRIGGER ${table}_log_${event.toLowerCase()} AFTER ${event} ON ${table} BEGIN
          INSERT INTO change_log (entity, id) VALUES ('${table}', new.rowid);
        END;
      `);
    }
  }
}
