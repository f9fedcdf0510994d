// Rows as they are stored. Names of fields are the columns'; times are text.

import type { StoredLifecycleState } from "nous-wasm";

/** What is bound and what is read as a BLOB. */
export type Bytes = Uint8Array | ArrayBuffer;

/** A memory. Any field but the id may be null in a database that another server wrote. */
export interface NodeRow {
  /** The row number: its place in every order. */
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
  /** The frame of mind that it was stored in. */
  frame: string | null;
  /** Ids of the censors that were active then, as a JSON array. */
  censors: string | null;
}

/** What full text holds of a memory. */
export type TextRow = Pick<
  NodeRow,
  "sequence" | "id" | "content_title" | "content_summary" | "content_body"
>;

/** The columns that the text of an embedding is made from. */
export interface EmbeddedTexts {
  type: string | null;
  subtype: string | null;
  content_title: string | null;
  content_summary: string | null;
  content_body: string | null;
}

/** What recalls, searches and sweeps change of a memory. */
export type SoftRow = Pick<
  NodeRow,
  | "id"
  | "neural_stability"
  | "neural_retrievability"
  | "neural_access_count"
  | "neural_last_accessed"
  | "state_lifecycle"
>;

/** What the index needs of a memory beside its row. */
export interface IndexedNodeRow extends NodeRow {
  /** Components in f32, little-endian. */
  embedding_vector: Bytes | null;
  /** Ids of its clusters, as a JSON array. */
  clusters: string;
}

/** A new memory. The row number is the database's to give. */
export type NewNode = Omit<NodeRow, "sequence"> & { embedding_vector: Bytes | null };

/** Changes to a memory; what is not there stays. */
export type NodeChanges = Partial<Omit<NewNode, "id" | "version" | "last_modified">> & {
  last_modified: string;
};

/** A tie between two memories. */
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

/** What became of a memory that stood in a prompt. */
export interface UsageRow {
  memory_id: string;
  /** What it was to the prompt. */
  memory_type: string;
  /** The prompt. */
  context_id: string;
  retrieved_at: string;
  /** 1 where the answer took it up, else 0. */
  was_referenced: number;
  /** How much of it the answer had, in [0, 1]. */
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
  /** A JSON array. */
  auto_subtypes: string | null;
  created_at: string | null;
}

export type NewCluster = Omit<ClusterRow, "sequence">;

/** Changes to a cluster; what is not there stays. */
export type ClusterChanges = Partial<Omit<NewCluster, "id" | "source" | "created_at">>;

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
  /** When it leaves the queue by itself; never where it is null. */
  expires_at: string | null;
  resolution: string | null;
  resolved_at: string | null;
}

export type NewConflict = Omit<ConflictRow, "sequence">;

export type NewMembership = Omit<MembershipRow, "sequence">;
