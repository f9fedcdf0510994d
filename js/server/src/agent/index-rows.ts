// From rows of the database to what the index takes. A database that others write may hold anything: what is out of range counts
// as missing or comes into it, so that one bad row never keeps an agent from its memory.

import { LIFECYCLE_STATES, type MemoryEdge, type MemoryNode, type StoredLifecycleState } from "nous-wasm";
import type { Bytes, EdgeRow, IndexedNodeRow, NodeRow } from "../storage/rows.ts";
import { parseInstant } from "../time.ts";

/** The kind of a memory that a database leaves open. */
const TYPE_OF_NONE = "concept";
const MOST_ACCESSES = 2 ** 32 - 1;
const STATES = new Set<string>([...LIFECYCLE_STATES, "DELETED"]);

export const isState = (text: unknown): text is StoredLifecycleState => typeof text === "string" && STATES.has(text);

/** What an access is counted from. */
export function lastAccessOf(row: NodeRow): number | null {
  return row.neural_last_accessed === null ? null : (parseInstant(row.neural_last_accessed) ?? null);
}

export const accessCountOf = (row: NodeRow): number =>
  Math.min(Math.max(Math.trunc(row.neural_access_count ?? 0), 0), MOST_ACCESSES);

/** A memory as the index takes it; `dimensions` are the index's. */
export function memoryNodeOf(row: IndexedNodeRow, dimensions: number): MemoryNode {
  return {
    id: row.id,
    type: row.type ?? TYPE_OF_NONE,
    subtype: row.subtype,
    created_at: createdAt(row),
    last_accessed: lastAccessOf(row),
    access_count: accessCountOf(row),
    stability: row.neural_stability,
    retrievability: within01(row.neural_retrievability),
    difficulty: within01(row.neural_difficulty),
    lifecycle: isState(row.state_lifecycle) ? row.state_lifecycle : null,
    clusters: clustersOf(row),
    embedding: vectorOf(row.embedding_vector, dimensions),
    sequence: row.sequence,
  };
}

function createdAt(row: NodeRow): number {
  for (const text of [row.provenance_created_at, row.created_at]) {
    const time = text === null ? undefined : parseInstant(text);
    if (time !== undefined) return time;
  }
  return 0;
}

const within01 = (value: number | null): number | null => (value === null ? null : Math.min(Math.max(value, 0), 1));

function clustersOf(row: IndexedNodeRow): string[] {
  if (row.clusters === "[]") return [];
  return (JSON.parse(row.clusters) as unknown[]).filter((id): id is string => typeof id === "string" && id !== "");
}

/** A vector as it is stored; none where it is of another length, all zeros, or not all numbers. */
export function vectorOf(bytes: Bytes | null, dimensions: number): Float32Array | null {
  if (bytes === null || dimensions === 0 || bytes.byteLength !== dimensions * Float32Array.BYTES_PER_ELEMENT)
    return null;
  // What is a view already is copied: its bytes need not lie where a float may.
  const vector = new Float32Array(new Uint8Array(bytes).buffer);
  let [isSome, isSound] = [false, true];
  for (const component of vector) {
    isSome ||= component !== 0;
    isSound &&= Number.isFinite(component);
  }
  return isSome && isSound ? vector : null;
}

/** An edge as the index takes it. */
export function memoryEdgeOf({ id, type, source_id, target_id, strength, sequence }: EdgeRow): MemoryEdge {
  return { id, type, source_id, target_id, strength: within01(strength), sequence };
}
