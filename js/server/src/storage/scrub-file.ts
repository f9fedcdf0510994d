// Removes the remains of a purged memory from a database file.

import { rmSync } from "node:fs";
import type { Durability } from "../settings/options.ts";
import { Connection } from "./connection.ts";
import { StorageError } from "./errors.ts";
import { copiesOf } from "./files.ts";
import { settle } from "./sqlite-file.ts";

/** Tables beside `nodes` that keep texts of a memory, and the column that names the memory. */
const TEXTS_ABOUT: readonly (readonly [table: string, column: string])[] = [
  ["conflict_queue", "old_node_id"],
  ["conflict_queue", "new_node_id"],
];

/** Removes the remains of a memory, and of memories whose purge was begun, from a database. */
export function scrubIn(db: Connection, file: string, nodeId: string): void {
  db.exec("PRAGMA secure_delete = ON");
  for (const [table, column] of TEXTS_ABOUT) {
    db.prepare(
      `DELETE FROM ${table} WHERE ${column} = ? OR ${column} IN (SELECT id FROM nous_purges)`,
    ).run(nodeId);
  }
  // A full-text index keeps words of deleted rows until it merges its segments.
  db.exec("INSERT INTO nodes_fts(nodes_fts) VALUES ('rebuild')");
  db.exec("VACUUM");
  const [{ busy }] = db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all() as [{ busy: number }];
  db.exec("PRAGMA secure_delete = OFF");
  if (busy !== 0) {
    const message = "The database's log could not be emptied: another program is reading it.";
    throw new StorageError(message, { code: "SQLITE_BUSY" });
  }
  for (const copy of copiesOf(file)) rmSync(copy);
  db.exec("DELETE FROM nous_purges");
}

/** Like `SqliteStorage.scrub`, on a connection of its own in a thread of its own. */
export function scrubFile(file: string, durability: Durability, nodeId: string): void {
  const db = new Connection(file);
  try {
    settle(db, durability);
    scrubIn(db, file, nodeId);
  } finally {
    db.close();
  }
}
