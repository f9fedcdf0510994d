// What an import does with what is there.

/**
 * What becomes of a row whose key is there: it is left out, taken, or taken where it is the newer.
 */
export const CONFLICTS = ["skip", "overwrite", "newer"] as const;
export type Conflicts = (typeof CONFLICTS)[number];
