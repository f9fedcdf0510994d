// The plain server's SQL: prepared statements, and one statement for many rows where possible.

import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { STOP_WORDS } from "../../../js/reference/stop-words.ts";
import type { SweepChange } from "../../../js/reference/sweep.ts";
import {
  EDGE_COLUMNS,
  type EdgeRow,
  type FadingRow,
  NODE_COLUMNS,
  type NodeRow,
  type RankedRow,
} from "./rows.ts";

/** A full-text hit: a BM25 magnitude, larger for better. */
export interface Hit {
  id: string;
  score: number;
}

/** Accesses to add, and the result of a recall, if there was one. */
export interface Access {
  id: string;
  accesses: number;
  last_accessed: string;
  recalled: Pick<NodeRow, "neural_stability" | "neural_retrievability" | "state_lifecycle"> | null;
}

/**
 * The most terms of a question in a query, and the most that are examined to find selective ones.
 */
const MAX_TERMS = 32;
const TERMS_READ = 64;

const NODE = NODE_COLUMNS.join(", ");
const EDGE = EDGE_COLUMNS.join(", ");
const RANKED = "id, subtype, neural_access_count, neural_last_accessed, provenance_created_at";
const FADING = `${RANKED}, state_lifecycle, neural_stability, neural_retrievability, neural_difficulty`;
/** The members of a list that is bound as JSON. */
const LISTED = "(SELECT value FROM json_each(?))";
const placesOf = (columns: readonly string[]) => columns.map(() => "?").join(", ");

const SQL = {
  insertNode: `INSERT INTO nodes (${NODE}, embedding_vector) VALUES (${placesOf(NODE_COLUMNS)}, ?)`,
  node: `SELECT ${NODE} FROM nodes WHERE id = ?`,
  nodes: `SELECT ${NODE} FROM nodes WHERE id IN ${LISTED}`,
  newest: `SELECT ${NODE} FROM nodes WHERE (?1 IS NULL OR type = ?1) AND (?2 IS NULL OR subtype = ?2)
    ORDER BY created_at DESC, rowid DESC LIMIT ?3`,
  ranked: `SELECT ${RANKED} FROM nodes WHERE id IN ${LISTED}`,
  fading: `SELECT ${FADING} FROM nodes ORDER BY rowid`,
  vectors:
    "SELECT id, embedding_vector AS bytes FROM nodes WHERE embedding_vector IS NOT NULL ORDER BY rowid",
  counts: "SELECT (SELECT count(*) FROM nodes) AS nodes, (SELECT count(*) FROM edges) AS edges",
  insertEdge: `INSERT INTO edges (${EDGE}) VALUES (${placesOf(EDGE_COLUMNS)})`,
  edges: `SELECT ${EDGE} FROM edges WHERE source_id = ?1 AND ?2 IN ('out', 'both') OR target_id = ?1 AND ?2 IN ('in', 'both')
    ORDER BY rowid`,
  around: `SELECT id, neighbour, type FROM (
      SELECT source_id AS id, target_id AS neighbour, type, rowid AS sequence FROM edges WHERE source_id IN ${LISTED}
      UNION ALL
      SELECT target_id, source_id, type, rowid FROM edges WHERE target_id IN ${LISTED} AND source_id <> target_id
    ) ORDER BY sequence`,
  inbound: `SELECT target_id AS id, count(*) AS count FROM edges WHERE target_id IN ${LISTED} GROUP BY target_id`,
  holding: "SELECT count(*) AS count FROM nodes_fts WHERE nodes_fts MATCH ?",
  fullText: `SELECT nodes.id AS id, max(best.score, 0.0) AS score
    FROM (SELECT rowid AS sequence, -bm25(nodes_fts) AS score FROM nodes_fts WHERE nodes_fts MATCH ?
      ORDER BY score DESC, rowid LIMIT ?) AS best JOIN nodes ON nodes.rowid = best.sequence
    ORDER BY best.score DESC, best.sequence`,
  access: `UPDATE nodes SET neural_access_count = neural_access_count + change.accesses,
      neural_last_accessed = max(coalesce(neural_last_accessed, ''), change.last_accessed),
      neural_stability = coalesce(change.stability, neural_stability),
      neural_retrievability = coalesce(change.retrievability, neural_retrievability),
      state_lifecycle = coalesce(change.state, state_lifecycle)
    FROM (SELECT value ->> 'id' AS id, value ->> 'accesses' AS accesses, value ->> 'last_accessed' AS last_accessed,
      value ->> '$.recalled.neural_stability' AS stability, value ->> '$.recalled.neural_retrievability' AS retrievability,
      value ->> '$.recalled.state_lifecycle' AS state FROM json_each(?)) AS change
    WHERE nodes.id = change.id`,
  fade: `UPDATE nodes SET neural_retrievability = change.retrievability, state_lifecycle = change.state
    FROM (SELECT value ->> 'id' AS id, value ->> 'neural_retrievability' AS retrievability,
      value ->> 'state_lifecycle' AS state FROM json_each(?)) AS change
    WHERE nodes.id = change.id`,
} as const;

