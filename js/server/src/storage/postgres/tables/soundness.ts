// Checks of an agent's rows: their references. PostgreSQL checks its pages and indexes itself.

import { raw, sql } from "../../query.ts";
import type { TableOf } from "../../storage.ts";
import { listedIds, MEMBERS, type Soundness } from "../../tables/soundness.ts";
import type { AgentRows } from "../agent-rows.ts";
import type { PostgresEdges } from "./edges.ts";

/** The checks of an agent's rows. */
export class PostgresSoundness implements TableOf<Soundness> {
  readonly #rows: AgentRows;
  readonly #edges: PostgresEdges;

  constructor(rows: AgentRows, edges: PostgresEdges) {
    this.#rows = rows;
    this.#edges = edges;
  }

  problems(): string[] {
    const dangling = this.#edges.dangling();
    if (dangling.length === 0) return [];
    return [
      `${dangling.length} edges lead to or from a memory that is not there: ${listedIds(dangling)}`,
    ];
  }

  loose(): string[] {
    const { agent } = this.#rows;
    return MEMBERS.flatMap(([table, column, of, problem]) => {
      const { count } = this.#rows.first<{ count: number }>(sql`
        SELECT count(*) AS count FROM nous.${raw(table)} AS named WHERE named.agent = ${agent}
        AND NOT EXISTS
          (SELECT 1 FROM nous.${raw(of)} AS there WHERE there.agent = ${agent} AND there.id = named.${raw(column)})`)!;
      return count > 0 ? [`${count} ${problem} that is not there`] : [];
    });
  }
}
