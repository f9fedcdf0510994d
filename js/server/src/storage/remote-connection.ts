// A connection to a database elsewhere that is used like one to a file: each call waits until a
// thread has the answer.

import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from "node:worker_threads";
import type { Connection, Statement } from "./connection.ts";
import { RemoteError } from "./errors.ts";
import type { RemoteCall, Reply, ThreadSetup } from "./remote-thread.ts";

/**
 * How much longer the thread may take than the network, to start among other things, in
 * milliseconds.
 */
const GRACE = 15_000;

const BEGINNINGS = new Set(["BEGIN", "BEGIN IMMEDIATE"]);

/** A database elsewhere, and how it is spoken with. */
export interface Remote {
  /** With `libsql:`, `https:` or `http:`. */
  url: string;
  /** What it knows us by; none is sent where it is empty. */
  token: string;
  /** How long an answer is waited for, in milliseconds. */
  timeout: number;
}

/** A statement that SQLite refused, by its own name of the reason. */
class SqlError extends Error {
  override readonly name = "SqlError";

  constructor(
    message: string,
    readonly code: string | undefined,
  ) {
    super(message);
  }
}

interface RemoteThread {
  worker: Worker;
  port: MessagePort;
}

export class RemoteConnection implements Connection {
  readonly #remote: Remote;
  readonly #script: URL;
  readonly #answered = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #thread: RemoteThread | undefined;
  /** Where a transaction is begun: why nothing can be done in it any more, if so. */
  #transaction: { lost: RemoteError | undefined } | undefined;

  /** `script` is that of the thread. */
  constructor(remote: Remote, script: URL) {
    this.#remote = remote;
    this.#script = script;
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

  /** The connection of a transaction ends with it, however it ends. */
  #end(sql: string): void {
    const lost = this.#transaction?.lost;
    this.#transaction = undefined;
    if (lost !== undefined) throw lost;
    this.#ask({ kind: "end", sql });
  }

  #undo(): void {
    // What was lost, or cannot be reached now, the server undoes by itself.
    if (this.#transaction?.lost === undefined) this.#ask({ kind: "abandon" });
    this.#transaction = undefined;
  }

  /** @throws {RemoteError} where there is no answer; what was begun is undone then. */
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
    this.#thread ??= this.#start();
    const { port, worker } = this.#thread;
    Atomics.store(this.#answered, 0, 0);
    port.postMessage(asked);
    Atomics.wait(this.#answered, 0, 0, this.#remote.timeout + GRACE);
    const received = receiveMessageOnPort(port) as { message: Reply } | undefined;
    if (received !== undefined) return received.message;
    // A thread that has ended, or hangs, is replaced.
    worker.terminate();
    this.#thread = undefined;
    return { lost: "could not be asked" };
  }

  #start(): RemoteThread {
    const { port1: port, port2 } = new MessageChannel();
    const setup: ThreadSetup = { ...this.#remote, port: port2, answered: this.#answered };
    const worker = new Worker(this.#script, { workerData: setup, transferList: [port2] });
    // Neither keeps the program from ending; and that a thread failed is seen by there being no
    // answer.
    worker.unref();
    worker.on("error", () => {});
    port.unref();
    return { worker, port };
  }

  close(): void {
    this.#thread?.port.close();
    this.#thread?.worker.terminate();
    this.#thread = undefined;
  }
}
