// A folder for a test, removed after it.
//
// Most tests commit hundreds of times with `durability: full`, and each commit syncs. A folder in
// memory answers a sync at once, while the server makes the same system calls. Tests whose subject
// is the disk itself, or files that are moved and replaced, ask for a folder on the disk.

import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const MEMORY_DISK = "/dev/shm";
/** Containers often have 64 MB there, which is too little. */
const MIN_ROOM = 4 * 2 ** 30;

interface Kind {
  onDisk?: boolean;
}

function hasMemoryDisk(): boolean {
  if (process.platform !== "linux") return false;
  try {
    const { bavail, bsize } = statfsSync(MEMORY_DISK);
    return bavail * bsize > MIN_ROOM;
  } catch {
    return false;
  }
}

export function makeFolder({ onDisk = false }: Kind = {}): string {
  const parent = !onDisk && hasMemoryDisk() ? MEMORY_DISK : tmpdir();
  return mkdtempSync(join(parent, "nous-server-"));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

export function temporaryFolder(kind?: Kind): string {
  const folder = makeFolder(kind);
  onTestFinished(() => removeFolder(folder));
  return folder;
}
