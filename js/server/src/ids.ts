// Ids of new rows and keys.

import { randomFillSync } from "node:crypto";

/** Thirty-two characters, so that five bits of a random byte choose one without bias. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 12;

/** Random bytes for many ids: a call for some takes twenty times as long as using them. */
const drawn = Buffer.alloc(256 * LENGTH);
let used = drawn.length;

/**
 * Returns a prefix with twelve random characters (60 bits): `n_8k2m…` for a node, `e_…` for an
 * edge, `c_…` for a cluster, `q_…` for a conflict, `k_…` for a key.
 */
export function newId(prefix: "n" | "e" | "c" | "q" | "k"): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  let id = `${prefix}_`;
  for (const end = used + LENGTH; used < end; used++)
    id += ALPHABET[drawn[used]! % ALPHABET.length]!;
  return id;
}

/** The id of a key. */
export const KEY_ID: RegExp = /^k_[0-9a-z]{12}$/;
