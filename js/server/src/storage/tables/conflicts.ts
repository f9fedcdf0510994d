// The queue of conflicts: memories that may contradict each other, until a client resolves them.

import type { ConflictRow, NewConflict } from "../rows.ts";
import { CREATED_AT, isId, isoOf, isThere, type ReadRoom, readWithin, type Sql } from "../sql.ts";

/** The columns of a conflict. */
export const CONFLICT_COLUMNS = [
  "id",
  "old_node_id",
  "new_node_id",
  "new_content",
  "conflict_type",
  "detection_tier",
  "detection_confidence",
  "context",
  "entity_name",
  "topic",
  "status",
  "created_at",
  "expires_at",
  "resolution",
  "resolved_at",
] as const satisfies readonly (keyof ConflictRow)[];
/** Values that stand for null: in tables that Hynous made, these columns are NOT NULL. */
export const FOR_NULL: Readonly<Record<string, string | number>> = {
  new_content: "",
  conflict_type: "",
  detection_tier: "",
  detection_confidence: 0,
};
const CONFLICT = `rowid AS sequence, ${CONFLICT_COLUMNS.join(", ")}`;
const HAS_OLD = isThere("old_node_id");
const EXPIRED = `${isoOf("expires_at")} <= ?`;
/** A conflict is open while its memories exist. */
const OPEN = `coalesce(status, 'pending') = 'pending' AND NOT coalesce(${EXPIRED}, 0)
  AND ${HAS_OLD}
  AND (new_node_id IS NULL OR new_node_id <> old_node_id AND ${isThere("new_node_id")})`;

/** Which conflicts a list returns. `now` is ISO. */
export interface ConflictFilter {
  status: "pending" | "resolved";
  now: string;
  /** The sequence number of the last row of the page before. */
  before?: number | undefined;
  limit: number;
  room?: ReadRoom | undefined;
}

