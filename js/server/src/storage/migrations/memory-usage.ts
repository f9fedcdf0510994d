// Migration: usage, which records the memories of a prompt that an answer used.

import type { Connection } from "../connection.ts";

export function createMemoryUsage(db: Connection): void {
  db.exec(`
    CREATE TABLE memory_usage (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      memory_id TEXT NOT NULL REFERENCES nodes(id) ON DELETE CASCADE,
      memory_type TEXT NOT NULL,
      context_id TEXT NOT NULL,
      retrieved_at TEXT NOT NULL,
      was_referenced INTEGER NOT NULL,
      overlap_score REAL NOT NULL,
      UNIQUE (context_id, memory_id)
    );
    CREATE INDEX memory_usage_memory ON memory_usage(memory_id);
  `);
}
