// Rows as they are answered: what the index knows better than the database, retrievability and state as of now, times in one form.

import { type Engine, LIFECYCLE_STATES, MEMORY_SECTIONS, type MemoryIndex, type StoredLifecycleState } from "nous-wasm";
import type { Cluster, Membership } from "../api/clusters.ts";
import type { Edge } from "../api/edges.ts";
import type { Node } from "../api/nodes.ts";
import type { ClusterRow, EdgeRow, MembershipRow, NodeRow } from "../storage/rows.ts";
import { normaliseTime, toIso } from "../time.ts";
import { isState, numberOf, TYPE_OF_NO_EDGE, TYPE_OF_NONE, textOf } from "./index-rows.ts";
import type { SoftState } from "./soft.ts";

/** What time has made of a memory. */
export interface Faded {
  retrievability: number;
  lifecycle: StoredLifecycleState;
}

const NODE_TEXTS = [
  "subtype",
  "content_summary",
  "content_body",
  "provenance_source",
  "layer",
  "embedding_model",
  "temporal_event_source",
] as const;
const NODE_TIMES = [
  "neural_last_accessed",
  "provenance_created_at",
  "last_modified",
  "created_at",
  "temporal_event_time",
] as const;
const NODE_NUMBERS = [
  "neural_stability",
  "neural_retrievability",
  "neural_difficulty",
  "temporal_event_confidence",
] as const;
const NODE_COUNTS = ["neural_access_count", "version"] as const;

/** A row as it is stored, with what was accessed since. What is not of its column's kind counts as missing. */
export function presentNode({ sequence: _, ...row }: NodeRow, index: MemoryIndex, soft: SoftState): Node {
  const node: Node = row;
  node.type = textOf(row.type) ?? TYPE_OF_NONE;
  node.content_title = textOf(row.content_title) ?? "";
  for (const field of NODE_TEXTS) node[field] = textOf(row[field]);
  for (const field of NODE_TIMES) node[field] = timeOf(row[field]);
  for (const field of NODE_NUMBERS) node[field] = numberOf(row[field]);
  for (const field of NODE_COUNTS) node[field] = countOf(row[field]);
  node.state_lifecycle = isState(row.state_lifecycle) ? row.state_lifecycle : null;
  const live = index.get(row.id);
  if (live === undefined) return node;
  const ahead = soft.lastAccess(row.id);
  node.neural_access_count = live.access_count;
  node.neural_stability = live.stability;
  node.neural_retrievability = live.retrievability;
  node.neural_difficulty = live.difficulty;
  node.state_lifecycle = live.lifecycle;
  if (ahead !== null) node.neural_last_accessed = toIso(live.last_accessed);
  return node;
}

export const timeOf = (stored: unknown): string | null => normaliseTime(textOf(stored));
const countOf = (stored: unknown): number | null => (Number.isSafeInteger(stored) ? (stored as number) : null);

/** A memory with what time has made of it. */
export function withFaded(node: Node, faded: Faded | undefined): Node {
  if (faded === undefined) return node;
  return { ...node, neural_retrievability: faded.retrievability, state_lifecycle: faded.lifecycle };
}

export function presentEdge({ sequence: _, ...row }: EdgeRow): Edge {
  return {
    ...row,
    type: textOf(row.type) ?? TYPE_OF_NO_EDGE,
    subtype: textOf(row.subtype),
    neural_weight: numberOf(row.neural_weight),
    strength: numberOf(row.strength),
    confidence: numberOf(row.confidence),
    created_at: timeOf(row.created_at),
  };
}

export function presentCluster(row: ClusterRow): Cluster {
  return {
    id: row.id,
    name: textOf(row.name) ?? "",
    description: textOf(row.description),
    icon: textOf(row.icon),
    pinned: row.pinned === 1,
    source: textOf(row.source),
    auto_subtypes: namesOf(row.auto_subtypes),
    created_at: timeOf(row.created_at),
  };
}

/** The subtypes that a cluster takes in by itself, from JSON that somebody else may have written. */
export function namesOf(json: unknown): string[] {
  try {
    const names: unknown = JSON.parse(textOf(json) ?? "[]");
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

export function presentMembership({ sequence: _, ...row }: MembershipRow): Membership {
  return { ...row, weight: numberOf(row.weight), pinned: row.pinned === 1, updated_at: timeOf(row.updated_at) };
}

/** Retrievability and state of memories as of now, as a sweep would store them; nothing for one that is not in the index. */
export function fadedNow(
  ids: readonly string[],
  index: MemoryIndex,
  engine: Engine,
  now: number,
): (Faded | undefined)[] {
  const nodes = ids.map((id) => index.get(id));
  const there = nodes.filter((node) => node !== undefined);
  const columns = {
    lastAccessed: there.map((node) => node.last_accessed),
    stability: there.map((node) => node.stability),
    section: there.map((node) => MEMORY_SECTIONS.indexOf(engine.getSectionForSubtype(node.subtype))),
  };
  const { retrievability, lifecycle } = engine.decayColumns(columns, now);
  let place = 0;
  return nodes.map((node) => {
    if (node === undefined) return undefined;
    const computed = LIFECYCLE_STATES[lifecycle[place]!]!;
    const faded = { retrievability: retrievability[place]!, lifecycle: sweptState(node.lifecycle, computed) };
    place += 1;
    return faded;
  });
}

/** A sweep leaves what is archived or deleted, and wakes nothing that sleeps. */
function sweptState(stored: StoredLifecycleState, computed: StoredLifecycleState): StoredLifecycleState {
  if (stored === "ARCHIVE" || stored === "DELETED") return stored;
  return stored === "DORMANT" && (computed === "ACTIVE" || computed === "WEAK") ? stored : computed;
}
