// The table of requests that were sent with an idempotency key.

import type { Sql } from "../sql.ts";

/** A request that was sent with an idempotency key, and what it made. */
export interface Retry {
  key: string;
  /** A hash of the request. */
  request: string;
  /** The result, as JSON without texts of memories. */
  made: string;
  /** The time of the request, in ISO. */
  created_at: string;
}

/** The table of requests with an idempotency key. */
export class RetryTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Returns the request with a key, if it is not older than `since`, in ISO. */
  find(key: string, since: string): Retry | undefined {
    const known =
      "SELECT key, request, made, created_at FROM nous_retries WHERE key = ? AND created_at >= ?";
    return this.#sql.all<Retry>(known, key, since)[0];
  }

  /** Stores a request, and removes requests older than `since` once a younger one is stored. */
  put({ key, request, made, created_at }: Retry, since: string): void {
    // A single request with a fast clock removes nothing: another request must be as late.
    this.#sql.all(
      `DELETE FROM nous_retries WHERE created_at < ?1
         AND EXISTS (SELECT 1 FROM nous_retries AS later WHERE later.created_at >= ?1)`,
      since,
    );
    this.#sql.all(
      "INSERT OR REPLACE INTO nous_retries (key, request, made, created_at) VALUES (?, ?, ?, ?)",
      key,
      request,
      made,
      created_at,
    );
  }
}
