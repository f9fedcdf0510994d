// Sets of backups: a folder for each, with a copy of every agent's database and a mark.
//
// A set is written under a name of its own, each copy is opened and checked, and only then does the set get
// its final name. So a set with such a name is whole, also if several processes make sets at once. Older
// sets are removed after that, and never before. If an agent cannot be copied, the copies of the others are
// kept as an incomplete set: it counts as a failure and removes no older set but incomplete ones that have
// no more agents. A set that has far fewer agents than the one before is incomplete, too: its data folder
// may be the empty one below a disk that is not mounted.
//
// The mark names the data folder, by its path and by an identity that is kept in it. Sets of other data
// folders, sets without a mark, and names that are no time of the past are neither counted nor removed.

import { randomBytes, randomUUID } from "node:crypto";
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { backUp, copyNamesOf } from "../backup.ts";
import { agentFile } from "../settings/paths.ts";
import { isNoRoom, StorageError } from "../storage/errors.ts";
import { journalOf, logIndexOf, logNoteOf, logOf, syncFile, syncFolder } from "../storage/files.ts";
import { agentsIn } from "../storage/hosted-agents.ts";
import { makeFolder } from "../storage/make-folder.ts";
import { databasesIn, type Place } from "../storage/place.ts";
import { SqliteStorage } from "../storage/sqlite.ts";

const NAME = /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)(?:-(incomplete|unfinished)(?:-[0-9a-f]{8})?)?$/;
const INCOMPLETE = "-incomplete";
/** How old an unfinished set is that its writer has left behind, in milliseconds. */
const ABANDONED = 86_400_000;
/** How far in the future a name may be: a set takes a later second if its own is taken. */
const MAX_AHEAD = 60_000;
const SECOND = 1_000;
/** The file of a set that names its data folder. */
const MARK = "set.json";
/** The file of a data folder with its identity. */
const IDENTITY = "backup-identity";

/** What became of a backup of all agents. */
export interface BackedUp {
  /** The folder of the set. */
  folder: string;
  agents: number;
  bytes: number;
  /** Why the set is not whole. */
  failures: string[];
}

/** What a set says of its data folder. */
interface Mark {
  dataDir: string;
  identity: string;
}

interface FoundSet {
  name: string;
  /** When it was begun, in milliseconds since 1970. */
  time: number;
  kind: "whole" | "incomplete" | "unfinished";
}

/** Returns the name of a set: names in order are times in order, on every disk. */
const nameOf = (time: Date): string =>
  `${time.toISOString().slice(0, "2026-01-01T00:00:00".length).replaceAll(":", "-")}Z`;

/** Returns what a name says of a set; undefined if it is not that of a set, or its time cannot be. */
function setOf(name: string, now: number): FoundSet | undefined {
  const [, stamp, kind = "whole"] = NAME.exec(name) ?? [];
  if (stamp === undefined) return undefined;
  const time = Date.parse(stamp.replace(/T(\d\d)-(\d\d)-(\d\d)Z$/, "T$1:$2:$3Z"));
  if (!(time <= now + MAX_AHEAD) || nameOf(new Date(time)) !== stamp) return undefined;
  return { name, time, kind: kind as FoundSet["kind"] };
}

/** Returns the sets of a folder, the oldest first. */
const setsIn = (dir: string, now: number): FoundSet[] =>
  (existsSync(dir) ? readdirSync(dir).sort() : [])
    .map((name) => setOf(name, now))
    .filter((set) => set !== undefined);

/** Returns the mark of a data folder; undefined if it has no identity yet. */
function markOf(dataDir: string): Mark | undefined {
  const file = join(dataDir, IDENTITY);
  if (!existsSync(file)) return undefined;
  return { dataDir: realpathSync(dataDir), identity: readFileSync(file, "utf8").trim() };
}

/** Returns the mark of a data folder, which gets an identity if it has none. */
function markFor(dataDir: string): Mark {
  const file = join(dataDir, IDENTITY);
  if (!existsSync(file)) {
    const written = `${file}.${randomUUID()}.tmp`;
    makeFolder(dataDir);
    writeFileSync(written, `${randomUUID()}\n`, { mode: 0o600 });
    syncFile(written);
    try {
      // Of several processes the first one counts.
      linkSync(written, file);
    } catch {
      // The disk has no links.
      if (!existsSync(file)) renameSync(written, file);
    } finally {
      rmSync(written, { force: true });
    }
  }
  return markOf(dataDir)!;
}

/** Returns the mark in a set; undefined if it has none that can be read. */
function markIn(set: string): Mark | undefined {
  try {
    const { dataDir, identity } = JSON.parse(readFileSync(join(set, MARK), "utf8"));
    return { dataDir, identity };
  } catch {
    return undefined;
  }
}

/** Returns a test of whether a set is of the same data folder, under the same path. */
const isOwn = (dir: string, own: Mark) => (set: FoundSet) => {
  const mark = markIn(join(dir, set.name));
  return mark?.identity === own.identity && mark.dataDir === own.dataDir;
};

/**
 * Returns when the newest whole set of a data folder was begun, in milliseconds since 1970; undefined if
 * there is none.
 */
