// Opening a database file: creates, checks, migrates and configures it.

import { randomUUID } from "node:crypto";
import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Durability } from "../settings/options.ts";
import { Connection } from "./connection.ts";
import { StorageError } from "./errors.ts";
import { logOf, moveIfFree, refuseFolders } from "./files.ts";
import { makeFolder } from "./make-folder.ts";
import { migrate, schemaOf } from "./migrate.ts";
import { COUNTED } from "./migrations/frames.ts";
import { ADDED_LATER, readWithAdded } from "./migrations/node-columns.ts";

/** How a database file is opened. */
export interface SqliteOptions {
  durability: Durability;
  /** Called with a sentence about each thing that opening did. */
  tell?: (what: string) => void;
  /** Whether an older schema is migrated. Default true; false leaves the file as it is. */
  migrates?: boolean;
}

/** SQLite's in-memory database: stands in for agents that do not exist. */
export const IN_MEMORY = ":memory:";

/** How long a transaction waits for another writer, in milliseconds. */
export const BUSY_TIMEOUT = 5_000;
/** The pragmas of a connection: each is set and read back at every open. */
const settingsOf = (
  durability: Durability,
): readonly (readonly [pragma: string, set: string, is: unknown])[] => [
  ["journal_mode", "WAL", "wal"],
  ["synchronous", durability === "full" ? "FULL" : "NORMAL", durability === "full" ? 2 : 1],
  // On macOS a plain sync leaves data in the memory of the disk.
  ["fullfsync", durability === "full" ? "ON" : "OFF", durability === "full" ? 1 : 0],
  ["foreign_keys", "ON", 1],
  ["recursive_triggers", "ON", 1],
  ["busy_timeout", String(BUSY_TIMEOUT), BUSY_TIMEOUT],
];

/**
 * Opens a database file, and creates it if it is missing.
 *
 * @throws {StorageError} If the file is not a database, or is of a newer version.
 */
export function openFile(
  file: string,
  { durability, tell = () => {}, migrates = true }: SqliteOptions,
): Connection {
  const isInMemory = file === IN_MEMORY;
  let db: Connection | undefined;
  try {
    if (!isInMemory) seeToFile(file);
    db = new Connection(file);
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    if (migrates) migrate(db, file, isInMemory, tell);
    else if (schemaOf(db) === 0)
      throw new StorageError(`The database ${file} has not been migrated yet.`);
    else readWithAdded(db, [...ADDED_LATER, COUNTED]);
    if (migrates && !isInMemory) settle(db, durability);
    return db;
  } catch (error) {
    db?.close();
    throw StorageError.of(error, `The database ${file} cannot be opened`);
  }
}

/** Sets the pragmas of a connection, and reads each of them back. */
export function settle(db: Connection, durability: Durability): void {
  for (const [pragma, set, is] of settingsOf(durability)) {
    db.exec(`PRAGMA ${pragma} = ${set}`);
    const [row] = db.prepare(`PRAGMA ${pragma}`).all() as Record<string, unknown>[];
    const found = Object.values(row ?? {})[0];
    if (found !== is) throw new StorageError(`${pragma} is ${found} after it was set to ${set}.`);
  }
  // The first read creates the log and its index.
  db.prepare("SELECT count(*) FROM sqlite_master").all();
}

/**
 * Creates a database if it is missing. The file is moved to its path when it is complete. An empty
 * file, or a log without its file, is therefore damage, and must not become an agent without
 * memories.
 *
 * @throws {StorageError} If the database is damaged so, or if a folder is at its path.
 */
function seeToFile(file: string): void {
  refuseFolders(file);
  const bytes = statSync(file, { throwIfNoEntry: false })?.size;
  const mend = "restore a backup, or delete the agent to begin anew";
  if (bytes === 0)
    throw new StorageError(`The database ${file} is empty, and was not when it was made: ${mend}.`);
  if (bytes !== undefined) return;
  if ((statSync(logOf(file), { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new StorageError(`The database ${file} is gone, and its log is still there: ${mend}.`);
  }
  makeFolder(dirname(file));
  // SQLite's own error does not say why a file cannot be opened there.
  accessSync(dirname(file), constants.W_OK);
  const unfinished = `${file}.${randomUUID()}.tmp`;
  const db = new Connection(IN_MEMORY);
  try {
    migrate(db, file, true, () => {});
    db.prepare("VACUUM INTO ?").run(unfinished);
  } finally {
    db.close();
  }
  moveIfFree(unfinished, file);
}
