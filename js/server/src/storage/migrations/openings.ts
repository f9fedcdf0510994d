// Migration: openings for writing. They show whether a saved index belongs to this database or to a
// copy that was written separately.

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
