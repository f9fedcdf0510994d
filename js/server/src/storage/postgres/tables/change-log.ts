// The change log of an agent: which rows changed, in the order of commits. The store writes it itself,
// since no other program writes the tables.

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
    this.#rows.writeLog();
    return this.#rows.first(sql`
      SELECT coalesce((SELECT min(sequence) FROM nous.change_log WHERE ${this.#own}), 0) AS first, logged AS last
      FROM nous.agents WHERE agent = ${this.#rows.agent}`)!;
  }

  since(sequence: number): Change[] {
    return this.#entries(sql`sequence > ${sequence} AND writer <> ${this.#rows.writer}`);
  }

  /** Returns the entries of this writer after an entry, in the transaction that made them. */
  claim(after: number): Change[] {
    this.#rows.writeLog();
    return this.#entries(sql`sequence > ${after} AND writer = ${this.#rows.writer}`);
  }

  #entries(where: Query): Change[] {
    return this.#rows
      .all<LoggedChange>(
        sql`SELECT sequence, entity, id FROM nous.change_log WHERE ${this.#own} AND ${where} ORDER BY sequence`,
      )
      .map(changeOf);
  }

  trim(upTo: number): void {
    this.#rows.change(sql`DELETE FROM nous.change_log WHERE ${this.#own} AND sequence <= ${upTo}`);
  }
}
