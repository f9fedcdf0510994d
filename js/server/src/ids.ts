// Ids of new rows.

import { randomFillSync } from "node:crypto";

/** Thirty-two characters, so that five bits of a random byte choose one without a bias. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 12;

/**
 * Random bytes that are drawn for many ids at once: to ask for some costs twenty times what it
 * costs to use them.
 */
const drawn = Buffer.alloc(256 * LENGTH);
let used = drawn.length;

/**
 * A prefix and twelve random characters (60 bits): `n_8k2m…` for a node, `e_…` an edge, `c_…` a
 * cluster, `q_…` a conflict, `k_…` a key.
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
