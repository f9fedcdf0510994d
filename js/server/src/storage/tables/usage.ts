// The table of uses: which memories stood in a prompt, and whether the answer referred to them.

import type { UsageRow } from "../rows.ts";
import { LISTED, type Sql } from "../sql.ts";

/** The columns of a use. */
export const USAGE_COLUMNS = [
  "memory_id",
  "memory_type",
  "context_id",
  "retrieved_at",
  "was_referenced",
  "overlap_score",
] as const satisfies readonly (keyof UsageRow)[];

const USAGE = USAGE_COLUMNS.join(", ");

/** The table of uses. */
export class UsageTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Returns the uses of a prompt, in the order they were recorded. */
  ofContext(contextId: string): UsageRow[] {
    return this.#sql.all(
      `SELECT ${USAGE} FROM memory_usage WHERE context_id = ? ORDER BY sequence`,
      contextId,
    );
  }

  /** Returns the uses of these memories, oldest first. */
  of(memoryIds: readonly string[]): UsageRow[] {
    const of = `SELECT ${USAGE} FROM memory_usage WHERE memory_id IN ${LISTED} ORDER BY sequence`;
    return this.#sql.all(of, JSON.stringify(memoryIds));
  }

  /**
   * Records uses. Removes uses from before `since`, in ISO, once a later use is recorded, and the
   * oldest beyond `most`.
   */
  add(uses: readonly UsageRow[], max: number, since: string): void {
    const add = `INSERT INTO memory_usage (${USAGE}) VALUES (${USAGE_COLUMNS.map(() => "?").join(", ")})`;
    // A single request with a fast clock removes nothing: another use must be as late.
    this.#sql.run(
      `DELETE FROM memory_usage WHERE retrieved_at <= ?1
         AND EXISTS (SELECT 1 FROM memory_usage AS later WHERE later.retrieved_at >= ?1)`,
      since,
    );
    for (const use of uses) this.#sql.run(add, ...USAGE_COLUMNS.map((column) => use[column]));
    this.#sql.run(
      `DELETE FROM memory_usage
       WHERE sequence <= (SELECT sequence FROM memory_usage ORDER BY sequence DESC LIMIT 1 OFFSET ?)`,
      max,
    );
  }
}
