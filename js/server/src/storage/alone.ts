// A database file that is replaced or removed: nobody may be using it meanwhile.

import Database from "libsql";
import { StorageError } from "./errors.ts";
import { refuseFolders } from "./files.ts";
import { alone } from "./migrate.ts";
import { released } from "./released.ts";

/** How long another program is waited for, in milliseconds. */
const PATIENCE = 2_000;
/**
 * How long of that at a time: what this process has closed and not given back yet is only given
 * back in between.
 */
const AT_A_TIME = 100;
/** What cannot be read as a database nobody can be using as one. */
const BROKEN = new Set(["SQLITE_NOTADB", "SQLITE_CORRUPT"]);

/**
 * Does something with a file that nobody has open as a database. What was in its log is in the file
 * by then.
 *
 * @throws {StorageError} where somebody has it open, or a folder has its place.
 */
export async function whileNobodyUses(file: string, work: () => void): Promise<void> {
  refuseFolders(file);
  const until = performance.now() + PATIENCE;
  for (;;) {
    await released();
    try {
      return haveAlone(file, work);
    } catch (error) {
      if ((error as { code?: string }).code !== "SQLITE_BUSY" || performance.now() >= until)
        throw error;
    }
  }
}

function haveAlone(file: string, work: () => void): void {
  const db = new Database(file);
  // Windows moves and removes nothing that is open.
  const isToBeClosed = process.platform === "win32";
  try {
    db.exec(`PRAGMA busy_timeout = ${AT_A_TIME}`);
    alone(db, () => {
      db.exec("PRAGMA journal_mode = DELETE");
      if (!isToBeClosed) work();
    });
  } catch (error) {
    if (!BROKEN.has((error as { code?: string }).code ?? "")) {
      throw StorageError.of(error, `The database ${file} cannot be had alone`);
    }
    if (!isToBeClosed) work();
  } finally {
    db.close();
  }
  if (isToBeClosed) work();
}
