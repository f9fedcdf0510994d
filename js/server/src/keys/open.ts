// Opens the keys of a place: files of the data directory, or rows of a PostgreSQL database.

import type { Logger } from "../log.ts";
import type { Place } from "../storage/place.ts";
import { FileRing } from "./file-ring.ts";
import {
  areKeysNeeded,
  createKey,
  needKeys,
  needNoKeys,
  readKeys,
  revokeKey,
  storeKey,
} from "./keys.ts";
import type { KeyRing } from "./ring.ts";
import type { KeyStore } from "./store.ts";

/**
 * Opens the keys of a place.
 *
 * @throws {StorageError} If the database cannot be reached, or has an older schema, which only
 * `migrates` changes.
 */
export async function keysAt(
  { dataDir, postgres }: Place,
  { migrates }: { migrates: boolean },
): Promise<KeyStore> {
  if (postgres === undefined) return filesIn(dataDir);
  const { PostgresKeys } = await import("./postgres-keys.ts");
  return PostgresKeys.open(postgres, { migrates });
}

/**
 * Opens the keys of a place for a server.
 *
 * @throws {KeyError} If existing keys cannot be read.
 * @throws {StorageError} If the database cannot be opened.
 * @throws {SettingsError} If the data folder has keys that would not count.
 */
export async function ringAt({ dataDir, postgres }: Place, log: Logger): Promise<KeyRing> {
  if (postgres === undefined) return new FileRing(dataDir, log);
  const { PostgresRing } = await import("./postgres-ring.ts");
  return PostgresRing.open(postgres, dataDir, log);
}

const filesIn = (dataDir: string): KeyStore => ({
  create: async (rights) => createKey(dataDir, rights),
  async add(keys) {
    for (const key of keys) storeKey(dataDir, key);
  },
  read: async () => readKeys(dataDir),
  areNeeded: async () => areKeysNeeded(dataDir),
  need: async () => needKeys(dataDir),
  needNone: async () => needNoKeys(dataDir),
  revoke: async (id) => revokeKey(dataDir, id),
  async close() {},
});
