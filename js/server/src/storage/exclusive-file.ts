// Exclusive access to a database file that is about to be replaced or removed.

import { rmSync } from "node:fs";
import { Connection } from "./connection.ts";
import { StorageError } from "./errors.ts";
import { logNoteOf, refuseFolders } from "./files.ts";
import { exclusively } from "./migrate.ts";

/** How long `whileExclusive` waits for another program, in milliseconds. */
const PATIENCE = 2_000;
/** SQLite's codes of a file that is not a database: no program can have it open as one. */
const BROKEN = new Set(["SQLITE_NOTADB", "SQLITE_CORRUPT"]);

/**
 * Runs `work` while no program has the file open as a database. Moves the contents of its log into
 * the file first.
 *
 * @throws {StorageError} If another program has the file open, or if a folder is at its path.
 */
export function whileExclusive(file: string, work: () => void): void {
  refuseFolders(file);
  const db = new Connection(file);
  // Windows does not move or remove open files.
  const isToBeClosed = process.platform === "win32";
  try {
    db.exec(`PRAGMA busy_timeout = ${PATIENCE}`);
    exclusively(db, () => {
      db.exec("PRAGMA journal_mode = DELETE");
      rmSync(logNoteOf(file), { force: true });
      if (!isToBeClosed) work();
    });
  } catch (error) {
    if (!BROKEN.has((error as { code?: string }).code ?? "")) {
      throw StorageError.of(error, `The database ${file} cannot be locked`);
    }
    if (!isToBeClosed) work();
  } finally {
    db.close();
  }
  if (isToBeClosed) work();
}
