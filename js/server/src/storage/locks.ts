// Whether another program has a database open, found out without touching the database: to open it
// with SQLite would write to its folder.

import { readFileSync, statSync } from "node:fs";

/** Linux lists the locks of all programs here, by device and inode. */
const LOCKS = "/proc/locks";

/**
 * Returns whether a program holds a lock on a file, as SQLite does while it has a database with a
 * log open. On systems without a list of locks it returns false.
 */
export function isLocked(file: string): boolean {
  let locks: string;
  try {
    locks = readFileSync(LOCKS, "utf8");
  } catch {
    return false;
  }
  const { dev, ino } = statSync(file, { bigint: true });
  // Linux packs the two numbers of a device so.
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn);
  const minor = (dev & 0xffn) | ((dev >> 12n) & ~0xffn);
  const [high, low] = [major, minor].map((part) => part.toString(16).padStart(2, "0"));
  return locks.includes(` ${high}:${low}:${ino} `);
}
