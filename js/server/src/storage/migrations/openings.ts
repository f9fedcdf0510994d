// Openings for writing, so that an index that was kept is told apart from one of another branch of
// the same database.

import type { Connection } from "../connection.ts";

/** `since` is the last entry of the change log when the opening began to write. */
export function createOpenings(db: Connection): void {
  db.exec(`
    CREATE TABLE nous_openings (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      opening TEXT NOT NULL UNIQUE,
      since INTEGER NOT NULL
    )
  `);
}
