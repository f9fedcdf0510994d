// SQLite's full text over titles, summaries and bodies, which triggers keep up to date.

import type { Sql } from "../sql.ts";

/** A memory that SQLite's full text finds. */
export interface FullTextHit {
  id: string;
  /** Its BM25 score by SQLite's `bm25()`: below 0, and lower is better. */
  rank: number;
}

export class FullTextTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Returns the `limit` best hits of a query in the language of FTS5, best first. Returns no hit
   * for a query that SQLite cannot parse.
   */
  find(match: string, limit: number): FullTextHit[] {
    const found = `SELECT nodes.id, nodes_fts.rank FROM nodes_fts JOIN nodes ON nodes.rowid = nodes_fts.rowid
      WHERE nodes_fts MATCH ? ORDER BY nodes_fts.rank LIMIT ?`;
    return unlessUnparsed(() => this.#sql.all<FullTextHit>(found, match, limit));
  }
}

/** Returns what `search` returns, or no hit if SQLite cannot parse the query. */
export function unlessUnparsed(search: () => FullTextHit[]): FullTextHit[] {
  try {
    return search();
  } catch (error) {
    if ((error as { code?: string }).code === "SQLITE_ERROR") return [];
    throw error;
  }
}
