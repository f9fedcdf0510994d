// The table of requests that were sent with an idempotency key.

import { sql } from "../../query.ts";
import type { TableOf } from "../../storage.ts";
import type { Retry, RetryTable } from "../../tables/retries.ts";
import type { AgentRows } from "../agent-rows.ts";

/** The table of requests with an idempotency key. */
export class PostgresRetries implements TableOf<RetryTable> {
  readonly #rows: AgentRows;

  constructor(rows: AgentRows) {
    this.#rows = rows;
  }

  find(key: string, since: string): Retry | undefined {
    return this.#rows.first(sql`
      SELECT key, request, made, created_at FROM nous.retries
      WHERE agent = ${this.#rows.agent} AND key = ${key} AND created_at >= ${since}`);
  }

  put({ key, request, made, created_at }: Retry, since: string): void {
    const { agent } = this.#rows;
    this.#rows.writing(() => {
      // A single request with a fast clock removes nothing: another request must be as late.
      this.#rows.change(sql`
        DELETE FROM nous.retries WHERE agent = ${agent} AND created_at < ${since} AND EXISTS
          (SELECT 1 FROM nous.retries AS later WHERE later.agent = ${agent} AND later.created_at >= ${since})`);
      this.#rows.change(sql`
        INSERT INTO nous.retries (agent, key, request, made, created_at)
        VALUES (${agent}, ${key}, ${request}, ${made}, ${created_at})
        ON CONFLICT (agent, key) DO UPDATE SET request = excluded.request, made = excluded.made,
          created_at = excluded.created_at`);
    });
  }
}
