// Migration: a flush logs soft state itself, many memories to an entry. Otherwise a sweep of
// 100,000 memories would push all other entries out of the change log. The full-text index is
// updated only if a text changed, not if the same text was written again.

import type { Connection } from "../connection.ts";

export function logSoftChanges(db: Connection): void {
  db.exec(`
    DROP TRIGGER nodes_log_update;
    CREATE TRIGGER nodes_log_update AFTER UPDATE ON nodes
      WHEN NOT EXISTS (SELECT 1 FROM nous_meta WHERE key = 'flushing')
      BEGIN INSERT INTO change_log(entity, id) SELECT 'node', new.id WHERE new.id IS NOT NULL; END;
    DROP TRIGGER nodes_fts_update;
    CREATE TRIGGER nodes_fts_update AFTER UPDATE OF content_title, content_summary, content_body ON nodes
      WHEN old.content_title IS NOT new.content_title OR old.content_summary IS NOT new.content_summary
        OR old.content_body IS NOT new.content_body
      BEGIN
        INSERT INTO nodes_fts(nodes_fts, rowid, content_title, content_summary, content_body)
          VALUES ('delete', old.rowid, old.content_title, old.content_summary, old.content_body);
        INSERT INTO nodes_fts(rowid, content_title, content_summary, content_body)
          VALUES (new.rowid, new.content_title, new.content_summary, new.content_body);
      END;
  `);
}
