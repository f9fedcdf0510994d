// Names of types, subtypes and edge types. The index bounds how many of each there can be.

import { eachOf, type Sql } from "../sql.ts";

/** A kind of name. */
export type NameKind = "type" | "subtype" | "edge type";

/** The column of each kind. */
export const NAMED: Readonly<Record<NameKind, readonly [table: string, column: string]>> = {
  type: ["nodes", "type"],
  subtype: ["nodes", "subtype"],
  "edge type": ["edges", "type"],
};

/** The columns that hold names. */
export class NameColumns {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Returns each name of a kind that is in use once. */
  inUse(kind: NameKind): string[] {
    const [table, column] = NAMED[kind];
    const rows = this.#sql.all<{ name: string }>(
      `${eachOf(table, column)} WHERE typeof(name) = 'text'`,
    );
    return rows.map(({ name }) => name);
  }
}
