// Rows as they are stored. Field names are column names; times are ISO text. Rows of memories and of
// edges are those of nous-memory.

import type { EdgeRow, NodeRow } from "nous-memory";

export type {
  EdgeRow,
  EmbeddedTexts,
  IndexedNodeRow,
  NodeRow,
  SoftRow,
  TextRow,
} from "nous-memory";

/** A new memory. The database assigns the row number. */
export type NewNode = Omit<NodeRow, "sequence"> & { embedding_vector: Uint8Array | null };

/** Changes to a memory. Missing fields stay as they are. */
export type NodeChanges = Partial<Omit<NewNode, "id" | "version" | "last_modified">> & {
  last_modified: string;
};

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
