// Ids of new rows.

import { randomBytes } from "node:crypto";

/** Thirty-two characters, so that five bits of a random byte choose one without a bias. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 12;

/** A prefix and twelve random characters (60 bits): `n_8k2m…` for a node, `e_…` an edge, `c_…` a cluster, `q_…` a conflict, `k_…` a key. */
export function newId(prefix: "n" | "e" | "c" | "q" | "k"): string {
  const characters = Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]!);
  return `${prefix}_${characters.join("")}`;
}
