// The index of an agent, kept equal to its database: loaded from it, and led by its change log whoever wrote.

import { type EngineConfig, MemoryIndex } from "nous-wasm";
import type { EdgeRow, IndexedNodeRow } from "../storage/rows.ts";
import type { Change, Storage } from "../storage/storage.ts";
import { memoryEdgeOf, memoryNodeOf, vectorOf } from "./index-rows.ts";
import type { SoftState } from "./soft.ts";

/** Told of what happened to the index, in a sentence with figures. */
export type Tell = (what: string, figures?: Record<string, unknown>) => void;

/** Entries of the change log that are kept for other processes. One that is further behind builds its index anew. */
const KEPT_CHANGES = 100_000;
/** How much longer the log may get before it is cut. */
const SPARE_CHANGES = 10_000;
/** Ids that are looked up at once. */
const BATCH = 1_000;
/** The index gives a name of types, subtypes or edge types 16 bits. */
const MOST_NAMES = 65_000;

/** What a memory or an edge is called by; each kind of name is bounded. */
export type NameKind = "type" | "subtype" | "edge type";

export class Follower {
  #index: MemoryIndex | undefined;
  #dimensions = 0;
  /** The last entry of the change log that the index knows. */
  #applied = 0;
  /** The last entry when the log was last cut. */
  #trimmed = 0;
  /** The database's version at which nothing was left to follow. */
  #version = -1;
  readonly #names: Record<NameKind, Set<string>> = { type: new Set(), subtype: new Set(), "edge type": new Set() };

  constructor(
    readonly storage: Storage,
    readonly soft: SoftState,
    readonly config: EngineConfig,
    readonly tell: Tell,
  ) {}

  /** The index as it is now, without a look at what others wrote. */
  get index(): MemoryIndex {
    this.#index ??= this.#load();
    return this.#index;
  }

  /** Components of a vector; 0 before there is the first. */
  get dimensions(): number {
    return this.index && this.#dimensions;
  }

  /** Whether another name of this kind would be more than an index can hold. */
  isFull(kind: NameKind, name: string | null): boolean {
    return name !== null && !this.#names[kind].has(name) && this.#names[kind].size >= MOST_NAMES;
  }

  /** Gives the index up; the next who needs it gets a new one. */
  forget(): void {
    this.#index?.free();
    this.#index = undefined;
  }

