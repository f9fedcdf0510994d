// Migration: a memory that gets the id of a deleted one inherits no outcomes, pending conflicts or
// versions.

import type { Connection } from "../connection.ts";

/** How many deleted memories keep their last version. */
const KEPT = 100_000;

/**
 * Triggers delete counted outcomes and pending conflicts with their memory, for every writer. A
 * conflict that holds the text of the newer memory stays, without its id, if that memory is
 * deleted. The last version of a deleted memory is kept: a new memory with its id goes on from
 * there, so that an old ETag never matches.
 */
export function forgetDeleted(db: Connection): void {
  db.exec(`
    CREATE TABLE deleted_versions (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      version INTEGER NOT NULL
    );
    CREATE INDEX playbook_outcomes_entry ON playbook_outcomes(entry_id);
    CREATE INDEX nous_conflict_queue_old_node_id ON conflict_queue(old_node_id);
    CREATE INDEX nous_conflict_queue_new_node_id ON conflict_queue(new_node_id);
    CREATE TRIGGER nodes_forget_outcomes AFTER DELETE ON nodes BEGIN
      DELETE FROM playbook_outcomes WHERE playbook_id = old.id;
      DELETE FROM playbook_outcomes WHERE entry_id = old.id;
    END;
    CREATE TRIGGER nodes_forget_conflicts AFTER DELETE ON nodes BEGIN
      DELETE FROM conflict_queue WHERE old_node_id = old.id AND coalesce(status, 'pending') = 'pending';
      DELETE FROM conflict_queue
        WHERE new_node_id = old.id AND coalesce(status, 'pending') = 'pending' AND coalesce(new_content, '') = '';
      UPDATE conflict_queue SET new_node_id = NULL WHERE new_node_id = old.id AND coalesce(status, 'pending') = 'pending';
    END;
    CREATE TRIGGER nodes_keep_version AFTER DELETE ON nodes WHEN old.id IS NOT NULL BEGIN
      DELETE FROM deleted_versions WHERE id = old.id;
      INSERT INTO deleted_versions (id, version) VALUES (old.id, CAST(coalesce(old.version, 0) AS INTEGER));
      DELETE FROM deleted_versions WHERE sequence <= last_insert_rowid() - ${KEPT};
    END;
    DELETE FROM playbook_outcomes WHERE playbook_id NOT IN (SELECT id FROM nodes WHERE id IS NOT NULL)
      OR entry_id NOT IN (SELECT id FROM nodes WHERE id IS NOT NULL);
    DELETE FROM conflict_queue WHERE coalesce(status, 'pending') = 'pending'
      AND (old_node_id IS NOT NULL AND old_node_id NOT IN (SELECT id FROM nodes WHERE id IS NOT NULL)
        OR new_node_id IS NOT NULL AND new_node_id NOT IN (SELECT id FROM nodes WHERE id IS NOT NULL));
  `);
}
