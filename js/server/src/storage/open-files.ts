// Whether the files that a connection has open are those at its path. A database whose files were
// deleted, moved or replaced goes on taking writes, and nobody finds them again.

import { statSync } from "node:fs";
import { Unavailable } from "./errors.ts";
import { logIndexOf, logOf } from "./files.ts";

const WHAT_TO_DO =
  "Put the files back; or stop the server, put the database or a backup of it in its place, and start it again";

/** A file or folder by device and inode; undefined where nothing is there. */
export function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}.${found.ino}`;
}

/** Files are not where they were: nothing is written. */
export class MovedError extends Unavailable {
  constructor(what: string) {
    super(`${what}: nothing is written. ${WHAT_TO_DO}.`);
  }
}

export class OpenFiles {
  readonly #files: readonly (readonly [path: string, identity: string])[];

  /** Of a database that has just been opened and read. */
  constructor(file: string) {
    this.#files = [file, logOf(file), logIndexOf(file)].flatMap((path) => {
      const identity = identityOf(path);
      return identity === undefined ? [] : [[path, identity] as const];
    });
  }

  get areInPlace(): boolean {
    return this.#files.every(([path, identity]) => identityOf(path) === identity);
  }

  /** @throws {MovedError} where one of them was deleted, moved or replaced. */
  check(): void {
    if (this.areInPlace) return;
    throw new MovedError(
      "The files of this memory were deleted, moved or replaced while the server has them open",
    );
  }
}

/** @throws {MovedError} where a folder is not there any more, or is another one. */
export function checkFolder(path: string, identity: string): void {
  if (identityOf(path) === identity) return;
  throw new MovedError(
    "The data directory was deleted, moved or replaced while the server is running",
  );
}
