// The replica of an agent's memories: a `MemoryIndex` that is loaded from the database and follows
// its changes.

import {
  type EngineYaml,
  isAccessAhead,
  isId,
  MAX_JUMP,
  memoryEdgeOf,
  memoryNodeOf,
  type Stemming,
  type Steps,
  softNodeOf,
  textsOf,
  toIso,
  vectorOf,
} from "nous-memory";
import {
  type Engine,
  inSnakeCase,
  type Learned,
  MemoryIndex,
  type MemoryNode,
  NousError,
} from "nous-wasm";
import type { BuiltIn } from "../../embeddings/built-in.ts";
import { learnedIn } from "../../portable/learned.ts";
import type { EdgeRow, IndexedNodeRow, SoftRow, TextRow } from "../../storage/rows.ts";
import type { Storage } from "../../storage/storage.ts";
import type { NameKind } from "../../storage/tables/names.ts";
import type { VectorRoom } from "../vectors.ts";
import type { Consumer, Log, Removed, Taken } from "./follower.ts";
import type { BuildInputs, KeptSnapshot } from "./kept-snapshot.ts";
import type { SoftState } from "./soft-state.ts";

/** The most names of one kind: the index numbers types, subtypes and edge types with 16 bits. */
export const MAX_NAMES = 65_000;

