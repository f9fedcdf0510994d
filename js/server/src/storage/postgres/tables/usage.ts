// The table of uses: which memories stood in a prompt, and whether the answer referred to them.

import { type Query, sql } from "../../query.ts";
import type { UsageRow } from "../../rows.ts";
import type { TableOf } from "../../storage.ts";
import { USAGE_COLUMNS, type UsageTable } from "../../tables/usage.ts";
import type { AgentRows } from "../agent-rows.ts";
import { listOf, nextSequence, valuesOf } from "../columns.ts";

const USAGE = listOf(USAGE_COLUMNS);

/** The table of uses. */
export class PostgresUsage implements TableOf<UsageTable> {
  readonly #rows: AgentRows;
  readonly #own: Query;

  constructor(rows: AgentRows) {
    this.#rows = rows;
    this.#own = sql`agent = ${rows.agent}`;
  }

  ofContext(contextId: string): UsageRow[] {
    return this.#rows.all(
      sql`SELECT ${USAGE} FROM nous.memory_usage WHERE ${this.#own} AND context_id = ${contextId}
        ORDER BY sequence`,
    );
  }

  of(memoryIds: readonly string[]): UsageRow[] {
    return this.#rows.all(
      sql`SELECT ${USAGE} FROM nous.memory_usage
        WHERE ${this.#own} AND memory_id = ANY(${memoryIds}::text[]) ORDER BY sequence`,
    );
  }

  add(uses: readonly UsageRow[], max: number, since: string): void {
    const { agent } = this.#rows;
    this.#rows.writing(() => {
      // A single request with a fast clock removes nothing: another use must be as late.
      this.#rows.change(sql`
        DELETE FROM nous.memory_usage WHERE ${this.#own} AND retrieved_at <= ${since} AND EXISTS
          (SELECT 1 FROM nous.memory_usage AS later WHERE later.agent = ${agent} AND later.retrieved_at >= ${since})`);
      for (const use of uses)
        this.#rows.change(sql`
          INSERT INTO nous.memory_usage (agent, sequence, ${USAGE})
          VALUES (${agent}, ${nextSequence("memory_usage", agent)}, ${valuesOf(USAGE_COLUMNS, { ...use })})`);
      this.#rows.change(sql`
        DELETE FROM nous.memory_usage WHERE ${this.#own} AND sequence <=
          (SELECT sequence FROM nous.memory_usage WHERE ${this.#own} ORDER BY sequence DESC LIMIT 1 OFFSET ${max})`);
    });
  }
}
