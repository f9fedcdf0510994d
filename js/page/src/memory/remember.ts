// Remembers what the visitor writes: on the server whose memory is open, else in the page, by the same
// rules.

import {
  type EdgeRow,
  type IndexedNodeRow,
  type JsonObject as Json,
  memoryEdgeOf,
  namesIn,
  remember as rememberIn,
  type WritableMemory,
} from "nous-memory";
import { getInitialEdgeStrength, type MemoryEdge } from "nous-wasm";
import { noteAdded, take } from "./edit.ts";
import type { Held } from "./held.ts";
import { addRow, nodeLine } from "./lines.ts";
import type { Stored } from "./records.ts";

/** Remembers a text. Returns what became of it, piece by piece. */
export async function remember(held: Held, text: string): Promise<Stored> {
  if (held.server !== undefined) {
    const { result, rows } = await held.server.remember(text);
    take(held, rows);
    return storedOf(held, result);
  }
  const adding = new Adding(held);
  const result = rememberIn(adding, text);
  await noteAdded(held, adding.added, adding.lines);
  return storedOf(held, result);
}

/** What `remember` tells, here and on a server. */
interface Told {
  stored: readonly {
    id: string;
    action: "created" | "duplicate";
    replaces?: readonly { id: string; probability: number }[] | undefined;
  }[];
}

function storedOf(held: Held, { stored }: Told): Stored {
  return {
    pieces: stored.map(({ id, action, replaces = [] }) => ({
      card: held.card(id),
      isNew: action === "created",
      replaces: replaces
        .filter((older) => held.row(older.id) !== undefined)
        .map(({ id: older, probability }) => ({ card: held.card(older), probability })),
    })),
  };
}

/** The memory that is open, as the rules of remembering write to it. */
class Adding implements WritableMemory {
  readonly #held: Held;
  /** Ids of the memories that are new. */
  readonly added: string[] = [];
  /** What is to be kept of them. */
  readonly lines: Json[] = [];
  readonly timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

  constructor(held: Held) {
    this.#held = held;
  }

  get engine() {
    return this.#held.engine;
  }
  get preset() {
    return this.#held.preset;
  }
  get index() {
    return this.#held.index;
  }
  get now() {
    return this.#held.now;
  }
  get next() {
    return this.#held.rows.next;
  }

  row(id: string): IndexedNodeRow | undefined {
    const row = this.#held.row(id);
    return row === undefined ? undefined : this.#withRuns(row);
  }

  *all(): Iterable<IndexedNodeRow> {
    for (const row of this.#held.all()) yield this.#withRuns(row);
  }

  edges(): Iterable<MemoryEdge> {
    return this.#held.rows.edges.map(memoryEdgeOf);
  }

  put(rows: Iterable<IndexedNodeRow>): void {
    const { rows: all } = this.#held;
    const list = [...rows];
    for (const row of list) {
      if (!all.nodes.has(row.id)) this.added.push(row.id);
      for (const run of namesIn(row.clusters)) this.#join(run, row);
      all.next = Math.max(all.next, row.sequence + 1);
    }
    this.#held.put(list);
    this.lines.push(...list.map((row) => nodeLine(all, row)));
  }

  link(edges: Iterable<MemoryEdge>): void {
    const created_at = new Date(this.now).toISOString();
    for (const { id, type: named, source_id, target_id, strength } of edges) {
      const type = named ?? "relates_to";
      const weight = strength ?? getInitialEdgeStrength(type);
      const row: Omit<EdgeRow, "sequence"> = {
        ...{ id, type, subtype: null, source_id, target_id },
        ...{ strength: weight, neural_weight: weight, confidence: 1, created_at },
      };
      this.#add({ kind: "edge", ...row });
      this.#held.link(this.#held.rows.edges.slice(-1));
    }
  }

  #withRuns(row: IndexedNodeRow): IndexedNodeRow {
    return { ...row, clusters: JSON.stringify(this.#held.rows.clusters.get(row.id) ?? []) };
  }

  /** Adds a memory to a run, which its first memory names. */
  #join(
    cluster_id: string,
    { id: node_id, content_title: name, created_at }: IndexedNodeRow,
  ): void {
    const { clusters, clusterNames } = this.#held.rows;
    if (clusters.get(node_id)?.includes(cluster_id)) return;
    if (!clusterNames.has(cluster_id))
      this.#add({ kind: "cluster", id: cluster_id, name, created_at });
    this.#add({ kind: "membership", cluster_id, node_id, weight: 1 });
  }

  #add(line: Json): void {
    addRow(this.#held.rows, line);
    this.lines.push(line);
  }
}
