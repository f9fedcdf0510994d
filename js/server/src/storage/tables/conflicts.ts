// The queue of conflicts in SQL: memories that may contradict each other, until somebody has said
// which of them holds.

import type { ConflictRow, NewConflict } from "../rows.ts";
import { type Ask, CREATED_AT, isId, isoOf, readWithin } from "../sql.ts";
import type { ConflictFilter, Conflicts, ReadRoom } from "../storage.ts";

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
/**
 * What stands for null: tables that Hynous made have no room for it. Read as text, "" counts as
 * missing.
 */
export const FOR_NULL: Readonly<Record<string, string | number>> = {
  new_content: "",
  conflict_type: "",
  detection_tier: "",
  detection_confidence: 0,
};
const CONFLICT = `rowid AS sequence, ${CONFLICT_COLUMNS.join(", ")}`;
const HAS_OLD = "old_node_id IN (SELECT id FROM nodes)";
const EXPIRED = `${isoOf("expires_at")} <= ?`;
/** One whose memories are gone is none any more. */
const OPEN = `coalesce(status, 'pending') = 'pending' AND NOT coalesce(${EXPIRED}, 0)
  AND ${HAS_OLD}
  AND (new_node_id IS NULL OR new_node_id <> old_node_id AND new_node_id IN (SELECT id FROM nodes))`;

export class ConflictTable implements Conflicts {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  insert(conflict: NewConflict): ConflictRow {
    const places = CONFLICT_COLUMNS.map(() => "?").join(", ");
    return this.#ask<ConflictRow>(
      `INSERT INTO conflict_queue (${CONFLICT_COLUMNS.join(", ")}) VALUES (${places}) RETURNING ${CONFLICT}`,
      ...CONFLICT_COLUMNS.map((column) => conflict[column] ?? FOR_NULL[column] ?? null),
    )[0]!;
  }

  open(id: string, now: string): ConflictRow | undefined {
    return this.#ask<ConflictRow>(
      `SELECT ${CONFLICT} FROM conflict_queue WHERE id = ? AND ${OPEN}`,
      id,
      now,
    )[0];
  }

  isResolved(id: string): boolean {
    return (
      this.#ask("SELECT 1 FROM conflict_queue WHERE id = ? AND status = 'resolved'", id).length > 0
    );
  }

  find(id: string): ConflictRow | undefined {
    return this.#ask<ConflictRow>(
      `SELECT ${CONFLICT} FROM conflict_queue WHERE id = ? AND ${HAS_OLD}`,
      id,
    )[0];
  }

  all(status: string, room: ReadRoom): ConflictRow[] {
    const where = `coalesce(status, 'pending') = ? AND ${isId("id")} AND ${HAS_OLD}`;
    const from = `FROM conflict_queue WHERE ${where} ORDER BY created_at, rowid`;
    const what = { columns: CONFLICT, texts: CONFLICT_COLUMNS, from };
    return readWithin(this.#ask, what, [status], Number.MAX_SAFE_INTEGER, room);
  }

  list({ status, now, before, limit, room }: ConflictFilter): ConflictRow[] {
    const [where, values] = status === "pending" ? [OPEN, [now]] : ["status = 'resolved'", []];
    const from = `FROM conflict_queue WHERE ${where} AND ${isId("id")} AND rowid < ? ORDER BY rowid DESC`;
    const bound = [...values, before ?? Number.MAX_SAFE_INTEGER];
    return readWithin(
      this.#ask,
      { columns: CONFLICT, texts: CONFLICT_COLUMNS, from },
      bound,
      limit,
      room,
    );
  }

  resolve(id: string, resolution: string, now: string): void {
    const done =
      "UPDATE conflict_queue SET status = 'resolved', resolution = ?, resolved_at = ? WHERE id = ?";
    this.#ask(done, resolution, now, id);
  }

  untie(newNodeId: string): void {
    this.#ask(
      `UPDATE conflict_queue SET new_node_id = NULL WHERE new_node_id = ? AND old_node_id <> new_node_id
        AND coalesce(status, 'pending') = 'pending' AND typeof(new_content) = 'text' AND new_content <> ''`,
      newNodeId,
    );
  }

  removeOf(nodeId: string): void {
    this.#ask(
      "DELETE FROM conflict_queue WHERE old_node_id = ? OR new_node_id = ?",
      nodeId,
      nodeId,
    );
  }

  removeExpired(now: string): void {
    // A clock that is ahead for one request forgets nothing: a conflict that was queued later has
    // to tell of the time, too.
    this.#ask(
      `DELETE FROM conflict_queue WHERE coalesce(status, 'pending') = 'pending' AND ${EXPIRED}
         AND ${isoOf("expires_at")} <= (SELECT max(${CREATED_AT}) FROM conflict_queue)`,
      now,
    );
  }
}
