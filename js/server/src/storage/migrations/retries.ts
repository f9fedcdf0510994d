// Migration: results of requests with an idempotency key. Rows hold ids and a hash of the request,
// no text.

import type { Connection } from "../connection.ts";

export function createRetries(db: Connection): void {
  db.exec(`
    CREATE TABLE nous_retries (
      key TEXT PRIMARY KEY,
      request TEXT NOT NULL,
      made TEXT NOT NULL,
      created_at TEXT NOT NULL
    );
    CREATE INDEX nous_retries_created_at ON nous_retries(created_at);
  `);
}
