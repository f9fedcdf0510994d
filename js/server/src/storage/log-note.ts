// A note beside a database that its last commits are in its log alone.
//
// # Idea
//
// SQLite deletes the log when the last program closes the database, and a crash leaves it. A database
// without a log therefore looks closed. If somebody deleted the log of a running server, and the
// server was then killed, the database would be read as an older, shorter memory. The note tells the
// two apart: it names the state of the database file at a commit that only went into the log. As long
// as the file is in that state, the log has to be there.
//
// # Invariants
//
// - A file in the state that the note names lacks at least one commit. Whatever moves the log into the
//   file changes its state: a checkpoint, another program that opens and closes it, a backup that is
//   put in its place.
// - A note is never needed to read a database. If it is missing, only that loss goes unseen.

import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { StorageError } from "./errors.ts";
import { logNoteOf, logOf } from "./files.ts";

/** Returns what changes whenever a file is written or replaced; undefined without a file. */
function stateOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}.${found.ino}.${found.size}.${found.mtimeNs}`;
}

/** Keeps the note of a database that this connection has open. */
export class LogNote {
  readonly #file: string;
  /** The state of the database after the last commit. */
  #state: string | undefined;
  #noted: string | undefined;

  /** Call it after the database was opened. */
  constructor(file: string) {
    this.#file = file;
    this.#state = stateOf(file);
  }

  /** Call it after each commit. */
  committed(): void {
    const state = stateOf(this.#file);
    if (state === undefined || state === this.#noted) return;
    // If the file has changed, a checkpoint may have moved this commit into it.
    const isInLog = state === this.#state;
    this.#state = state;
    if (!isInLog) return;
    try {
      writeFileSync(logNoteOf(this.#file), state, { mode: 0o600 });
      this.#noted = state;
    } catch {
      // There may be no room. The commit is safe, and the next one tries again.
    }
  }

  /** Call it after the connection has moved the log into the database, and closed it. */
  remove(): void {
    rmSync(logNoteOf(this.#file), { force: true });
  }
}

/**
 * Checks the note of a database that has no log.
 *
 * @throws {StorageError} If the log that held the last commits is gone.
 */
export function checkNote(file: string): void {
  const note = logNoteOf(file);
  if (existsSync(logOf(file)) || !existsSync(note)) return;
  if (readFileSync(note, "utf8") !== stateOf(file)) return;
  throw new StorageError(
    `The log of the database ${file} is gone, and what was written last was in it alone. Restore a backup, or remove ${note} to go on with what is left.`,
  );
}
