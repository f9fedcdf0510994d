// Rows of the plain server, as they are stored and sent.

import type { StoredLifecycleState } from "../../../js/reference/sweep.ts";

export interface NodeRow {
  id: string;
  type: string;
  subtype: string | null;
  content_title: string;
  content_summary: string | null;
  content_body: string | null;
  neural_stability: number;
  neural_retrievability: number;
  neural_difficulty: number;
  neural_access_count: number;
  neural_last_accessed: string | null;
  state_lifecycle: StoredLifecycleState;
  provenance_source: string | null;
  provenance_created_at: string;
  layer: string | null;
  version: number;
  last_modified: string | null;
  created_at: string;
  embedding_model: string | null;
  temporal_event_time: string | null;
  temporal_event_confidence: number | null;
  temporal_event_source: string | null;
}

export const NODE_COLUMNS = [
  ...[
    "id",
    "type",
    "subtype",
    "content_title",
    "content_summary",
    "content_body",
    "neural_stability",
  ],
  ...[
    "neural_retrievability",
    "neural_difficulty",
    "neural_access_count",
    "neural_last_accessed",
    "state_lifecycle",
  ],
  ...[
    "provenance_source",
    "provenance_created_at",
    "layer",
    "version",
    "last_modified",
    "created_at",
  ],
  ...[
    "embedding_model",
    "temporal_event_time",
    "temporal_event_confidence",
    "temporal_event_source",
  ],
] as readonly (keyof NodeRow)[];

export interface EdgeRow {
  id: string;
  type: string;
  subtype: string | null;
  source_id: string;
  target_id: string;
  neural_weight: number;
  strength: number;
  confidence: number;
  created_at: string;
}

export const EDGE_COLUMNS = [
  ...[
    "id",
    "type",
    "subtype",
    "source_id",
    "target_id",
    "neural_weight",
    "strength",
    "confidence",
    "created_at",
  ],
] as readonly (keyof EdgeRow)[];

/** The columns that ranking reads. */
export type RankedRow = Pick<
  NodeRow,
  "id" | "subtype" | "neural_access_count" | "neural_last_accessed" | "provenance_created_at"
>;

/** The columns that a sweep reads. */
export type FadingRow = RankedRow &
  Pick<
    NodeRow,
    "state_lifecycle" | "neural_stability" | "neural_retrievability" | "neural_difficulty"
  >;
