// A cache of rows of memories that searches returned lately. Searches tend to return the same rows,
// and SQLite takes longer to create the values of ten rows than the index takes to search.

import { LRUCache } from "lru-cache";
import { isId, oneStep, parseInstant, type Steps, toIso } from "nous-memory";
import type { NodeRow } from "../../storage/rows.ts";
import type { Storage } from "../../storage/storage.ts";
import type { SoftChange } from "../../storage/tables/soft.ts";
import type { Consumer, Removed, Taken } from "./follower.ts";

/** Bytes of all rows together. A larger row is not cached. */
const MAX_BYTES = 8 * 2 ** 20;
/** Estimated bytes of a row beside its texts. */
const BYTES_OF_ROW = 800;

export class RowCache implements Consumer {
  readonly name = "rows";
  readonly #rows = new LRUCache<string, NodeRow>({ maxSize: MAX_BYTES, sizeCalculation: bytesOf });

  /** Estimated bytes of the cached rows. */
  get bytes(): number {
    return this.#rows.calculatedSize;
  }

  /**
   * Returns the rows of these memories in no order, without those that do not exist. Call it only
   * when the follower has caught up, outside of a transaction with changes.
   */
  of(ids: readonly string[], storage: Storage): NodeRow[] {
    const kept: NodeRow[] = [];
    const others: string[] = [];
    for (const id of ids) {
      const row = this.#rows.get(id);
      if (row === undefined) others.push(id);
      else kept.push(row);
    }
    if (others.length === 0) return kept;
    const read = storage.nodes.of(others);
    for (const row of read) if (isId(row.id)) this.#rows.set(row.id, row);
    return [...kept, ...read];
  }

  /**
   * Drops rows that recalls and sweeps changed. A row with accesses alone is updated as the
   * database's statement does it, with the same `latest`.
   */
  wrote(changes: readonly SoftChange[], latest: string): void {
    for (const { id, accesses, last_accessed, stability, retrievability, lifecycle } of changes) {
      const row = this.#rows.peek(id);
      if (row === undefined) continue;
      if (stability !== null || retrievability !== null || lifecycle !== null || !isDefault(row)) {
        this.#rows.delete(id);
        continue;
      }
      row.neural_access_count = (row.neural_access_count ?? 0) + accesses;
      const stored = row.neural_last_accessed ?? "";
      if (last_accessed !== null && (last_accessed > stored || stored > latest))
        row.neural_last_accessed = last_accessed;
    }
  }

  /** There is nothing to load or to log. */
  load(): Steps<undefined> {
    return oneStep(() => undefined);
  }

  take({ nodes, softened }: Taken): boolean {
    for (const { id } of [...nodes, ...softened]) this.#rows.delete(id);
    return true;
  }

  remove({ nodes }: Removed): void {
    for (const id of nodes) this.#rows.delete(id);
  }

  forget(): void {
    this.#rows.clear();
  }
}

/** Whether the access count and time are such that SQL adds to them as this cache does. */
function isDefault({ neural_access_count: count, neural_last_accessed: last }: NodeRow): boolean {
  return (count === null || Number.isSafeInteger(count)) && (last === null || isOurs(last));
}

/** Whether a time is in the form of `toIso`: another server or program may have stored anything. */
function isOurs(stored: unknown): boolean {
  const time = typeof stored === "string" ? parseInstant(stored) : undefined;
  return time !== undefined && toIso(time) === stored;
}

/** Characters may take two bytes each. */
function bytesOf(row: NodeRow): number {
  let characters = 0;
  for (const value of Object.values(row)) if (typeof value === "string") characters += value.length;
  return BYTES_OF_ROW + 2 * characters;
}
