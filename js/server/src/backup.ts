// Backups: copies an agent's database into a file while it is in use, restores such a file, and
// adopts a database of Hynous' server.

import { randomUUID } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { foreignVectors } from "./embeddings/foreign.ts";
import type { VectorSources } from "./settings/embeddings-model.ts";
import { agentFile, snapshotsOf } from "./settings/paths.ts";
import { Connection } from "./storage/connection.ts";
import { IN_USE, StorageError } from "./storage/errors.ts";
import { whileExclusive } from "./storage/exclusive-file.ts";
import {
  copiesOf,
  copyName,
  journalOf,
  keepAs,
  logOf,
  moveDatabaseInto,
  removeDatabase,
  removeWhole,
} from "./storage/files.ts";
import { agentsIn, nameIn } from "./storage/hosted-agents.ts";
import { isLocked } from "./storage/locks.ts";
import { makeFolder } from "./storage/make-folder.ts";
import { schemaOf } from "./storage/migrate.ts";
import { checkAgentName, type Place } from "./storage/place.ts";
import { SqliteStorage } from "./storage/sqlite.ts";
import type { Storage } from "./storage/storage.ts";
import { Target, type TargetOptions } from "./storage/target.ts";
import { checkLog } from "./storage/wal.ts";

/** Tables whose rows have an id. */
const NAMED = ["nodes", "edges", "clusters", "conflict_queue"];

/**
 * Copies an agent's database, as it is at one moment, into a file. Other processes may write to the
 * database meanwhile. An existing file is replaced when the copy is complete and synced.
 *
 * @throws {StorageError} If the agent does not exist, or the file cannot be written; see `Target`.
 */
export function backUp(dataDir: string, agent: string, to: string, options?: TargetOptions): void {
  const file = agentFile(dataDir, agent);
  if (!existsSync(file)) throw new StorageError(`There is no agent ${agent} in ${dataDir}.`);
  const target = new Target(dataDir, to, options);
  checkLog(file);
  const storage = new SqliteStorage(file, { durability: "full", migrates: false });
  try {
    storage.copyTo(target.unfinished);
    chmodSync(target.unfinished, 0o600);
    target.put();
  } finally {
    storage.close();
    target.cleanUp();
  }
}

/** The most characters of a file's name that all file systems take, with room for an ending. */
const MAX_OF_A_NAME = 200;

/**
 * Copies the databases of all agents into a folder, which is created if it is missing. A copy has the
 * agent's name, as a URL writes it; a very long name, and one that differs from another only in case, gives
 * way to that of the database.
 *
 * @throws {StorageError} As `backUp` does. Copies that were made before stay.
 */
export function* backUpAll(
  place: Place,
  folder: string,
  options?: TargetOptions,
): Iterable<{ agent: string; file: string }> {
  makeFolder(folder);
  const agents = agentsIn(place).map(({ agent }) => agent);
  for (const { agent, name } of copyNamesOf(place.dataDir, agents)) {
    const file = join(folder, name);
    backUp(place.dataDir, agent, file, options);
    yield { agent, file };
  }
}

/**
 * Yields the names of the agents' copies in a folder of all agents. Of agents whose names differ only in
 * case the first has its name alone: some disks ignore case.
 */
export function* copyNamesOf(
  dataDir: string,
  agents: Iterable<string>,
): Iterable<{ agent: string; name: string }> {
  const taken = new Set<string>();
  for (const agent of agents) {
    const own = `${encodeURIComponent(agent)}.db`;
    const isFree = own.length <= MAX_OF_A_NAME && !taken.has(own.toLowerCase());
    const name = isFree ? own : basename(agentFile(dataDir, agent));
    taken.add(name.toLowerCase());
    yield { agent, name };
  }
}

/**
 * Replaces the databases of all agents that a folder of `backUpAll` has copies of. Yields each agent with
 * the path of its previous database, if it had one.
 *
 * @throws {StorageError} As `restore` does; before anything is replaced if a file does not name its agent.
 * Agents that were restored before stay restored.
 */
export function* restoreAll(
  dataDir: string,
  folder: string,
): Iterable<{ agent: string; aside: string | undefined }> {
  const names = existsSync(folder) ? readdirSync(folder).filter((one) => one.endsWith(".db")) : [];
  if (names.length === 0) throw new StorageError(`There are no copies of databases in ${folder}.`);
  const copies = names.sort().map((name) => {
    const file = join(folder, name);
    const agent = nameIn(file);
    if (agent === undefined)
      throw new StorageError(`${file} cannot be read, or names no agent: nothing is restored.`);
    return { agent, file };
  });
  for (const { agent, file } of copies) yield { agent, aside: restore(dataDir, agent, file) };
}

/**
 * Replaces an agent's database by a backup, which is checked first. Moves the previous database
 * aside, and returns the path of it. Snapshots of the previous database no longer apply.
 *
 * @throws {StorageError} If the file is not a sound database of this server, or if the agent's
 * database is in use.
 */
