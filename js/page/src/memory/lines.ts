// Reads lines of an export. The rows that they hold become entries of the index by the rules of the
// server, so that page and server give a memory the same score.

import type { EdgeRow, IndexedNodeRow } from "../../../server/src/storage/rows.ts";

/** The rows of an export, by kind. */
export interface Rows {
  preset: "general" | "trading";
  nodes: Map<string, IndexedNodeRow>;
  edges: EdgeRow[];
  /** Ids of clusters by id of the memory, in order. */
  clusters: Map<string, string[]>;
  /** Names of clusters by id. */
  clusterNames: Map<string, string>;
  conflicts: ConflictRow[];
}

/** A conflict of an export. */
export interface ConflictRow {
  id: string;
  old_node_id: string;
  new_node_id: string | null;
  status: string | null;
  detection_confidence: number | null;
}

export const noRows = (): Rows => ({
  preset: "general",
  nodes: new Map(),
  edges: [],
  clusters: new Map(),
  clusterNames: new Map(),
  conflicts: [],
});

/** Thrown for a line that is not one of an export. The message says what is wrong. */
export class LineError extends Error {
  override readonly name = "LineError";
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
const numberOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

/**
 * Adds the row of a line. A memory that is there already is replaced.
 *
 * @throws {LineError} If the line is not one of an export.
 */
export function addLine(rows: Rows, line: string): void {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    throw new LineError("is not JSON");
  }
  if (!isObject(json)) throw new LineError("must be an object");
  addRow(rows, json);
}

/**
 * Adds a row of an export.
 *
 * @throws {LineError} If a field that it needs is missing or of the wrong type.
 */
export function addRow(rows: Rows, json: Json): void {
  switch (json.kind) {
    case "agent":
      if (json.preset !== "general" && json.preset !== "trading")
        throw new LineError("preset: must be general or trading");
      rows.preset = json.preset;
      return;
    case "node": {
      const id = required(json, "id");
      rows.nodes.set(id, nodeRowOf(id, json, rows.nodes.get(id)?.sequence ?? rows.nodes.size));
      return;
    }
    case "edge":
      rows.edges.push({
        sequence: rows.edges.length,
        id: required(json, "id"),
        type: textOf(json.type) ?? "relates_to",
        subtype: textOf(json.subtype),
        source_id: required(json, "source_id"),
        target_id: required(json, "target_id"),
        neural_weight: numberOf(json.neural_weight),
        strength: numberOf(json.strength),
        confidence: numberOf(json.confidence),
        created_at: textOf(json.created_at),
      });
      return;
    case "cluster": {
      const id = required(json, "id");
      rows.clusterNames.set(id, textOf(json.name) ?? id);
      return;
    }
    case "membership": {
      const [cluster, node] = [required(json, "cluster_id"), required(json, "node_id")];
      const there = rows.clusters.get(node);
      if (there === undefined) rows.clusters.set(node, [cluster]);
      else if (!there.includes(cluster)) there.push(cluster);
      return;
    }
    case "conflict":
      rows.conflicts.push({
        id: required(json, "id"),
        old_node_id: required(json, "old_node_id"),
        new_node_id: textOf(json.new_node_id),
        status: textOf(json.status),
        detection_confidence: numberOf(json.detection_confidence),
      });
      return;
    case "outcome":
      return;
    default:
      throw new LineError(
        "kind: must be agent, node, cluster, membership, edge, conflict or outcome",
      );
  }
}

function required(json: Json, field: string): string {
  const value = json[field];
  if (typeof value !== "string" || value === "") throw new LineError(`${field}: is missing`);
  return value;
}

function nodeRowOf(id: string, json: Json, sequence: number): IndexedNodeRow {
  const created = textOf(json.created_at) ?? textOf(json.provenance_created_at);
  const names = (value: unknown) =>
    Array.isArray(value) ? JSON.stringify(value.map(String)) : textOf(value);
  return {
    sequence,
    id,
    type: textOf(json.type) ?? "concept",
    subtype: textOf(json.subtype),
    content_title: textOf(json.content_title) ?? "",
    content_summary: textOf(json.content_summary),
    content_body: textOf(json.content_body),
    neural_stability: numberOf(json.neural_stability),
    neural_retrievability: numberOf(json.neural_retrievability),
    neural_difficulty: numberOf(json.neural_difficulty),
    neural_access_count: numberOf(json.neural_access_count),
    neural_last_accessed: textOf(json.neural_last_accessed),
    state_lifecycle: textOf(json.state_lifecycle) as IndexedNodeRow["state_lifecycle"],
    provenance_source: textOf(json.provenance_source),
    provenance_created_at: textOf(json.provenance_created_at) ?? created,
    layer: textOf(json.layer),
    version: numberOf(json.version),
    last_modified: textOf(json.last_modified),
    created_at: created,
    embedding_model: textOf(json.embedding_model),
    temporal_event_time: textOf(json.temporal_event_time),
    temporal_event_confidence: numberOf(json.temporal_event_confidence),
    temporal_event_source: textOf(json.temporal_event_source),
    frame: textOf(json.frame),
    censors: names(json.censors),
    tags: names(json.tags),
    embedding_vector: null,
    clusters: "[]",
  };
}
