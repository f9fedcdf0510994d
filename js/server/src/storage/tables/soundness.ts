// Checks of a whole database: its pages, checksums, references and full text.

import { changedRows } from "../checksums.ts";
import type { Sql } from "../sql.ts";
import type { EdgeTable } from "./edges.ts";
import { namesOf, oddTexts, type TextPlace } from "./odd-texts.ts";

/** Tables whose rows name memories by foreign keys, and the words for such rows. */
const TIES = [
  ["edges", "edges lead to or from"],
  ["node_signals", "rows of figures are of"],
  ["memory_usage", "rows of usage are of"],
] as const;
/**
 * Tables whose rows name other rows without a foreign key: the column, the table it names, and the
 * words for such rows.
 */
export const MEMBERS = [
  ["cluster_memberships", "node_id", "nodes", "memberships are of a memory"],
  ["cluster_memberships", "cluster_id", "clusters", "memberships are in a cluster"],
  ["embedding_queue", "node_id", "nodes", "vectors are to be made for a memory"],
  ["next_embeddings", "node_id", "nodes", "vectors of a next model are of a memory"],
] as const;

/** The most ids that a sentence names. */
const MAX_NAMED = 10;

/** Returns the first ids for a sentence, and how many there are beyond them. */
export const listedIds = (ids: readonly string[]): string =>
  ids.length <= MAX_NAMED
    ? ids.join(", ")
    : `${ids.slice(0, MAX_NAMED).join(", ")} and ${ids.length - MAX_NAMED} more`;

/** The checks of a database. */
export class Soundness {
  readonly #sql: Sql;
  readonly #edges: EdgeTable;

  constructor(sql: Sql, edges: EdgeTable) {
    this.#sql = sql;
    this.#edges = edges;
  }

  /** Returns what is wrong with the database, in words; empty if the database is sound. */
  problems(): string[] {
    const problems = this.#sql
      .all<{ integrity_check: string }>("PRAGMA integrity_check")
      .map(({ integrity_check }) => integrity_check)
      .filter((told) => told !== "ok");
    const changed = changedRows((sql) => this.#sql.prepared(sql)).length;
    if (changed > 0) problems.push(`${changed} memories are not as they were written`);
    for (const [table, problem] of TIES) {
      const loose = this.#sql.hasTable(table)
        ? this.#sql.all(`PRAGMA foreign_key_check(${table})`).length
        : 0;
      if (loose === 0) continue;
      const named = table === "edges" ? `: ${listedIds(this.#edges.dangling())}` : "";
      problems.push(`${loose} ${problem} a memory that is not there${named}`);
    }
    try {
      // Rank 1 compares the full-text index with the rows, and not only with itself.
      this.#sql.run("INSERT INTO nodes_fts(nodes_fts, rank) VALUES ('integrity-check', 1)");
    } catch (error) {
      problems.push(`the full-text index is not that of the rows: ${(error as Error).message}`);
    }
    return problems;
  }

  /**
   * Returns which rows name missing rows, which texts are not UTF-8, and which rows have numbers that
   * no program gives, in words. A database with some of them can be restored.
   */
  loose(): string[] {
    const odd = [...this.#replacedTexts(), ...oddTexts(this.#sql)];
    const texts =
      odd.length > 0
        ? [`texts are not UTF-8, and are read with replacement characters: ${namesOf(odd)}`]
        : [];
    const members = MEMBERS.flatMap(([table, column, of, problem]) => {
      if (!this.#sql.hasTable(table)) return [];
      const named = `SELECT id FROM ${of} WHERE id IS NOT NULL`;
      const count = `SELECT count(*) AS count FROM ${table} WHERE ${column} NOT IN (${named})`;
      const { count: loose } = this.#sql.first<{ count: number }>(count)!;
      return loose > 0 ? [`${loose} ${problem} that is not there`] : [];
    });
    const beyond = ["nodes", "edges"].flatMap((table) => {
      const count = `SELECT count(*) AS count FROM ${table}
        WHERE rowid < ${Number.MIN_SAFE_INTEGER} OR rowid > ${Number.MAX_SAFE_INTEGER}`;
      const { count: odd } = this.#sql.first<{ count: number }>(count)!;
      return odd > 0 ? [`${odd} rows of ${table} have numbers beyond 2^53, which are rounded`] : [];
    });
    return [...texts, ...members, ...beyond];
  }

  /** Returns the texts that version 0.1.0 has replaced in the database. */
  #replacedTexts(): TextPlace[] {
    if (!this.#sql.hasTable("nous_replaced_texts")) return [];
    return this.#sql.all(
      "SELECT table_name AS 'table', place, column_name AS 'column' FROM nous_replaced_texts ORDER BY 1, 2, 3",
    );
  }
}
