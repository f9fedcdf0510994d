// Soft state of memories: what recalls, searches and sweeps change. A flush writes it in batches,
// each with one entry of the change log.

import type { StoredLifecycleState } from "nous-wasm";
import type { SoftRow } from "../rows.ts";
import { isoOf, LISTED, type Sql } from "../sql.ts";

/** The soft changes of one memory since the last flush. Null leaves a field as it is stored. */
export interface SoftChange {
  id: string;
  /** Accesses to add. */
  accesses: number;
  /**
   * ISO; the later of this and the stored access is kept, unless the stored one lies ahead of the
   * clock.
   */
  last_accessed: string | null;
  /** Days. */
  stability: number | null;
  /** In [0, 1]. */
  retrievability: number | null;
  lifecycle: StoredLifecycleState | null;
}

/** Memories of one entry of the change log. */
export const SOFT_BATCH = 1_000;
/** A field of an element of `json_each`. */
const softly = (field: keyof SoftChange) => `change.value ->> '${field}'`;
const WRITE_SOFT = `UPDATE nodes SET
    neural_access_count = coalesce(neural_access_count, 0) + (${softly("accesses")}),
    neural_last_accessed = CASE
      WHEN ${softly("last_accessed")} > coalesce(${isoOf("neural_last_accessed")}, '')
        OR ${softly("last_accessed")} IS NOT NULL AND ${isoOf("neural_last_accessed")} > ?2
      THEN ${softly("last_accessed")} ELSE neural_last_accessed END,
    neural_retrievability = coalesce(${softly("retrievability")}, neural_retrievability),
    state_lifecycle = coalesce(${softly("lifecycle")}, state_lifecycle)
  FROM json_each(?1) AS change WHERE nodes.id = ${softly("id")}`;

/** The soft columns of the table of memories. */
export class SoftColumns {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Returns the soft state of those of these memories that exist, in no order. */
  of(ids: readonly string[]): SoftRow[] {
    return this.#sql.all(
      `SELECT id, neural_stability, neural_retrievability, neural_access_count, neural_last_accessed, state_lifecycle
       FROM nodes WHERE id IN ${LISTED}`,
      JSON.stringify(ids),
    );
  }

  /**
   * Writes soft changes, within a transaction. The change log gets entries of the entity `soft`. A
   * stored access later than `latest`, in ISO, gives way to any other.
   */
  write(changes: readonly SoftChange[], latest: string): void {
    // The row keeps the trigger from logging each memory.
    this.#sql.run("INSERT INTO nous_meta VALUES ('flushing', '')");
    for (let at = 0; at < changes.length; at += SOFT_BATCH) {
      const batch = changes.slice(at, at + SOFT_BATCH);
      this.#sql.run(WRITE_SOFT, JSON.stringify(batch), latest);
      // JSON text may change the last bit of a number, so that stability is bound as a number.
      for (const { id, stability, retrievability } of batch.filter(
        (change) => change.stability !== null,
      )) {
        const grown = `UPDATE nodes SET neural_stability = ?,
          neural_retrievability = coalesce(?, neural_retrievability) WHERE id = ?`;
        this.#sql.run(grown, stability, retrievability, id);
      }
      this.#sql.run(
        "INSERT INTO change_log(entity, id) VALUES ('soft', ?)",
        JSON.stringify(batch.map(({ id }) => id)),
      );
    }
    this.#sql.run("DELETE FROM nous_meta WHERE key = 'flushing'");
  }
}
