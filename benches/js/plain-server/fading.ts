// Decay of stored rows. Times are texts in the database and numbers in the formulas.

import { computeDecay } from "../../../js/reference/sweep.ts";
import type { FadingRow, RankedRow } from "./rows.ts";

/**
 * Returns the last access of a memory, in milliseconds since 1970; its creation if it was never
 * accessed.
 */
export const lastAccessOf = ({ neural_last_accessed, provenance_created_at }: RankedRow): number =>
  Date.parse(neural_last_accessed ?? provenance_created_at);

/** Returns a row in the form of the decay formulas. */
export function withInstants<Row extends FadingRow>(row: Row) {
  return {
    ...row,
    neural_last_accessed: lastAccessOf(row),
    provenance_created_at: Date.parse(row.provenance_created_at),
  };
}

/**
 * Returns a row with its retrievability and state now. Archived and deleted memories stay so, and
 * no memory becomes more active.
 */
export function fadedNow<Row extends FadingRow>(row: Row, now: number): Row {
  const { retrievability, state } = computeDecay(withInstants(row), now);
  const stored = row.state_lifecycle;
  const sleeps = stored === "DORMANT" && (state === "ACTIVE" || state === "WEAK");
  const stays = stored === "ARCHIVE" || stored === "DELETED" || sleeps;
  return { ...row, neural_retrievability: retrievability, state_lifecycle: stays ? stored : state };
}
