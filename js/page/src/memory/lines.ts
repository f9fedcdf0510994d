// Reads and writes lines of an export. The rows that they hold become entries of the index by the
// rules of the server, so that page and server give a memory the same score.

import {
  builtInText,
  differing,
  type EdgeRow,
  GENERAL,
  type IndexedNodeRow,
  isJsonObject as isObject,
  type JsonObject as Json,
  otherSections,
  type Preset,
  shippedPreset,
} from "nous-memory";
import { MEMORY_SECTIONS, type MemorySection } from "nous-wasm";

/** The rows of an export, by kind. */
export interface Rows {
  preset: Preset;
  /** Sections of subtypes that differ from those of the preset. */
  sections: Record<string, MemorySection>;
  nodes: Map<string, IndexedNodeRow>;
  edges: EdgeRow[];
  /** Ids of clusters by id of the memory, in order. */
  clusters: Map<string, string[]>;
  /** Names of clusters by id. */
  clusterNames: Map<string, string>;
  conflicts: ConflictRow[];
  /**
   * Lines of learned weights, and rows of clusters, memberships and outcomes, as they were
   * read, so that an export has them.
   */
  others: Json[];
  /** How often use has taught the agent. The page ranks without it. */
  learnedSteps: number;
  /** Embeddings and signals of memories, by id. */
  carried: Map<string, Carried>;
  /** The number of the next memory. */
  next: number;
  /** The numbers of memories that are still to come, by id. */
  places: Map<string, number>;
}

/** What an export holds of a memory beside its columns. */
export interface Carried {
  /** Components in f32, little-endian, in base64; null if it has none. */
  embedding: unknown;
  /** The model that made it; null if it is not known. */
  model: string | null;
  /** The text of the memory that it was made of. It counts no longer if the text has changed. */
  text: string;
  signals: unknown;
}

/** A conflict of an export. */
export interface ConflictRow {
  id: string;
  old_node_id: string;
  new_node_id: string | null;
  new_content: string | null;
  status: string | null;
  detection_confidence: number | null;
  /** The row as it was read. */
  read: Json;
}

/** Memories that come page by page. Their links are known before. */
export interface Coming {
  /** About how many they are. */
  count: number;
  pages: AsyncGenerator<readonly IndexedNodeRow[]>;
}

export const noRows = (): Rows => ({
  preset: GENERAL,
  sections: {},
  nodes: new Map(),
  edges: [],
  clusters: new Map(),
  clusterNames: new Map(),
  conflicts: [],
  others: [],
  learnedSteps: 0,
  carried: new Map(),
  next: 0,
  places: new Map(),
});

/** Thrown for a line that is not one of an export. The message names the fault. */
export class LineError extends Error {
  override readonly name = "LineError";
}

/**
 * Adds the row of a line. Replaces a memory with the same id.
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
      rows.preset = presetIn(json);
      rows.sections = { ...rows.sections, ...sectionsIn(json) };
      return;
    case "node": {
      const row = memoryIn(rows, json);
      rows.nodes.set(row.id, row);
      const { embedding = null, signals = null } = json;
      const [model, text] = [row.embedding_model, builtInText(row)];
      if (embedding !== null || signals !== null)
        rows.carried.set(row.id, { embedding, model, text, signals });
      return;
    }
    case "edge":
      rows.edges.push({
        sequence: rows.edges.length,
        id: required(json, "id"),
        type: textIn(json, "type") ?? "relates_to",
        subtype: textIn(json, "subtype"),
        source_id: required(json, "source_id"),
        target_id: required(json, "target_id"),
        neural_weight: numberIn(json, "neural_weight"),
        strength: numberIn(json, "strength"),
        confidence: numberIn(json, "confidence"),
        created_at: textIn(json, "created_at"),
      });
      return;
    case "cluster": {
      const id = required(json, "id");
      rows.clusterNames.set(id, textIn(json, "name") ?? id);
      rows.others.push(json);
      return;
    }
    case "membership": {
      const [cluster, node] = [required(json, "cluster_id"), required(json, "node_id")];
      const there = rows.clusters.get(node);
      if (there === undefined) rows.clusters.set(node, [cluster]);
      else if (!there.includes(cluster)) there.push(cluster);
      rows.others.push(json);
      return;
    }
    case "conflict": {
      const conflict = {
        id: required(json, "id"),
        old_node_id: required(json, "old_node_id"),
        new_node_id: textIn(json, "new_node_id"),
        new_content: textIn(json, "new_content"),
        status: textIn(json, "status"),
        detection_confidence: numberIn(json, "detection_confidence"),
        read: json,
      };
      const place = rows.conflicts.findIndex(({ id }) => id === conflict.id);
      rows.conflicts.splice(place < 0 ? rows.conflicts.length : place, 1, conflict);
      return;
    }
    case "learned":
      rows.learnedSteps = stepsIn(json);
      rows.others = rows.others.filter(({ kind }) => kind !== "learned");
      rows.others.push(json);
      return;
    case "outcome":
      rows.others.push(json);
      return;
    default:
      throw new LineError(
        "kind: must be agent, learned, node, cluster, membership, edge, conflict or outcome",
      );
  }
}

/**
 * Returns the preset that a line names. A server tells weights, stemming and types of its agent,
 * too. A file holds the differences: weights and stemming here, and its sections in `sectionsIn`.
 */
