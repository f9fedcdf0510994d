// Migration: a checksum of each memory; see checksums.ts. Any write removes it, and this server
// stores it again after its own writes.

import { SUMMED, sealAll } from "../checksums.ts";
import type { Connection } from "../connection.ts";

export function sumRows(db: Connection): void {
  db.exec(`
    CREATE TABLE row_checksums (id TEXT PRIMARY KEY, checksum INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TRIGGER nodes_checksum_update AFTER UPDATE OF ${[...SUMMED, "embedding_vector"].join(", ")} ON nodes
      BEGIN DELETE FROM row_checksums WHERE id = old.id; END;
    CREATE TRIGGER nodes_checksum_delete AFTER DELETE ON nodes
      BEGIN DELETE FROM row_checksums WHERE id = old.id; END;
  `);
  sealAll((sql) => db.prepare(sql));
}
