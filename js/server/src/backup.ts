// An agent's database as one file elsewhere: copied while it is in use, and taken in.

import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import Database from "libsql";
import { agentFile, snapshotsOf } from "./settings/paths.ts";
import { StorageError } from "./storage/errors.ts";
import { whileExclusive } from "./storage/exclusive-file.ts";
import {
  copiesOf,
  copyName,
  keepAs,
  moveDatabaseInto,
  removeDatabase,
  removeWhole,
} from "./storage/files.ts";
import { LibsqlStorage } from "./storage/libsql.ts";
import { exclusively, schemaOf } from "./storage/migrate.ts";
import { checkAgentName } from "./storage/place.ts";
import { Target, type TargetOptions } from "./storage/target.ts";
import { checkLog } from "./storage/wal.ts";

/** Tables whose rows are told apart by an id. */
const NAMED = ["nodes", "edges", "clusters", "conflict_queue"];

/**
 * Copies an agent's database into a file, as it is at one moment, whoever is writing to it. What
 * was there before stays until the copy is whole and on the disk.
 *
 * @throws {StorageError} where there is no such agent, or the file is not to be written; see
 * `Target`.
 */
export function backUp(dataDir: string, agent: string, to: string, options?: TargetOptions): void {
  const file = agentFile(dataDir, agent);
  if (!existsSync(file)) throw new StorageError(`There is no agent ${agent} in ${dataDir}.`);
  const target = new Target(dataDir, to, options);
  checkLog(file);
  const storage = new LibsqlStorage(file, {
    durability: "full",
    migrates: false,
    readsRows: false,
  });
  try {
    storage.copyTo(target.unfinished);
    chmodSync(target.unfinished, 0o600);
    target.put();
  } finally {
    storage.close();
    target.cleanUp();
  }
}

/**
 * Puts a backup in the place of an agent's database. It is looked at first; what was there is put
 * aside, and the answer is where. Indexes of before know nothing of it.
 *
 * @throws {StorageError} for a file that is no sound database of this server, or while somebody has
 * the agent's open.
 */
export async function restore(
  dataDir: string,
  agent: string,
  from: string,
): Promise<string | undefined> {
  const file = agentFile(dataDir, agent);
  const copy = await takeCopy(from, file, agent, { isOurs: true });
  try {
    if (!existsSync(file)) {
      moveDatabaseInto(copy, file);
      return undefined;
    }
    const aside = copyName(file, "replaced");
    await whileExclusive(file, () => {
      // At no moment there is nothing in its place, which would be an agent without memories.
      keepAs(file, aside);
      moveDatabaseInto(copy, file);
      for (const kept of Object.values(snapshotsOf(file))) removeWhole(kept);
    });
    return aside;
  } finally {
    rmSync(copy, { force: true });
  }
}

/**
 * Takes a database of the existing server in as that of a new agent; the file itself stays as it
 * is, and nobody may be writing to it meanwhile.
 *
 * @throws {StorageError} for a file that is no sound database of that server, or where there is
 * such an agent.
 */
export async function adopt(dataDir: string, agent: string, from: string): Promise<void> {
  const file = agentFile(dataDir, agent);
  if (existsSync(file)) throw new StorageError(`There is an agent ${agent} in ${dataDir} already.`);
  const copy = await takeCopy(from, file, agent, { isOurs: false });
  moveDatabaseInto(copy, file);
}

/**
 * A copy beside the agent's file, of this version's schema, sound, with an epoch and the name of
 * its own.
 */
async function takeCopy(
  from: string,
  file: string,
  agent: string,
  { isOurs }: { isOurs: boolean },
): Promise<string> {
  checkAgentName(agent);
  if (!existsSync(from)) throw new StorageError(`There is no file ${from}.`);
  const copy = `${file}.tmp`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // A log that was left of another attempt would be taken for this copy's.
  removeDatabase(copy);
  try {
    copyOut(from, copy, isOurs);
    chmodSync(copy, 0o600);
    const storage = new LibsqlStorage(copy, { durability: "full" });
    try {
      const problems = storage.soundness.problems();
      if (problems.length > 0)
        throw new StorageError(`${from} is not sound: ${problems.join("; ")}.`);
      storage.setMeta("epoch", randomUUID());
      storage.setMeta("agent", agent);
    } finally {
      storage.close();
    }
    // What is in its log goes into the file, which is to be one.
    await whileExclusive(copy, () => {});
    return copy;
  } catch (error) {
    removeDatabase(copy);
    throw StorageError.of(error, `${from} cannot be taken in`);
  } finally {
    // Of an older schema: the file that was given is the copy of it.
    for (const older of copiesOf(copy)) rmSync(older, { force: true });
  }
}

/**
 * Ids that differ only after U+0000 are read as one and the same.
 *
 * @throws {StorageError} naming tables with such ids.
 */
function checkIds(db: Database.Database, from: string): void {
  const all = <Row>(sql: string) => db.prepare(sql).all() as Row[];
  const tables = all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").map(
    ({ name }) => name,
  );
  const problems = NAMED.filter((table) => tables.includes(table)).flatMap((table) => {
    const [found] = all<{ count: number }>(
      `SELECT count(*) AS count FROM ${table} WHERE instr(id, char(0)) > 0`,
    );
    return found!.count === 0 ? [] : [`${found!.count} of ${table}`];
  });
  if (problems.length === 0) return;
  throw new StorageError(
    `${from} has ids with U+0000 (${problems.join(", ")}): give them other ids, then adopt it.`,
  );
}

function copyOut(from: string, to: string, isOurs: boolean): void {
  const db = new Database(from);
  try {
    const [found] = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'nodes'").all();
    if (found === undefined) throw new StorageError(`${from} has no table of memories.`);
    const isKnown = schemaOf(db) > 0;
    if (isOurs && !isKnown)
      throw new StorageError(`${from} is no backup of this server: adopt it.`);
    if (!isOurs && isKnown)
      throw new StorageError(`${from} is a database of this server: restore it.`);
    if (!isOurs) checkIds(db, from);
    exclusively(db, () => db.prepare("VACUUM INTO ?").run(to));
  } finally {
    db.close();
  }
}