function presetIn(json: Json): Preset {
  const name = required(json, "preset");
  const known = shippedPreset(name);
  const {
    weights = known.weights,
    stemming = known.stemming,
    types = known.types,
  } = json as Partial<Preset>;
  return { ...known, name, weights, stemming, types };
}

/** Returns the sections that a line tells; see `otherSections`. */
function sectionsIn({ sections = {} }: Json): Record<string, MemorySection> {
  const isWhole =
    isObject(sections) &&
    Object.values(sections).every((name) => (MEMORY_SECTIONS as readonly unknown[]).includes(name));
  if (!isWhole) throw new LineError("sections: must be sections by subtype");
  return sections as Record<string, MemorySection>;
}

/** Returns how often use has taught the agent of a line. */
function stepsIn(json: Json): number {
  for (const field of ["shifts", "means"])
    if (!isObject(json[field])) throw new LineError(`${field}: must be numbers by trait`);
  const { steps } = json;
  if (typeof steps === "number" && Number.isInteger(steps) && steps > 0) return steps;
  throw new LineError("steps: must be a whole number above 0");
}

function required(json: Json, field: string): string {
  const value = json[field];
  if (typeof value === "string" && value !== "") return value;
  throw new LineError(`${field}: ${value === undefined ? "is missing" : "must be a text"}`);
}

/** Returns a text; null if the field is missing. */
function textIn(json: Json, field: string): string | null {
  const value = json[field] ?? null;
  if (value === null || typeof value === "string") return value;
  throw new LineError(`${field}: must be a text`);
}

/** Returns a number; null if the field is missing. */
function numberIn(json: Json, field: string): number | null {
  const value = json[field] ?? null;
  if (value === null || typeof value === "number") return value;
  throw new LineError(`${field}: must be a number`);
}

/** Returns names as the JSON of an array, which rows have. */
function namesOf(json: Json, field: string): string | null {
  const value = json[field];
  return Array.isArray(value) ? JSON.stringify(value.map(String)) : textIn(json, field);
}

/** Returns an object as JSON text. A line has it as such, or as that text. */
function objectOf(json: Json, field: string): string | null {
  const value = json[field] ?? null;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : textIn(json, field);
}

/**
 * Returns the memory of a line, with its place among those of `rows`.
 *
 * @throws {LineError} If a field that it needs is missing or of the wrong type.
 */
export function memoryIn(rows: Rows, json: Json): IndexedNodeRow {
  const id = required(json, "id");
  const sequence = rows.nodes.get(id)?.sequence ?? rows.places.get(id) ?? rows.next;
  rows.next = Math.max(rows.next, sequence + 1);
  return nodeRowOf(id, json, sequence);
}

