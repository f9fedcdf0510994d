// Soft state of memories: what recalls, searches and sweeps change. A flush writes it in batches,
// each with one entry of the change log.

import { type Query, sql } from "../../query.ts";
import type { SoftRow } from "../../rows.ts";
import type { TableOf } from "../../storage.ts";
import { SOFT_BATCH, type SoftChange, type SoftColumns } from "../../tables/soft.ts";
import type { AgentRows } from "../agent-rows.ts";
import { isoOf, jsonOf } from "../columns.ts";

/** The soft columns of the table of memories. */
export class PostgresSoft implements TableOf<SoftColumns> {
  readonly #rows: AgentRows;
  readonly #own: Query;

  constructor(rows: AgentRows) {
    this.#rows = rows;
    this.#own = sql`nodes.agent = ${rows.agent}`;
  }

  of(ids: readonly string[]): SoftRow[] {
    return this.#rows.all(sql`
      SELECT id, neural_stability, neural_retrievability, neural_access_count, neural_last_accessed,
      state_lifecycle
      FROM nous.nodes WHERE ${this.#own} AND id = ANY(${ids}::text[])`);
  }

  write(changes: readonly SoftChange[], latest: string): void {
    const stored = isoOf("nodes.neural_last_accessed");
    this.#rows.writing(() => {
      for (let at = 0; at < changes.length; at += SOFT_BATCH) {
        const batch = changes.slice(at, at + SOFT_BATCH);
        this.#rows.change(sql`
          UPDATE nous.nodes SET
            neural_access_count = coalesce(neural_access_count, 0) + change.accesses,
            neural_last_accessed = CASE
              WHEN change.last_accessed > coalesce(${stored}, '')
                OR change.last_accessed IS NOT NULL AND ${stored} > ${latest}
              THEN change.last_accessed ELSE neural_last_accessed END,
            neural_stability = coalesce(change.stability, neural_stability),
            neural_retrievability = coalesce(change.retrievability, neural_retrievability),
            state_lifecycle = coalesce(change.lifecycle, state_lifecycle)
          FROM jsonb_to_recordset(${jsonOf(batch)}::jsonb) AS change
            (id text, accesses bigint, last_accessed text, stability double precision,
             retrievability double precision, lifecycle text)
          WHERE ${this.#own} AND nodes.id = change.id`);
        this.#rows.note("soft", [JSON.stringify(batch.map(({ id }) => id))]);
      }
    });
  }
}
