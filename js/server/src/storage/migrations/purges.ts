// Migration: purges in progress, so that the next start finishes an interrupted purge.

import type { Connection } from "../connection.ts";

export function createPurges(db: Connection): void {
  db.exec("CREATE TABLE nous_purges (id TEXT PRIMARY KEY)");
}
