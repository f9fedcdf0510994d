// The table of periodic work: a lease gives each turn to one process.

import { MAX_AHEAD } from "nous-memory";
import type { Sql } from "../sql.ts";

/** The table of periodic work. */
export class TaskTable {
  readonly #sql: Sql;
  readonly #writer: () => string;

  /** `writer` returns the name of this connection. */
  constructor(sql: Sql, writer: () => string) {
    this.#sql = sql;
    this.#writer = writer;
  }

  /**
   * Takes the lease of a task, for `lease` milliseconds. Returns false if the task was done less
   * than `after` milliseconds ago, or if another process holds the lease.
   */
  take(name: string, now: number, after: number, lease: number): boolean {
    // A turn in the future, or a lease that is too long, comes from a wrong clock, and is ignored.
    const taken = this.#sql.first(
      `INSERT INTO nous_tasks VALUES (?, ?, ?, NULL)
       ON CONFLICT DO UPDATE SET holder = excluded.holder, leased_until = excluded.leased_until
       WHERE (holder IS NULL OR leased_until NOT BETWEEN ? AND ?) AND (last_done IS NULL OR last_done NOT BETWEEN ? AND ?)
       RETURNING 1`,
      ...[name, this.#writer(), Math.round(now + lease)],
      ...[now + 1, Math.round(now + lease + MAX_AHEAD), Math.floor(now - after) + 1, now],
    );
    return taken !== undefined;
  }

  /**
   * Gives the lease back, if this writer still holds it. `done` is when the task was done; null if
   * it was not.
   */
  leave(name: string, done: number | null): void {
    const leave =
      "UPDATE nous_tasks SET holder = NULL, last_done = coalesce(?, last_done) WHERE name = ? AND holder = ?";
    this.#sql.run(leave, done, name, this.#writer());
  }
}
