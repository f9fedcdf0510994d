// The columns of an agent: by what filters compare, such as a path of the metadata, the value that
// each memory has. With them a search asks the index only for memories that may pass its filter.
//
// Idea: the first filter that compares something reads its column from the database. The column
// then follows the change log: values of changed memories are read again before its next use. So an
// agent whose filters need no columns has none, and the number of distinct values does not count.
//
// Invariant: a memory that passes the filter in the database is among those that `among` returns.
//
// Why sound: a column has a place for each memory of the index, by its handle. A memory gets a
// handle, or another one, only by an entry of the change log, after which its value is read again.
// A rebuilt index has other handles, and no column made before is used for it. Tests of values let
// every memory pass that the database lets pass; see `storage/filters/may-pass.ts`.
//
// Cost: 16 to 32 bytes for each memory and column, and the texts, which are cut. The columns that were
// used last are kept, up to `MAX_BYTES`. Reading a column takes about as long as a scan of the
// table; a filter then takes some milliseconds for each column of 100,000 memories.

import { LRUCache } from "lru-cache";
import { oneStep, type Steps } from "nous-memory";
import type { MemoryIndex } from "nous-wasm";
import type { Compared, ComparedValues, Entry } from "../../storage/filters/compared.ts";
import type { ComparedTest } from "../../storage/filters/conditions.ts";
import { cut, type Test, type Value } from "../../storage/filters/may-pass.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Consumer, Taken } from "./follower.ts";

/** Estimated bytes of all columns of an agent. A column that would take more is not kept. */
const MAX_BYTES = 64 * 2 ** 20;
/** Estimated bytes of a memory in a column, and of a text beside its characters. */
const BYTES_OF_PLACE = 24;
const BYTES_OF_TEXT = 20;
/** A column that lacks more changes is read anew. */
const MAX_CHANGED = 10_000;

/** The value of an object, and the entry of a list that is no scalar. */
const OBJECT = {};

/** The memories that may pass. */
export interface Among {
  handles: Uint32Array;
  /** Returns their ids. */
  ids(): string[];
}

interface Column {
  /** The index whose handles the places are. */
  index: MemoryIndex;
  /** By handle; undefined if the column would be too large. */
  values: Value[] | undefined;
  ids: string[];
  /** Memories that changed since the column was read. */
  changed: Set<string>;
  bytes: number;
}

export class Columns implements Consumer {
  readonly name = "columns";
  readonly #columns = new LRUCache<string, Column>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
  });

  /** Estimated bytes of the columns. */
  get bytes(): number {
    return this.#columns.calculatedSize;
  }

  /**
   * Returns the memories of the index that may pass all these tests; undefined if no column tells.
   * Call it only when the follower has caught up, outside of a transaction with changes.
   */
  among(tests: readonly ComparedTest[], index: MemoryIndex, storage: Storage): Among | undefined {
    let handles: Uint32Array | undefined;
    let ids: string[] = [];
    for (const { compared, test } of tests) {
      const column = this.#columnOf(compared, index, storage);
      if (column.values === undefined) continue;
      ids = column.ids;
      handles = passing(column.values, test, handles);
    }
    return handles && { handles, ids: () => Array.from(handles, (handle) => ids[handle]!) };
  }

  #columnOf(compared: Compared, index: MemoryIndex, storage: Storage): Column {
    const key = JSON.stringify(compared);
    const known = this.#columns.get(key);
    if (known !== undefined && known.index === index) {
      refresh(known, compared, storage);
      return known;
    }
    const column = read(compared, index, storage);
    this.#columns.set(key, column);
    return column;
  }

  /** Columns are read when a filter needs them. */
  load(): Steps<undefined> {
    return oneStep(() => undefined);
  }

  take({ nodes }: Taken): boolean {
    for (const [key, { changed }] of [...this.#columns.entries()]) {
      for (const { id } of nodes) changed.add(id);
      if (changed.size > MAX_CHANGED) this.#columns.delete(key);
    }
    return true;
  }

  /** The handle of a removed memory is of no use until another memory has it. */
  remove(): void {}

  forget(): void {
    this.#columns.clear();
  }
}

/** Reads a column from the database. */
function read(compared: Compared, index: MemoryIndex, storage: Storage): Column {
  const column: Column = { index, values: [], ids: [], changed: new Set(), bytes: 1 };
  place([...index.ids()], column);
  column.bytes = 1 + BYTES_OF_PLACE * column.ids.length;
  // Equal texts are kept once.
  const pool = new Map<string, string>();
  for (const batch of storage.nodes.compared(compared)) {
    fill(column, batch, pool);
    if (column.bytes > MAX_BYTES) return { ...column, values: undefined, ids: [], bytes: 1 };
  }
  return column;
}

/** Brings a column up to date. */
function refresh(column: Column, compared: Compared, storage: Storage): void {
  if (column.values === undefined || column.changed.size === 0) return;
  const ids = [...column.changed];
  place(
    ids.filter((id) => column.index.has(id)),
    column,
  );
  for (const batch of storage.nodes.compared(compared, ids)) fill(column, batch, new Map());
  column.changed.clear();
}

/** Gives memories of the index their places, without a value. */
function place(ids: readonly string[], { index, values, ids: placed }: Column): void {
  const handles = index.handles(ids);
  for (const [at, id] of ids.entries()) {
    const handle = handles[at]!;
    // A list with holes would take several times as long.
    while (values!.length <= handle) {
      values!.push(undefined);
      placed.push("");
    }
    values![handle] = undefined;
    placed[handle] = id;
  }
}

function fill(column: Column, { ids, values }: ComparedValues, pool: Map<string, string>): void {
  const there = ids.map((id) => column.index.has(id));
  const handles = column.index.handles(ids.filter((_, at) => there[at]));
  const pooled = (value: string): string => {
    const known = pool.get(value);
    if (known !== undefined) return known;
    const kept = cut(value);
    pool.set(value, kept);
    column.bytes += BYTES_OF_TEXT + kept.length;
    return kept;
  };
  const keptOf = (entry: Entry): Entry =>
    typeof entry === "string" ? pooled(entry) : isScalar(entry) ? entry : OBJECT;
  let next = 0;
  for (const [at, value] of values.entries()) {
    if (!there[at]) continue;
    if (Array.isArray(value)) column.bytes += BYTES_OF_PLACE * (1 + value.length);
    column.values![handles[next++]!] = Array.isArray(value) ? value.map(keptOf) : keptOf(value);
  }
}

const isScalar = (entry: Entry): boolean => typeof entry !== "object" || entry === null;

/** Returns the handles whose values pass a test: of all, or of these. */
function passing(values: readonly Value[], test: Test, among?: Uint32Array): Uint32Array {
  const found = new Uint32Array(among?.length ?? values.length);
  let count = 0;
  if (among === undefined) {
    for (let handle = 0; handle < values.length; handle++)
      if (test(values[handle])) found[count++] = handle;
  } else for (const handle of among) if (test(values[handle])) found[count++] = handle;
  return found.subarray(0, count);
}
