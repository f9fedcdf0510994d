// Migration: what use has taught, in one row. Its changes are logged, so that other processes rank by
// them, too.

import type { Connection } from "../connection.ts";

export function createLearned(db: Connection): void {
  const log = "BEGIN INSERT INTO change_log(entity, id) VALUES ('learned', ''); END;";
  db.exec(`
    CREATE TABLE nous_learned (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      learned TEXT NOT NULL
    );
    CREATE TRIGGER nous_learned_log_insert AFTER INSERT ON nous_learned ${log}
    CREATE TRIGGER nous_learned_log_update AFTER UPDATE ON nous_learned ${log}
    CREATE TRIGGER nous_learned_log_delete AFTER DELETE ON nous_learned ${log}
  `);
}
