// The keys of a test's servers: files, or rows of PostgreSQL if the suites run on it.

import { expect, vi } from "vitest";
import type { Rights } from "../../../js/server/src/keys/keys.ts";
import { keysAt } from "../../../js/server/src/keys/open.ts";
import type { KeyStore } from "../../../js/server/src/keys/store.ts";
import { databaseOptions, isOnPostgres } from "./on-postgres.ts";

const TIMEOUT = 10_000;

/** Runs `work` with the keys of the server that is, or will be, started on a data directory. */
async function withKeys<T>(dataDir: string, work: (store: KeyStore) => Promise<T>): Promise<T> {
  const [, url] = await databaseOptions(dataDir);
  const postgres =
    url === undefined ? undefined : { url, password: "", connections: 1, timeout: TIMEOUT };
  const place = { dataDir, durability: "full", postgres } as const;
  const store = await keysAt(place, { migrates: true });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Creates a key. Returns its text and its id. */
export const keyIn = (dataDir: string, rights: Rights): Promise<{ key: string; id: string }> =>
  withKeys(dataDir, (store) => store.create(rights));

/** Revokes a key. */
export const revokeIn = (dataDir: string, id: string): Promise<void> =>
  withKeys(dataDir, (store) => store.revoke(id));

/**
 * Expects statuses after keys were created or revoked: at once from files, and soon from PostgreSQL.
 */
export async function expectSoon(
  statuses: () => Promise<number | number[]>,
  expected: number | number[],
): Promise<void> {
  const check = async () => expect(await statuses()).toEqual(expected);
  if (isOnPostgres) await vi.waitFor(check, { timeout: TIMEOUT, interval: 50 });
  else await check();
}
