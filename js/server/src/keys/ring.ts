// The keys of a running server. Each request checks whether they have changed, so that a revoked
// key stops working at once.

import { timingSafeEqual } from "node:crypto";
import { statSync } from "node:fs";
import type { Logger } from "../log.ts";
import { keysDir } from "../settings/paths.ts";
import { areKeysNeeded, digestOf, HOW_WITHOUT, type Key, needKeys, readKeys } from "./keys.ts";

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

/** A key, and the digest that is compared with requests. */
export interface KnownKey {
  key: Key;
  digest: Buffer;
}

/** The current keys of a data directory. */
export class KeyRing {
  readonly #dataDir: string;
  readonly #log: Logger;
  #keys: KnownKey[] = [];
  #areNeeded = false;
  /** The state of the folder when the keys were read; undefined if they must be read again. */
  #readAs: string | undefined;
  /** When the keys were read, by `performance.now()`. */
  #readAt = 0;
  /** Why the last read of the keys refused every request. */
  #problem: string | undefined;

  /** @throws {KeyError} If existing keys cannot be read. */
  constructor(dataDir: string, log: Logger) {
    this.#dataDir = dataDir;
    this.#log = log;
    this.#read();
  }

  /**
   * The valid keys. Undefined while no key is needed: until the first key exists. From then on keys
   * are needed until `keys off` and a restart, even if their folder is lost.
   */
  get current(): readonly KnownKey[] | undefined {
    this.#refresh();
    return this.#areNeeded ? this.#keys : undefined;
  }

  #read(): void {
    const before = stateOf(keysDir(this.#dataDir));
    this.#readAt = performance.now();
    this.#keys = readKeys(this.#dataDir).map((key) => ({
      key,
      digest: Buffer.from(key.sha256, "hex"),
    }));
    if (this.#keys.length > 0) this.#mark();
    this.#areNeeded ||= this.#keys.length > 0 || areKeysNeeded(this.#dataDir);
    const isEmpty = this.#areNeeded && this.#keys.length === 0;
    this.#logRefusal(
      isEmpty ? `create one with \`nous-server keys create\`, or ${HOW_WITHOUT}` : undefined,
      "There are no keys",
    );
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
   * Logs why every request is refused, once for each reason. `message` is undefined if requests are
   * accepted.
   */
  #logRefusal(message: string | undefined, what: string): void {
    if (message !== undefined && message !== this.#problem) {
      this.#log.error({ failure: { message } }, `${what}: every request is refused`);
    }
    this.#problem = message;
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
      this.#logRefusal((error as Error).message, "The keys cannot be read");
      this.#keys = [];
      this.#areNeeded = true;
      this.#readAs = undefined;
    }
  }
}

/**
 * Returns the key with this text; undefined if there is none. The time does not depend on which key
 * it is, or on how much of the text matches.
 */
export function keyAmong(keys: readonly KnownKey[], text: string): Key | undefined {
  const given = digestOf(text);
  let found: Key | undefined;
  for (const { key, digest } of keys) if (timingSafeEqual(digest, given)) found = key;
  return found;
}

/** Returns the state of a folder, which changes when a file is added, moved or removed. */
function stateOf(folder: string): { state: string; isSettled: boolean } {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return { state: "none", isSettled: true };
  const { ino, ctimeMs } = stats;
  return { state: `${ino} ${ctimeMs}`, isSettled: Date.now() - ctimeMs > COARSEST_STEP };
}