export function lastBackup(dataDir: string, dir: string, now = Date.now()): number | undefined {
  const sets = setsIn(dir, now).filter(({ kind }) => kind === "whole");
  const own = markOf(dataDir);
  return own && sets.findLast(isOwn(dir, own))?.time;
}

/**
 * Copies all agents into a new set, and removes whole sets beyond the newest `keep`.
 *
 * @throws {StorageError} If no set could be written.
 */
export function backUpInto(place: Place, dir: string, keep: number, now = new Date()): BackedUp {
  const own = markFor(place.dataDir);
  // Another process may make a set in the same second.
  const unfinished = join(dir, `${nameOf(now)}-unfinished-${randomBytes(4).toString("hex")}`);
  makeFolder(unfinished);
  try {
    writeFileSync(join(unfinished, MARK), `${JSON.stringify(own)}\n`, { mode: 0o600 });
    syncFile(join(unfinished, MARK));
    const { files, bytes, failures } = copyAll(place, unfinished);
    const agents = files.length;
    checkFiles(unfinished, [...files, MARK]);
    const sets = setsIn(dir, now.getTime());
    const loss = lossOf(dir, own, sets, agents);
    if (loss !== undefined) failures.push(loss);
    const isWhole = failures.length === 0;
    const made = moveToName(unfinished, dir, now, isWhole ? "" : INCOMPLETE);
    syncFolder(dir);
    const older = sets.filter(({ time }) => time < made.time).filter(isOwn(dir, own));
    removeOlder(dir, older, { isWhole, agents, keep, now });
    return { folder: made.folder, agents, bytes, failures };
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Gives a set its final name: that of its second, or of the next one that is free. */
function moveToName(from: string, dir: string, now: Date, ending: string) {
  for (let time = now.getTime(); ; time += SECOND) {
    const folder = join(dir, `${nameOf(new Date(time))}${ending}`);
    if (existsSync(folder)) continue;
    try {
      renameSync(from, folder);
      return { folder, time };
    } catch (error) {
      // Another process has taken the name since.
      if (!existsSync(folder)) throw error;
    }
  }
}

/** @throws {StorageError} If a set has other files than those that were written. */
function checkFiles(folder: string, expected: readonly string[]): void {
  const found = readdirSync(folder).sort().join(", ");
  const wanted = [...expected].sort().join(", ");
  if (found !== wanted)
    throw new StorageError(`The new backup has the files ${found} in place of ${wanted}.`);
}

/** Returns why a set has too few agents; undefined if it has not. */
function lossOf(dir: string, own: Mark, sets: FoundSet[], agents: number): string | undefined {
  // A disk that is not mounted has the path, but not the identity; one mounted elsewhere the reverse.
  const before = sets.findLast(({ name, kind }) => {
    const mark = kind === "whole" ? markIn(join(dir, name)) : undefined;
    return mark?.identity === own.identity || mark?.dataDir === own.dataDir;
  });
  const had = before === undefined ? 0 : agentsOf(dir, before);
  if (agents >= had / 2) return undefined;
  return (
    `the data folder ${own.dataDir} has ${agents} agents, and the backup ${before!.name} has ${had}: is ` +
    `its disk mounted? If that is right, take ${INCOMPLETE} off the name of the new backup`
  );
}

function agentsOf(dir: string, { name }: FoundSet): number {
  try {
    return readdirSync(join(dir, name)).filter((file) => file.endsWith(".db")).length;
  } catch {
    // Another process has removed it since.
    return 0;
  }
}

function copyAll(place: Place, folder: string) {
  const { dataDir } = place;
  const done = { files: [] as string[], bytes: 0, failures: [] as string[] };
  const agents = agentsIn(place).map(({ agent }) => agent);
  const known = new Set(agents.map((agent) => agentFile(dataDir, agent)));
  for (const file of databasesIn(dataDir))
    if (!known.has(file)) done.failures.push(`${file}: the database cannot be read as an agent's`);
  for (const { agent, name } of copyNamesOf(dataDir, agents)) {
    const copy = join(folder, name);
    let isMade = false;
    try {
      backUp(dataDir, agent, copy);
      isMade = true;
      check(copy, agent);
      done.files.push(name);
      done.bytes += statSync(copy).size;
    } catch (error) {
      if (isMade)
        for (const of of [(file: string) => file, logOf, logIndexOf, logNoteOf, journalOf])
          rmSync(of(copy), { force: true });
      // It was deleted meanwhile.
      if (!existsSync(agentFile(dataDir, agent))) continue;
      if (isNoRoom(error)) throw error;
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

/** Removes what a new set makes superfluous of older ones of the same data folder. */
function removeOlder(
  dir: string,
  older: readonly FoundSet[],
  made: { isWhole: boolean; agents: number; keep: number; now: Date },
): void {
  const whole = older.filter(({ kind }) => kind === "whole");
  const left = older.filter(
    (set) =>
      (set.kind === "incomplete" && (made.isWhole || agentsOf(dir, set) <= made.agents)) ||
      (set.kind === "unfinished" && made.now.getTime() - set.time > ABANDONED),
  );
  // The new one is the first of those that are kept.
  const surplus = made.isWhole ? whole.slice(0, Math.max(0, whole.length + 1 - made.keep)) : [];
  for (const { name } of [...left, ...surplus])
    rmSync(join(dir, name), { recursive: true, force: true });
}
