// Files that have to be on the disk before something else is: what is written beside a place and
// moved there, whole or not at all.

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
import { atOnce, type Steps } from "../steps.ts";
import { Unavailable } from "./errors.ts";

/** What is in a file outlives a power cut when this is done. */
export function syncFile(file: string): void {
  const handle = openSync(file, "r+");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** A new file is there after a power cut once its folder is on the disk, too. */
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
 * Moves a whole file to its place, in the same folder or on the same disk; what was there is gone.
 */
export function moveInto(from: string, to: string): void {
  syncFile(from);
  renameSync(from, to);
  syncFolder(dirname(to));
}

/** Whether a folder is where a file is to be: that is somebody else's, and stays. */
export const isFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Where a file is written until it is whole. */
const unfinishedOf = (file: string): string => `${file}.tmp`;

/**
 * Moves a whole file to a place where none is. One that somebody else has put there meanwhile
 * stays, and this one is gone.
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
 * Keeps a database as a file of another name, whatever is put in its place: the same one, or a copy
 * where a disk has no links.
 */
export function keepAs(file: string, name: string): void {
  // It has a log still where it could not be read as a database.
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
 * Writes a file whole or not at all, readable for its owner alone; what was there stays until it is
 * whole.
 */
export function writeWhole(file: string, pieces: Iterable<Uint8Array>): void {
  atOnce(writeWholeInSteps(file, pieces));
}

/** The same with a pause after each piece. */
export function* writeWholeInSteps(file: string, pieces: Iterable<Uint8Array>): Steps<void> {
  const unfinished = unfinishedOf(file);
  const handle = openSync(unfinished, "w", 0o600);
  try {
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; ) at += writeSync(handle, piece, at);
      yield;
    }
  } catch (error) {
    // Where there was no room it takes none.
    rmSync(unfinished);
    throw error;
  } finally {
    closeSync(handle);
  }
  moveInto(unfinished, file);
}

/** Removes a file that was written so, and what a crash left of one; neither need be there. */
export function removeWhole(file: string): void {
  for (const there of [file, unfinishedOf(file)])
    if (!isFolder(there)) rmSync(there, { force: true });
}

/**
 * What a database was called when a copy of it was put aside: before a migration, or before a
 * restore.
 */
export function copyName(file: string, why: string): string {
  return `${file}.${why}.${new Date().toISOString().replace(/[-:.]/g, "")}`;
}

/** The copies that were put aside of a database. */
export const copiesOf = (file: string): string[] => besides(file, `${basename(file)}.`);

/** Where SQLite keeps what is not in a database yet. */
export const logOf = (file: string): string => `${file}-wal`;
export const logIndexOf = (file: string): string => `${file}-shm`;
const journalOf = (file: string): string => `${file}-journal`;

/** @throws {Unavailable} if a folder has the place of a database, or of its log. */
export function refuseFolders(file: string): void {
  for (const path of [file, logOf(file), logIndexOf(file), journalOf(file)]) {
    if (!isFolder(path)) continue;
    throw new Unavailable(
      `There is a folder in the place of the file ${basename(path)}: move it away, and try again.`,
    );
  }
}

/**
 * Moves a whole database to its place. A log that lies there is of another, and would be taken for
 * this one's.
 */
export function moveDatabaseInto(from: string, to: string): void {
  removeLog(to);
  moveInto(from, to);
}

function removeLog(file: string): void {
  for (const log of [logOf(file), logIndexOf(file), journalOf(file)]) rmSync(log, { force: true });
}

/** Removes a database, and everything that belongs to it. */
export function removeDatabase(file: string): void {
  for (const beside of besides(file, basename(file).replace(/db$/, ""))) rmSync(beside);
  removeLog(file);
  rmSync(file, { force: true });
  syncFolder(dirname(file));
}

/** Files in the same folder whose names begin so. */
function besides(file: string, start: string): string[] {
  const folder = dirname(file);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => name.startsWith(start) && name !== basename(file))
    .map((name) => join(folder, name))
    .filter((path) => !isFolder(path));
}
