// The change log of an agent: which rows changed, in the order of commits. The store writes it
// itself, since no other program writes the tables.

import { AgentDeleted } from "../../errors.ts";
import type { TableOf } from "../../storage.ts";
import {
  type Change,
  type ChangeLog,
  changeOf,
  type LoggedChange,
} from "../../tables/change-log.ts";
import type { AgentRows } from "../agent-rows.ts";
import { type Query, sql } from "../query.ts";

/** The table of changes. */
export class PostgresChangeLog implements TableOf<ChangeLog> {
  readonly #rows: AgentRows;
  readonly #own: Query;

  constructor(rows: AgentRows) {
    this.#rows = rows;
    this.#own = sql`change_log.agent = ${rows.agent}`;
  }

  range(): { first: number; last: number } {
    this.#rows.writeLog(null);
    const range = this.#rows.first<{ first: number; last: number }>(sql`
      SELECT coalesce((SELECT min(sequence) FROM nous.change_log
      WHERE ${this.#own}), 0) AS first, logged AS last
      FROM nous.agents WHERE agent = ${this.#rows.agent} AND epoch = ${this.#rows.epoch}`);
    if (range === undefined) throw new AgentDeleted(this.#rows.agent);
    return range;
  }

  since(sequence: number): Change[] {
    this.#rows.writeLog(null);
    return this.#entries(
      sql`sequence > ${sequence} AND writer IS DISTINCT FROM ${this.#rows.writer}`,
    );
  }

  claim(after: number): Change[] {
    const { writer } = this.#rows;
    if (this.#rows.hasUnclaimed)
      this.#rows.change(
        sql`UPDATE nous.change_log SET writer = ${writer} WHERE ${this.#own} AND sequence > ${after}
          AND writer IS NULL`,
      );
    this.#rows.writeLog(writer);
    return this.#entries(sql`sequence > ${after} AND writer = ${writer}`);
  }

  #entries(where: Query): Change[] {
    return this.#rows
      .all<LoggedChange>(
        sql`SELECT sequence, entity, id FROM nous.change_log WHERE ${this.#own} AND ${where}
          ORDER BY sequence`,
      )
      .map(changeOf);
  }

  trim(upTo: number): void {
    this.#rows.change(sql`DELETE FROM nous.change_log WHERE ${this.#own} AND sequence <= ${upTo}`);
  }
}
