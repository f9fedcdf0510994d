// Purges that were begun, so that one which was interrupted is finished at the next start.

import type { Connection } from "../connection.ts";

export function createPurges(db: Connection): void {
  db.exec("CREATE TABLE nous_purges (id TEXT PRIMARY KEY)");
}
