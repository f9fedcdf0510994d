// Copies keys from one place to another.

import { isDeepStrictEqual } from "node:util";
import type { Key } from "./keys.ts";
import type { KeyStore } from "./store.ts";

/** The result of copying keys. */
export interface CopiedKeys {
  /** The number of keys at the old place. */
  count: number;
  /** How many of them were not at the new place before. */
  copied: number;
  /** Ids of keys at the new place that the old one does not have, or has with other rights. */
  others: string[];
}

/**
 * Adds the keys that the other store lacks. It revokes none: a key that the old place does not have
 * may have been created at the new one, or revoked at the old one.
 */
export async function copyKeys(from: KeyStore, to: KeyStore): Promise<CopiedKeys> {
  const [keys, there] = [await from.read(), await to.read()];
  if (await from.areNeeded()) await to.need();
  const byId = (list: readonly Key[]) => new Map(list.map((key) => [key.id, key]));
  const [ours, theirs] = [byId(keys), byId(there)];
  const missing = keys.filter(({ id }) => !theirs.has(id));
  await to.add(missing);
  const others = there.filter((key) => !isDeepStrictEqual(key, ours.get(key.id)));
  return { count: keys.length, copied: missing.length, others: others.map(({ id }) => id) };
}
