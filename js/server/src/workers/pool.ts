// The threads that agents live in, as the thread of HTTP sees them. An agent is at home in one, by a hash of its name.

import { createHash } from "node:crypto";
import { Worker } from "node:worker_threads";
import type { EMBEDDING_TASKS, EmbeddingTask } from "../agent/embeddings.ts";
import { Refusal } from "../agent/errors.ts";
import type { GivenTo } from "../api/operation.ts";
import type { AGENT_OPERATIONS, AgentOperation } from "../api/operations.ts";
import type { Logger } from "../log.ts";
import type { Failure, FromWorker, ToWorker, WorkerSetup } from "./protocol.ts";

/** A request failed for a reason that is not the client's. */
export class WorkerFailure extends Error {
  override readonly name = "WorkerFailure";

  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

interface Waiting {
  resolve(json: string): void;
  reject(error: Error): void;
}

/** What is common to all messages but their number. */
type Message = ToWorker extends infer M ? (M extends { id: number } ? Omit<M, "id"> : never) : never;

/** A thread that ended by itself is started anew after this, in milliseconds. */
const START_AGAIN_AFTER = 500;
const startedAgain = () => new Refusal(503, "the agent is being started again");

/** One thread, which is started anew should it end by itself. */
class Thread {
  #worker: Worker | undefined;
  #waiting = new Map<number, Waiting>();
  #last = 0;
  #isClosing = false;

  constructor(
    readonly script: URL,
    readonly setup: WorkerSetup,
    readonly log: Logger,
  ) {
    this.#worker = this.#start();
  }

  #start(): Worker {
    const worker = new Worker(this.script, { workerData: this.setup });
    worker.on("message", (message: FromWorker) => this.#hear(message));
    worker.on("error", (error) => this.log.error({ failure: { name: error.name } }, "A thread of agents failed"));
    worker.on("exit", () => this.#ended());
    return worker;
  }

  #hear(message: FromWorker): void {
    if (message.kind === "log") {
      this.log[message.level]({ agent: message.agent, ...message.figures }, message.what);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === "answer") waiting?.resolve(message.json);
    else if (message.kind === "failure") waiting?.reject(new WorkerFailure(message.failure));
    else waiting?.reject(new Refusal(message.status as Refusal["status"], message.message, message.issues));
  }

  #ended(): void {
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#worker = undefined;
    for (const { reject } of lost) reject(startedAgain());
    if (this.#isClosing) return;
    this.log.error("A thread of agents has ended, and is started again");
    setTimeout(() => {
      if (!this.#isClosing) this.#worker = this.#start();
    }, START_AGAIN_AFTER);
  }

  ask(message: Message): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#worker === undefined) return reject(startedAgain());
      const id = ++this.#last;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ ...message, id });
    });
  }

  async close(): Promise<void> {
    if (this.#worker !== undefined) await this.ask({ kind: "close" });
    this.#isClosing = true;
    await this.#worker?.terminate();
  }
}

type TaskInput<Name extends EmbeddingTask> =
  Parameters<(typeof EMBEDDING_TASKS)[Name]> extends [unknown, infer Given] ? Given : undefined;

export class Pool {
  readonly #threads: readonly Thread[];

  constructor(size: number, script: URL, setup: WorkerSetup, log: Logger) {
    this.#threads = Array.from({ length: size }, () => new Thread(script, setup, log));
  }

  #of(agent: string): Thread {
    const number = createHash("sha256").update(agent).digest().readUInt32BE();
    return this.#threads[number % this.#threads.length]!;
  }

  /** Opens an agent: its database is ready and its index loaded when this is done. */
  async open(agent: string): Promise<void> {
    await this.#of(agent).ask({ kind: "open", agent });
  }

  /**
   * The answer of an agent, as JSON.
   *
   * @throws {Refusal} for what the client can mend; {WorkerFailure} for what it cannot.
   */
  call<Name extends AgentOperation>(
    agent: string,
    operation: Name,
    given: GivenTo<(typeof AGENT_OPERATIONS)[Name]>,
  ): Promise<string> {
    return this.#of(agent).ask({ kind: "call", agent, operation, given });
  }

  /** What an agent made of a task that no client asks for. */
  async do<Name extends EmbeddingTask>(
    agent: string,
    task: Name,
    given: TaskInput<Name>,
  ): Promise<ReturnType<(typeof EMBEDDING_TASKS)[Name]>> {
    return JSON.parse(await this.#of(agent).ask({ kind: "task", agent, task, given }));
  }

  /** Flushes everything, and ends the threads. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}
