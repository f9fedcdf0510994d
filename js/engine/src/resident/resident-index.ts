// The common part of the resident indexes: the state of an index until `free`, and bounds.

import { invalid, NousError, show } from "../errors.ts";
import { freed, type Snapshotted, type SnapshotWriter } from "./snapshot.ts";

/** The default limit of results. @internal */
export const DEFAULT_LIMIT = 20;
const DEFAULT_MAX_BYTES = 3 * 2 ** 30;
/** A Map holds 2²⁴ entries. */
const MAX_IDS = 2 ** 24 - 1;

/** The state of an index: its instance, and the rows of its ids. @internal */
export interface IndexState<M extends SnapshotWriter> extends Snapshotted<M> {
  /** Rows by id. */
  rows: Map<string, number>;
  /** Ids by row. */
  ids: (string | undefined)[];
}

/** Holds the state of an index until the index is freed. @internal */
export class ResidentIndex<State extends { isFreed: boolean }> {
  #state: State | undefined;

  constructor(state: State) {
    this.#state = state;
  }

  /** @throws {NousError} `freed` if the index has been freed. */
  live(): State {
    if (this.#state === undefined) throw freed();
    return this.#state;
  }

  /**
   * Call this after reading a caller's objects: reading may have run code of the caller that freed
   * the index.
   *
   * @throws {NousError} `freed` if the index has been freed.
   */
  requireSame(state: State): void {
    if (this.#state !== state) throw freed();
  }

  /** Drops the state, and with it the memory of its instance. */
  free(): void {
    if (this.#state !== undefined) this.#state.isFreed = true;
    this.#state = undefined;
  }
}

/**
 * Makes `using` free the instances of a class, if this environment has `Symbol.dispose`. @internal
 */
export function freeOnDispose({ prototype }: { prototype: { free(): void } }): void {
  if (Symbol.dispose === undefined) return;
  Object.defineProperty(prototype, Symbol.dispose, {
    value: prototype.free,
    writable: true,
    configurable: true,
  });
}

/** Throws `out_of_memory` for more ids than a Map can hold. @internal */
export function checkRoom(batch: string, ids: number): void {
  if (ids <= MAX_IDS) return;
  throw new NousError("out_of_memory", `${batch} would be ${ids}, and an index holds ${MAX_IDS}.`, {
    field: batch,
  });
}

/** Checks the option `maxBytes`. @internal */
export function maxBytesOf(maxBytes: number | undefined): number {
  if (maxBytes === undefined) return DEFAULT_MAX_BYTES;
  if (typeof maxBytes === "number" && maxBytes > 0) return Math.min(maxBytes, 2 ** 32 - 1);
  throw invalid("maxBytes", `must be a number of bytes above 0, found ${show(maxBytes)}`);
}
