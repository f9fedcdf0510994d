// Rows of memories that were found lately, as the database has them: what was found is found again,
// and for libSQL it takes longer to make the values of ten rows than for the index to search.

import { LRUCache } from "lru-cache";
import { oneStep, type Steps } from "../../steps.ts";
import type { NodeRow } from "../../storage/rows.ts";
import type { Storage } from "../../storage/storage.ts";
import type { SoftChange } from "../../storage/tables/soft.ts";
import { parseInstant, toIso } from "../../time.ts";
import type { Consumer, Removed, Taken } from "./follower.ts";
import { isId } from "./index-rows.ts";

/** Bytes that they may take together; one that takes more by itself is not kept. */
const MOST_BYTES = 8 * 2 ** 20;
/** Bytes of a row beside its texts, about. */
const BYTES_OF_ROW = 800;

export class RowCache implements Consumer {
  readonly name = "rows";
  readonly #rows = new LRUCache<string, NodeRow>({ maxSize: MOST_BYTES, sizeCalculation: bytesOf });

  /** What they take, about. */
  get bytes(): number {
    return this.#rows.calculatedSize;
  }

  /**
   * The rows of those memories that are there, in no order. Only where all is followed, and no
   * transaction has changed any.
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
   * What recalls and sweeps changed is in the database now, written with the same `latest`. A row
   * that was only accessed stays, as the database has it.
   */
  wrote(changes: readonly SoftChange[], latest: string): void {
    for (const { id, accesses, last_accessed, stability, retrievability, lifecycle } of changes) {
      const row = this.#rows.peek(id);
      if (row === undefined) continue;
      if (stability !== null || retrievability !== null || lifecycle !== null || !isUsual(row)) {
        this.#rows.delete(id);
        continue;
      }
      row.neural_access_count = (row.neural_access_count ?? 0) + accesses;
      const stored = row.neural_last_accessed ?? "";
      if (last_accessed !== null && (last_accessed > stored || stored > latest))
        row.neural_last_accessed = last_accessed;
    }
  }

  /** There is nothing to load, and nothing to tell of it. */
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

/** Whether SQL counts an access of it as we do. */
function isUsual({ neural_access_count: count, neural_last_accessed: last }: NodeRow): boolean {
  return (count === null || Number.isSafeInteger(count)) && (last === null || isOurs(last));
}

/**
 * Whether a time is written as we write them; another server, or another program, may have stored
 * anything.
 */
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
