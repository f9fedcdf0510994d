// The interface of a store of keys: files of the data directory, or rows of a PostgreSQL database.

import type { Key, Rights } from "./keys.ts";

/** Reads and changes keys. Servers that run notice the changes. */
export interface KeyStore {
  /** Creates a key. Returns its text, which is stored nowhere. */
  create(rights: Rights): Promise<{ key: string; id: string }>;
  /** Adds keys of another store. */
  add(keys: readonly Key[]): Promise<void>;
  /**
   * Returns all keys, the oldest first.
   *
   * @throws {KeyError} If a key cannot be read.
   */
  read(): Promise<Key[]>;
  /** Returns whether every request needs a key: from the first key on, until `needNone`. */
  areNeeded(): Promise<boolean>;
  /** Makes every request need a key from now on. */
  need(): Promise<void>;
  /**
   * Lets servers that start from now on work without keys. Returns whether keys were needed before.
   *
   * @throws {KeyError} If there still are keys.
   */
  needNone(): Promise<boolean>;
  /** @throws {KeyError} If there is no key of this id. */
  revoke(id: string): Promise<void>;
  close(): Promise<void>;
}
