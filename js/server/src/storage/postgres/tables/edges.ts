// The table of edges.

import { GUESSES } from "nous-memory";
import { joined, type Query, raw, sql } from "../../query.ts";
import type { EdgeRow, NewEdge } from "../../rows.ts";
import type { Page } from "../../sql.ts";
import type { TableOf } from "../../storage.ts";
import { type Action, actionOfEdge } from "../../tables/change-log.ts";
import { EDGE_COLUMNS, type EdgeTable } from "../../tables/edges.ts";
import type { AgentRows } from "../agent-rows.ts";
import { boundsOf, jsonOf, listOf, nextSequence, rowsOf, valuesOf } from "../columns.ts";
import { BATCH } from "./nodes.ts";

const EDGE = listOf(["sequence", ...EDGE_COLUMNS], "edges");

/** The table of edges. */
export class PostgresEdges implements TableOf<EdgeTable> {
  readonly #rows: AgentRows;
  readonly #own: Query;

  constructor(rows: AgentRows) {
    this.#rows = rows;
    this.#own = sql`edges.agent = ${rows.agent}`;
  }

  /** Runs a statement that changes edges and returns them, and notes them in the change log. */
  #changed<T extends { id: string }>(
    query: Query,
    actionOf: (edge: T) => Action | null = () => null,
  ): T[] {
    return this.#rows.writing(() => {
      const edges = this.#rows.change<T>(query);
      for (const edge of edges) this.#rows.note("edge", [edge.id], actionOf(edge));
      return edges;
    });
  }

  insert(edge: NewEdge): EdgeRow {
    const { agent } = this.#rows;
    return this.#linked<EdgeRow>(sql`
      INSERT INTO nous.edges (agent, sequence, ${listOf(EDGE_COLUMNS)})
      VALUES (${agent}, ${nextSequence("edges", agent)}, ${valuesOf(EDGE_COLUMNS, edge)})
      RETURNING ${EDGE}`)[0]!;
  }

  /** Runs a statement that makes edges or changes their ends, and returns them with their types. */
  #linked<T extends { id: string; type: string | null }>(query: Query): T[] {
    return this.#changed<T>(query, ({ type }) => actionOfEdge(type));
  }

  delete(id: string): boolean {
    const gone = sql`DELETE FROM nous.edges WHERE ${this.#own} AND id = ${id} RETURNING id`;
    return this.#changed(gone, () => "unlinked").length > 0;
  }

  strengthen(id: string, amount: number): EdgeRow | undefined {
    return this.#changed<EdgeRow>(sql`
      UPDATE nous.edges SET strength = least(1, coalesce(strength, 0) + ${amount}::double precision)
      WHERE ${this.#own} AND id = ${id} RETURNING ${EDGE}`)[0];
  }

  setStrength(id: string, strength: number): EdgeRow | undefined {
    return this.#changed<EdgeRow>(sql`
      UPDATE nous.edges SET strength = ${strength}, neural_weight = ${strength}
      WHERE ${this.#own} AND id = ${id} RETURNING ${EDGE}`)[0];
  }

  move(id: string, sourceId: string): void {
    this.#linked(sql`
      UPDATE nous.edges SET source_id = ${sourceId} WHERE ${this.#own} AND id = ${id}
      RETURNING id, type`);
  }

  within(groups: readonly (readonly string[])[]): string[] {
    const pairs = sql`
      WITH members AS (SELECT place, id COLLATE "C" AS id FROM
        jsonb_array_elements(${jsonOf(groups)}::jsonb) WITH ORDINALITY AS listed (members, place),
        jsonb_array_elements_text(members) AS id)
      SELECT DISTINCT edges.id FROM members AS source
        JOIN nous.edges ON ${this.#own} AND edges.source_id = source.id
        JOIN members AS target ON target.place = source.place AND target.id = edges.target_id
      WHERE coalesce(edges.type, '') <> ALL (${GUESSES}::text[]) AND edges.target_id <> edges.source_id AND coalesce(edges.strength, 0) < 1`;
    return this.#rows.all<{ id: string }>(pairs).map(({ id }) => id);
  }

  strengthenAll(ids: readonly string[], amount: number): void {
    this.#changed(sql`
      UPDATE nous.edges SET strength = least(1, coalesce(strength, 0) + ${amount}::double precision)
      WHERE ${this.#own} AND id = ANY(${ids}::text[]) RETURNING id`);
  }

  of(nodeId: string, direction: "in" | "out" | "both", page: Page = {}): EdgeRow[] {
    const ends = {
      in: sql`target_id = ${nodeId}`,
      out: sql`source_id = ${nodeId}`,
      both: sql`(source_id = ${nodeId} OR target_id = ${nodeId})`,
    }[direction];
    return this.#page(ends, page);
  }

  ofAll(nodeIds: readonly string[]): EdgeRow[] {
    const listed = sql`ANY(${nodeIds}::text[])`;
    return this.#rows.all(sql`
      SELECT ${EDGE} FROM nous.edges WHERE ${this.#own}
        AND (source_id = ${listed} OR target_id = ${listed})
      ORDER BY sequence`);
  }

  ofTypes(types: readonly string[]): EdgeRow[] {
    return this.#rows.all(
      sql`SELECT ${EDGE} FROM nous.edges WHERE ${this.#own} AND type = ANY(${types}::text[])
        ORDER BY sequence`,
    );
  }

  list(page: Page = {}): EdgeRow[] {
    return this.#page(raw("true"), page);
  }

  #page(where: Query, page: Page): EdgeRow[] {
    const { after, limit } = boundsOf(page);
    return this.#rows.all(
      sql`SELECT ${EDGE} FROM nous.edges WHERE ${this.#own} AND ${where} AND sequence > ${after}
        ORDER BY sequence LIMIT ${limit}`,
    );
  }

  *indexed(ids?: readonly string[]): Iterable<EdgeRow[]> {
    if (ids !== undefined) {
      yield this.#rows.all(
        sql`SELECT ${EDGE} FROM nous.edges WHERE ${this.#own} AND id = ANY(${ids}::text[])`,
      );
      return;
    }
    let after: number | undefined;
    for (;;) {
      const rows = this.list({ after, limit: BATCH });
      if (rows.length > 0) yield rows;
      if (rows.length < BATCH) return;
      after = rows.at(-1)!.sequence;
    }
  }

  dangling(): string[] {
    const { agent } = this.#rows;
    const missing = (end: string) =>
      sql`NOT EXISTS (SELECT 1 FROM nous.nodes WHERE nodes.agent = ${agent}
        AND nodes.id = edges.${raw(end)})`;
    const rows = this.#rows.all<{ id: string }>(
      sql`SELECT id FROM nous.edges WHERE ${this.#own} AND (${missing("source_id")}
        OR ${missing("target_id")})`,
    );
    return rows.map(({ id }) => id);
  }

  /** Writes a row as it is, over a stored row with the same id. */
  putAll(rows: readonly Readonly<Record<string, unknown>>[]): void {
    const { agent } = this.#rows;
    const taken = EDGE_COLUMNS.map((column) => raw(`${column} = excluded.${column}`));
    const values = rowsOf(
      "edges",
      agent,
      rows.map((row) => valuesOf(EDGE_COLUMNS, row)),
    );
    this.#linked(sql`
      INSERT INTO nous.edges (agent, sequence, ${listOf(EDGE_COLUMNS)})
      VALUES ${values}
      ON CONFLICT (agent, id) DO UPDATE SET ${joined(taken, ", ")} RETURNING id, type`);
  }
}
