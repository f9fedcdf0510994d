// The queue of conflicts: memories that may contradict each other, until a client resolves them.

import { joined, type Query, raw, sql } from "../../query.ts";
import type { ConflictRow, NewConflict } from "../../rows.ts";
import type { ReadRoom } from "../../sql.ts";
import type { TableOf } from "../../storage.ts";
import {
  CONFLICT_COLUMNS,
  type ConflictFilter,
  type ConflictTable,
  FOR_NULL,
} from "../../tables/conflicts.ts";
import type { AgentRows } from "../agent-rows.ts";
import { CREATED_AT, isoOf, listOf, nextSequence, readWithin, valuesOf } from "../columns.ts";

const CONFLICT = listOf(["sequence", ...CONFLICT_COLUMNS], "conflict_queue");
const IS_PENDING = raw("coalesce(status, 'pending') = 'pending'");

/** The queue of conflicts. Times are ISO. */
export class PostgresConflicts implements TableOf<ConflictTable> {
  readonly #rows: AgentRows;
  readonly #own: Query;
  readonly #hasOld: Query;

  constructor(rows: AgentRows) {
    this.#rows = rows;
    this.#own = sql`conflict_queue.agent = ${rows.agent}`;
    this.#hasOld = this.#exists("old_node_id");
  }

