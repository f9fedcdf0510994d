// Migration: leases of periodic work, and when it was last done, in milliseconds since 1970.

import type { Connection } from "../connection.ts";

export function createTasks(db: Connection): void {
  db.exec(`
    CREATE TABLE nous_tasks (
      name TEXT PRIMARY KEY,
      holder TEXT,
      leased_until INTEGER NOT NULL,
      last_done INTEGER
    )
  `);
}
