// Nodes and edges as the module stores them.

import {
  NO_SUBTYPE,
  STORED_EDGE_FROM,
  STORED_EDGE_SEQUENCE,
  STORED_EDGE_STRENGTH,
  STORED_EDGE_TO,
  STORED_EDGE_TYPE,
  STORED_NODE,
  STORED_NODE_ACCESS_COUNT,
  STORED_NODE_CREATED_AT,
  STORED_NODE_DIFFICULTY,
  STORED_NODE_HAS_EMBEDDING,
  STORED_NODE_INBOUND_EDGES,
  STORED_NODE_LABELS,
  STORED_NODE_LAST_ACCESSED,
  STORED_NODE_RETRIEVABILITY,
  STORED_NODE_SALIENCE,
  STORED_NODE_SEQUENCE,
  STORED_NODE_STABILITY,
  STORED_NODE_STATE,
  STORED_NODE_SUBTYPE,
  STORED_NODE_TYPE,
  USED_EDGES,
  USED_EDGES_CAPACITY,
  USED_EMBEDDINGS,
  USED_EMBEDDINGS_CAPACITY,
  USED_NODES,
  USED_NODES_CAPACITY,
  USED_TEXTS,
} from "../generated/layout.ts";
import { STORED_STATES } from "./read.ts";
import type { MemoryState } from "./state.ts";
import type { MemoryUse, StoredMemoryEdge, StoredMemoryNode } from "./types.ts";

/** How many nodes cross at once. They take 120 kB. */
const AT_ONCE = 1_000;

/** The nodes of these ids, undefined for an id without one. @internal */
export function nodesAt(
  state: MemoryState,
  ids: readonly string[],
): (StoredMemoryNode | undefined)[] {
  const nodes = new Array<StoredMemoryNode | undefined>(ids.length).fill(undefined);
  const places: number[] = [];
  const rows: number[] = [];
  for (const [place, id] of ids.entries()) {
    const row = state.rows.get(id);
    if (row !== undefined) {
      places.push(place);
      rows.push(row);
    }
  }
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const batch = rows.slice(from, from + AT_ONCE);
    const { resident } = state;
    resident.module.stored_nodes(Uint32Array.from(batch));
    resident.relocate();
    let labelsAt = resident.rowsAt;
    for (let index = 0; index < batch.length; index++) {
      const place = places[from + index]!;
      const at = resident.numbersAt + index * STORED_NODE;
      nodes[place] = nodeAt(state, ids[place]!, at, labelsAt);
      labelsAt += resident.numbers[at + STORED_NODE_LABELS]!;
    }
  }
  return nodes;
}

/** The node whose numbers and labels the module has written to these places. */
function nodeAt(
  { resident, names }: MemoryState,
  id: string,
  at: number,
  labelsAt: number,
): StoredMemoryNode {
  const { numbers } = resident;
  const labels = numbers[at + STORED_NODE_LABELS]!;
  const codes = [...resident.rows.subarray(labelsAt, labelsAt + labels)];
  const subtype = numbers[at + STORED_NODE_SUBTYPE]!;
  const salience = numbers[at + STORED_NODE_SALIENCE]!;
  return {
    id,
    type: names.types.text(numbers[at + STORED_NODE_TYPE]!),
    subtype: subtype === NO_SUBTYPE ? null : names.subtypes.text(subtype),
    created_at: numbers[at + STORED_NODE_CREATED_AT]!,
    last_accessed: numbers[at + STORED_NODE_LAST_ACCESSED]!,
    access_count: numbers[at + STORED_NODE_ACCESS_COUNT]!,
    inbound_edge_count: numbers[at + STORED_NODE_INBOUND_EDGES]!,
    stability: numbers[at + STORED_NODE_STABILITY]!,
    retrievability: numbers[at + STORED_NODE_RETRIEVABILITY]!,
    difficulty: numbers[at + STORED_NODE_DIFFICULTY]!,
    ...(Number.isNaN(salience) ? {} : { salience }),
    lifecycle: STORED_STATES[numbers[at + STORED_NODE_STATE]!]!,
    // The lowest bit of a code is 0 for a tag and 1 for a cluster.
    tags: codes.filter((code) => code % 2 === 0).map((code) => names.tags.text(code >>> 1)),
    clusters: codes.filter((code) => code % 2 === 1).map((code) => names.clusters.text(code >>> 1)),
    has_embedding: numbers[at + STORED_NODE_HAS_EMBEDDING] === 1,
    sequence: numbers[at + STORED_NODE_SEQUENCE]!,
  };
}

/** The edge of a slot. @internal */
export function edgeAt(
  { resident, ids, edgeIds, names }: MemoryState,
  slot: number,
): StoredMemoryEdge {
  resident.module.edge(slot);
  resident.relocate();
  const { numbers, numbersAt: at } = resident;
  return {
    id: edgeIds[slot]!,
    source_id: ids[numbers[at + STORED_EDGE_FROM]!]!,
    target_id: ids[numbers[at + STORED_EDGE_TO]!]!,
    type: names.edgeTypes.text(numbers[at + STORED_EDGE_TYPE]!),
    strength: numbers[at + STORED_EDGE_STRENGTH]!,
    sequence: numbers[at + STORED_EDGE_SEQUENCE]!,
  };
}

/** The bytes of a memory. @internal */
export function bytesUsed({ resident }: MemoryState): MemoryUse {
  resident.module.bytes_used();
  resident.relocate();
  const { numbers, numbersAt: at } = resident;
  return {
    nodes: numbers[at + USED_NODES]!,
    nodes_capacity: numbers[at + USED_NODES_CAPACITY]!,
    edges: numbers[at + USED_EDGES]!,
    edges_capacity: numbers[at + USED_EDGES_CAPACITY]!,
    embeddings: numbers[at + USED_EMBEDDINGS]!,
    embeddings_capacity: numbers[at + USED_EMBEDDINGS_CAPACITY]!,
    texts: numbers[at + USED_TEXTS]!,
    module: resident.instance.memory.buffer.byteLength,
  };
}