/** Returns the row of a memory. As on a server, one without a time was made now. */
function nodeRowOf(id: string, json: Json, sequence: number): IndexedNodeRow {
  for (const field of ["type", "content_title"])
    if (json[field] === undefined) throw new LineError(`${field}: is missing`);
  const made =
    textIn(json, "created_at") ?? textIn(json, "provenance_created_at") ?? new Date().toISOString();
  const timeIn = (field: string) => (json[field] === undefined ? made : textIn(json, field));
  return {
    sequence,
    id,
    type: textIn(json, "type") ?? "concept",
    subtype: textIn(json, "subtype"),
    content_title: textIn(json, "content_title") ?? "",
    content_summary: textIn(json, "content_summary"),
    content_body: textIn(json, "content_body"),
    neural_stability: numberIn(json, "neural_stability"),
    neural_retrievability: numberIn(json, "neural_retrievability"),
    neural_difficulty: numberIn(json, "neural_difficulty"),
    neural_access_count: numberIn(json, "neural_access_count"),
    neural_last_accessed: textIn(json, "neural_last_accessed"),
    state_lifecycle: textIn(json, "state_lifecycle") as IndexedNodeRow["state_lifecycle"],
    provenance_source: textIn(json, "provenance_source"),
    provenance_created_at: timeIn("provenance_created_at"),
    layer: textIn(json, "layer"),
    version: numberIn(json, "version"),
    last_modified: textIn(json, "last_modified"),
    created_at: timeIn("created_at"),
    embedding_model: textIn(json, "embedding_model"),
    temporal_event_time: textIn(json, "temporal_event_time"),
    temporal_event_confidence: numberIn(json, "temporal_event_confidence"),
    temporal_event_source: textIn(json, "temporal_event_source"),
    frame: textIn(json, "frame"),
    censors: namesOf(json, "censors"),
    tags: namesOf(json, "tags"),
    metadata: objectOf(json, "metadata"),
    user_id: textIn(json, "user_id"),
    session_id: textIn(json, "session_id"),
    expires_at: textIn(json, "expires_at"),
    embedding_vector: null,
    clusters: "[]",
  };
}

/** Returns whether an embedding is that of the text which a memory has now. */
export const isOf = (row: IndexedNodeRow, { text }: Carried): boolean => text === builtInText(row);

/** Returns the row of a memory as a line of an export has it. */
export function nodeLine(rows: Rows, row: IndexedNodeRow): Json {
  const { sequence: _, embedding_vector: __, clusters: ___, ...columns } = row;
  const carried = rows.carried.get(row.id);
  if (carried === undefined) return { kind: "node", ...columns };
  const { embedding, model, signals } = isOf(row, carried)
    ? carried
    : { ...carried, embedding: null, model: null };
  return { kind: "node", ...columns, embedding_model: model, embedding, signals };
}

/**
 * Returns the lines of an export, with what a memory has lost meanwhile left out. `sectionOf`
 * returns the section of a subtype, so that the file says which differ from those of its preset.
 */
export function* exportLines(
  rows: Rows,
  sectionOf: (subtype: string) => MemorySection,
): Iterable<Json> {
  const { nodes, clusterNames } = rows;
  const { name } = rows.preset;
  const subtypes = new Set([...nodes.values()].flatMap(({ subtype }) => subtype ?? []));
  const sections = otherSections(name, subtypes, sectionOf);
  yield { kind: "agent", preset: name, ...differing(rows.preset, name, sections) };
  for (const row of nodes.values()) yield nodeLine(rows, row);
  const isThere = (id: unknown) => nodes.has(id as string);
  const order = ["learned", "outcome", "cluster", "membership"];
  for (const kind of order) {
    for (const row of rows.others) {
      if (row.kind !== kind) continue;
      const isWhole =
        kind === "outcome"
          ? isThere(row.playbook_id) && isThere(row.entry_id)
          : kind !== "membership" ||
            (isThere(row.node_id) && clusterNames.has(row.cluster_id as string));
      if (isWhole) yield row;
    }
  }
  for (const { old_node_id, read } of rows.conflicts) if (isThere(old_node_id)) yield read;
  for (const { sequence: _, ...edge } of rows.edges)
    if (isThere(edge.source_id) && isThere(edge.target_id)) yield { kind: "edge", ...edge };
}

/** Returns rows as the lines of an export, in pieces of about a megabyte. */
export function* textOfLines(lines: Iterable<Json>): Iterable<string> {
  let piece: string[] = [];
  let size = 0;
  for (const line of lines) {
    const text = JSON.stringify(line);
    piece.push(text);
    size += text.length;
    if (size < 1_000_000) continue;
    yield `${piece.join("\n")}\n`;
    [piece, size] = [[], 0];
  }
  if (piece.length > 0) yield `${piece.join("\n")}\n`;
}
