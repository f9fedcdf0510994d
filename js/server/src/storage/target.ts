// The output file of a command: written whole or not at all, never over a file of the data
// directory.

import { randomUUID } from "node:crypto";
import {
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { agentsDir, keysDir, keysMarker } from "../settings/paths.ts";
import { StorageError } from "./errors.ts";
import { isFolder, syncFile, syncFolder } from "./files.ts";
import { identityOf } from "./open-files.ts";

/** How an existing file is treated. */
export interface TargetOptions {
  /** Whether an existing file is replaced. Files of the data directory never are. */
  force?: boolean | undefined;
}

/** The longest chain of symbolic links that is followed. */
const MAX_LINKS = 40;

/** An output file: write to `unfinished`, then call `put`, and `cleanUp` in any case. */
export class Target {
  /**
   * The path to write to until the file is complete: in the same folder, under a name of its own.
   */
  readonly unfinished: string;
  readonly #file: string;
  readonly #force: boolean;

  /**
   * @throws {StorageError} If the file must not or cannot be written. The message says what to do
   * instead.
   */
  constructor(dataDir: string, file: string, { force = false }: TargetOptions = {}) {
    this.#file = file;
    this.#force = force;
    this.unfinished = `${file}.${randomUUID()}.tmp`;
    checkIsApart(dataDir, file);
    const there = statSync(file, { throwIfNoEntry: false });
    if (there !== undefined && !there.isFile()) {
      throw new StorageError(`${file} is no file, and cannot be written over: name a file.`);
    }
    if (!force && lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw this.#isThere();
    if (!existsSync(dirname(file)))
      throw new StorageError(`There is no folder ${dirname(file)}: make it first.`);
  }

  #isThere(): StorageError {
    return new StorageError(
      `${this.#file} is there already: name another file, or write over it with --force.`,
    );
  }

  /**
   * Moves the complete file to its place, and syncs it.
   *
   * @throws {StorageError} If a file has appeared there meanwhile, and `force` is not set.
   */
  put(): void {
    syncFile(this.unfinished);
    if (this.#force) renameSync(this.unfinished, this.#file);
    else this.#putIfFree();
    syncFolder(dirname(this.#file));
  }

  #putIfFree(): void {
    try {
      linkSync(this.unfinished, this.#file);
    } catch (error) {
      if ((error as { code?: string }).code === "EEXIST" || existsSync(this.#file))
        throw this.#isThere();
      // The disk has no links.
      renameSync(this.unfinished, this.#file);
    }
  }

  /** Removes the unfinished file, or its second name. */
  cleanUp(): void {
    rmSync(this.unfinished, { force: true });
  }
}

/**
 * @throws {StorageError} If the file is one of the data directory under any name, or has the name
 * of such a file.
 */
function checkIsApart(dataDir: string, file: string): void {
  const folders = [agentsDir(dataDir), keysDir(dataDir)].filter(isFolder);
  const identities = new Set(folders.map(identityOf));
  const isWithin = (path: string): boolean => {
    const identity = identityOf(path);
    if (identity !== undefined && identities.has(identity)) return true;
    return dirname(path) !== path && isWithin(dirname(path));
  };
  const files = folders.flatMap((folder) =>
    readdirSync(folder).map((name) => identityOf(join(folder, name))),
  );
  const own = new Set(files.filter((identity) => identity !== undefined));
  const refuse = () => {
    throw new StorageError(
      `${file} is a file of the data directory, or in a folder of its files: name one elsewhere.`,
    );
  };
  if (own.has(identityOf(file) ?? "")) refuse();
  const names = new Set([agentsDir, keysDir, keysMarker].map((of) => basename(of(dataDir))));
  const place = identityOf(dataDir);
  // Such files may not exist yet, and some disks ignore case.
  const isOwnName = (path: string) =>
    names.has(basename(path).toLowerCase()) &&
    place !== undefined &&
    identityOf(dirname(path)) === place;
  for (const path of pathsOf(file)) if (isWithin(path) || isOwnName(path)) refuse();
}

/** Yields a path, and the paths that its symbolic links lead to. */
function* pathsOf(file: string): Iterable<string> {
  let path = file;
  for (let links = 0; links < MAX_LINKS; links++) {
    yield path;
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
    path = resolve(dirname(path), readlinkSync(path));
  }
}
