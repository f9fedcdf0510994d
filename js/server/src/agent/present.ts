// Converts rows to the form of answers: with soft state, with retrievability and state as of now,
// and with times in one format.

import {
  isState,
  jsonObjectIn,
  namesIn,
  normaliseTime,
  numberOf,
  TYPE_OF_NO_EDGE,
  TYPE_OF_NONE,
  textOf,
  toIso,
} from "nous-memory";
import type { Engine, MemoryIndex, StoredMemoryNode } from "nous-wasm";
import type { Cluster, Membership } from "../api/clusters.ts";
import type { Conflict } from "../api/conflicts.ts";
import type { Edge } from "../api/edges.ts";
import type { Node } from "../api/nodes.ts";
import type { ClusterRow, ConflictRow, EdgeRow, MembershipRow, NodeRow } from "../storage/rows.ts";
import type { Storage } from "../storage/storage.ts";
import type { Behaviour } from "./behaviour.ts";
import type { SoftState } from "./replica/soft-state.ts";
import { gradeOfConflict } from "./rules/grade-of-conflict.ts";

/**
 * Returns a row with its pending accesses. A value of a wrong kind for its column counts as
 * missing. The fields are written out, since every found memory passes here: assigning them by name
 * takes ten times as long.
 */
export function presentNode(
  row: NodeRow,
  live: StoredMemoryNode | undefined,
  {
    soft,
    engine,
    behaviour,
  }: {
    soft: Pick<SoftState, "lastAccess">;
    engine: Engine;
    behaviour: Pick<Behaviour, "eventTimeOf">;
  },
): Node {
  const event_time = behaviour.eventTimeOf(textOf(row.temporal_event_time));
  const ahead = live === undefined ? null : soft.lastAccess(row.id);
  return {
    id: row.id,
    type: textOf(row.type) ?? TYPE_OF_NONE,
    subtype: textOf(row.subtype),
    content_title: textOf(row.content_title) ?? "",
    content_summary: textOf(row.content_summary),
    content_body: textOf(row.content_body),
    neural_stability: live?.stability ?? numberOf(row.neural_stability),
    neural_retrievability: live?.retrievability ?? numberOf(row.neural_retrievability),
    neural_difficulty: live?.difficulty ?? numberOf(row.neural_difficulty),
    neural_access_count: live?.access_count ?? countOf(row.neural_access_count),
    neural_last_accessed:
      live !== undefined && ahead !== null
        ? toIso(live.last_accessed)
        : timeOf(row.neural_last_accessed),
    state_lifecycle: live?.lifecycle ?? (isState(row.state_lifecycle) ? row.state_lifecycle : null),
    provenance_source: textOf(row.provenance_source),
    provenance_created_at: timeOf(row.provenance_created_at),
    layer: textOf(row.layer),
    version: countOf(row.version),
    last_modified: timeOf(row.last_modified),
    created_at: timeOf(row.created_at),
    embedding_model: textOf(row.embedding_model),
    temporal_event_time: event_time,
    temporal_event_confidence: numberOf(row.temporal_event_confidence),
    temporal_event_source: textOf(row.temporal_event_source),
    frame: textOf(row.frame),
    censors: row.censors === null ? [] : namesIn(row.censors),
    tags: row.tags === null ? [] : namesIn(row.tags),
    event_time,
    source: textOf(row.provenance_source),
    metadata: row.metadata === null ? null : (jsonObjectIn(row.metadata) ?? null),
    user: textOf(row.user_id),
    session: textOf(row.session_id),
    expires_at: timeOf(row.expires_at),
    memory_section: engine.getSectionForSubtype(textOf(row.subtype)),
  };
}

export const timeOf = (stored: unknown): string | null => normaliseTime(textOf(stored));
const countOf = (stored: unknown): number | null =>
  Number.isSafeInteger(stored) ? (stored as number) : null;

/**
 * Returns rows as `presentNode` does, with retrievability and state as of now. Each memory is
 * looked up in the index once.
 */
export function presentNow(
  rows: readonly NodeRow[],
  {
    index,
    soft,
    engine,
    behaviour,
  }: {
    index: MemoryIndex;
    soft: Pick<SoftState, "lastAccess">;
    engine: Engine;
    behaviour: Pick<Behaviour, "eventTimeOf" | "faded">;
  },
  now: number,
): Node[] {
  const live = index.getAll(rows.map(({ id }) => id));
  const faded = behaviour.faded(live, engine, now);
  return rows.map((row, place) => {
    const node = presentNode(row, live[place], { soft, engine, behaviour });
    const its = faded[place];
    if (its === undefined) return node;
    node.neural_retrievability = its.retrievability;
    node.state_lifecycle = its.lifecycle;
    return node;
  });
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

/** Returns clusters with the number of memories in each. */
export function presentClusters(rows: readonly ClusterRow[], storage: Storage): Cluster[] {
  const counts = storage.clusters.countMembers(rows.map(({ id }) => id));
  return rows.map((row) => presentCluster(row, counts.get(row.id) ?? 0));
}

function presentCluster(row: ClusterRow, node_count: number): Cluster {
  return {
    id: row.id,
    name: textOf(row.name) ?? "",
    description: textOf(row.description),
    icon: textOf(row.icon),
    pinned: row.pinned === 1,
    source: textOf(row.source),
    auto_subtypes: namesIn(row.auto_subtypes),
    created_at: timeOf(row.created_at),
    node_count,
  };
}

export function presentMembership({ sequence: _, ...row }: MembershipRow): Membership {
  return {
    ...row,
    weight: numberOf(row.weight),
    pinned: row.pinned === 1,
    updated_at: timeOf(row.updated_at),
  };
}

/**
 * Returns conflicts in the form of answers. The text of a new memory is read from the memory: a
 * copy in the queue would outlive the memory.
 */
export function presentConflicts(
  { storage, behaviour }: { storage: Storage; behaviour: Behaviour },
  rows: readonly ConflictRow[],
): Conflict[] {
  const ids = rows.flatMap(({ new_node_id }) => new_node_id ?? []);
  const texts = new Map(storage.nodes.of(ids).map((row) => [row.id, memoryText(row)]));
  return rows.map((row) => {
    const grade = behaviour.comparesNew ? gradeOfConflict(row) : undefined;
    const shown = presentConflict(row, texts.get(row.new_node_id ?? "") ?? null);
    return grade === undefined ? shown : { ...shown, grade };
  });
}

/** Returns the text of a memory for resolving a conflict. */
export const memoryText = (row: NodeRow): string | null =>
  textOf(row.content_body) || textOf(row.content_title);

/** A value of a wrong type for its column counts as missing. */
function presentConflict({ sequence: _, ...row }: ConflictRow, textOfNew: string | null): Conflict {
  return {
    id: row.id,
    old_node_id: textOf(row.old_node_id),
    new_node_id: textOf(row.new_node_id),
    new_content: textOf(row.new_content) || textOfNew,
    conflict_type: textOf(row.conflict_type) || null,
    detection_tier: textOf(row.detection_tier) || null,
    detection_confidence: numberOf(row.detection_confidence),
    context: textOf(row.context),
    entity_name: textOf(row.entity_name),
    topic: textOf(row.topic),
    status: row.status === "resolved" ? "resolved" : "pending",
    created_at: timeOf(row.created_at),
    expires_at: timeOf(row.expires_at),
    resolution: textOf(row.resolution),
    resolved_at: timeOf(row.resolved_at),
  };
}
