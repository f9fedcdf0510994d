// The pool of agent threads, as the HTTP thread sees it. Each agent belongs to one thread, by a
// hash of its name.

import { Worker } from "node:worker_threads";
import type { PairReader } from "../agent/agent.ts";
import type { SERVER_TASKS, ServerTask } from "../agent/server-tasks.ts";
import type { TaskFigures, TaskName } from "../agent/tasks.ts";
import type { Events } from "../api/events.ts";
import type { GivenTo } from "../api/operation.ts";
import type { AGENT_OPERATIONS, AgentOperation } from "../api/operations.ts";
import { OtherModel } from "../embeddings/other-model.ts";
import type { Logger } from "../log.ts";
import { Refusal } from "../refusal.ts";
import type { AgentsPage, HostedAgent } from "../storage/hosted-agents.ts";
import type { Holding } from "../storage/storage.ts";
import type { Part, Telemetry } from "../telemetry/telemetry.ts";
import type { IfAbsent, Occupancy } from "./open-agents.ts";
import type { Failure, FromWorker, ToWorker, WorkerSetup } from "./protocol.ts";
import { AskerGone } from "./shares.ts";

/** A request failed through a fault of the server. */
export class WorkerFailure extends Error {
  override readonly name = "WorkerFailure";

  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

interface PendingCall {
  resolve(json: string): void;
  reject(error: Error): void;
  /** Hears the parts of the work before the answer. */
  hear?: ((parts: readonly Part[]) => void) | undefined;
}

/** The messages that have a number, without it. */
type Message =
  Exclude<ToWorker, { kind: "cancel" | "readings" }> extends infer M
    ? M extends { id: number }
      ? Omit<M, "id">
      : never
    : never;

/**
 * The delay before a thread that ended by itself is restarted, in milliseconds: it starts with the
 * first value, doubles with each failure in a row, and stays below the second.
 */
const RESTART_AFTER = 500;
const MAX_WAIT = 30_000;
const restarting = () => new Refusal(503, "the agent is being restarted: try again");

/** One thread. It is restarted if it ends by itself. */
class AgentThread {
  #worker: Worker | undefined;
  #waiting = new Map<number, PendingCall>();
  #last = 0;
  #isClosing = false;
  /** How many times in a row the thread ended without an answer. */
  #failures = 0;
  #starting: NodeJS.Timeout | undefined;
  /** Reads pairs for the agents. Without it none are read. */
  readPairs: PairReader = async () => undefined;

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
    worker.on("error", ({ name, message }) =>
      this.log.error({ failure: { name, message } }, "An agent thread failed"),
    );
    worker.on("exit", () => this.#ended());
    return worker;
  }

