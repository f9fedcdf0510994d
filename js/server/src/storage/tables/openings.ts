// Openings for writing in SQL: each has a random name and the last entry of the change log at which
// it began. The log's numbers alone do not tell a database from a copy of it that went on
// elsewhere.

import { randomUUID } from "node:crypto";
import type { Ask } from "../sql.ts";

/** Openings that are remembered. An index that was kept in an earlier one is made anew. */
const KEPT = 1_000;

export class Openings {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /**
   * Within a transaction: from the next entry of the change log on, what is written belongs to a
   * new opening.
   */
  begin(since: number): void {
    this.#ask("INSERT INTO nous_openings (opening, since) VALUES (?, ?)", randomUUID(), since);
    this.#ask("DELETE FROM nous_openings WHERE sequence <= last_insert_rowid() - ?", KEPT);
  }

  last(): string | undefined {
    return this.#ask<{ opening: string }>(
      "SELECT opening FROM nous_openings ORDER BY sequence DESC LIMIT 1",
    )[0]?.opening;
  }

  /**
   * Whether an opening was there at an entry of the change log: that began with it, and the next
   * one later.
   */
  reaches(opening: string, sequence: number): boolean {
    const [known] = this.#ask<{ since: number; until: number | null }>(
      `SELECT since, (SELECT since FROM nous_openings AS next WHERE next.sequence > nous_openings.sequence
         ORDER BY next.sequence LIMIT 1) AS until
       FROM nous_openings WHERE opening = ?`,
      opening,
    );
    return known !== undefined && known.since <= sequence && sequence <= (known.until ?? sequence);
  }
}
