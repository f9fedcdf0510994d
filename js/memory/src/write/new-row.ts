// The row of a new memory, with the defaults of its columns.

import type { NodeRow } from "../rows.ts";
import { difficultyOfNew } from "./difficulty.ts";
import type { NewMemory } from "./store.ts";

/** The source of a memory that names none. */
const SOURCE = "agent";

/**
 * Returns the row of a new memory without its number. `stability` is in days, `now` the present as
 * ISO 8601.
 */
export function newRowOf(
  memory: NewMemory,
  { id, now, stability }: { id: string; now: string; stability: number },
): Omit<NodeRow, "sequence"> {
  const { type, subtype, content_body } = memory;
  const created_at = memory.created_at ?? now;
  return {
    ...{ id, type, subtype, content_title: memory.content_title, content_summary: null },
    content_body,
    neural_stability: memory.neural_stability ?? stability,
    neural_retrievability: 1,
    neural_difficulty: difficultyOfNew(type, subtype, content_body),
    neural_access_count: 0,
    neural_last_accessed: null,
    state_lifecycle: "ACTIVE",
    provenance_source: memory.source ?? SOURCE,
    provenance_created_at: created_at,
    layer: type === "episode" ? "episode" : "semantic",
    version: 1,
    last_modified: now,
    created_at,
    embedding_model: null,
    temporal_event_time: memory.event_time ?? null,
    temporal_event_confidence: null,
    temporal_event_source: null,
    frame: null,
    censors: null,
    tags: memory.tags == null || memory.tags.length === 0 ? null : JSON.stringify(memory.tags),
    metadata: memory.metadata == null ? null : JSON.stringify(memory.metadata),
    user_id: memory.user ?? null,
    session_id: memory.session ?? null,
    expires_at: memory.expires_at ?? null,
  };
}
