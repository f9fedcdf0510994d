// Pairs of memories of the general memory, for measuring how well superseded memories are found.

import lookalikes from "./general/lookalikes.json";
import replacements from "./general/replacements.json";

/** Two memories, by id. */
export interface Pair {
  readonly older: string;
  readonly newer: string;
}

/** A pair whose newer memory replaces the older one. */
export interface Replacement extends Pair {
  /** The older memory also holds facts that still stand. */
  readonly partial?: boolean | undefined;
}

/**
 * Pairs whose newer memory replaces the older one: same subject, other value. About half of the
 * newer ones contain no word that announces a change, such as "now", "since" or "no longer".
 */
export const REPLACEMENTS: readonly Replacement[] = replacements;

/**
 * Pairs that look alike and both stand: two visits to the dentist, two people with one first name,
 * two habits of one person. A detector that reports one of them is wrong.
 */
export const LOOKALIKES: readonly Pair[] = lookalikes;
