// Sets of backups: a folder for each, with a copy of every agent's database.
//
// A set is written under another name, each copy is opened and checked, and only then does the set get
// its name. So a set with a name is whole. Older sets are removed after that, and never before. If an
// agent cannot be copied, the copies of the others are kept as an incomplete set: it counts as a failure
// and removes no older set but the last incomplete one.

import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { backUp, copyNameOf } from "../backup.ts";
import { agentFile } from "../settings/paths.ts";
import { isNoRoom, StorageError } from "../storage/errors.ts";
import { syncFolder } from "../storage/files.ts";
import { agentsIn } from "../storage/hosted-agents.ts";
import { makeFolder } from "../storage/make-folder.ts";
import { databasesIn, type Place } from "../storage/place.ts";
import { SqliteStorage } from "../storage/sqlite.ts";

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/;
const INCOMPLETE = "-incomplete";
const UNFINISHED = "-unfinished";
/** How old an unfinished set is that its writer has left behind, in milliseconds. */
const ABANDONED = 86_400_000;

/** What became of a backup of all agents. */
export interface BackedUp {
  /** The folder of the set. */
  folder: string;
  agents: number;
  bytes: number;
  /** Why agents are not in it. */
  failures: string[];
}

/** Returns the name of a set: names in order are times in order, on every disk. */
const nameOf = (time: Date): string =>
  `${time.toISOString().slice(0, "2026-01-01T00:00:00".length).replaceAll(":", "-")}Z`;

/** Returns the time of a set, in milliseconds since 1970. */
const timeOf = (name: string): number =>
  Date.parse(name.replace(/T(\d\d)-(\d\d)-(\d\d)Z$/, "T$1:$2:$3Z"));

const namesIn = (dir: string): string[] => (existsSync(dir) ? readdirSync(dir).sort() : []);

/** Returns when the newest whole set was begun, in milliseconds since 1970; undefined if there is none. */
export function lastBackup(dir: string): number | undefined {
  const name = namesIn(dir).findLast((one) => NAME.test(one));
  return name === undefined ? undefined : timeOf(name);
}

/**
 * Copies all agents into a new set, and removes whole sets beyond the newest `keep`.
 *
 * @throws {StorageError} If no set could be written.
 */
export function backUpInto(place: Place, dir: string, keep: number, now = new Date()): BackedUp {
  const name = nameOf(now);
  const unfinished = join(dir, `${name}${UNFINISHED}`);
  if (existsSync(join(dir, name))) throw new StorageError(`There is a backup ${name} already.`);
  makeFolder(unfinished);
  try {
    const { failures, ...copied } = copyAll(place, unfinished);
    const isWhole = failures.length === 0;
    const folder = join(dir, isWhole ? name : `${name}${INCOMPLETE}`);
    renameSync(unfinished, folder);
    syncFolder(dir);
    removeOlder(dir, basename(folder), keep, now);
    return { folder, ...copied, failures };
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function copyAll(place: Place, folder: string): Omit<BackedUp, "folder"> {
  const { dataDir } = place;
  const done: Omit<BackedUp, "folder"> = { agents: 0, bytes: 0, failures: [] };
  const agents = agentsIn(place).map(({ agent }) => agent);
  const known = new Set(agents.map((agent) => agentFile(dataDir, agent)));
  for (const file of databasesIn(dataDir))
    if (!known.has(file)) done.failures.push(`${file}: the database cannot be read as an agent's`);
  for (const agent of agents) {
    const copy = join(folder, copyNameOf(dataDir, agent));
    try {
      backUp(dataDir, agent, copy);
      check(copy, agent);
      done.agents += 1;
      done.bytes += statSync(copy).size;
    } catch (error) {
      // It was deleted meanwhile.
      if (!existsSync(agentFile(dataDir, agent))) continue;
      if (isNoRoom(error)) throw error;
      rmSync(copy, { force: true });
      done.failures.push(`${agent}: ${(error as Error).message}`);
    }
  }
  return done;
}

/** @throws {StorageError} If the copy is not a sound database of the agent. */
function check(copy: string, agent: string): void {
  const storage = new SqliteStorage(copy, { durability: "full", migrates: false });
  try {
    const problems = storage.soundness.problems();
    if (storage.meta("agent") !== agent) problems.push("it is the database of another agent");
    if (problems.length > 0)
      throw new StorageError(`the copy is not sound: ${problems.join("; ")}`);
  } finally {
    storage.close();
  }
}

/** Removes what the new set makes superfluous. */
function removeOlder(dir: string, made: string, keep: number, now: Date): void {
  const older = namesIn(dir).filter((name) => name < made);
  const whole = older.filter((name) => NAME.test(name));
  const isOf = (name: string, ending: string) =>
    name.endsWith(ending) && NAME.test(name.slice(0, -ending.length));
  const left = older.filter(
    (name) =>
      isOf(name, INCOMPLETE) ||
      (isOf(name, UNFINISHED) &&
        now.getTime() - timeOf(name.slice(0, -UNFINISHED.length)) > ABANDONED),
  );
  // The new one is the first of those that are kept.
  const surplus = NAME.test(made) ? whole.slice(0, Math.max(0, whole.length + 1 - keep)) : [];
  for (const name of [...left, ...surplus])
    rmSync(join(dir, name), { recursive: true, force: true });
}
