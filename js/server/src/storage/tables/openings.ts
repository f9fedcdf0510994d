// The table of openings for writing. Each row has a random name and the last entry of the change
// log at which the opening began. The log's numbers alone cannot distinguish a database from a copy
// that was written elsewhere.

import { randomUUID } from "node:crypto";
import type { Sql } from "../sql.ts";

/** The number of openings that are kept. An index saved in an older one is rebuilt. */
const KEPT = 1_000;

/** The table of openings. */
export class OpeningTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Begins an opening after an entry of the change log, within a transaction. */
  begin(since: number): void {
    this.#sql.all("INSERT INTO nous_openings (opening, since) VALUES (?, ?)", randomUUID(), since);
    this.#sql.all("DELETE FROM nous_openings WHERE sequence <= last_insert_rowid() - ?", KEPT);
  }

  /** Returns the last opening that has written; undefined before the first. */
  last(): string | undefined {
    return this.#sql.all<{ opening: string }>(
      "SELECT opening FROM nous_openings ORDER BY sequence DESC LIMIT 1",
    )[0]?.opening;
  }

  /**
   * Returns whether an entry of the change log was written in an opening of this database: the
   * opening began at or before the entry, and the next one at or after it.
   */
  reaches(opening: string, sequence: number): boolean {
    const [known] = this.#sql.all<{ since: number; until: number | null }>(
      `SELECT since, (SELECT since FROM nous_openings AS next WHERE next.sequence > nous_openings.sequence
         ORDER BY next.sequence LIMIT 1) AS until
       FROM nous_openings WHERE opening = ?`,
      opening,
    );
    return known !== undefined && known.since <= sequence && sequence <= (known.until ?? sequence);
  }
}
