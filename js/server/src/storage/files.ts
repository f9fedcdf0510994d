// Files that have to be on the disk before something else is: what is written beside a place and moved there, whole or not at all.

import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

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

/** Moves a whole file to its place, in the same folder or on the same disk; what was there is gone. */
export function moveInto(from: string, to: string): void {
  syncFile(from);
  renameSync(from, to);
  syncFolder(dirname(to));
}

/** Writes a file whole or not at all, readable for its owner alone; what was there stays until it is whole. */
export function writeWhole(file: string, pieces: Iterable<Uint8Array>): void {
  const unfinished = `${file}.tmp`;
  const handle = openSync(unfinished, "w", 0o600);
  try {
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; ) at += writeSync(handle, piece, at);
    }
  } finally {
    closeSync(handle);
  }
  moveInto(unfinished, file);
}