  #hear(message: FromWorker): void {
    if (message.kind === "log") {
      this.log[message.level]({ agent: message.agent, ...message.figures }, message.what);
      return;
    }
    if (message.kind === "read pairs") {
      void this.#read(message);
      return;
    }
    this.#failures = 0;
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === "answer") {
      if (message.parts !== undefined) waiting?.hear?.(message.parts);
      waiting?.resolve(message.json);
    } else if (message.kind === "other model") waiting?.reject(new OtherModel(message.inUse));
    else if (message.kind === "failure") waiting?.reject(new WorkerFailure(message.failure));
    else
      waiting?.reject(
        new Refusal(message.status as Refusal["status"], message.message, message.issues),
      );
  }

  async #read({ id, pairs }: Extract<FromWorker, { kind: "read pairs" }>): Promise<void> {
    const worker = this.#worker;
    const readings = await this.readPairs(pairs);
    worker?.postMessage({ kind: "readings", id, readings } satisfies ToWorker);
  }

  #ended(): void {
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#worker = undefined;
    for (const { reject } of lost) reject(restarting());
    if (this.#isClosing) return;
    this.log.error("An agent thread ended, and is restarted");
    // A thread that keeps failing is restarted after longer and longer delays.
    const wait = Math.min(RESTART_AFTER * 2 ** this.#failures, MAX_WAIT);
    this.#failures += 1;
    this.#starting = setTimeout(() => {
      this.#worker = this.#start();
    }, wait);
  }

  /**
   * Sends a message, and returns the answer. If `gone` is aborted, the worker does not begin the
   * work, or ends it at its next slice.
   */
  ask(message: Message, gone?: AbortSignal, hear?: PendingCall["hear"]): Promise<string> {
    return new Promise((resolve, reject) => {
      if (gone?.aborted) return reject(new AskerGone());
      const worker = this.#worker;
      if (worker === undefined) return reject(restarting());
      const id = ++this.#last;
      this.#waiting.set(id, { resolve, reject, hear });
      worker.postMessage({ ...message, id });
      const cancel = () => {
        if (!this.#waiting.delete(id)) return;
        worker.postMessage({ kind: "cancel", id } satisfies ToWorker);
        reject(new AskerGone());
      };
      gone?.addEventListener("abort", cancel, { once: true });
    });
  }

  /** Ends the thread after its last answer. Later messages are refused. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#starting);
    if (this.#worker === undefined) return;
    try {
      await this.ask({ kind: "close" });
    } catch (error) {
      this.log.error(
        { failure: { message: (error as Error).message } },
        "An agent thread ended before it was closed",
      );
    }
    await this.#worker?.terminate();
  }
}

type TaskInput<Name extends ServerTask> =
  Parameters<(typeof SERVER_TASKS)[Name]> extends [unknown, infer Given] ? Given : undefined;

/** FNV-1a over UTF-16 units. It distributes names evenly, and is cheap enough for every request. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let place = 0; place < name.length; place++)
    hash = Math.imul(hash ^ name.charCodeAt(place), 0x01000193);
  return hash >>> 0;
}

export class Pool {
  readonly #threads: readonly AgentThread[];
  readonly #telemetry: Telemetry | undefined;

  constructor(
    size: number,
    script: URL,
    setup: WorkerSetup,
    log: Logger,
    telemetry: Telemetry | undefined,
  ) {
    this.#telemetry = telemetry;
    this.#threads = Array.from({ length: size }, () => new AgentThread(script, setup, log));
  }

  /** Sets what reads pairs for the agents: it never rejects. */
  set readPairs(read: PairReader) {
    for (const thread of this.#threads) thread.readPairs = read;
  }

  #of(agent: string): AgentThread {
    return this.#threads[hashOf(agent) % this.#threads.length]!;
  }

  /** Opens an agent. Resolves when its database is open and its index is loaded. */
  async open(agent: string): Promise<void> {
    await this.#of(agent).ask({ kind: "open", agent });
  }

  /**
   * Returns the answer of an agent, as JSON. Abort `gone` when the client goes away.
   *
   * @throws {Refusal} If the client can correct the request or repeat it.
   *
   * @throws {WorkerFailure} If the server is at fault.
   *
   * @throws {AskerGone} If the client has gone.
   *
   * @throws {OtherModel} If the question's embedding is of another model than the agent's.
   */
  call<Name extends AgentOperation>(
    agent: string,
    operation: Name,
    given: GivenTo<(typeof AGENT_OPERATIONS)[Name]>,
    ifAbsent: IfAbsent,
    gone?: AbortSignal,
  ): Promise<string> {
    const ask = (hear?: (parts: readonly Part[]) => void) => {
      const isFollowed = hear !== undefined;
      const call = { kind: "call", agent, operation, given, ifAbsent, isFollowed } as const;
      return this.#of(agent).ask(call, gone, hear);
    };
    return this.#telemetry === undefined ? ask() : this.#telemetry.agent(operation, ask);
  }

  /** Returns the next events of an agent after a cursor, and does not open the agent for it. */
  async events(agent: string, after: string): Promise<Events> {
    return JSON.parse(await this.#of(agent).ask({ kind: "events", agent, after }));
  }

  /** Returns the result of one of the server's own tasks. */
  async do<Name extends ServerTask>(
    agent: string,
    task: Name,
    given: TaskInput<Name>,
  ): Promise<Awaited<ReturnType<(typeof SERVER_TASKS)[Name]>>> {
    return JSON.parse(await this.#of(agent).ask({ kind: "task", agent, task, given }));
  }

  /**
   * Does periodic work of an agent. Returns null if the work is not due, or if another process
   * holds its lease. `interval` is in milliseconds.
   */
  async run(agent: string, task: TaskName, interval: number): Promise<TaskFigures | null> {
    return JSON.parse(await this.#of(agent).ask({ kind: "turn", agent, task, interval }));
  }

  /** Deletes an agent with all its files. Returns whether it existed. */
  async delete(agent: string): Promise<boolean> {
    return JSON.parse(await this.#of(agent).ask({ kind: "delete", agent }));
  }

  /** Lists the agents of the server, open or not. */
  async list(page: AgentsPage = {}): Promise<HostedAgent[]> {
    return JSON.parse(await this.#threads[0]!.ask({ kind: "list", page }));
  }

  /** Adds up what agents hold, open or not. */
  async holding(agents: readonly string[]): Promise<Holding> {
    return JSON.parse(await this.#threads[0]!.ask({ kind: "holding", agents }));
  }

  /** Counts what each thread has open, without threads that are being restarted. */
  async measure(): Promise<Occupancy[]> {
    const measured = await Promise.allSettled(
      this.#threads.map((thread) => thread.ask({ kind: "measure" })),
    );
    return measured.flatMap((one) =>
      one.status === "fulfilled" ? [JSON.parse(one.value) as Occupancy] : [],
    );
  }

  /** Flushes all agents, and ends the threads. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}
