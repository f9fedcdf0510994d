// Access counts of searches and reads, kept in memory until the next flush: no search waits for the
// disk.

import { recall } from "../../../js/reference/sweep.ts";
import { withInstants } from "./fading.ts";
import type { FadingRow, RankedRow } from "./rows.ts";
import type { Access, Store } from "./store.ts";

/** The longest delay of a flush, in milliseconds, as in nous-server. */
const FLUSH_AFTER = 1_000;

/** The pending accesses. */
export class Accesses {
  #pending = new Map<string, Access>();
  #timer: NodeJS.Timeout | undefined;

  constructor(readonly store: Store) {}

  /** Counts an access of memories that a search found. */
  count(ids: readonly string[], now: number): void {
    for (const id of ids) this.#of(id, now);
  }

  /** Counts a recall of a memory that was read. Returns the memory after it. */
  recall<Row extends FadingRow>(stored: Row, now: number): Row {
    const after = recall(withInstants(this.ahead(stored)), now);
    const { neural_stability, neural_retrievability, state_lifecycle } = after;
    this.#of(stored.id, now).recalled = {
      neural_stability,
      neural_retrievability,
      state_lifecycle,
    };
    return this.ahead(stored);
  }

  /** Returns a stored row with its pending accesses. */
  ahead<Row extends RankedRow>(stored: Row): Row {
    const pending = this.#pending.get(stored.id);
    if (pending === undefined) return stored;
    return {
      ...stored,
      neural_access_count: stored.neural_access_count + pending.accesses,
      neural_last_accessed: pending.last_accessed,
      ...pending.recalled,
    };
  }

  #of(id: string, now: number): Access {
    let access = this.#pending.get(id);
    if (access === undefined) {
      access = { id, accesses: 0, last_accessed: "", recalled: null };
      this.#pending.set(id, access);
    }
    access.accesses += 1;
    access.last_accessed = new Date(now).toISOString();
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_AFTER);
    return access;
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.size === 0) return;
    this.store.writeAccesses([...this.#pending.values()]);
    this.#pending = new Map();
  }
}
