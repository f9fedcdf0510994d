// Migration: the user and the session that a memory belongs to, data of the caller's, and the time at
// which the memory expires.

import type { Connection } from "../connection.ts";
import { addGroup } from "./node-columns.ts";

export function addOwners(db: Connection): void {
  addGroup(db, 3);
  db.exec(`
    CREATE INDEX nous_nodes_user ON nodes(user_id) WHERE user_id IS NOT NULL;
    CREATE INDEX nous_nodes_session ON nodes(session_id) WHERE session_id IS NOT NULL;
    CREATE INDEX nous_nodes_expiry ON nodes(expires_at) WHERE expires_at IS NOT NULL;
  `);
}
