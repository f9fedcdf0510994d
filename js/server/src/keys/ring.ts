// The keys that a running server knows. Whether they have changed is looked at with every request,
// so that one that is revoked opens nothing any more.

import { timingSafeEqual } from "node:crypto";
import { statSync } from "node:fs";
import type { Logger } from "../log.ts";
import { keysDir } from "../settings/paths.ts";
import { areKeysNeeded, digestOf, HOW_WITHOUT, type Key, needKeys, readKeys } from "./keys.ts";

/**
 * A folder that changed this shortly before it was read may have changed again without its time
 * telling: file systems count time in steps, the coarsest of two seconds. In milliseconds.
 */
const COARSEST_STEP = 2_000;

/**
 * Files that were written in place do not change their folder: they are read again after this, in
 * milliseconds.
 */
const READ_AGAIN_AFTER = 5_000;

export interface KnownKey {
  key: Key;
  digest: Buffer;
}

export class KeyRing {
  readonly #dataDir: string;
  readonly #log: Logger;
  #keys: KnownKey[] = [];
  #areNeeded = false;
  /**
   * The folder as it was when the keys were read; undefined where they have to be read again in any
   * case.
   */
  #readAs: string | undefined;
  /** When the keys were read, by `performance.now()`. */
  #readAt = 0;
  /** Why nobody came in the last time that they were read. */
  #problem: string | undefined;

  /** @throws {KeyError} where the keys there are cannot be read. */
  constructor(dataDir: string, log: Logger) {
    this.#dataDir = dataDir;
    this.#log = log;
    this.#read();
  }

  /**
   * The keys that open now. Undefined while none is needed: until there is the first. After it keys
   * are needed until `keys off` and a restart, whatever becomes of their folder.
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
    this.#tell(
      isEmpty ? `create one with \`nous-server keys create\`, or ${HOW_WITHOUT}` : undefined,
      "There are no keys",
    );
    this.#readAs = before.isSettled ? before.state : undefined;
  }

  /** Keys of an earlier version, or that were copied here, have no mark yet. */
  #mark(): void {
    try {
      needKeys(this.#dataDir);
    } catch (error) {
      const failure = { message: (error as Error).message };
      this.#log.warn(
        { failure },
        "That keys are needed cannot be noted: without their folder the next start needs none",
      );
    }
  }

  /** Logs why nobody comes in, once for each reason; undefined where somebody does. */
  #tell(message: string | undefined, what: string): void {
    if (message !== undefined && message !== this.#problem) {
      this.#log.error({ failure: { message } }, `${what}: nobody comes in`);
    }
    this.#problem = message;
  }

  /** Keys that cannot be read open nothing. */
  #refresh(): void {
    try {
      const isRecent = performance.now() - this.#readAt < READ_AGAIN_AFTER;
      if (isRecent && stateOf(keysDir(this.#dataDir)).state === this.#readAs) return;
      this.#read();
    } catch (error) {
      this.#tell((error as Error).message, "The keys cannot be read");
      this.#keys = [];
      this.#areNeeded = true;
      this.#readAs = undefined;
    }
  }
}

/**
 * The key of this text, if it is one of them. It takes as long whichever it is, and however much of
 * it is right.
 */
export function keyAmong(keys: readonly KnownKey[], text: string): Key | undefined {
  const given = digestOf(text);
  let found: Key | undefined;
  for (const { key, digest } of keys) if (timingSafeEqual(digest, given)) found = key;
  return found;
}

/** A folder as it is; adding, moving and removing files changes it. */
function stateOf(folder: string): { state: string; isSettled: boolean } {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return { state: "none", isSettled: true };
  const { ino, ctimeMs } = stats;
  return { state: `${ino} ${ctimeMs}`, isSettled: Date.now() - ctimeMs > COARSEST_STEP };
}
