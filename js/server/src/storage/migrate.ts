// Bringing a database to this version's schema: under a lock, after a copy, whole or not at all.

import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import type Database from "libsql";
import type { Connection } from "./connection.ts";
import { StorageError } from "./errors.ts";
import { copyName, moveInto } from "./files.ts";
import { META_TABLE, MIGRATIONS, SCHEMA } from "./schema.ts";

/**
 * Runs the migrations that a database lacks. Before the first of them a copy of what is there is
 * put beside the file, and until the last nobody else can use it.
 *
 * @throws {StorageError} for a database of a newer version.
 */
export function migrate(
  db: Database.Database,
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
 * Runs the migrations that a database elsewhere lacks: nobody but whoever keeps it can copy it
 * first.
 *
 * @throws {StorageError} for a database of a newer version.
 */
export function migrateRemote(db: Connection, url: string, tell: (what: string) => void): void {
  const found = knownSchemaOf(db, url);
  if (found === SCHEMA) return;
  bringUp(db);
  tell(
    `The remote database had schema ${found} and has ${SCHEMA} now; there is no copy of it as it was`,
  );
}

/** The schema of a database, which is no newer than this version. */
function knownSchemaOf(db: Connection, place: string): number {
  const found = schemaOf(db);
  if (found <= SCHEMA) return found;
  throw new StorageError(
    `The database ${place} has schema ${found}, and this version of nous-server knows schemas up to ${SCHEMA}: use a newer one.`,
  );
}

/** The migrations that are lacking, in one transaction. */
function bringUp(db: Connection): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    // Whoever waited for the lock may find it done.
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

/** The schema of a database; 0 for a new one, or one that this server has never seen. */
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

/** Does something while nobody else can open the database. */
export function exclusively(db: Database.Database, work: () => void): void {
  // Only from a log that was first used in the normal way is there a way back to it.
  read(db);
  db.exec("PRAGMA locking_mode = EXCLUSIVE");
  // The lock comes with the first transaction, and stays.
  db.exec("BEGIN EXCLUSIVE");
  db.exec("COMMIT");
  try {
    work();
  } finally {
    db.exec("PRAGMA locking_mode = NORMAL");
    // It goes with the next access.
    read(db);
  }
}

const read = (db: Database.Database): unknown =>
  db.prepare("SELECT count(*) FROM sqlite_master").all();

/**
 * A copy of the whole database beside it. SQLite makes it: opening the file a second time would end
 * the locks that this process holds on it. Row numbers are kept.
 */
function copyOf(
  db: Database.Database,
  file: string,
  schema: number,
  tell: (what: string) => void,
): void {
  const copy = copyName(file, `schema-${schema}`);
  if (existsSync(copy)) throw new StorageError(`The copy ${copy} is there already.`);
  const unfinished = `${copy}.tmp`;
  db.prepare("VACUUM INTO ?").run(unfinished);
  moveInto(unfinished, copy);
  tell(`The database has schema ${schema} and gets ${SCHEMA}; a copy of it as it was is ${copy}`);
}
