// Rows as they are stored. Field names are column names; times are ISO text.

import type { StoredLifecycleState } from "nous-wasm";

/** A BLOB: `Uint8Array` when bound, `ArrayBuffer` when read. */
export type Bytes = Uint8Array | ArrayBuffer;

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
  embedding_vector: Bytes | null;
  /** Ids of its clusters, as a JSON array. */
  clusters: string;
}

/** A new memory. The database assigns the row number. */
export type NewNode = Omit<NodeRow, "sequence"> & { embedding_vector: Bytes | null };

/** Changes to a memory. Missing fields stay as they are. */
export type NodeChanges = Partial<Omit<NewNode, "id" | "version" | "last_modified">> & {
  last_modified: string;
};

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

export type NewEdge = Omit<EdgeRow, "sequence">;

/** Whether an answer used a memory of its prompt. */
export interface UsageRow {
  memory_id: string;
  /** The role of the memory in the prompt. */
  memory_type: string;
  /** The id of the prompt. */
  context_id: string;
  retrieved_at: string;
  /** 1 if the answer used the memory, else 0. */
  was_referenced: number;
  /** The share of the memory that the answer contained, in [0, 1]. */
  overlap_score: number;
}

/** A named group of memories. */
export interface ClusterRow {
  sequence: number;
  id: string;
  name: string;
  description: string | null;
  icon: string | null;
  pinned: number | null;
  source: string | null;
  /** The subtypes of memories that join the cluster by themselves, as a JSON array. */
  auto_subtypes: string | null;
  created_at: string | null;
}

export type NewCluster = Omit<ClusterRow, "sequence">;

/** Changes to a cluster. Missing fields stay as they are. */
export type ClusterChanges = Partial<Omit<NewCluster, "id" | "source" | "created_at">>;

/** The entry that puts a memory into a cluster. */
export interface MembershipRow {
  sequence: number;
  cluster_id: string;
  node_id: string;
  weight: number | null;
  pinned: number | null;
  updated_at: string | null;
}

/** Two memories, or a memory and a text, that may contradict each other. */
export interface ConflictRow {
  sequence: number;
  id: string;
  old_node_id: string | null;
  new_node_id: string | null;
  new_content: string | null;
  conflict_type: string | null;
  detection_tier: string | null;
  detection_confidence: number | null;
  context: string | null;
  entity_name: string | null;
  topic: string | null;
  /** `pending` or `resolved`. */
  status: string | null;
  created_at: string | null;
  /** When the conflict leaves the queue by itself. Null: never. */
  expires_at: string | null;
  resolution: string | null;
  resolved_at: string | null;
}

export type NewConflict = Omit<ConflictRow, "sequence">;

export type NewMembership = Omit<MembershipRow, "sequence">;
