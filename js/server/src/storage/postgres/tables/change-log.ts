// The change log of an agent: which rows changed, in the order of commits. The store writes it
// itself, since no other program writes the tables.

import { type Query, sql } from "../../query.ts";
import type { TableOf } from "../../storage.ts";
import {
  type Change,
  type ChangeLog,
  changeOf,
  type LoggedChange,
  type ToldChange,
} from "../../tables/change-log.ts";
import type { AgentRows } from "../agent-rows.ts";
import type { NewEntry } from "../protocol.ts";

/** The table of changes. */
export class PostgresChangeLog implements TableOf<ChangeLog> {
  readonly #rows: AgentRows;
  readonly #own: Query;

  constructor(rows: AgentRows) {
    this.#rows = rows;
    this.#own = sql`change_log.agent = ${rows.agent}`;
  }

  range(): { first: number; last: number } {
    const { state, entries } = this.#rows;
    if (state !== undefined) {
      const first = state.first === 0 && entries.length > 0 ? state.logged + 1 : state.first;
      return { first, last: state.logged + entries.length };
    }
    return this.#rows.range();
  }

  since(sequence: number): Change[] {
    const { state, writer } = this.#rows;
    const unwritten = this.#unwritten(sequence, (entry) => entry.writer !== writer);
    if (state !== undefined && sequence >= state.logged) return unwritten;
    const written = this.#rows.all<LoggedChange>(sql`
      SELECT sequence, entity, id FROM nous.change_log
      WHERE ${this.#own} AND sequence > ${sequence} AND writer IS DISTINCT FROM ${writer}
      ORDER BY sequence`);
    return [...written.map(changeOf), ...unwritten];
  }

  told(sequence: number, limit: number): ToldChange[] {
    return this.#rows.all(sql`
      SELECT sequence, entity, id, action, at FROM nous.change_log
      WHERE ${this.#own} AND sequence > ${sequence} AND action IS NOT NULL
      ORDER BY sequence LIMIT ${limit}`);
  }

  claim(after: number): Change[] {
    this.#rows.claim();
    return this.#unwritten(after);
  }

  /** Returns the entries of the open transaction after an entry. */
  #unwritten(
    after: number,
    isWanted: (entry: { writer: string | null }) => boolean = () => true,
  ): Change[] {
    const { state, entries } = this.#rows;
    return entries.flatMap((entry, place) => {
      const sequence = state!.logged + place + 1;
      return sequence > after && isWanted(entry)
        ? changeOf({ ...(entry as NewEntry & LoggedChange), sequence })
        : [];
    });
  }

  trim(upTo: number): void {
    this.#rows.change(sql`DELETE FROM nous.change_log WHERE ${this.#own} AND sequence <= ${upTo}`);
    const { state } = this.#rows;
    if (state === undefined || state.first > upTo) return;
    state.first = upTo < state.logged ? upTo + 1 : 0;
  }
}
