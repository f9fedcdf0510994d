// The keys of a running server, from files. Each request checks whether they have changed, so that
// a revoked key stops working at once.

import { statSync } from "node:fs";
import type { Logger } from "../log.ts";
import { keysDir } from "../settings/paths.ts";
import { areKeysNeeded, needKeys, readKeys } from "./keys.ts";
import { type KeyRing, type KnownKey, known, NONE_ARE_THERE, Refusals } from "./ring.ts";

/**
 * If the folder changed less than this before it was read, in milliseconds, it may change again
 * without a new timestamp: file systems count time in steps, the coarsest of two seconds.
 */
const COARSEST_STEP = 2_000;

/**
 * Milliseconds after which the keys are read again in any case: a file that is written in place
 * does not change its folder.
 */
const READ_AGAIN_AFTER = 5_000;

/** The current keys of a data directory. */
export class FileRing implements KeyRing {
  readonly #dataDir: string;
  readonly #log: Logger;
  readonly #refusals: Refusals;
  #keys: KnownKey[] = [];
  #areNeeded = false;
  /** The state of the folder when the keys were read; undefined if they must be read again. */
  #readAs: string | undefined;
  /** When the keys were read, by `performance.now()`. */
  #readAt = 0;

  /** @throws {KeyError} If existing keys cannot be read. */
  constructor(dataDir: string, log: Logger) {
    this.#dataDir = dataDir;
    this.#log = log;
    this.#refusals = new Refusals(log);
    this.#read();
  }

  current(): readonly KnownKey[] | undefined {
    this.#refresh();
    return this.#areNeeded ? this.#keys : undefined;
  }

  /** Returns the same as `current`, which is always the newest. */
  newest(): readonly KnownKey[] | undefined {
    return this.current();
  }

  async close(): Promise<void> {}

  #read(): void {
    const before = stateOf(keysDir(this.#dataDir));
    this.#readAt = performance.now();
    this.#keys = readKeys(this.#dataDir).map(known);
    if (this.#keys.length > 0) this.#mark();
    this.#areNeeded ||= this.#keys.length > 0 || areKeysNeeded(this.#dataDir);
    const isEmpty = this.#areNeeded && this.#keys.length === 0;
    this.#refusals.note(isEmpty ? NONE_ARE_THERE : undefined);
    this.#readAs = before.isSettled ? before.state : undefined;
  }

  /** Marks that keys are needed. Keys of an earlier version, or copied ones, lack the mark. */
  #mark(): void {
    try {
      needKeys(this.#dataDir);
    } catch (error) {
      const failure = { message: (error as Error).message };
      this.#log.warn(
        { failure },
        "The mark that keys are needed cannot be written: if their folder is lost, the next start needs no key",
      );
    }
  }

  /**
   * Reads the keys again if they may have changed. If they cannot be read, every request is
   * refused.
   */
  #refresh(): void {
    try {
      const isRecent = performance.now() - this.#readAt < READ_AGAIN_AFTER;
      if (isRecent && stateOf(keysDir(this.#dataDir)).state === this.#readAs) return;
      this.#read();
    } catch (error) {
      this.#refusals.note({ what: "The keys cannot be read", why: (error as Error).message });
      this.#keys = [];
      this.#areNeeded = true;
      this.#readAs = undefined;
    }
  }
}

/** Returns the state of a folder, which changes when a file is added, moved or removed. */
function stateOf(folder: string): { state: string; isSettled: boolean } {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return { state: "none", isSettled: true };
  const { ino, ctimeMs } = stats;
  return { state: `${ino} ${ctimeMs}`, isSettled: Date.now() - ctimeMs > COARSEST_STEP };
}
