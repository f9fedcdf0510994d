// Periodic work: who is at it, and when it was last done. Times are milliseconds since 1970.

import type Database from "libsql";

export function createTasks(db: Database.Database): void {
  db.exec(`
    CREATE TABLE nous_tasks (
      name TEXT PRIMARY KEY,
      holder TEXT,
      leased_until INTEGER NOT NULL,
      last_done INTEGER
    )
  `);
}
