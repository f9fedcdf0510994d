// The table of outcomes: which trades were counted for which playbooks.

import { type Query, sql } from "../../query.ts";
import type { EdgeRow } from "../../rows.ts";
import type { TableOf } from "../../storage.ts";
import type { OutcomeTable } from "../../tables/outcomes.ts";
import type { AgentRows } from "../agent-rows.ts";

/** The table of outcomes. */
export class PostgresOutcomes implements TableOf<OutcomeTable> {
  readonly #rows: AgentRows;
  readonly #own: Query;

  constructor(rows: AgentRows) {
    this.#rows = rows;
    this.#own = sql`playbook_outcomes.agent = ${rows.agent}`;
  }

  tiedTo(nodeId: string, types: readonly string[], subtype: string): string[] {
    const { agent } = this.#rows;
    const tied = sql`FROM nous.edges WHERE edges.agent = ${agent} AND type = ANY(${types}::text[])`;
    const rows = this.#rows.all<{ id: string }>(sql`
      SELECT nodes.sequence, nodes.id FROM nous.nodes
      WHERE nodes.agent = ${agent} AND nodes.subtype = ${subtype} AND nodes.id IN
        (SELECT source_id ${tied} AND target_id = ${nodeId} UNION SELECT target_id ${tied}
        AND source_id = ${nodeId})
      ORDER BY nodes.sequence`);
    return rows.map(({ id }) => id);
  }

  uncountedEdges(
    entryId: string,
    type: string,
    subtype: string,
  ): Pick<EdgeRow, "id" | "source_id">[] {
    const { agent } = this.#rows;
    return this.#rows.all(sql`
      SELECT edges.id, edges.source_id FROM nous.edges
        JOIN nous.nodes ON nodes.agent = ${agent} AND nodes.id = edges.source_id
      WHERE edges.agent = ${agent} AND edges.target_id = ${entryId} AND edges.type = ${type}
        AND nodes.subtype = ${subtype} AND NOT EXISTS
          (SELECT 1 FROM nous.playbook_outcomes
           WHERE ${this.#own} AND playbook_id = edges.source_id AND entry_id = edges.target_id)
      ORDER BY edges.sequence`);
  }

  has(playbookId: string, entryId: string): boolean {
    const counted = sql`SELECT 1 AS one FROM nous.playbook_outcomes
      WHERE ${this.#own} AND playbook_id = ${playbookId} AND entry_id = ${entryId}`;
    return this.#rows.all(counted).length > 0;
  }

  add(playbookId: string, entryId: string, profitable: boolean, at: string): void {
    this.#rows.change(sql`
      INSERT INTO nous.playbook_outcomes (agent, playbook_id, entry_id, profitable, applied_at)
      VALUES (${this.#rows.agent}, ${playbookId}, ${entryId}, ${profitable ? 1 : 0}, ${at})`);
  }

  take(playbookId: string, profitable: boolean, since: string): boolean {
    const taken = this.#rows.change(sql`
      UPDATE nous.playbook_outcomes SET client_counted = 1
      WHERE ${this.#own} AND playbook_id = ${playbookId} AND entry_id = (
        SELECT entry_id FROM nous.playbook_outcomes
        WHERE ${this.#own} AND playbook_id = ${playbookId} AND profitable = ${profitable ? 1 : 0}
          AND client_counted = 0 AND applied_at >= ${since}
        ORDER BY applied_at, entry_id LIMIT 1)
      RETURNING 1 AS one`);
    return taken.length > 0;
  }
}