export function restore(dataDir: string, agent: string, from: string): string | undefined {
  const file = agentFile(dataDir, agent);
  const copy = takeCopy(from, file, agent, { isOurs: true });
  try {
    if (!existsSync(file)) {
      moveDatabaseInto(copy, file);
      return undefined;
    }
    const aside = copyName(file, "replaced");
    whileExclusive(file, () => {
      // There is no moment without a database, which would be an agent without memories.
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
 * Copies a database of Hynous' server as the database of a new agent. The file and its log do not
 * change, and may be on a disk that can only be read. No program may write to them meanwhile.
 *
 * @returns What to say about vectors that a server with these sources does not make, if any.
 *
 * @throws {StorageError} If the file is not a sound database of that server, or if the agent
 * exists.
 */
export function adopt(
  dataDir: string,
  agent: string,
  from: string,
  vectors: VectorSources,
): string | undefined {
  const file = agentFile(dataDir, agent);
  if (existsSync(file)) throw new StorageError(`There is an agent ${agent} in ${dataDir} already.`);
  let foreign: string | undefined;
  const look = (storage: Storage) => {
    foreign = foreignVectors(storage, vectors);
  };
  const copy = takeCopy(from, file, agent, { isOurs: false, look });
  moveDatabaseInto(copy, file);
  return foreign;
}

/**
 * Creates a checked copy beside the agent's file, with this version's schema, a new epoch and the
 * agent's name. Hynous is a trading agent: its memory gets the weights for one.
 */
function takeCopy(
  from: string,
  file: string,
  agent: string,
  { isOurs, look = () => {} }: { isOurs: boolean; look?: (storage: Storage) => void },
): string {
  checkAgentName(agent);
  if (!existsSync(from)) throw new StorageError(`There is no file ${from}.`);
  const copy = `${file}.tmp`;
  makeFolder(dirname(file));
  // The log of an earlier attempt would be applied to this copy.
  removeDatabase(copy);
  try {
    const given = `${copy}.given`;
    copyFiles(from, given);
    copyOut(given, copy, { from, isOurs });
    chmodSync(copy, 0o600);
    const storage = new SqliteStorage(copy, { durability: "full" });
    try {
      const problems = storage.soundness.problems();
      if (problems.length > 0)
        throw new StorageError(`${from} is not sound: ${problems.join("; ")}.`);
      storage.setMeta("epoch", randomUUID());
      storage.setMeta("agent", agent);
      if (!isOurs) storage.setMeta("preset", "trading");
      look(storage);
    } finally {
      storage.close();
    }
    // Checkpoints the log into the file: the copy has to be one file.
    whileExclusive(copy, () => {});
    return copy;
  } catch (error) {
    removeDatabase(copy);
    throw StorageError.of(error, `${from} cannot be taken in`);
  } finally {
    // The copied files, and the copy that a migration of an older schema made: the source is still
    // there.
    for (const older of copiesOf(copy)) rmSync(older, { force: true });
  }
}

/**
 * Ids that differ only after U+0000 are read as one id.
 *
 * @throws {StorageError} With the tables that have such ids.
 */
function checkIds(db: Connection, from: string): void {
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

/**
 * Copies a database with its log. SQLite would move the log into the source file.
 *
 * @throws {StorageError} If another program uses the source.
 */
function copyFiles(from: string, to: string): void {
  // The log lies beside the file that a link leads to.
  const source = realpathSync(from);
  const state = () => [source, logOf(source), journalOf(source)].map(changeOf).join();
  const before = state();
  if (isLocked(source)) throw new StorageError(`${from} cannot be taken in: ${IN_USE}.`);
  for (const part of [(file: string) => file, logOf, journalOf]) {
    if (!existsSync(part(source))) continue;
    copyFileSync(part(source), part(to));
    chmodSync(part(to), 0o600);
  }
  if (state() !== before) throw new StorageError(`${from} cannot be taken in: ${IN_USE}.`);
}

/** Returns what differs after a file was written to. */
function changeOf(file: string): string {
  const { size, mtimeNs } = statSync(file, { bigint: true, throwIfNoEntry: false }) ?? {};
  return `${size} ${mtimeNs}`;
}

/** Copies a database into a file. `from` is its name in messages. */
function copyOut(given: string, to: string, { from, isOurs }: { from: string; isOurs: boolean }) {
  const db = new Connection(given);
  try {
    const [found] = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'nodes'").all();
    if (found === undefined) throw new StorageError(`${from} has no table of memories.`);
    const isKnown = schemaOf(db) > 0;
    if (isOurs && !isKnown)
      throw new StorageError(`${from} is not a backup of this server: use adopt.`);
    if (!isOurs && isKnown)
      throw new StorageError(`${from} is a database of this server: use restore.`);
    if (!isOurs) checkIds(db, from);
    db.prepare("VACUUM INTO ?").run(to);
  } finally {
    db.close();
  }
}
