// The index of an agent: a `MemoryIndex` that is loaded from the database and takes in what changes there.

import { type EngineConfig, MemoryIndex } from "nous-wasm";
import type { EdgeRow, IndexedNodeRow, SoftRow } from "../storage/rows.ts";
import type { Storage } from "../storage/storage.ts";
import type { Consumer, Removed, Taken, Tell } from "./follower.ts";
import { isId, memoryEdgeOf, memoryNodeOf, softNodeOf, vectorOf } from "./index-rows.ts";
import type { SoftState } from "./soft.ts";

/** The index gives a name of types, subtypes or edge types 16 bits. */
const MOST_NAMES = 65_000;

/** What a memory or an edge is called by; each kind of name is bounded. */
export type NameKind = "type" | "subtype" | "edge type";

export class Resident implements Consumer {
  readonly name = "index";
  #index: MemoryIndex | undefined;
  #dimensions = 0;
  readonly #soft: SoftState;
  readonly #config: EngineConfig;
  readonly #tell: Tell;
  readonly #names: Record<NameKind, Set<string>> = { type: new Set(), subtype: new Set(), "edge type": new Set() };

  constructor(soft: SoftState, config: EngineConfig, tell: Tell) {
    this.#soft = soft;
    this.#config = config;
    this.#tell = tell;
  }

  /** The index, which a follower has loaded. */
  get index(): MemoryIndex {
    if (this.#index === undefined) throw new Error("the index is asked before it is loaded");
    return this.#index;
  }

  /** Components of a vector; 0 before there is the first. */
  get dimensions(): number {
    return this.#dimensions;
  }

  /** Whether another name of this kind would be more than an index can hold. */
  isFull(kind: NameKind, name: string | null): boolean {
    return name !== null && !this.#names[kind].has(name) && this.#names[kind].size >= MOST_NAMES;
  }

  load(storage: Storage): Record<string, unknown> {
    this.forget();
    this.#dimensions = storage.dimensions();
    this.#index = new MemoryIndex({ dimensions: this.#dimensions, config: this.#config });
    for (const rows of storage.indexedNodes()) this.#upsert(rows);
    for (const rows of storage.edges()) this.#link(rows);
    return { nodes: this.index.size, edges: this.index.edgeCount, dimensions: this.#dimensions };
  }

  take({ nodes, edges, softened }: Taken): boolean {
    // The first vector decides how long they are, so that the index is made anew for it.
    if (this.#dimensions === 0 && nodes.some((row) => row.embedding_vector !== null)) return false;
    this.#upsert(nodes);
    this.#link(edges);
    this.#soften(softened);
    return true;
  }

  remove({ nodes, edges }: Removed): void {
    this.index.remove(nodes.filter(isId));
    this.index.unlink(edges.filter(isId));
  }

  forget(): void {
    this.#index?.free();
    this.#index = undefined;
    for (const names of Object.values(this.#names)) names.clear();
  }

  #upsert(rows: readonly IndexedNodeRow[]): void {
    const usable = rows.filter(({ id }) => isId(id));
    const odd = usable.filter(
      (row) => row.embedding_vector !== null && !vectorOf(row.embedding_vector, this.#dimensions),
    );
    if (odd.length > 0) this.#tell("Vectors of another length, or that are none, are left out", { nodes: odd.length });
    const nodes = usable.map((row) => this.#soft.over(memoryNodeOf(row, this.#dimensions)));
    for (const { type, subtype } of nodes) {
      if (type != null) this.#names.type.add(type);
      if (subtype != null) this.#names.subtype.add(subtype);
    }
    this.index.upsert(nodes);
  }

  #soften(rows: readonly SoftRow[]): void {
    const { index } = this;
    const there = rows.filter(({ id }) => isId(id) && index.has(id));
    index.upsert(there.map((row) => this.#soft.over(softNodeOf(row))));
  }

  #link(rows: readonly EdgeRow[]): void {
    const usable = rows.filter(({ id, source_id, target_id }) => isId(id) && isId(source_id) && isId(target_id));
    const edges = usable.map(memoryEdgeOf);
    for (const { type } of edges) if (type != null) this.#names["edge type"].add(type);
    this.index.link(edges);
  }
}
