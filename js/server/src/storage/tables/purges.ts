// The table of purges in progress. An id is kept until no file holds a text of the memory.

import type { Sql } from "../sql.ts";

/** The table of purges. */
export class PurgeTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Notes a memory that is to be purged, within the transaction that deletes it. `scrub` ends the
   * purge.
   */
  begin(nodeId: string): void {
    this.#sql.run("INSERT INTO nous_purges VALUES (?) ON CONFLICT DO NOTHING", nodeId);
  }

  /** Returns the ids of memories whose purge was begun and has not ended. */
  begun(): string[] {
    return this.#sql
      .all<{ id: string }>("SELECT id FROM nous_purges ORDER BY id")
      .map(({ id }) => id);
  }
}
