// Soft state: what recalls and sweeps changed, ahead of the database by a moment. A crash may lose it. Counts are flushed as
// differences and times as maxima, so that several processes may add to one memory.

import type { MemoryIndex } from "nous-wasm";
import type { SoftChange } from "../storage/storage.ts";
import { toIso } from "../time.ts";

interface Pending {
  accesses: number;
  lastAccessed: number | null;
  /** Whether stability grew. */
  isGrown: boolean;
  /** Whether retrievability and state were stored anew. */
  isFaded: boolean;
}

export class SoftState {
  #pending = new Map<string, Pending>();

  get size(): number {
    return this.#pending.size;
  }

  /** Being found: an access. */
  touched(ids: readonly string[], now: number): void {
    for (const id of ids) this.#accessed(this.#of(id), now);
  }

  /** Being read: an access, after which stability, retrievability and state are those of the index. */
  recalled(id: string, now: number): void {
    const pending = this.#of(id);
    this.#accessed(pending, now);
    pending.isGrown = true;
    pending.isFaded = true;
  }

  /** Retrievability and state that a sweep has stored in the index. */
  faded(ids: readonly string[]): void {
    for (const id of ids) this.#of(id).isFaded = true;
  }

  /** Accesses that the database does not know of yet. */
  accesses(id: string): number {
    return this.#pending.get(id)?.accesses ?? 0;
  }

  /** When it was last accessed, where the database does not know of it yet. */
  lastAccess(id: string): number | null {
    return this.#pending.get(id)?.lastAccessed ?? null;
  }

  /** Somebody else has written a memory: what the database says of it holds, but accesses are still to be added. */
  overtaken(id: string): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    pending.isGrown = false;
    pending.isFaded = false;
  }

  /** The index is gone, and growth and states with it; accesses are still to be added. */
  lost(): void {
    for (const id of this.#pending.keys()) this.overtaken(id);
  }

  /** What is to be written: of these memories, or of all. Nothing is forgotten by it; see `forget`. */
  changes(index: MemoryIndex, ids: Iterable<string> = this.#pending.keys()): SoftChange[] {
    const changes: SoftChange[] = [];
    for (const id of ids) {
      const pending = this.#pending.get(id);
      const node = pending === undefined ? undefined : index.get(id);
      if (pending === undefined || node === undefined) continue;
      const { accesses, lastAccessed, isGrown, isFaded } = pending;
      changes.push({
        id,
        accesses,
        last_accessed: lastAccessed === null ? null : toIso(lastAccessed),
        stability: isGrown ? node.stability : null,
        faded: isFaded ? { retrievability: node.retrievability, lifecycle: node.lifecycle } : null,
      });
    }
    return changes;
  }

  /** The database has what is pending of these memories, or of all; or they are gone. */
  forget(ids?: readonly string[]): void {
    if (ids === undefined) this.#pending = new Map();
    else for (const id of ids) this.#pending.delete(id);
  }

  #of(id: string): Pending {
    let pending = this.#pending.get(id);
    if (pending === undefined) {
      pending = { accesses: 0, lastAccessed: null, isGrown: false, isFaded: false };
      this.#pending.set(id, pending);
    }
    return pending;
  }

  #accessed(pending: Pending, now: number): void {
    pending.accesses += 1;
    pending.lastAccessed = Math.max(pending.lastAccessed ?? now, now);
  }
}
