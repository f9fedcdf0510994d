// The table of outcomes: which trades were counted for which playbooks.

import type { EdgeRow } from "../rows.ts";
import type { Sql } from "../sql.ts";

/** The table of outcomes. */
export class OutcomeTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Returns the ids of memories of a subtype that edges of these types tie to a memory, in order.
   */
  tiedTo(nodeId: string, types: readonly string[], subtype: string): string[] {
    const rows = this.#sql.all<{ id: string }>(
      `SELECT DISTINCT nodes.rowid AS sequence, nodes.id FROM (
         SELECT source_id AS id FROM edges WHERE target_id = ?1 AND type IN (SELECT value FROM json_each(?2))
         UNION SELECT target_id FROM edges WHERE source_id = ?1 AND type IN (SELECT value FROM json_each(?2))
       ) AS tied JOIN nodes ON nodes.id = tied.id WHERE nodes.subtype = ?3 ORDER BY 1`,
      nodeId,
      JSON.stringify(types),
      subtype,
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Returns the edges of a type that lead to a trade from memories of a subtype for which the trade
   * has not been counted, in order.
   */
  uncountedEdges(
    entryId: string,
    type: string,
    subtype: string,
  ): Pick<EdgeRow, "id" | "source_id">[] {
    return this.#sql.all(
      `SELECT edges.id, edges.source_id FROM edges JOIN nodes ON nodes.id = edges.source_id
       WHERE edges.target_id = ? AND edges.type = ? AND nodes.subtype = ? AND edges.id IS NOT NULL AND NOT EXISTS
         (SELECT 1 FROM playbook_outcomes WHERE playbook_id = edges.source_id AND entry_id = edges.target_id)
       ORDER BY edges.rowid`,
      entryId,
      type,
      subtype,
    );
  }

  /** Returns whether a trade has been counted for a playbook. */
  has(playbookId: string, entryId: string): boolean {
    const counted = "SELECT 1 FROM playbook_outcomes WHERE playbook_id = ? AND entry_id = ?";
    return this.#sql.first(counted, playbookId, entryId) !== undefined;
  }

  add(playbookId: string, entryId: string, profitable: boolean, at: string): void {
    const add =
      "INSERT INTO playbook_outcomes (playbook_id, entry_id, profitable, applied_at) VALUES (?, ?, ?, ?)";
    this.#sql.run(add, playbookId, entryId, profitable ? 1 : 0, at);
  }

  /**
   * Marks the first trade with this end that was counted for a playbook since a time, in ISO, and
   * that no client has counted, as counted by the client, too. Returns whether there was one.
   */
  take(playbookId: string, profitable: boolean, since: string): boolean {
    const taken = this.#sql.first(
      `UPDATE playbook_outcomes SET client_counted = 1 WHERE playbook_id = ? AND entry_id = (
         SELECT entry_id FROM playbook_outcomes
         WHERE playbook_id = ? AND profitable = ? AND client_counted = 0 AND applied_at >= ?
         ORDER BY applied_at, entry_id LIMIT 1)
       RETURNING 1`,
      ...[playbookId, playbookId, profitable ? 1 : 0, since],
    );
    return taken !== undefined;
  }
}
