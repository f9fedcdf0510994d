// Suggests the name that a user most likely meant.

import { editDistance } from "nous-wasm";

declare module "nous-wasm" {
  /** Returns the edits from one text to another. The package exports it for this server alone. */
  export function editDistance(from: string, to: string): number;
}

/** The most changed letters that still count as a typing error. */
const MAX_CHANGES = 2;

/** Returns the nearest of these names to a given one; undefined if none is near. */
export function nearest(given: string, names: Iterable<string>): string | undefined {
  const near = Array.from(names, (name) => ({ name, changes: editDistance(given, name) }))
    .filter(({ name, changes }) => changes <= Math.min(MAX_CHANGES, name.length / 2))
    .sort((a, b) => a.changes - b.changes);
  return near[0]?.name;
}
