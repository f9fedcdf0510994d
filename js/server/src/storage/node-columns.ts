// The columns of a memory. Both databases make their statements from this description, and the
// checksum of a row its sum. The types are those of `NodeRow`, and migrations make the columns.

import type { NodeRow } from "./rows.ts";

/** A column of a memory, without its embedding. */
export type NodeColumn = Exclude<keyof NodeRow, "sequence">;

/** Recalls and sweeps change the column: the checksum leaves it out. */
const SOFT = null;

/**
 * The columns in the order in which rows are read, each with its group in the checksum; see
 * `checksums.ts`. A new column has a new group, the next number: what its schema adds.
 */
const GROUPS: Readonly<Record<NodeColumn, number | typeof SOFT>> = {
  id: 0,
  type: 0,
  subtype: 0,
  content_title: 0,
  content_summary: 0,
  content_body: 0,
  neural_stability: SOFT,
  neural_retrievability: SOFT,
  neural_difficulty: SOFT,
  neural_access_count: SOFT,
  neural_last_accessed: SOFT,
  state_lifecycle: SOFT,
  provenance_source: 0,
  provenance_created_at: 0,
  layer: 0,
  version: SOFT,
  last_modified: SOFT,
  created_at: 0,
  embedding_model: 0,
  temporal_event_time: 0,
  temporal_event_confidence: 0,
  temporal_event_source: 0,
  frame: 1,
  censors: 1,
  tags: 2,
  metadata: 3,
  user_id: 3,
  session_id: 3,
  expires_at: 3,
};

/** The columns of a memory, without its embedding. */
export const NODE_COLUMNS = Object.keys(GROUPS) as NodeColumn[];

/** The columns of a new memory. */
export const STORED_COLUMNS: readonly (NodeColumn | "embedding_vector")[] = [
  ...NODE_COLUMNS,
  "embedding_vector",
];

/** The columns that the first schema with checksums had, and those that each later one added. */
export const COLUMN_GROUPS: readonly (readonly NodeColumn[])[] = Array.from(
  { length: 1 + Math.max(...Object.values(GROUPS).map((group) => group ?? 0)) },
  (_, group) => NODE_COLUMNS.filter((column) => GROUPS[column] === group),
);