  /** Makes the index know what others have committed, in order. */
  follow(): void {
    const version = this.storage.version();
    if (this.#index !== undefined && version !== this.#version) this.#catchUp();
    this.#index ??= this.#load();
    this.#version = version;
  }

  /**
   * Writes as one transaction, and then applies what it wrote. What others wrote before comes first, so that the index takes
   * everything in the order of its commits.
   */
  write<T>(work: () => T, apply: (written: T) => void): T {
    const { result, last } = this.storage.transaction(() => {
      if (this.#index !== undefined) this.#catchUp();
      this.#index ??= this.#load(true);
      const written = work();
      const last = this.storage.claimChanges(this.#applied);
      this.#trim(last);
      return { result: written, last };
    });
    try {
      apply(result);
    } catch (error) {
      // It is committed, so that an index without it would be wrong.
      this.forget();
      this.tell("The index could not take what was written, and is built anew", { why: (error as Error).message });
    }
    this.#applied = last;
    return result;
  }

  /** Takes memories in as they are stored. */
  takeNodes(ids: readonly string[]): void {
    for (const rows of this.storage.indexedNodes(ids)) {
      if (this.#isFirstVector(rows)) this.forget();
      else this.#upsert(this.index, rows);
    }
  }

  takeEdges(rows: readonly EdgeRow[]): void {
    this.#link(this.index, rows);
  }

  /** Forgets entries of the change log that nobody is likely to need. */
  #trim(last: number): void {
    if (last - this.#trimmed < SPARE_CHANGES) return;
    this.storage.trimChanges(last - KEPT_CHANGES);
    this.#trimmed = last;
  }

  /** `isWithin`: a transaction is open already. */
  #load(isWithin = false): MemoryIndex {
    const start = performance.now();
    const load = () => {
      const index = this.#fill();
      this.#applied = this.storage.changeRange().last;
      return index;
    };
    const index = isWithin ? load() : this.storage.snapshot(load);
    this.soft.lost();
    const figures = { nodes: index.size, edges: index.edgeCount, ms: Math.round(performance.now() - start) };
    this.tell("Index loaded from the database", { ...figures, dimensions: this.#dimensions });
    return index;
  }

  #fill(): MemoryIndex {
    this.#dimensions = this.storage.dimensions();
    for (const names of Object.values(this.#names)) names.clear();
    const index = new MemoryIndex({ dimensions: this.#dimensions, config: this.config });
    try {
      for (const rows of this.storage.indexedNodes()) this.#upsert(index, rows);
      for (const rows of this.storage.edges()) this.#link(index, rows);
    } catch (error) {
      index.free();
      throw error;
    }
    return index;
  }

  #catchUp(): void {
    const { first, last } = this.storage.changeRange();
    if (last === this.#applied) return;
    if (last < this.#applied || first > this.#applied + 1) {
      this.tell("The change log does not reach back to what the index knows: the index is built anew");
      this.forget();
      return;
    }
    const changes = this.storage.changesSince(this.#applied);
    this.#apply(changes);
    this.#applied = last;
    if (changes.length > 0) this.tell("Took in what others wrote", { changes: changes.length });
  }

  /** Nodes first: an edge needs its ends. What is not there any more is removed. */
  #apply(changes: readonly Change[]): void {
    const idsOf = (entity: Change["entity"]) => [
      ...new Set(changes.filter((change) => change.entity === entity).map(({ id }) => id)),
    ];
    for (const ids of batches(idsOf("node"))) {
      const gone = new Set(ids);
      for (const rows of this.storage.indexedNodes(ids)) {
        for (const { id } of rows) {
          gone.delete(id);
          this.soft.overtaken(id);
        }
        if (this.#isFirstVector(rows)) {
          this.forget();
          return;
        }
        this.#upsert(this.index, rows);
      }
      this.index.remove([...gone].filter(isId));
      this.soft.forget([...gone]);
    }
    for (const ids of batches(idsOf("edge"))) {
      const gone = new Set(ids);
      for (const rows of this.storage.edges(ids)) {
        for (const { id } of rows) gone.delete(id);
        this.#link(this.index, rows);
      }
      this.index.unlink([...gone].filter(isId));
    }
  }

  /** The first vector decides how long they are, so that the index is made anew for it. */
  #isFirstVector(rows: readonly IndexedNodeRow[]): boolean {
    return this.#dimensions === 0 && rows.some((row) => row.embedding_vector !== null);
  }

  #upsert(index: MemoryIndex, rows: readonly IndexedNodeRow[]): void {
    const usable = rows.filter(({ id }) => isId(id));
    const odd = usable.filter(
      (row) => row.embedding_vector !== null && !vectorOf(row.embedding_vector, this.#dimensions),
    );
    if (odd.length > 0) this.tell("Vectors of another length, or that are none, are left out", { nodes: odd.length });
    index.upsert(
      usable.map((row) => {
        this.#names.type.add(row.type);
        if (row.subtype !== null) this.#names.subtype.add(row.subtype);
        const node = memoryNodeOf(row, this.#dimensions);
        const ahead = this.soft.lastAccess(row.id);
        if (ahead === null) return node;
        const last = (node.last_accessed as number | null) ?? ahead;
        const accesses = (node.access_count ?? 0) + this.soft.accesses(row.id);
        return { ...node, last_accessed: Math.max(last, ahead), access_count: accesses };
      }),
    );
  }

  #link(index: MemoryIndex, rows: readonly EdgeRow[]): void {
    const usable = rows.filter(({ id, source_id, target_id }) => isId(id) && isId(source_id) && isId(target_id));
    for (const { type } of usable) this.#names["edge type"].add(type);
    index.link(usable.map(memoryEdgeOf));
  }
}

const isId = (id: string | null): id is string => typeof id === "string" && id !== "";

function* batches<T>(list: readonly T[]): Iterable<readonly T[]> {
  for (let at = 0; at < list.length; at += BATCH) yield list.slice(at, at + BATCH);
}