/** The queue of conflicts. Times are ISO. */
export class ConflictTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  insert(conflict: NewConflict): ConflictRow {
    const places = CONFLICT_COLUMNS.map(() => "?").join(", ");
    return this.#sql.all<ConflictRow>(
      `INSERT INTO conflict_queue (${CONFLICT_COLUMNS.join(", ")}) VALUES (${places}) RETURNING ${CONFLICT}`,
      ...CONFLICT_COLUMNS.map((column) => conflict[column] ?? FOR_NULL[column] ?? null),
    )[0]!;
  }

  /** Returns a conflict that is pending, has not expired, and whose memories exist. */
  open(id: string, now: string): ConflictRow | undefined {
    return this.#sql.all<ConflictRow>(
      `SELECT ${CONFLICT} FROM conflict_queue WHERE id = ? AND ${OPEN}`,
      id,
      now,
    )[0];
  }

  isResolved(id: string): boolean {
    return (
      this.#sql.all("SELECT 1 FROM conflict_queue WHERE id = ? AND status = 'resolved'", id)
        .length > 0
    );
  }

  /** Returns the conflicts of a new memory, whatever the status, in order. */
  ofNewer(newNodeId: string): ConflictRow[] {
    return this.#sql.all<ConflictRow>(
      `SELECT ${CONFLICT} FROM conflict_queue WHERE new_node_id = ? AND old_node_id IS NOT NULL ORDER BY rowid`,
      newNodeId,
    );
  }

  /** Returns the last conflict of two memories, whatever the status. */
  ofPair(oldNodeId: string, newNodeId: string): ConflictRow | undefined {
    return this.#sql.all<ConflictRow>(
      `SELECT ${CONFLICT} FROM conflict_queue WHERE old_node_id = ? AND new_node_id = ? ORDER BY rowid DESC LIMIT 1`,
      oldNodeId,
      newNodeId,
    )[0];
  }

  /** Returns how many conflicts that a method found were resolved for the newer memory, and against it. */
  verdicts(tier: string): { confirmed: number; rejected: number } {
    return this.#sql.all<{ confirmed: number; rejected: number }>(
      `SELECT coalesce(sum(resolution = 'new_is_current'), 0) AS confirmed,
        coalesce(sum(resolution IN ('keep_both', 'old_is_current')), 0) AS rejected
       FROM conflict_queue WHERE detection_tier = ? AND status = 'resolved'`,
      tier,
    )[0]!;
  }

  /** Sets the method that found a conflict, and how sure it is. */
  grade(id: string, tier: string, confidence: number): void {
    this.#sql.run(
      "UPDATE conflict_queue SET detection_tier = ?, detection_confidence = ? WHERE id = ?",
      tier,
      confidence,
      id,
    );
  }

  /** Returns a conflict of any status, expired or not, whose old memory exists. */
  find(id: string): ConflictRow | undefined {
    return this.#sql.all<ConflictRow>(
      `SELECT ${CONFLICT} FROM conflict_queue WHERE id = ? AND ${HAS_OLD}`,
      id,
    )[0];
  }

  /**
   * Returns the conflicts of a status, expired or not, oldest first, whose old memory exists. Stops
   * when `room` is used up.
   */
  all(status: string, room: ReadRoom): ConflictRow[] {
    const where = `coalesce(status, 'pending') = ? AND ${isId("id")} AND ${HAS_OLD}`;
    const from = `FROM conflict_queue WHERE ${where} ORDER BY created_at, rowid`;
    const what = { columns: CONFLICT, texts: CONFLICT_COLUMNS, from };
    return readWithin(this.#sql, what, [status], Number.MAX_SAFE_INTEGER, room);
  }

  /** Returns conflicts, newest first. Pending ones are returned only while they are open. */
  list({ status, now, before, limit, room }: ConflictFilter): ConflictRow[] {
    const [where, values] = status === "pending" ? [OPEN, [now]] : ["status = 'resolved'", []];
    const from = `FROM conflict_queue WHERE ${where} AND ${isId("id")} AND rowid < ? ORDER BY rowid DESC`;
    const bound = [...values, before ?? Number.MAX_SAFE_INTEGER];
    return readWithin(
      this.#sql,
      { columns: CONFLICT, texts: CONFLICT_COLUMNS, from },
      bound,
      limit,
      room,
    );
  }

  resolve(id: string, resolution: string, now: string): void {
    const done =
      "UPDATE conflict_queue SET status = 'resolved', resolution = ?, resolved_at = ? WHERE id = ?";
    this.#sql.all(done, resolution, now, id);
  }

  /** Makes a conflict that was resolved wait again. */
  reopen(id: string, expires_at: string): void {
    this.#sql.run(
      "UPDATE conflict_queue SET status = 'pending', resolution = NULL, resolved_at = NULL, expires_at = ? WHERE id = ?",
      expires_at,
      id,
    );
  }

  /**
   * Removes the name of the new memory from pending conflicts that hold its text: they stay when it
   * is deleted.
   */
  untie(newNodeId: string): void {
    this.#sql.all(
      `UPDATE conflict_queue SET new_node_id = NULL WHERE new_node_id = ? AND old_node_id <> new_node_id
        AND coalesce(status, 'pending') = 'pending' AND typeof(new_content) = 'text' AND new_content <> ''`,
      newNodeId,
    );
  }

  /** Removes the conflicts of a memory. */
  removeOf(nodeId: string): void {
    this.#sql.all(
      "DELETE FROM conflict_queue WHERE old_node_id = ? OR new_node_id = ?",
      nodeId,
      nodeId,
    );
  }

  /** Removes pending conflicts that have expired, and had expired when another one was queued. */
  removeExpired(now: string): void {
    // A single request with a fast clock removes nothing: another conflict must be as late.
    this.#sql.all(
      `DELETE FROM conflict_queue WHERE coalesce(status, 'pending') = 'pending' AND ${EXPIRED}
         AND ${isoOf("expires_at")} <= (SELECT max(${CREATED_AT}) FROM conflict_queue)`,
      now,
    );
  }
}
