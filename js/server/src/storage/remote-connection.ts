// A synchronous connection to a remote database: each call blocks until a worker thread has the
// answer.

import { BlockingThread } from "./blocking-thread.ts";
import type { Connection, Statement } from "./connection.ts";
import { RemoteError } from "./errors.ts";
import type { RemoteCall, Reply } from "./remote-thread.ts";

/**
 * How much longer than the network timeout a call waits for the thread, which may have to start
 * first, in milliseconds.
 */
const GRACE = 15_000;

const BEGINNINGS = new Set(["BEGIN", "BEGIN IMMEDIATE"]);

/** A remote database, and how to connect to it. */
export interface Remote {
  /** A URL with the scheme `libsql:`, `https:` or `http:`. */
  url: string;
  /** The access token. Empty: no token is sent. */
  token: string;
  /** How long a request waits for its answer, in milliseconds. */
  timeout: number;
}

/** Thrown if SQLite refuses a statement. `code` is SQLite's name of the reason. */
class SqlError extends Error {
  override readonly name = "SqlError";

  constructor(
    message: string,
    readonly code: string | undefined,
  ) {
    super(message);
  }
}

/** A `Connection` to a remote database. */
export class RemoteConnection implements Connection {
  readonly #timeout: number;
  readonly #thread: BlockingThread<RemoteCall, Reply>;
  /** The open transaction. `lost` is the error after which it accepts no statements. */
  #transaction: { lost: RemoteError | undefined } | undefined;

  /** `script` is the URL of the thread's script. */
  constructor(remote: Remote, script: URL) {
    this.#timeout = remote.timeout + GRACE;
    this.#thread = new BlockingThread(script, remote);
  }

  get inTransaction(): boolean {
    return this.#transaction !== undefined;
  }

  prepare(sql: string): Statement {
    const all = (...values: unknown[]) => this.#ask({ kind: "statement", sql, values });
    return { all, run: all };
  }

  exec(sql: string): void {
    if (BEGINNINGS.has(sql)) this.#begin(sql);
    else if (sql === "COMMIT") this.#end(sql);
    else if (sql === "ROLLBACK") this.#undo();
    else this.#ask({ kind: "script", sql });
  }

  #begin(sql: string): void {
    this.#ask({ kind: "begin", sql });
    this.#transaction = { lost: undefined };
  }

  /** Commits. The transaction ends even if that fails. */
  #end(sql: string): void {
    const lost = this.#transaction?.lost;
    this.#transaction = undefined;
    if (lost !== undefined) throw lost;
    this.#ask({ kind: "end", sql });
  }

  #undo(): void {
    // If the transaction was lost, the server undoes it by itself.
    if (this.#transaction?.lost === undefined) this.#ask({ kind: "abandon" });
    this.#transaction = undefined;
  }

  /** @throws {RemoteError} If there is no answer. The open transaction is undone. */
  #ask(asked: RemoteCall): Record<string, unknown>[] {
    if (this.#transaction?.lost !== undefined) throw this.#transaction.lost;
    const reply = this.#replyTo(asked);
    if ("rows" in reply) return reply.rows;
    if ("refused" in reply) throw new SqlError(reply.refused.message, reply.refused.code);
    const lost = new RemoteError(`the remote database ${reply.lost}`);
    if (this.#transaction !== undefined) this.#transaction.lost = lost;
    throw lost;
  }

  #replyTo(asked: RemoteCall): Reply {
    return this.#thread.call(asked, this.#timeout) ?? { lost: "could not be asked" };
  }

  close(): void {
    this.#thread.close();
  }
}
