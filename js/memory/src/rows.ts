// Rows of memories and of edges, as they are stored. Field names are column names; times are ISO text.

import type { StoredLifecycleState } from "nous-wasm";

/** A memory. Any field but the id may be null in a database that another server wrote. */
export interface NodeRow {
  /** The row number. Lists are sorted by it. */
  sequence: number;
  id: string;
  type: string;
  subtype: string | null;
  content_title: string;
  content_summary: string | null;
  content_body: string | null;
  neural_stability: number | null;
  neural_retrievability: number | null;
  neural_difficulty: number | null;
  neural_access_count: number | null;
  neural_last_accessed: string | null;
  state_lifecycle: StoredLifecycleState | null;
  provenance_source: string | null;
  provenance_created_at: string | null;
  layer: string | null;
  version: number | null;
  last_modified: string | null;
  created_at: string | null;
  embedding_model: string | null;
  temporal_event_time: string | null;
  temporal_event_confidence: number | null;
  temporal_event_source: string | null;
  /** The frame of the turn in which the memory was stored. */
  frame: string | null;
  /** Ids of the censors that were active then, as a JSON array. */
  censors: string | null;
  /** Words by which it is found, beside title and text, as a JSON array. */
  tags: string | null;
  /** Data of the caller's, as a JSON object. */
  metadata: string | null;
  /** The user and the session that the memory belongs to. */
  user_id: string | null;
  session_id: string | null;
  /** From then on the memory does not exist any more. */
  expires_at: string | null;
}

/** The texts of a memory, its kind and tags, and the time of the event that it tells of. */
export type TextRow = Pick<
  NodeRow,
  | "sequence"
  | "id"
  | "subtype"
  | "content_title"
  | "content_summary"
  | "content_body"
  | "temporal_event_time"
  | "tags"
>;

/** The columns from which the text of an embedding is made. */
export interface EmbeddedTexts {
  type: string | null;
  subtype: string | null;
  content_title: string | null;
  content_summary: string | null;
  content_body: string | null;
}

/** The soft state of a memory, which recalls, searches and sweeps change. */
export type SoftRow = Pick<
  NodeRow,
  | "id"
  | "neural_stability"
  | "neural_retrievability"
  | "neural_access_count"
  | "neural_last_accessed"
  | "state_lifecycle"
>;

/** A memory as the index loads it. */
export interface IndexedNodeRow extends NodeRow {
  /** The embedding: components in f32, little-endian. */
  embedding_vector: Uint8Array | null;
  /** Ids of its clusters, as a JSON array. */
  clusters: string;
}

/** A typed, directed link between two memories. */
export interface EdgeRow {
  sequence: number;
  id: string;
  type: string;
  subtype: string | null;
  source_id: string;
  target_id: string;
  neural_weight: number | null;
  strength: number | null;
  confidence: number | null;
  created_at: string | null;
}
