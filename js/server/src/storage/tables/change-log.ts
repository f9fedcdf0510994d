// The change log: which rows changed, in the order of commits. Triggers write it, whatever program
// changes the rows.

import type { Sql } from "../sql.ts";

/** An entry of the change log: it names changed rows, without their contents. */
export interface Change {
  /** Rises with every change, and is never reused. */
  sequence: number;
  /** `soft`: nothing changed but soft state. `learned`: what use has taught. */
  entity: "node" | "edge" | "soft" | "learned";
  /** The ids of the rows: one, or the memories of a flush. Of `learned` a single empty one. */
  ids: readonly string[];
}

/** What became of a memory or of an edge. */
export type Action = "stored" | "changed" | "deleted" | "linked" | "replaced" | "unlinked";

/** Returns what a new edge of a type is. */
export const actionOfEdge = (type: unknown): Action =>
  type === "supersedes" ? "replaced" : "linked";

/** An entry that clients are told of. */
export interface ToldChange {
  sequence: number;
  entity: "node" | "edge";
  id: string;
  action: Action;
  /** When the row was written, in ISO. */
  at: string;
}

/** An entry of the change log as it is stored. */
export interface LoggedChange {
  sequence: number;
  entity: Change["entity"];
  /** An id, or a JSON array of ids. */
  id: string;
}

/** Returns an entry with the ids of its rows. */
export const changeOf = ({ sequence, entity, id }: LoggedChange): Change => ({
  sequence,
  entity,
  ids: entity === "soft" ? idsOf(id) : [id],
});

/** Returns the ids of a JSON array. Another program may have stored something else. */
function idsOf(json: string): string[] {
  try {
    const ids: unknown = JSON.parse(json);
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

/** The table of changes. */
export class ChangeLog {
  readonly #sql: Sql;
  readonly #writer: () => string;

  /** `writer` returns the name of this connection in the log. */
  constructor(sql: Sql, writer: () => string) {
    this.#sql = sql;
    this.#writer = writer;
  }

  /**
   * Returns the first and the last entry. If the log is empty, `first` is 0 and `last` is the last
   * entry ever.
   */
  range(): { first: number; last: number } {
    // SQLite scans the whole log for a minimum and a maximum in one SELECT.
    const [first, last] = ["min", "max"].map((end) => `(SELECT ${end}(sequence) FROM change_log)`);
    const ever = "(SELECT seq FROM sqlite_sequence WHERE name = 'change_log')";
    return this.#sql.first(
      `SELECT coalesce(${first}, 0) AS first, coalesce(${last}, ${ever}, 0) AS last`,
    )!;
  }

  /** Returns the entries of other writers after an entry, in order. */
  since(sequence: number): Change[] {
    const others =
      "SELECT sequence, entity, id FROM change_log WHERE sequence > ? AND writer IS NOT ? ORDER BY sequence";
    return this.#sql.all<LoggedChange>(others, sequence, this.#writer()).map(changeOf);
  }

  /** Returns the first entries after an entry that clients are told of, whoever wrote them. */
  told(sequence: number, limit: number): ToldChange[] {
    const told = `SELECT sequence, entity, id, action, at FROM change_log
      WHERE sequence > ? AND action IS NOT NULL ORDER BY sequence LIMIT ?`;
    return this.#sql.all(told, sequence, limit);
  }

  /**
   * Marks the entries after an entry as this writer's, within the transaction that made them.
   * Returns them in order.
   */
  claim(after: number): Change[] {
    const own =
      "UPDATE change_log SET writer = ? WHERE sequence > ? RETURNING sequence, entity, id";
    const changes = this.#sql.all<LoggedChange>(own, this.#writer(), after).map(changeOf);
    return changes.sort((a, b) => a.sequence - b.sequence);
  }

  /** Removes the entries up to one. */
  trim(upTo: number): void {
    this.#sql.run("DELETE FROM change_log WHERE sequence <= ?", upTo);
  }
}
