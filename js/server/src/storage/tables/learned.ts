// The table of what use has taught: one row of JSON, or none.

import type { Sql } from "../sql.ts";

/** The table of what use has taught. */
export class LearnedTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Returns what was stored last; undefined if nothing was. Another program may have stored anything:
   * the value is that of any JSON, and undefined for text that is none. A database that is only read
   * may have an earlier schema, without the table.
   */
  get(): unknown {
    if (!this.#sql.hasTable("nous_learned")) return undefined;
    const row = this.#sql.first<{ learned: string }>("SELECT learned FROM nous_learned");
    if (row === undefined) return undefined;
    try {
      return JSON.parse(row.learned);
    } catch {
      return undefined;
    }
  }

  put(learned: object): void {
    const put =
      "INSERT INTO nous_learned VALUES (1, ?) ON CONFLICT DO UPDATE SET learned = excluded.learned";
    this.#sql.run(put, JSON.stringify(learned));
  }

  remove(): void {
    this.#sql.run("DELETE FROM nous_learned");
  }
}
