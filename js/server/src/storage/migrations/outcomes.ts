// Migration: the signals with which memories were stored, and which trades were counted for which
// playbooks.

import type { Connection } from "../connection.ts";

export function createOutcomes(db: Connection): void {
  db.exec(`
    CREATE TABLE node_signals (
      node_id TEXT PRIMARY KEY REFERENCES nodes(id) ON DELETE CASCADE,
      signals TEXT NOT NULL
    );
    CREATE TABLE playbook_outcomes (
      playbook_id TEXT NOT NULL,
      entry_id TEXT NOT NULL,
      profitable INTEGER NOT NULL,
      applied_at TEXT NOT NULL,
      PRIMARY KEY (playbook_id, entry_id)
    ) WITHOUT ROWID;
  `);
}
