// Migration: the tags of a memory, as a JSON array.

import { FRAMED, SUMMED, TAGGED } from "../checksums.ts";
import type { Connection } from "../connection.ts";
import { type Added, addColumns } from "./frames.ts";

/** The columns that this schema adds. */
export const WITH_TAGS: readonly Added[] = TAGGED.map((column) => [
  "nodes",
  column,
  "TEXT",
  "NULL",
]);

export function addTags(db: Connection): void {
  addColumns(db, WITH_TAGS);
  const columns = [...SUMMED, ...FRAMED, ...TAGGED, "embedding_vector"].join(", ");
  db.exec(`
    DROP TRIGGER nodes_checksum_update;
    CREATE TRIGGER nodes_checksum_update AFTER UPDATE OF ${columns} ON nodes
      BEGIN DELETE FROM row_checksums WHERE id = old.id; END;
  `);
}
