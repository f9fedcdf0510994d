// What an import does with a row whose key is already stored.

/** `skip` keeps the stored row, `overwrite` takes the new one, `newer` takes the younger one. */
export const CONFLICT_POLICIES = ["skip", "overwrite", "newer"] as const;
/** How an import treats a row whose key is already stored. */
export type ConflictPolicy = (typeof CONFLICT_POLICIES)[number];
