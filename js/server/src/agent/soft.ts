// Soft state: what recalls and sweeps changed, ahead of the database by a moment. A crash may lose
// it. Counts are flushed as differences and times as maxima, so that several processes may add to
// one memory. It needs no index: one that is lost takes nothing of it along.

import {
  LIFECYCLE_STATES,
  type MemoryIndex,
  type MemoryNode,
  type StoredLifecycleState,
  type Sweep,
} from "nous-wasm";
import type { SoftChange } from "../storage/storage.ts";
import { MOST_JUMP, toIso } from "../time.ts";
import type { Consumer, Removed, Taken } from "./follower.ts";
import { createdAtOf } from "./index-rows.ts";

interface Pending {
  accesses: number;
  lastAccessed: number | null;
  /** Where it grew. */
  stability: number | null;
  /** Where retrievability and state were stored anew. */
  faded: { retrievability: number; lifecycle: StoredLifecycleState } | null;
}

export class SoftState implements Consumer {
  readonly name = "soft state";
  readonly #pending = new Map<string, Pending>();

  get size(): number {
    return this.#pending.size;
  }

  /** Being found: an access. */
  touched(ids: readonly string[], now: number): void {
    for (const id of ids) this.#accessed(this.#of(id), now);
  }

  /**
   * Being read: an access, after which stability, retrievability and state are those of the index.
   */
  recalled(id: string, index: MemoryIndex, now: number): void {
    const node = index.get(id);
    if (node === undefined) return;
    const pending = this.#of(id);
    this.#accessed(pending, now);
    pending.stability = node.stability;
    pending.faded = { retrievability: node.retrievability, lifecycle: node.lifecycle };
  }

  /** The stored access of a memory lies ahead of the clock, and is replaced by one at `now`. */
  mended(id: string, now: number): void {
    this.#of(id).lastAccessed = now;
  }

  /**
   * The clock was set back: accesses that lie ahead of it count as made now. Of those that lie far
   * ahead the time is not known: the clock is behind, or was ahead.
   */
  clockWasSetBack(now: number): void {
    for (const pending of this.#pending.values()) {
      if (pending.lastAccessed === null) continue;
      const isFar = pending.lastAccessed - now > MOST_JUMP;
      pending.lastAccessed = isFar ? null : Math.min(pending.lastAccessed, now);
    }
  }

  /** What a sweep has stored in the index. */
  faded({ ids, retrievability, lifecycle }: Sweep["changes"]): void {
    for (const [place, id] of ids.entries()) {
      const state = LIFECYCLE_STATES[lifecycle[place]!]!;
      this.#of(id).faded = { retrievability: retrievability[place]!, lifecycle: state };
    }
  }

  /** When it was last accessed, where the database does not know of it yet. */
  lastAccess(id: string): number | null {
    return this.#pending.get(id)?.lastAccessed ?? null;
  }

  /** States that the database does not know of yet, by id. */
  *states(): Iterable<[id: string, state: StoredLifecycleState]> {
    for (const [id, { faded }] of this.#pending) if (faded !== null) yield [id, faded.lifecycle];
  }

  /** A memory as the database has it, with what is ahead of it. */
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

  load(): Record<string, unknown> {
    return { pending: this.size };
  }

  /**
   * What the database says of a memory that was written holds, but accesses are still to be added.
   * Accesses from before it was made are those of a deleted memory with the same id.
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

  /** Does nothing: an index that is made anew gets what is ahead. */
  forget(): void {}

  /**
   * What is to be written: of these memories, or of all, and at most so many. Nothing is forgotten
   * by it; see `written`.
   */
  changes(
    ids: Iterable<string> = this.#pending.keys(),
    most = Number.POSITIVE_INFINITY,
  ): SoftChange[] {
    const changes: SoftChange[] = [];
    for (const id of ids) {
      const pending = this.#pending.get(id);
      if (pending === undefined) continue;
      if (changes.length >= most) break;
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

  /** The database has what was pending of these memories; or they are gone. */
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
