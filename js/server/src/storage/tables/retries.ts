// Requests with a key of their caller's in SQL.

import type { Ask } from "../sql.ts";
import type { Retries, Retry } from "../storage.ts";

export class RetryTable implements Retries {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  find(key: string, since: string): Retry | undefined {
    const known =
      "SELECT key, request, made, created_at FROM nous_retries WHERE key = ? AND created_at >= ?";
    return this.#ask<Retry>(known, key, since)[0];
  }

  put({ key, request, made, created_at }: Retry, since: string): void {
    // A clock that is ahead for one request forgets nothing: one that came before has to tell of
    // the time, too.
    this.#ask(
      `DELETE FROM nous_retries WHERE created_at < ?1
         AND EXISTS (SELECT 1 FROM nous_retries AS later WHERE later.created_at >= ?1)`,
      since,
    );
    this.#ask(
      "INSERT OR REPLACE INTO nous_retries (key, request, made, created_at) VALUES (?, ?, ?, ?)",
      key,
      request,
      made,
      created_at,
    );
  }
}
