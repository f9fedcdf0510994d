// Checks that the files that a connection has open are still those at its path. A database whose
// files were deleted, moved or replaced goes on accepting writes, and those writes are lost.

import { statSync } from "node:fs";
import { Unavailable } from "./errors.ts";
import { logIndexOf, logOf } from "./files.ts";

const WHAT_TO_DO =
  "Put the files back; or stop the server, put the database or a backup of it in its place, and start it again";

/** Returns the device and inode of a file or folder; undefined if the path does not exist. */
export function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}.${found.ino}`;
}

/** Thrown before a write if files were deleted, moved or replaced. */
export class MovedError extends Unavailable {
  constructor(what: string) {
    super(`${what}: nothing is written. ${WHAT_TO_DO}.`);
  }
}

/** The identity of a database file and its log at the time they were opened. */
export class OpenFiles {
  readonly #files: readonly (readonly [path: string, identity: string])[];

  /** Call it just after a database was opened and read. */
  constructor(file: string) {
    this.#files = [file, logOf(file), logIndexOf(file)].flatMap((path) => {
      const identity = identityOf(path);
      return identity === undefined ? [] : [[path, identity] as const];
    });
  }

  get areInPlace(): boolean {
    return this.#files.every(([path, identity]) => identityOf(path) === identity);
  }

  /** @throws {MovedError} If a file was deleted, moved or replaced. */
  check(): void {
    if (this.areInPlace) return;
    throw new MovedError(
      "The files of this memory were deleted, moved or replaced while the server has them open",
    );
  }
}

/** @throws {MovedError} If a folder is missing, or was replaced by another one. */
export function checkFolder(path: string, identity: string): void {
  if (identityOf(path) === identity) return;
  throw new MovedError(
    "The data directory was deleted, moved or replaced while the server is running",
  );
}
