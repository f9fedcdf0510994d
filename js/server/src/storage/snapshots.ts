// Where the bytes of a snapshot are kept: in a file, or in the database of the agent.

import { closeSync, openSync, readSync } from "node:fs";
import type { Steps } from "nous-memory";
import { isFolder, removeWhole, writeWholeInSteps } from "./files.ts";

/** Bytes of one read of a file; the first read must cover the header. */
const PIECE = 4 * 2 ** 20;

/** Keeps one snapshot. */
export interface SnapshotStore {
  /**
   * Whether the snapshot is rows of the agent's database. Then each method is called within a
   * transaction, and what is written is there after its commit.
   */
  readonly isInDatabase: boolean;
  /** Returns why a snapshot cannot be written; undefined if it can. */
  obstacle(): string | undefined;
  /**
   * Yields the bytes of the snapshot in pieces; nothing if there is no snapshot. The first piece
   * holds the whole header, and is empty if a file is. The next piece may overwrite the one before.
   */
  pieces(): Generator<Uint8Array, undefined>;
  /** Replaces the snapshot. */
  replace(pieces: Iterable<Uint8Array>): Steps<void>;
  /** Deletes the snapshot, if there is one. */
  remove(): void;
}

/** The stores of the two snapshots of an agent. */
export interface SnapshotStores {
  /** For the index. */
  index: SnapshotStore;
  /** For the full text. */
  texts: SnapshotStore;
}

/** Keeps a snapshot in a file that only its owner can read. */
export class SnapshotFile implements SnapshotStore {
  readonly isInDatabase = false;
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  obstacle(): string | undefined {
    return isFolder(this.#file) ? "a folder is in the place of the file" : undefined;
  }

  *pieces(): Generator<Uint8Array, undefined> {
    const handle = this.#open();
    if (handle === undefined) return;
    try {
      const piece = new Uint8Array(PIECE);
      for (;;) {
        const length = readSync(handle, piece);
        yield piece.subarray(0, length);
        if (length === 0) return;
      }
    } finally {
      closeSync(handle);
    }
  }

  #open(): number | undefined {
    if (isFolder(this.#file)) return undefined;
    try {
      return openSync(this.#file, "r");
    } catch {
      return undefined;
    }
  }

  replace(pieces: Iterable<Uint8Array>): Steps<void> {
    return writeWholeInSteps(this.#file, pieces);
  }

  remove(): void {
    removeWhole(this.#file);
  }
}

/** Returns the stores of snapshots in two files. */
export const snapshotFilesAt = (paths: Record<keyof SnapshotStores, string>): SnapshotStores => ({
  index: new SnapshotFile(paths.index),
  texts: new SnapshotFile(paths.texts),
});
