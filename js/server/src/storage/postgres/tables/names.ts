// Names of types, subtypes and edge types. The index bounds how many of each there can be.

import { sql } from "../../query.ts";
import type { TableOf } from "../../storage.ts";
import { NAMED, type NameColumns, type NameKind } from "../../tables/names.ts";
import type { AgentRows } from "../agent-rows.ts";
import { eachOf } from "./nodes.ts";

/** The columns that hold names. */
export class PostgresNames implements TableOf<NameColumns> {
  readonly #rows: AgentRows;

  constructor(rows: AgentRows) {
    this.#rows = rows;
  }

  inUse(kind: NameKind): string[] {
    const [table, column] = NAMED[kind];
    const names = sql`${eachOf(this.#rows.agent, table, column)} WHERE name IS NOT NULL`;
    return this.#rows.all<{ name: string }>(names).map(({ name }) => name);
  }
}
