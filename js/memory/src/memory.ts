// A memory in this process: an index of the engine, and the rows that it was made of.

import {
  createEngine,
  type Engine,
  inSnakeCase,
  type MemoryEdge,
  MemoryIndex,
  offsetIn,
  type WordVectors,
} from "nous-wasm";
import { memoryNodeOf, textsOf } from "./index-rows.ts";
import { GENERAL } from "./presets/general.ts";
import { engineConfigOf, type Preset } from "./presets/preset.ts";
import type { IndexedMemory } from "./prompt/over-index.ts";
import type { IndexedNodeRow } from "./rows.ts";
import { parseInstant } from "./time.ts";
import { edgesWithout } from "./write/supersession.ts";

/** Options of `new Memory()`. */
export interface MemoryOptions {
  /** What the memories are about. Default: `GENERAL`. */
  preset?: Preset | undefined;
  /** Word vectors, by which other words than those of a question match. Default: none. */
  embedder?: WordVectors | undefined;
  /** The rows of an earlier memory, as `all` returned them. Default: none. */
  rows?: Iterable<IndexedNodeRow> | undefined;
  /** The edges of an earlier memory, as `edges` returned them. Default: none. */
  edges?: Iterable<MemoryEdge> | undefined;
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  clock?: (() => number) | undefined;
  /**
   * The name of the time zone, in the database of IANA, by whose clocks days are told and times
   * without a zone are read, such as `Europe/Berlin`. Default: UTC.
   */
  timeZone?: string | undefined;
}

/**
 * The memories of one agent in this process: a `MemoryIndex`, and the rows that it was made of. Rows
 * and edges are plain data: store them as JSON where you like, and pass them to the constructor again.
 *
 * Call `init()` of nous-wasm before in a browser. A memory whose `expires_at` has passed is not found.
 *
 * @example
 * ```ts
 * const memory = new Memory({ embedder: await loadEmbedder() });
 * remember(memory, "Mira eats no dairy.");
 * const saved = JSON.stringify([...memory.all()]);
 * const again = new Memory({ rows: JSON.parse(saved) });
 * ```
 */
export class Memory implements IndexedMemory {
  /** What the memories are about. */
  readonly preset: Preset;
  /** The engine with the preset's configuration. */
  readonly engine: Engine;
  /** The index. It holds every memory of `all`. */
  readonly index: MemoryIndex;
  /** The time zone by which days are told. */
  readonly timeZone: string;
  readonly #clock: () => number;
  readonly #rows = new Map<string, IndexedNodeRow>();
  readonly #edges = new Map<string, MemoryEdge>();
  #next = 0;

  /**
   * @throws {NousError} `not_initialized` before the engine is loaded; `invalid_argument` for a time
   * zone that the runtime does not know; else as `MemoryIndex`.
   */
  constructor({
    preset = GENERAL,
    embedder,
    rows = [],
    edges = [],
    clock,
    timeZone = "UTC",
  }: MemoryOptions = {}) {
    offsetIn(timeZone, 0);
    this.timeZone = timeZone;
    const config = inSnakeCase(engineConfigOf(preset, {}));
    this.preset = preset;
    this.engine = createEngine(config);
    this.index = new MemoryIndex({ embedder, config, stemming: preset.stemming });
    this.#clock = clock ?? Date.now;
    this.put(rows);
    this.link(edges);
  }

  /** The present, in milliseconds since 1970. */
  get now(): number {
    return this.#clock();
  }

  /** Returns the row of a memory; undefined if there is none, or if it has expired. */
  row(id: string): IndexedNodeRow | undefined {
    const row = this.#rows.get(id);
    return row === undefined || this.#hasExpired(row) ? undefined : row;
  }

  /** Returns the rows of all memories that have not expired, in the order in which they came. */
  *all(): IterableIterator<IndexedNodeRow> {
    for (const row of this.#rows.values()) if (!this.#hasExpired(row)) yield row;
  }

  /** Returns the edges between memories, in the order in which they came. */
  edges(): IterableIterator<MemoryEdge> {
    return this.#edges.values();
  }

  /** The number of the next row. */
  get next(): number {
    return this.#next;
  }

  /**
   * Adds rows, and replaces those that are there.
   *
   * @throws {NousError} As `MemoryIndex.upsert`. No row is added then.
   */
  put(rows: Iterable<IndexedNodeRow>): void {
    const list = [...rows];
    const { now } = this;
    this.index.upsert(
      list.map((row) => ({ ...memoryNodeOf(row, 0, now), ...textsOf(row, this.timeZone) })),
      { now },
    );
    for (const row of list) {
      this.#rows.set(row.id, row);
      this.#next = Math.max(this.#next, row.sequence + 1);
    }
  }

  /**
   * Links memories. An edge of type `supersedes` leads from the newer memory to the one that it
   * replaces, which no prompt shows any more. An edge to a memory that is not there is left out.
   *
   * @throws {NousError} As `MemoryIndex.link`. No edge is added then.
   */
  link(edges: Iterable<MemoryEdge>): void {
    const list = [...edges];
    const ignored = new Set(this.index.link(list).ignored);
    for (const edge of list) if (!ignored.has(edge.id)) this.#edges.set(edge.id, edge);
  }

  /**
   * Removes memories, and their edges. Ids of no memory are skipped. What a removed memory superseded
   * is superseded by the memory that superseded it last.
   */
  remove(ids: Iterable<string>): void {
    const gone = new Set(ids);
    this.link(edgesWithout(this.#edges.values(), gone));
    this.index.remove([...gone]);
    for (const id of gone) this.#rows.delete(id);
    for (const { id, source_id, target_id } of [...this.#edges.values()])
      if (gone.has(source_id) || gone.has(target_id)) this.#edges.delete(id);
  }

  /** Frees the index. The memory cannot be used afterwards. */
  free(): void {
    this.index.free();
  }

  #hasExpired({ expires_at }: IndexedNodeRow): boolean {
    const at = expires_at === null ? undefined : parseInstant(expires_at);
    return at !== undefined && at <= this.now;
  }
}
