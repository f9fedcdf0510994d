// Migrates a database to this version's schema: under a lock, after a copy, completely or not at
// all.

import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import type { Connection } from "./connection.ts";
import { StorageError } from "./errors.ts";
import { copyName, moveInto } from "./files.ts";
import { META_TABLE, MIGRATIONS, SCHEMA } from "./schema.ts";

/**
 * Runs the migrations that a database lacks. Copies the database beside the file first, and locks
 * it until the last migration is done.
 *
 * @throws {StorageError} If the database is of a newer version.
 */
export function migrate(
  db: Connection,
  file: string,
  isNew: boolean,
  tell: (what: string) => void,
): void {
  const found = knownSchemaOf(db, file);
  if (found === SCHEMA) return;
  db.exec("PRAGMA journal_mode = WAL");
  db.exec("PRAGMA foreign_keys = OFF");
  const work = () => {
    if (!isNew) copyOf(db, file, found, tell);
    bringUp(db);
  };
  if (isNew) work();
  else exclusively(db, work);
}

/**
 * Returns the schema of a database.
 *
 * @throws {StorageError} If the schema is newer than this version's.
 */
function knownSchemaOf(db: Connection, place: string): number {
  const found = schemaOf(db);
  if (found <= SCHEMA) return found;
  throw new StorageError(
    `The database ${place} has schema ${found}, and this version of nous-server knows schemas up to ${SCHEMA}: use a newer one.`,
  );
}

/** Runs the missing migrations in one transaction. */
function bringUp(db: Connection): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have migrated it while this one waited for the lock.
    const before = schemaOf(db);
    db.exec(META_TABLE);
    for (const migration of MIGRATIONS.slice(before)) migration(db);
    const set = db.prepare("INSERT INTO nous_meta VALUES (?, ?) ON CONFLICT DO NOTHING");
    set.run("epoch", randomUUID());
    set.run("schema", String(SCHEMA));
    db.prepare("UPDATE nous_meta SET value = ? WHERE key = 'schema'").run(String(SCHEMA));
    db.exec("COMMIT");
  } catch (error) {
    if (db.inTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/**
 * Returns the schema of a database; 0 for a new database, or one that this server has never opened.
 */
export function schemaOf(db: Connection): number {
  const known = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'nous_meta'").all().length > 0;
  if (!known) return 0;
  const [row] = db.prepare("SELECT value FROM nous_meta WHERE key = 'schema'").all() as {
    value: string;
  }[];
  if (row === undefined) return 0;
  if (!/^\d+$/.test(row.value))
    throw new StorageError("The schema that the database names is no number.");
  return Number(row.value);
}

/** Runs `work` while no other process can open the database. */
export function exclusively(db: Connection, work: () => void): void {
  // SQLite leaves exclusive mode only if the log was first used in normal mode.
  read(db);
  db.exec("PRAGMA locking_mode = EXCLUSIVE");
  // The first transaction takes the lock, and the connection keeps it.
  db.exec("BEGIN EXCLUSIVE");
  db.exec("COMMIT");
  try {
    work();
  } finally {
    db.exec("PRAGMA locking_mode = NORMAL");
    // The next access releases the lock.
    read(db);
  }
}

const read = (db: Connection): unknown => db.prepare("SELECT count(*) FROM sqlite_master").all();

/**
 * Copies the whole database beside itself. SQLite makes the copy: if this process opened the file a
 * second time, closing it would release the locks that the process holds. Row numbers are kept.
 */
function copyOf(db: Connection, file: string, schema: number, tell: (what: string) => void): void {
  const copy = copyName(file, `schema-${schema}`);
  if (existsSync(copy)) throw new StorageError(`The copy ${copy} is there already.`);
  const unfinished = `${copy}.tmp`;
  db.prepare("VACUUM INTO ?").run(unfinished);
  moveInto(unfinished, copy);
  tell(`The database has schema ${schema} and gets ${SCHEMA}; a copy of it as it was is ${copy}`);
}
