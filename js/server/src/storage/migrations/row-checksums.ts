// Migration: a checksum of each memory; see checksums.ts. Any write removes it, and this server
// stores it again after its own writes.

import { sealAll } from "../checksums.ts";
import type { Connection } from "../connection.ts";
import { forgetSums } from "./node-columns.ts";

export function sumRows(db: Connection): void {
  db.exec(`
    CREATE TABLE row_checksums (id TEXT PRIMARY KEY, checksum INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TRIGGER nodes_checksum_delete AFTER DELETE ON nodes
      BEGIN DELETE FROM row_checksums WHERE id = old.id; END;
  `);
  forgetSums(db, 0);
  sealAll((sql) => db.prepare(sql));
}
