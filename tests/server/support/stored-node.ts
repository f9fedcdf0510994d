// A memory as the store keeps it, for tests of the store itself.

import type { NewNode } from "../../../js/server/src/storage/rows.ts";

export const DAY = "2026-02-01T00:00:00.000Z";

/** Returns a new row of this id, with fields of the caller's. */
export const nodeOf = (id: string, fields: Partial<NewNode> = {}): NewNode => ({
  ...{ id, type: "concept", subtype: null, content_title: `Title of ${id}` },
  ...{ content_summary: null, content_body: null, neural_stability: 60, neural_retrievability: 1 },
  ...{ neural_difficulty: 0.3, neural_access_count: 0, neural_last_accessed: null },
  ...{ state_lifecycle: "ACTIVE" as const, provenance_source: "agent", provenance_created_at: DAY },
  ...{ layer: "semantic", version: 1, last_modified: DAY, created_at: DAY, embedding_model: null },
  ...{ embedding_vector: null, temporal_event_time: null, temporal_event_confidence: null },
  ...{ temporal_event_source: null, frame: null, censors: null, tags: null, metadata: null },
  ...{ user_id: null, session_id: null, expires_at: null },
  ...fields,
});
