// What an import does with what is there.

/**
 * What becomes of a row whose key is there: it is left out, taken, or taken where it is the newer.
 */
export const CONFLICT_POLICIES = ["skip", "overwrite", "newer"] as const;
export type ConflictPolicy = (typeof CONFLICT_POLICIES)[number];
