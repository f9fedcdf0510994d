// The table of what use has taught: one row of JSON for an agent, or none.

import { type Query, sql } from "../../query.ts";
import type { TableOf } from "../../storage.ts";
import type { LearnedTable } from "../../tables/learned.ts";
import type { AgentRows } from "../agent-rows.ts";

/** The table of what use has taught. */
export class PostgresLearned implements TableOf<LearnedTable> {
  readonly #rows: AgentRows;

  constructor(rows: AgentRows) {
    this.#rows = rows;
  }

  get(): unknown {
    const row = this.#rows.first<{ learned: string }>(
      sql`SELECT learned FROM nous.learned WHERE agent = ${this.#rows.agent}`,
    );
    return row === undefined ? undefined : JSON.parse(row.learned);
  }

  put(learned: object): void {
    this.#change(sql`
      INSERT INTO nous.learned (agent, learned)
      VALUES (${this.#rows.agent}, ${JSON.stringify(learned)})
      ON CONFLICT (agent) DO UPDATE SET learned = excluded.learned RETURNING agent`);
  }

  remove(): void {
    this.#change(sql`DELETE FROM nous.learned WHERE agent = ${this.#rows.agent} RETURNING agent`);
  }

  #change(query: Query): void {
    this.#rows.writing(() => {
      if (this.#rows.change(query).length > 0) this.#rows.note("learned", [""]);
    });
  }
}