  #exists(column: string): Query {
    return sql`EXISTS (SELECT 1 FROM nous.nodes
      WHERE nodes.agent = ${this.#rows.agent} AND nodes.id = conflict_queue.${raw(column)})`;
  }

  /** A conflict is open while its memories exist. */
  #isOpen(now: string): Query {
    return sql`${IS_PENDING} AND NOT coalesce(${isoOf("expires_at")} <= ${now}, false)
      AND ${this.#hasOld}
      AND (new_node_id IS NULL OR new_node_id <> old_node_id AND ${this.#exists("new_node_id")})`;
  }

  insert(conflict: NewConflict): ConflictRow {
    return this.#rows.change<ConflictRow>(this.#inserting(conflict, raw("")))[0]!;
  }

  #inserting(conflict: Readonly<Record<string, unknown>>, orElse: Query): Query {
    const { agent } = this.#rows;
    const row = Object.fromEntries(
      CONFLICT_COLUMNS.map((column) => [column, conflict[column] ?? FOR_NULL[column] ?? null]),
    );
    return sql`INSERT INTO nous.conflict_queue (agent, sequence, ${listOf(CONFLICT_COLUMNS)})
      VALUES (${agent}, ${nextSequence("conflict_queue", agent)},
      ${valuesOf(CONFLICT_COLUMNS, row)})
      ${orElse} RETURNING ${CONFLICT}`;
  }

  open(id: string, now: string): ConflictRow | undefined {
    return this.#where(sql`id = ${id} AND ${this.#isOpen(now)}`)[0];
  }

  #where(where: Query): ConflictRow[] {
    return this.#rows.all(
      sql`SELECT ${CONFLICT} FROM nous.conflict_queue WHERE ${this.#own} AND ${where}`,
    );
  }

  isResolved(id: string): boolean {
    return this.#where(sql`id = ${id} AND status = 'resolved'`).length > 0;
  }

  ofNewer(newNodeId: string): ConflictRow[] {
    return this.#where(
      sql`new_node_id = ${newNodeId} AND old_node_id IS NOT NULL ORDER BY sequence`,
    );
  }

  ofPair(oldNodeId: string, newNodeId: string): ConflictRow | undefined {
    return this.#where(
      sql`old_node_id = ${oldNodeId} AND new_node_id = ${newNodeId} ORDER BY sequence DESC LIMIT 1`,
    )[0];
  }

  verdicts(tier: string): { confirmed: number; rejected: number } {
    const of = (resolutions: Query) =>
      sql`count(*) FILTER (WHERE resolution IN (${resolutions}))::int`;
    return this.#rows.all<{ confirmed: number; rejected: number }>(
      sql`SELECT ${of(raw("'new_is_current'"))} AS confirmed,
        ${of(raw("'keep_both', 'old_is_current'"))} AS rejected
      FROM nous.conflict_queue WHERE ${this.#own} AND detection_tier = ${tier} AND status = 'resolved'`,
    )[0]!;
  }

  grade(id: string, tier: string, confidence: number): void {
    this.#rows.change(sql`UPDATE nous.conflict_queue
      SET detection_tier = ${tier}, detection_confidence = ${confidence}
      WHERE ${this.#own} AND id = ${id}`);
  }

  find(id: string): ConflictRow | undefined {
    return this.#where(sql`id = ${id} AND ${this.#hasOld}`)[0];
  }

  all(status: string, room: ReadRoom): ConflictRow[] {
    const from = sql`FROM nous.conflict_queue
      WHERE ${this.#own} AND coalesce(status, 'pending') = ${status} AND ${this.#hasOld}
      ORDER BY created_at NULLS FIRST, sequence`;
    return readWithin(this.#rows, { columns: CONFLICT, texts: CONFLICT_TEXTS, from }, null, room);
  }

  list({ status, now, before, limit, room }: ConflictFilter): ConflictRow[] {
    const where = status === "pending" ? this.#isOpen(now) : raw("status = 'resolved'");
    const from = sql`FROM nous.conflict_queue
      WHERE ${this.#own} AND ${where} AND sequence < ${before ?? Number.MAX_SAFE_INTEGER} ORDER BY sequence DESC`;
    return readWithin(this.#rows, { columns: CONFLICT, texts: CONFLICT_TEXTS, from }, limit, room);
  }

  resolve(id: string, resolution: string, now: string): void {
    this.#rows.change(sql`
      UPDATE nous.conflict_queue SET status = 'resolved', resolution = ${resolution},
      resolved_at = ${now}
      WHERE ${this.#own} AND id = ${id}`);
  }

  reopen(id: string, expires_at: string): void {
    this.#rows.change(sql`
      UPDATE nous.conflict_queue SET status = 'pending', resolution = NULL, resolved_at = NULL,
      expires_at = ${expires_at}
      WHERE ${this.#own} AND id = ${id}`);
  }

  untie(newNodeId: string): void {
    this.#rows.change(sql`
      UPDATE nous.conflict_queue SET new_node_id = NULL
      WHERE ${this.#own} AND new_node_id = ${newNodeId} AND old_node_id <> new_node_id
      AND ${IS_PENDING}
        AND new_content <> ''`);
  }

  removeOf(nodeId: string): void {
    this.#rows.change(sql`
      DELETE FROM nous.conflict_queue
      WHERE ${this.#own} AND (old_node_id = ${nodeId} OR new_node_id = ${nodeId})`);
  }

  removeExpired(now: string): void {
    const expires = isoOf("expires_at");
    // A single request with a fast clock removes nothing: another conflict must be as late.
    this.#rows.change(sql`
      DELETE FROM nous.conflict_queue WHERE ${this.#own} AND ${IS_PENDING} AND ${expires} <= ${now}
        AND ${expires} <= (SELECT max(${CREATED_AT}) FROM nous.conflict_queue WHERE ${this.#own})`);
  }

  /** Writes a row as it is, over a stored row with the same id. */
  put(row: Readonly<Record<string, unknown>>): void {
    const taken = CONFLICT_COLUMNS.map((column) => raw(`${column} = excluded.${column}`));
    this.#rows.change(
      this.#inserting(row, sql`ON CONFLICT (agent, id) DO UPDATE SET ${joined(taken, ", ")}`),
    );
  }
}

/** The columns of texts, whose sizes count. */
const CONFLICT_TEXTS = CONFLICT_COLUMNS.filter((column) => column !== "detection_confidence");
