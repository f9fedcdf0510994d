// Migration: the user and the session that a memory belongs to, data of the caller's, and the time at
// which the memory expires.

import { FRAMED, OWNED, SUMMED, TAGGED } from "../checksums.ts";
import type { Connection } from "../connection.ts";
import { type Added, addColumns } from "./frames.ts";

/** The columns that this schema adds. */
export const WITH_OWNERS: readonly Added[] = OWNED.map((column) => [
  "nodes",
  column,
  "TEXT",
  "NULL",
]);

export function addOwners(db: Connection): void {
  addColumns(db, WITH_OWNERS);
  const columns = [...SUMMED, ...FRAMED, ...TAGGED, ...OWNED, "embedding_vector"].join(", ");
  db.exec(`
    DROP TRIGGER nodes_checksum_update;
    CREATE TRIGGER nodes_checksum_update AFTER UPDATE OF ${columns} ON nodes
      BEGIN DELETE FROM row_checksums WHERE id = old.id; END;
    CREATE INDEX nous_nodes_user ON nodes(user_id) WHERE user_id IS NOT NULL;
    CREATE INDEX nous_nodes_session ON nodes(session_id) WHERE session_id IS NOT NULL;
    CREATE INDEX nous_nodes_expiry ON nodes(expires_at) WHERE expires_at IS NOT NULL;
  `);
}
