// Soft state: changes by recalls and sweeps that are not written yet. A crash may lose the last
// second of it. Counts are flushed as differences and times as maxima, so that several processes
// may add to one memory. It does not depend on the index: an index that is lost loses no soft
// state.

import { createdAtOf, MAX_JUMP, oneStep, type Steps, toIso } from "nous-memory";
import {
  LIFECYCLE_STATES,
  type MemoryIndex,
  type MemoryNode,
  type StoredLifecycleState,
  type Sweep,
} from "nous-wasm";
import type { SoftChange } from "../../storage/tables/soft.ts";
import type { Consumer, Removed, Taken } from "./follower.ts";

interface Pending {
  accesses: number;
  lastAccessed: number | null;
  /** Days, if it grew. */
  stability: number | null;
  /** Retrievability and state, if a recall or a sweep set them. */
  faded: { retrievability: number; lifecycle: StoredLifecycleState } | null;
}

export class SoftState implements Consumer {
  readonly name = "soft state";
  readonly #pending = new Map<string, Pending>();

  get size(): number {
    return this.#pending.size;
  }

  /** Counts an access of memories that were found. */
  touched(ids: readonly string[], now: number): void {
    for (const id of ids) this.#accessed(this.#of(id), now);
  }

  /** Counts an access of a memory that was read, and takes what it changed from the index. */
  recalled(id: string, index: MemoryIndex, now: number): void {
    const node = index.get(id);
    if (node === undefined) return;
    const pending = this.#of(id);
    this.#accessed(pending, now);
    pending.stability = node.stability;
    pending.faded = { retrievability: node.retrievability, lifecycle: node.lifecycle };
  }

  /**
   * Replaces the stored access of a memory, which lies ahead of the clock, by an access at `now`.
   */
  mended(id: string, now: number): void {
    this.#of(id).lastAccessed = now;
  }

  /**
   * After the clock was set back, moves accesses ahead of it to now. The time of accesses that lie
   * far ahead is unknown: the clock is behind, or was ahead.
   */
  clockWasSetBack(now: number): void {
    for (const pending of this.#pending.values()) {
      if (pending.lastAccessed === null) continue;
      const isFar = pending.lastAccessed - now > MAX_JUMP;
      pending.lastAccessed = isFar ? null : Math.min(pending.lastAccessed, now);
    }
  }

  /** Takes the retrievability and states that a sweep set in the index. */
  faded({ ids, retrievability, lifecycle }: Sweep["changes"]): void {
    for (const [place, id] of ids.entries()) {
      const state = LIFECYCLE_STATES[lifecycle[place]!]!;
      this.#of(id).faded = { retrievability: retrievability[place]!, lifecycle: state };
    }
  }

  /** Returns the last access of a memory if it is not written yet, in milliseconds since 1970. */
  lastAccess(id: string): number | null {
    return this.#pending.get(id)?.lastAccessed ?? null;
  }

  /** Returns the states that are not written yet, by id. */
  *states(): Iterable<[id: string, state: StoredLifecycleState]> {
    for (const [id, { faded }] of this.#pending) if (faded !== null) yield [id, faded.lifecycle];
  }

  /** Returns a memory of the database with its pending changes. */
  over(node: MemoryNode): MemoryNode {
    const pending = this.#pending.get(node.id);
    if (pending === undefined) return node;
    const { accesses, lastAccessed, stability, faded } = pending;
    const last = node.last_accessed as number | null | undefined;
    return {
      ...node,
      access_count: (node.access_count ?? 0) + accesses,
      last_accessed: lastAccessed === null ? last : Math.max(last ?? lastAccessed, lastAccessed),
      ...(stability === null ? {} : { stability }),
      ...faded,
    };
  }

  load(): Steps<Record<string, unknown>> {
    return oneStep(() => ({ pending: this.size }));
  }

  /**
   * After a write the database's values win; only pending access counts are kept. Accesses from
   * before the memory was made belong to a deleted memory with the same id.
   */
  take({ nodes }: Taken): boolean {
    for (const row of nodes) {
      const pending = this.#pending.get(row.id);
      if (pending === undefined) continue;
      if ((pending.lastAccessed ?? Infinity) < (createdAtOf(row) ?? 0)) {
        this.#pending.delete(row.id);
        continue;
      }
      pending.stability = null;
      pending.faded = null;
    }
    return true;
  }

  remove({ nodes }: Removed): void {
    this.written(nodes);
  }

  /** Does nothing: a rebuilt index gets the pending changes. */
  forget(): void {}

  /**
   * Returns pending changes, of these memories or of all, and at most `most`. They stay pending
   * until `written` is called.
   */
  changes(
    ids: Iterable<string> = this.#pending.keys(),
    max = Number.POSITIVE_INFINITY,
  ): SoftChange[] {
    const changes: SoftChange[] = [];
    for (const id of ids) {
      const pending = this.#pending.get(id);
      if (pending === undefined) continue;
      if (changes.length >= max) break;
      const { accesses, lastAccessed, stability, faded } = pending;
      changes.push({
        id,
        accesses,
        last_accessed: lastAccessed === null ? null : toIso(lastAccessed),
        stability,
        retrievability: faded?.retrievability ?? null,
        lifecycle: faded?.lifecycle ?? null,
      });
    }
    return changes;
  }

  /** Drops the pending changes of memories: they were written, or the memories were deleted. */
  written(ids: readonly string[]): void {
    for (const id of ids) this.#pending.delete(id);
  }

  #of(id: string): Pending {
    let pending = this.#pending.get(id);
    if (pending === undefined) {
      pending = { accesses: 0, lastAccessed: null, stability: null, faded: null };
      this.#pending.set(id, pending);
    }
    return pending;
  }

  #accessed(pending: Pending, now: number): void {
    pending.accesses += 1;
    pending.lastAccessed = Math.max(pending.lastAccessed ?? now, now);
  }
}
