// What labels say of two memories, of which others may have replaced the older one in between.

/** By the id of a memory: the ids of those that it replaces. */
export type Replaced = ReadonlyMap<string, readonly string[]>;

/**
 * Returns whether the newer memory replaces the older one; undefined if it replaces one that did,
 * so that a guess of it is neither right nor wrong.
 */
export function replacesIn(replaced: Replaced, older: string, newer: string): boolean | undefined {
  const those = replaced.get(newer) ?? [];
  if (those.includes(older)) return true;
  return those.some((one) => replacesIn(replaced, older, one) !== false) ? undefined : false;
}

/** Returns memories with all that they replaced, directly or by others in between. */
export function withReplaced(replaced: Replaced, ids: readonly string[]): string[] {
  const all = new Set(ids);
  // A set yields what is added while it is read.
  for (const id of all) for (const older of replaced.get(id) ?? []) all.add(older);
  return [...all];
}
