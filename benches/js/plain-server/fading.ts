// What time has made of stored rows. Times are texts in the database and numbers in formulas.

import { computeDecay } from "../../../tests/reference/sweep.ts";
import type { FadingRow, RankedRow } from "./rows.ts";

/**
 * The moment that a memory was last accessed, in milliseconds since 1970; one that never was counts
 * from its creation.
 */
export const lastAccessOf = ({ neural_last_accessed, provenance_created_at }: RankedRow): number =>
  Date.parse(neural_last_accessed ?? provenance_created_at);

/** A row as the formulas of fading take it. */
export function withInstants<Row extends FadingRow>(row: Row) {
  return {
    ...row,
    neural_last_accessed: lastAccessOf(row),
    provenance_created_at: Date.parse(row.provenance_created_at),
  };
}

/**
 * A row with retrievability and state as of now: what is archived or deleted stays it, and nothing
 * that sleeps wakes.
 */
export function fadedNow<Row extends FadingRow>(row: Row, now: number): Row {
  const { retrievability, state } = computeDecay(withInstants(row), now);
  const stored = row.state_lifecycle;
  const sleeps = stored === "DORMANT" && (state === "ACTIVE" || state === "WEAK");
  const stays = stored === "ARCHIVE" || stored === "DELETED" || sleeps;
  return { ...row, neural_retrievability: retrievability, state_lifecycle: stays ? stored : state };
}
