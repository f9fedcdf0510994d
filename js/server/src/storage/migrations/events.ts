// Migration: the change log says what became of memories and edges, and when, so that clients can
// follow the writes. An entry without an action changed nothing that they are told of, such as an
// embedding.

import type { Connection } from "../connection.ts";
import { addColumns } from "./node-columns.ts";

/** Columns of a memory whose change clients are told of. A client's change raises the version. */
const TOLD = [
  "version",
  "type",
  "subtype",
  "content_title",
  "content_summary",
  "content_body",
  "temporal_event_time",
];
const NOW = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";
const LINKED = "CASE WHEN new.type = 'supersedes' THEN 'replaced' ELSE 'linked' END";
const ENDS = ["type", "source_id", "target_id"];
const differs = (columns: readonly string[]) =>
  columns.map((column) => `old.${column} IS NOT new.${column}`).join(" OR ");

export function logActions(db: Connection): void {
  const logged = (entity: string, row: "old" | "new", action: string) =>
    `INSERT INTO change_log(entity, id, action, at)
     SELECT '${entity}', ${row}.id, ${action}, ${NOW} WHERE ${row}.id IS NOT NULL;`;
  const changed = (columns: readonly string[], action: string) =>
    `CASE WHEN ${differs(columns)} THEN ${action} END`;
  const ofNode = `CASE WHEN old.id IS NOT new.id THEN 'stored' ELSE ${changed(TOLD, "'changed'")} END`;
  addColumns(db, [
    ["change_log", "action", "TEXT", "NULL"],
    ["change_log", "at", "TEXT", "NULL"],
  ]);
  db.exec(`
    DROP TRIGGER nodes_log_insert;
    DROP TRIGGER nodes_log_delete;
    DROP TRIGGER nodes_log_update;
    DROP TRIGGER nodes_log_rename;
    DROP TRIGGER edges_log_insert;
    DROP TRIGGER edges_log_delete;
    DROP TRIGGER edges_log_update;
    CREATE TRIGGER nodes_log_insert AFTER INSERT ON nodes
      BEGIN ${logged("node", "new", "'stored'")} END;
    CREATE TRIGGER nodes_log_delete AFTER DELETE ON nodes
      BEGIN ${logged("node", "old", "'deleted'")} END;
    CREATE TRIGGER nodes_log_update AFTER UPDATE ON nodes
      WHEN NOT EXISTS (SELECT 1 FROM nous_meta WHERE key = 'flushing')
      BEGIN ${logged("node", "new", ofNode)} END;
    CREATE TRIGGER nodes_log_rename AFTER UPDATE OF id ON nodes WHEN old.id IS NOT new.id
      BEGIN ${logged("node", "old", "'deleted'")} END;
    CREATE TRIGGER edges_log_insert AFTER INSERT ON edges
      BEGIN ${logged("edge", "new", LINKED)} END;
    CREATE TRIGGER edges_log_delete AFTER DELETE ON edges
      BEGIN ${logged("edge", "old", "'unlinked'")} END;
    CREATE TRIGGER edges_log_update AFTER UPDATE ON edges
      BEGIN ${logged("edge", "new", changed(ENDS, LINKED))} END;
  `);
}
