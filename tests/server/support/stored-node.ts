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

/** A row without a null. */
type WholeNode = { [Column in keyof NewNode]: NonNullable<NewNode[Column]> };

/** Returns a row of this id. Every other column holds a value that no column of `nodeOf` holds. */
export const wholeNodeOf = (id: string): WholeNode => ({
  ...{ id, type: "episode", subtype: "custom:whole", content_title: "Whole" },
  ...{ content_summary: "Summary", content_body: "Body", neural_stability: 61.5 },
  ...{ neural_retrievability: 0.625, neural_difficulty: 0.75, neural_access_count: 7 },
  ...{ neural_last_accessed: "2026-02-03T00:00:00.000Z", state_lifecycle: "WEAK" as const },
  ...{ provenance_source: "user", provenance_created_at: "2026-02-04T00:00:00.000Z" },
  ...{ layer: "episode", version: 4, last_modified: "2026-02-05T00:00:00.000Z" },
  ...{ created_at: "2026-02-06T00:00:00.000Z", embedding_model: "a-model" },
  embedding_vector: new Uint8Array(Float32Array.of(0.5, -2).buffer),
  ...{ temporal_event_time: "2026-02-07T00:00:00.000Z", temporal_event_confidence: 0.875 },
  ...{ temporal_event_source: "text", frame: "task", censors: '["c_1"]', tags: '["tag"]' },
  ...{ metadata: '{"x":"\\u0041"}', user_id: "mira", session_id: "s_1" },
  expires_at: "2027-01-01T00:00:00.000Z",
});
