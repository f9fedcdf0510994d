// Requests with a key of their caller's in SQL.

import type { Ask } from "./sql.ts";
import type { Retries, Retry } from "./storage.ts";

export class RetryTable implements Retries {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  find(key: string, since: string): Retry | undefined {
    const known = "SELECT key, request, made, created_at FROM nous_retries WHERE key = ? AND created_at >= ?";
    return this.#ask<Retry>(known, key, since)[0];
  }

  put({ key, request, made, created_at }: Retry, since: string): void {
    this.#ask("DELETE FROM nous_retries WHERE created_at < ?", since);
    this.#ask(
      "INSERT INTO nous_retries (key, request, made, created_at) VALUES (?, ?, ?, ?)",
      key,
      request,
      made,
      created_at,
    );
  }
}
