// Durable file operations: files are written beside their place, synced, and moved there whole.
// Also the names of a database's log, index and copies.

import { randomUUID } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { atOnce, type Steps } from "nous-memory";
import { Unavailable } from "./errors.ts";

/** Syncs a file, so that its contents survive a power cut. */
export function syncFile(file: string): void {
  const handle = openSync(file, "r+");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Syncs a folder, so that the names of new files in it survive a power cut. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Moves a complete file to its place, in the same folder or on the same disk. Replaces a file that
 * is there.
 */
export function moveInto(from: string, to: string): void {
  syncFile(from);
  renameSync(from, to);
  syncFolder(dirname(to));
}

/**
 * Returns whether a folder is at the path of a file. It belongs to another program, and is never
 * removed.
 */
export const isFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Returns the name under which a file is written until it is complete. */
const unfinishedOf = (file: string): string => `${file}.tmp`;

/**
 * Moves a complete file to a free place. If another program has put a file there meanwhile, that
 * file stays and `from` is removed.
 */
export function moveIfFree(from: string, to: string): void {
  syncFile(from);
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
  }
  rmSync(from);
  syncFolder(dirname(to));
}

/**
 * Keeps a database under a second name, as a link, or as a copy if the disk has no links. It stays
 * when another database is moved to the first name.
 */
export function keepAs(file: string, name: string): void {
  // A database that could not be read still has a log.
  if (existsSync(logOf(file))) copyFileSync(logOf(file), logOf(name));
  try {
    linkSync(file, name);
  } catch {
    copyFileSync(file, name);
    syncFile(name);
  }
  syncFolder(dirname(name));
}

/**
 * Writes a file whole or not at all, readable for its owner alone. An existing file stays until the
 * new one is complete.
 */
export function writeWhole(file: string, pieces: Iterable<Uint8Array>): void {
  // Several programs may write the file at once.
  atOnce(writeWholeInSteps(file, pieces, `${file}.${randomUUID()}.tmp`));
}

/** Like `writeWhole`, with a pause after each piece. One program at a time may write the file. */
export function* writeWholeInSteps(
  file: string,
  pieces: Iterable<Uint8Array>,
  unfinished: string = unfinishedOf(file),
): Steps<void> {
  const handle = openSync(unfinished, "w", 0o600);
  try {
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; ) at += writeSync(handle, piece, at);
      yield;
    }
  } catch (error) {
    // Frees the space: the disk may be full.
    rmSync(unfinished);
    throw error;
  } finally {
    closeSync(handle);
  }
  moveInto(unfinished, file);
}

/** Removes a file of `writeWhole`, and the unfinished file of a crash. Either may be missing. */
export function removeWhole(file: string): void {
  for (const there of [file, unfinishedOf(file)])
    if (!isFolder(there)) rmSync(there, { force: true });
}

/** Returns the name of a copy that is made of a database before a migration or a restore. */
export function copyName(file: string, why: string): string {
  return `${file}.${why}.${new Date().toISOString().replace(/[-:.]/g, "")}`;
}

/** Returns the copies of a database that `copyName` named. */
export const copiesOf = (file: string): string[] => besides(file, `${basename(file)}.`);

/** Returns the path of the write-ahead log, whose contents are not in the database file yet. */
export const logOf = (file: string): string => `${file}-wal`;
/** Returns the path of the write-ahead log's index. */
export const logIndexOf = (file: string): string => `${file}-shm`;
/** Returns the path of the note that the last commits are in the log alone; see log-note.ts. */
export const logNoteOf = (file: string): string => `${file}-note`;
/** Returns the path of the rollback journal, which takes back an unfinished transaction. */
export const journalOf = (file: string): string => `${file}-journal`;

/** @throws {Unavailable} If a folder is at the path of a database, or of its log. */
export function refuseFolders(file: string): void {
  for (const path of [file, logOf(file), logIndexOf(file), journalOf(file)]) {
    if (!isFolder(path)) continue;
    throw new Unavailable(
      `There is a folder in the place of the file ${basename(path)}: move it away, and try again.`,
    );
  }
}

/**
 * Moves a complete database to its place. Removes the log that lies there: it belongs to another
 * database, and SQLite would apply it to this one.
 */
export function moveDatabaseInto(from: string, to: string): void {
  removeLog(to);
  moveInto(from, to);
}

function removeLog(file: string): void {
  for (const log of [logOf(file), logIndexOf(file), logNoteOf(file), journalOf(file)])
    rmSync(log, { force: true });
}

/** Removes a database, its log, and the files beside it: copies and snapshots. */
export function removeDatabase(file: string): void {
  for (const beside of besides(file, basename(file).replace(/db$/, ""))) rmSync(beside);
  removeLog(file);
  rmSync(file, { force: true });
  syncFolder(dirname(file));
}

/** Returns the files in the same folder whose names begin with `start`. */
function besides(file: string, start: string): string[] {
  const folder = dirname(file);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => name.startsWith(start) && name !== basename(file))
    .map((name) => join(folder, name))
    .filter((path) => !isFolder(path));
}
