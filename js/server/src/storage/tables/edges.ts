// The table of edges.

import { GUESSES } from "nous-memory";
import type { EdgeRow, NewEdge } from "../rows.ts";
import { boundsOf, isId, LISTED, PAGE, type Page, type Sql } from "../sql.ts";

/** The columns of an edge. */
export const EDGE_COLUMNS = [
  "id",
  "type",
  "subtype",
  "source_id",
  "target_id",
  "neural_weight",
  "strength",
  "confidence",
  "created_at",
] as const satisfies readonly (keyof EdgeRow)[];
const EDGE = `rowid AS sequence, ${EDGE_COLUMNS.join(", ")}`;
const SOUND_EDGE = ["id", "source_id", "target_id"].map(isId).join(" AND ");

/** The table of edges. */
export class EdgeTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  insert(edge: NewEdge): EdgeRow {
    const places = EDGE_COLUMNS.map(() => "?").join(", ");
    return this.#sql.first<EdgeRow>(
      `INSERT INTO edges (${EDGE_COLUMNS.join(", ")}) VALUES (${places}) RETURNING ${EDGE}`,
      ...EDGE_COLUMNS.map((column) => edge[column]),
    )!;
  }

  /** Deletes an edge. Returns whether it was there. */
  delete(id: string): boolean {
    return this.#sql.all("DELETE FROM edges WHERE id = ? RETURNING id", id).length > 0;
  }

  /** Adds to the strength of an edge, up to 1. Returns undefined if there is no such edge. */
  strengthen(id: string, amount: number): EdgeRow | undefined {
    return this.#sql.first(
      `UPDATE edges SET strength = min(1.0, coalesce(strength, 0.0) + ?) WHERE id = ? RETURNING ${EDGE}`,
      amount,
      id,
    );
  }

  /** Sets strength and weight of an edge. Returns undefined if there is no such edge. */
  setStrength(id: string, strength: number): EdgeRow | undefined {
    const set = `UPDATE edges SET strength = ?, neural_weight = ? WHERE id = ? RETURNING ${EDGE}`;
    return this.#sql.first(set, strength, strength, id);
  }

  /** Lets an edge lead from another memory. It keeps its place in the order. */
  move(id: string, sourceId: string): void {
    this.#sql.run("UPDATE edges SET source_id = ? WHERE id = ?", sourceId, id);
  }

  /**
   * Returns the ids of the edges between two different memories of one group whose strength is
   * below 1. That of a guess is its probability, and stays.
   */
  within(groups: readonly (readonly string[])[]): string[] {
    const rows = this.#sql.all<{ id: string }>(
      `SELECT DISTINCT edges.id FROM json_each(?) AS members, json_each(members.value) AS source
       JOIN edges ON edges.source_id = source.value
       WHERE ${GUESSES.map((type) => `edges.type IS NOT '${type}'`).join(" AND ")} AND edges.target_id IN (SELECT value FROM json_each(members.value)) AND edges.target_id <> edges.source_id
         AND coalesce(edges.strength, 0.0) < 1.0 AND edges.id IS NOT NULL`,
      JSON.stringify(groups),
    );
    return rows.map(({ id }) => id);
  }

  /** Adds to the strength of each of these edges, up to 1. */
  strengthenAll(ids: readonly string[], amount: number): void {
    const strengthened = `UPDATE edges SET strength = min(1.0, coalesce(strength, 0.0) + ?) WHERE id IN ${LISTED}`;
    this.#sql.run(strengthened, amount, JSON.stringify(ids));
  }

  /** Returns the edges of a memory, in order. */
  of(nodeId: string, direction: "in" | "out" | "both", page: Page = {}): EdgeRow[] {
    const ends = { in: ["target_id"], out: ["source_id"], both: ["source_id", "target_id"] }[
      direction
    ];
    const where = ends.map((end) => `${end} = ?`).join(" OR ");
    return this.#sql.all(
      `SELECT ${EDGE} FROM edges WHERE (${where}) AND ${SOUND_EDGE} AND ${PAGE}`,
      ...ends.map(() => nodeId),
      ...boundsOf(page),
    );
  }

  /** Returns the edges of these memories in both directions, in order. */
  ofAll(nodeIds: readonly string[]): EdgeRow[] {
    const listed = JSON.stringify(nodeIds);
    const where = `(source_id IN ${LISTED} OR target_id IN ${LISTED}) AND ${SOUND_EDGE}`;
    const edges = `SELECT ${EDGE} FROM edges WHERE ${where} ORDER BY rowid`;
    return this.#sql.all(edges, listed, listed);
  }

  /** Returns all edges of these types, in order. */
  ofTypes(types: readonly string[]): EdgeRow[] {
    return this.#sql.all(
      `SELECT ${EDGE} FROM edges WHERE type IN ${LISTED} ORDER BY rowid`,
      JSON.stringify(types),
    );
  }

  /** Returns edges in order. */
  list(page: Page = {}): EdgeRow[] {
    return this.#sql.all(
      `SELECT ${EDGE} FROM edges WHERE ${SOUND_EDGE} AND ${PAGE}`,
      ...boundsOf(page),
    );
  }

  /**
   * Returns edges as the index takes them, in batches: all of them in order, or those of these ids.
   */
  *indexed(ids?: readonly string[]): Iterable<EdgeRow[]> {
    if (ids !== undefined) {
      yield this.#sql.all(`SELECT ${EDGE} FROM edges WHERE id IN ${LISTED}`, JSON.stringify(ids));
      return;
    }
    yield* this.#sql.pages<EdgeRow>(
      `SELECT ${EDGE} FROM edges WHERE rowid > ? AND ${SOUND_EDGE} ORDER BY rowid LIMIT ?`,
    );
  }

  /** Returns the ids of edges that lack an end. */
  dangling(): string[] {
    const rows = this.#sql.all<{ id: string }>(
      `SELECT id FROM edges WHERE source_id NOT IN (SELECT id FROM nodes WHERE id IS NOT NULL)
         OR target_id NOT IN (SELECT id FROM nodes WHERE id IS NOT NULL)`,
    );
    return rows.map(({ id }) => id);
  }
}
