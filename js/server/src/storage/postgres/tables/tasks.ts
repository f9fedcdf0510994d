// The table of periodic work: a lease gives each turn to one process.

import { MAX_AHEAD } from "nous-memory";
import { sql } from "../../query.ts";
import type { TableOf } from "../../storage.ts";
import type { TaskTable } from "../../tables/tasks.ts";
import type { AgentRows } from "../agent-rows.ts";

/** The table of periodic work. */
export class PostgresTasks implements TableOf<TaskTable> {
  readonly #rows: AgentRows;

  constructor(rows: AgentRows) {
    this.#rows = rows;
  }

  take(name: string, now: number, after: number, lease: number): boolean {
    const until = Math.round(now + lease);
    const longest = Math.round(now + lease + MAX_AHEAD);
    // A turn in the future, or a lease that is too long, comes from a wrong clock, and is ignored.
    const taken = this.#rows.change(sql`
      INSERT INTO nous.tasks AS task (agent, name, holder, leased_until)
      VALUES (${this.#rows.agent}, ${name}, ${this.#rows.writer}, ${until})
      ON CONFLICT (agent, name) DO UPDATE
      SET holder = excluded.holder, leased_until = excluded.leased_until
      WHERE (task.holder IS NULL OR task.leased_until NOT BETWEEN ${now + 1}::bigint
      AND ${longest}::bigint)
        AND (task.last_done IS NULL
          OR task.last_done NOT BETWEEN ${Math.floor(now - after) + 1}::bigint AND ${now}::bigint)
      RETURNING 1 AS one`);
    return taken.length > 0;
  }

  leave(name: string, done: number | null): void {
    const { agent, writer } = this.#rows;
    this.#rows.change(sql`
      UPDATE nous.tasks SET holder = NULL, last_done = coalesce(${done}::bigint, last_done)
      WHERE agent = ${agent} AND name = ${name} AND holder = ${writer}`);
  }
}