export class IndexReplica implements Consumer {
  readonly name = "index";
  /** Whether the index holds texts, which `ask` needs. Set it while the index is not loaded. */
  holdsTexts: boolean;
  /** Returns how an index that is loaded now stems words. */
  readonly #stemmingNow: () => Stemming;
  /** The time zone by which days of memories are told. */
  readonly #timeZone: string;
  /** Whether the index ranks by what use has taught. */
  readonly #learns: boolean;
  #index: MemoryIndex | undefined;
  #storage: Storage | undefined;
  #dimensions = 0;
  /**
   * What the index holds of each embedding. Before the first one that is for the server's own vectors,
   * so that the index need not be built again for the first.
   */
  #room: VectorRoom = { dimensions: 0, embeddings: "f32" };
  readonly #roomFor: (dimensions: number) => VectorRoom;
  readonly #soft: SoftState;
  readonly #engine: () => Engine;
  /** Returns the configuration for an index that is loaded now. */
  readonly #configNow: () => EngineYaml;
  /** The configuration of the index. */
  #config: EngineYaml = {};
  readonly #log: Log;
  readonly #now: () => number;
  /** The source of word vectors; undefined if words have none. */
  readonly #words: BuiltIn | undefined;
  /** The snapshot; undefined if the agent keeps none. */
  readonly #kept: KeptSnapshot | undefined;
  /** Whether the snapshot may hold a text that its memory no longer has, or lacks texts. */
  #isOutdated = false;
  readonly #names: Record<NameKind, Set<string>> = {
    type: new Set(),
    subtype: new Set(),
    "edge type": new Set(),
  };

  constructor(
    soft: SoftState,
    engine: () => Engine,
    log: Log,
    now: () => number,
    {
      config,
      stemming,
      timeZone,
      holdsTexts,
      learns,
      words,
      roomFor,
      kept,
    }: {
      config: () => EngineYaml;
      stemming: () => Stemming;
      timeZone: string;
      holdsTexts: boolean;
      learns: boolean;
      words?: BuiltIn | undefined;
      /** Returns what an index needs for embeddings with so many components. */
      roomFor: (dimensions: number) => VectorRoom;
      kept?: KeptSnapshot | undefined;
    },
  ) {
    this.#soft = soft;
    this.#engine = engine;
    this.#configNow = config;
    this.#stemmingNow = stemming;
    this.#timeZone = timeZone;
    this.#log = log;
    this.#now = now;
    this.holdsTexts = holdsTexts;
    this.#learns = learns;
    this.#words = words;
    this.#roomFor = roomFor;
    this.#kept = kept;
  }

  /** The index; a follower has to load it first. */
  get index(): MemoryIndex {
    if (this.#index === undefined) throw new Error("the index is not loaded");
    return this.#index;
  }

  get isLoaded(): boolean {
    return this.#index !== undefined;
  }

  /** Components of an embedding; 0 before the first one. */
  get dimensions(): number {
    return this.#dimensions;
  }

  /**
   * Returns whether a new name would exceed the number of names that the index can hold of its
   * kind.
   */
  isFull(kind: NameKind, name: string | null): boolean {
    return name !== null && !this.#names[kind].has(name) && this.#names[kind].size >= MAX_NAMES;
  }

  *load(storage: Storage): Steps<Record<string, unknown>> {
    this.forget();
    this.#storage = storage;
    this.#config = this.#configNow();
    this.#dimensions = storage.embeddings.dimensions();
    this.#room = this.#roomFor(this.#dimensions);
    this.#index = new MemoryIndex({
      ...this.#room,
      config: inSnakeCase(this.#config),
      embedder: this.#words,
      stemming: this.#stemmingNow(),
    });
    for (const rows of storage.nodes.indexed()) {
      this.#upsert(rows);
      yield;
    }
    for (const rows of storage.edges.indexed()) {
      this.#link(rows);
      yield;
    }
    this.#learn(learnedIn(storage));
    return { nodes: this.index.size, edges: this.index.edgeCount, dimensions: this.#dimensions };
  }

  *resume(storage: Storage): Steps<number | undefined> {
    if (this.#kept === undefined) return undefined;
    this.#config = this.#configNow();
    const dimensions = storage.embeddings.dimensions();
    const room = this.#roomFor(dimensions);
    const inputs = this.#inputs(dimensions, room);
    const kept = yield* this.#kept.read(storage, inputs, (pieces) => this.#restored(pieces));
    if (kept === undefined) return undefined;
    this.#storage = storage;
    this.#index = kept.index;
    this.#dimensions = dimensions;
    // A snapshot without embeddings may have no room for any.
    this.#room = { ...room, dimensions };
    for (const [kind, names] of Object.entries(this.#names)) {
      for (const name of storage.names.inUse(kind as NameKind)) names.add(name);
    }
    // Another embedder or another stemming reads texts in another way: then none were restored.
    if (this.holdsTexts && kept.index.textCount === 0) {
      yield* this.#readTexts(storage, kept.index);
      this.#isOutdated = kept.index.textCount > 0;
    }
    // The snapshot may have been written under another setting.
    this.#learn(learnedIn(storage));
    return kept.sequence;
  }

  /** @throws {Error} If the snapshot holds texts that this index would not keep up to date. */
  *#restored(pieces: Iterable<Uint8Array>): Steps<MemoryIndex> {
    const index = yield* MemoryIndex.restoreInSteps(pieces, {
      config: inSnakeCase(this.#config),
      embedder: this.#words,
      stemming: this.#stemmingNow(),
    });
    if (this.holdsTexts || index.textCount === 0) return index;
    index.free();
    throw new Error("it holds texts, which searches by signals do not use");
  }

  #learn(learned: Learned): void {
    if (this.#learns) this.index.setLearned(learned);
    else this.index.forgetLearned();
  }

  /** Gives the memories that the index knows their texts. The change log brings the others. */
  *#readTexts(storage: Storage, index: MemoryIndex): Steps<void> {
    for (const rows of storage.nodes.texts()) {
      const known = rows.filter(({ id }) => isId(id) && index.has(id));
      const texts = known.map((row: TextRow) => {
        const created_at = toIso(index.get(row.id)!.created_at);
        return { id: row.id, ...textsOf({ ...row, created_at }, this.#timeZone) };
      });
      this.#put(
        texts,
        (batch) => index.upsert(batch),
        () => {},
      );
      yield;
    }
  }

  #inputs(dimensions: number, { embeddings }: VectorRoom): BuildInputs {
    const configuration = { ...this.#config, time_zone: this.#timeZone, embeddings };
    return { configuration, dimensions, now: this.#now() };
  }

  *keep(storage: Storage, applied: number): Steps<void> {
    if (this.#kept === undefined) return;
    const inputs = this.#inputs(this.#dimensions, this.#room);
    yield* this.#kept.keep(storage, this.index, inputs, applied, { isAnew: this.#isOutdated });
    this.#isOutdated = false;
  }

  /**
   * After the clock was set back to `now`, moves accesses ahead of it to `now`, in the index and in
   * the database. The database stays as it is for a memory without accesses, and for a memory that
   * was created and accessed far ahead of the clock: then the clock is behind. Does nothing before
   * the index is loaded.
   */
  clockWasSetBack(now: number): void {
    const index = this.#index;
    if (index === undefined) return;
    const ahead: { id: string; last_accessed: number }[] = [];
    for (const id of index.ids()) {
      const { last_accessed, access_count, created_at } = index.get(id)!;
      if (last_accessed <= now) continue;
      ahead.push({ id, last_accessed: now });
      const isBehind = created_at > now && last_accessed - now > MAX_JUMP;
      if (access_count > 0 && !isBehind) this.#soft.mended(id, now);
    }
    index.upsert(ahead);
    this.#log("The clock was set back: accesses ahead of it now count as accesses of this moment", {
      nodes: ahead.length,
    });
  }

  take({ nodes, edges, softened, learned }: Taken): boolean {
    if (nodes.some((row) => this.#isOdd(row))) {
      // The first embedding sets the number of components.
      const dimensions = this.#storage!.embeddings.dimensions();
      const isFirst = this.#dimensions === 0 && isSameRoom(this.#roomFor(dimensions), this.#room);
      if (!isFirst && dimensions !== this.#dimensions) return false;
      this.#dimensions = dimensions;
    }
    this.#upsert(nodes);
    this.#link(edges);
    this.#soften(softened);
    if (learned !== undefined) this.#learn(learned);
    return true;
  }

  remove({ nodes, edges }: Removed): void {
    const removed = this.index.remove(nodes.filter(isId));
    this.#isOutdated ||= this.holdsTexts && removed > 0;
    this.index.unlink(edges.filter(isId));
  }

  forget(): void {
    this.#index?.free();
    this.#index = undefined;
    for (const names of Object.values(this.#names)) names.clear();
  }

  /** Returns whether a row has an embedding that this index cannot take. */
  #isOdd({ embedding_vector: bytes }: IndexedNodeRow): boolean {
    return bytes !== null && vectorOf(bytes, this.#dimensions) === null;
  }

  #upsert(rows: readonly IndexedNodeRow[]): void {
    const usable = rows.filter(({ id }) => isId(id));
    const odd = usable.filter((row) => this.#isOdd(row));
    if (odd.length > 0)
      this.#log("Embeddings that do not fit the index are left out", {
        nodes: odd.length,
      });
    const now = this.#mendAccesses(usable);
    const nodes = usable.map((row) => {
      const node = this.#soft.over(memoryNodeOf(row, this.#dimensions, now));
      return this.holdsTexts ? { ...node, ...textsOf(row, this.#timeZone) } : node;
    });
    this.#addStakes(nodes);
    for (const { type, subtype } of nodes) {
      if (type != null) this.#names.type.add(type);
      if (subtype != null) this.#names.subtype.add(subtype);
    }
    this.#put(
      nodes,
      (batch) => this.index.upsert(batch),
      (ids) => this.index.remove(ids),
    );
  }

  /**
   * Moves accesses that an earlier clock stored ahead of now to now. Returns now, in milliseconds.
   */
  #mendAccesses(rows: readonly SoftRow[]): number {
    const now = this.#now();
    for (const row of rows) if (isAccessAhead(row, now)) this.#soft.mended(row.id, now);
    return now;
  }

  /**
   * Adds the salience of each memory if recalls raise stability by it: the index would keep an
   * older salience.
   */
  #addStakes(nodes: readonly MemoryNode[]): void {
    if (!this.#config.salience_growth) return;
    const signals = this.#storage!.nodes.signals(nodes.map(({ id }) => id));
    for (const node of nodes)
      node.salience = salienceOfStored(this.#engine(), node.subtype, signals.get(node.id));
  }

  /** Adds rows. Leaves out each row that the index refuses. */
  #put<T extends { id: string }>(
    rows: readonly T[],
    put: (batch: readonly T[]) => unknown,
    leaveOut: (ids: string[]) => void,
  ): void {
    try {
      put(rows);
    } catch (error) {
      if (!isInvalid(error)) throw error;
      const odd = rows.filter((row) => !isTaken(put, row)).map(({ id }) => id);
      leaveOut(odd);
      this.#log("Rows that the index cannot take are left out", { ids: odd });
    }
  }

  #soften(rows: readonly SoftRow[]): void {
    const { index } = this;
    const there = rows.filter(({ id }) => isId(id) && index.has(id));
    const now = this.#mendAccesses(there);
    const nodes = there.map((row) => this.#soft.over(softNodeOf(row, now)));
    this.#put(
      nodes,
      (batch) => index.upsert(batch),
      (ids) => index.remove(ids),
    );
  }

  #link(rows: readonly EdgeRow[]): void {
    const usable = rows.filter(
      ({ id, source_id, target_id }) => isId(id) && isId(source_id) && isId(target_id),
    );
    const edges = usable.map(memoryEdgeOf);
    for (const { type } of edges) if (type != null) this.#names["edge type"].add(type);
    this.#put(
      edges,
      (batch) => this.index.link(batch),
      (ids) => this.index.unlink(ids),
    );
  }
}

const isSameRoom = (one: VectorRoom, other: VectorRoom): boolean =>
  one.dimensions === other.dimensions && one.embeddings === other.embeddings;

const isInvalid = (error: unknown): boolean =>
  error instanceof NousError && error.code === "invalid_argument";

function isTaken<T>(put: (batch: readonly T[]) => unknown, row: T): boolean {
  try {
    put([row]);
    return true;
  } catch (error) {
    if (!isInvalid(error)) throw error;
    return false;
  }
}

/**
 * Returns the salience of a memory by its stored figures, or without figures if they cannot be
 * read.
 */
function salienceOfStored(
  engine: Engine,
  subtype: string | null | undefined,
  signals: string | undefined,
): number {
  try {
    return engine.calculateSalience(subtype, signals === undefined ? null : JSON.parse(signals));
  } catch {
    return engine.calculateSalience(subtype, null);
  }
}