/** Returns a prefix query of a term. Quotes make an operator a plain word. */
const beginning = (term: string) => `"${term.replaceAll('"', '""')}"*`;

/** The prepared statements of a database. */
export class Store {
  readonly #statements: Record<keyof typeof SQL, StatementSync>;
  /** The number of memories that contain a term, since the last write. */
  readonly #holding = new Map<string, number>();

  constructor(db: DatabaseSync) {
    const prepared = Object.entries(SQL).map(([name, sql]) => [name, db.prepare(sql)]);
    this.#statements = Object.fromEntries(prepared);
  }

  #all<T>(name: keyof typeof SQL, ...values: SQLInputValue[]): T[] {
    return this.#statements[name].all(...values) as T[];
  }

  insertNode(node: NodeRow, vector: Uint8Array | null): void {
    this.#holding.clear();
    this.#statements.insertNode.run(...NODE_COLUMNS.map((column) => node[column]), vector);
  }

  node(id: string): NodeRow | undefined {
    return this.#all<NodeRow>("node", id)[0];
  }

  /** Returns memories in no order. */
  nodes(ids: readonly string[]): NodeRow[] {
    return this.#all("nodes", JSON.stringify(ids));
  }

  newest(type: string | null, subtype: string | null, limit: number): NodeRow[] {
    return this.#all("newest", type, subtype, limit);
  }

  /** Returns memories in no order. */
  ranked(ids: readonly string[]): RankedRow[] {
    return this.#all("ranked", JSON.stringify(ids));
  }

  /** Returns all memories in order. */
  fading(): FadingRow[] {
    return this.#all("fading");
  }

  vectors(): { id: string; bytes: Uint8Array }[] {
    return this.#all("vectors");
  }

  counts(): { nodes: number; edges: number } {
    return this.#all<{ nodes: number; edges: number }>("counts")[0]!;
  }

  insertEdge(edge: EdgeRow): void {
    this.#statements.insertEdge.run(...EDGE_COLUMNS.map((column) => edge[column]));
  }

  edges(nodeId: string, direction: "in" | "out" | "both"): EdgeRow[] {
    return this.#all("edges", nodeId, direction);
  }

  /**
   * Returns the neighbours of each of these memories, in the order in which the edges were created.
   * A memory with an edge to itself is its own neighbour once.
   */
  around(ids: readonly string[]): { id: string; neighbour: string; type: string }[] {
    const list = JSON.stringify(ids);
    return this.#all("around", list, list);
  }

  /** Returns the number of inbound edges by id, without memories that have none. */
  inbound(ids: readonly string[]): Map<string, number> {
    const rows = this.#all<{ id: string; count: number }>("inbound", JSON.stringify(ids));
    return new Map(rows.map(({ id, count }) => [id, count]));
  }

  /**
   * Returns memories with a word that begins with one of these terms, best first. Stop words, and
   * terms in at least half of the memories, are used only if there is no other term.
   */
  fullText(terms: readonly string[], memories: number, limit: number): Hit[] {
    const read = terms.slice(0, TERMS_READ);
    const meaningful = read.filter((term) => !STOP_WORDS.has(term)).slice(0, MAX_TERMS);
    const rare = meaningful.filter((term) => 2 * this.#holdersOf(term) < memories);
    const hits = this.#match(rare, limit);
    return hits.length > 0 ? hits : this.#match(read.slice(0, MAX_TERMS), limit);
  }

  #holdersOf(term: string): number {
    let count = this.#holding.get(term);
    if (count === undefined) {
      count = this.#all<{ count: number }>("holding", beginning(term))[0]!.count;
      this.#holding.set(term, count);
    }
    return count;
  }

  #match(terms: readonly string[], limit: number): Hit[] {
    return terms.length === 0
      ? []
      : this.#all("fullText", terms.map(beginning).join(" OR "), limit);
  }

  writeAccesses(accesses: readonly Access[]): void {
    this.#statements.access.run(JSON.stringify(accesses));
  }

  writeFaded(changes: readonly SweepChange[]): void {
    this.#statements.fade.run(JSON.stringify(changes));
  }
}
