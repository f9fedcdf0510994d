// Makes the embeddings of queued texts, batch after batch: in the background, or while a caller
// waits.

import type { EmbeddingModel } from "../api/operation.ts";
import type { Logger } from "../log.ts";
import { ProviderError } from "../providers/error.ts";
import { failureOf, isBreakerOpen } from "../providers/retry-policy.ts";
import { Refusal } from "../refusal.ts";
import type { Embedder } from "./embedder.ts";
import type { MaybeVector } from "./provider.ts";
import type { EmbeddingWork, FailedTexts, MadeEmbeddings, StoredEmbeddings } from "./tasks.ts";

/** The queue of an agent, in whichever thread its database is open. */
export interface EmbeddingQueue {
  take(max: number): Promise<EmbeddingWork>;
  store(made: MadeEmbeddings): Promise<StoredEmbeddings>;
  putOff(failed: FailedTexts): Promise<void>;
  /** Makes postponed memories due at once. Returns how many memories wait. */
  release(): Promise<{ waiting: number }>;
}

/** The result of emptying a queue. */
export interface DrainReport {
  /** Whether the queue is empty. */
  ok: boolean;
  /** How many memories got an embedding. */
  embedded: number;
  /** How many memories waited at the beginning. */
  total: number;
}

/**
 * The result of a batch. `next`: go on, rest because the provider fails, or stop because the
 * embeddings have another length than those of the memories.
 */
interface Outcome {
  embedded: number;
  next: "on" | "rest" | "misfit";
}

async function workOff(
  queue: EmbeddingQueue,
  { model, texts, isRetry }: EmbeddingWork,
  embedder: Embedder,
  log: Logger,
  signal: AbortSignal,
): Promise<Outcome> {
  const tickets = texts.map(({ ticket }) => ticket);
  let vectors: MaybeVector[];
  try {
    vectors = await embedder.texts(
      texts.map(({ text }) => text),
      model,
      signal,
      isRetry,
    );
  } catch (error) {
    signal.throwIfAborted();
    if (isBreakerOpen(error)) return { embedded: 0, next: "rest" };
    log.warn(
      { failure: failureOf(error), texts: texts.length },
      "Texts got no embeddings and will be tried again",
    );
    await queue.putOff({
      tickets,
      retryAfter: error instanceof ProviderError ? error.retryAfter : undefined,
    });
    return { embedded: 0, next: "on" };
  }
  const made = vectors.map((vector, place) => ({ ticket: tickets[place]!, vector }));
  const { embedded, expected } = await queue.store({ model, vectors: made });
  if (expected === undefined) return { embedded, next: "on" };
  const components = vectors.find((vector) => vector !== undefined)!.length;
  log.error(
    { model: model.name, components, expected },
    "Embeddings have another length than those of the memories: `nous-server reembed` replaces all of them",
  );
  return { embedded: 0, next: "misfit" };
}

/**
 * Makes the embeddings of all waiting memories, including postponed ones. Embeddings that were
 * stored stay, even if it fails.
 */
export async function drain(
  queue: EmbeddingQueue,
  embedder: Embedder,
  log: Logger,
  signal: AbortSignal,
  progress: (embedded: number, total: number) => void = () => {},
): Promise<DrainReport> {
  const { waiting: total } = await queue.release();
  let embedded = 0;
  for (;;) {
    signal.throwIfAborted();
    const work = await queue.take(embedder.batch);
    if (work.texts.length === 0) return { ok: work.next_in === null, embedded, total };
    if (!embedder.serves(work.model)) {
      logOther(work.model, embedder, log);
      return { ok: false, embedded, total };
    }
    const outcome = await workOff(queue, work, embedder, log, signal);
    embedded += outcome.embedded;
    progress(embedded, total);
    if (outcome.next !== "on") return { ok: false, embedded, total };
  }
}

/** Logs that an agent's embeddings are of another model than the configured one. */
function logOther(
  { name }: EmbeddingModel,
  { model: { name: configured } }: Embedder,
  log: Logger,
) {
  log.info(
    { model: name, configured },
    "The embeddings in use are of another model than the configured one: `nous-server reembed` replaces them",
  );
}

/**
 * How long it waits after a write, in milliseconds: further writes often follow, and share a call.
 */
const LINGER = 50;
/** The pause after a batch that could not go on, in milliseconds. */
const REST = 10_000;
/**
 * The pause for an agent whose embeddings cannot be made, in milliseconds: of a model that is not served,
 * or of another length. A write ends it.
 */
const LONG_REST = 600_000;
/** The longest delay of a timer, in milliseconds. */
const MAX_TIMER = 2 ** 31 - 1;

/** Empties the queues of all agents of a server in the background. */
export class Backlog {
  readonly #queueOf: (agent: string) => EmbeddingQueue;
  readonly #embedder: Embedder;
  readonly #log: Logger;
  readonly #timers = new Map<string, { timer: NodeJS.Timeout; at: number }>();
  /** Agents whose queue is being emptied, by the background or a caller. */
  readonly #running = new Map<string, Promise<unknown>>();
  /**
   * For each agent whose embeddings have another length: its model. The agent is skipped until its
   * model changes.
   */
  readonly #misfits = new Map<string, string>();
  /** Agents for which the log already says that another model than the configured one is in use. */
  readonly #logged = new Set<string>();
  /** How many memories of each agent wait, as far as it is known. */
  readonly #waiting = new Map<string, number>();
  readonly #end = new AbortController();

  constructor(queueOf: (agent: string) => EmbeddingQueue, embedder: Embedder, log: Logger) {
    this.#queueOf = queueOf;
    this.#embedder = embedder;
    this.#log = log;
  }

  /** How many memories wait for an embedding, of the agents that were asked since the start. */
  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Empties the queue of an agent after `after` milliseconds, because a memory may wait then. */
  wake(agent: string, after: number = LINGER): void {
    const at = performance.now() + after;
    const set = this.#timers.get(agent);
    if (this.#end.signal.aborted || (set !== undefined && set.at <= at)) return;
    clearTimeout(set?.timer);
    const begin = () => {
      this.#timers.delete(agent);
      void this.#alone(agent, () => this.#work(agent));
    };
    this.#timers.set(agent, { timer: setTimeout(begin, after), at });
  }

  /** Runs one `work` per agent at a time: two would make the same embeddings. */
  async #alone<T>(agent: string, work: () => Promise<T>): Promise<T> {
    while (this.#running.has(agent)) await this.#running.get(agent)!.catch(() => {});
    const running = work();
    this.#running.set(agent, running);
    try {
      return await running;
    } finally {
      this.#running.delete(agent);
    }
  }

  /** Works until no memory is due, and sets a timer for the next one. */
  async #work(agent: string): Promise<void> {
    let next: number | null = REST;
    try {
      next = await this.#workOff(agent);
    } catch (error) {
      if (this.#end.signal.aborted) return;
      this.#log.warn(
        { agent, failure: failureOf(error) },
        "The queue of texts without embeddings could not be processed",
      );
    }
    if (next !== null) this.wake(agent, Math.min(Math.max(next, LINGER), MAX_TIMER));
  }

  /** Returns the milliseconds until the next memory is due; null if no memory waits. */
  async #workOff(agent: string): Promise<number | null> {
    const queue = this.#queueOf(agent);
    const log = this.#log.child({ agent });
    for (;;) {
      const work = await queue.take(this.#embedder.batch);
      const isServed = this.#embedder.serves(work.model);
      this.#note(agent, isServed ? work.waiting : 0);
      if (work.texts.length === 0) return work.next_in;
      const model = JSON.stringify(work.model);
      if (this.#misfits.get(agent) === model) return LONG_REST;
      this.#logOtherModel(agent, work.model, log);
      if (!isServed) return LONG_REST;
      const { next } = await workOff(queue, work, this.#embedder, log, this.#end.signal);
      if (next === "misfit") this.#misfits.set(agent, model);
      if (next !== "on") return REST;
    }
  }

  #note(agent: string, waiting: number): void {
    if (waiting === 0) this.#waiting.delete(agent);
    else this.#waiting.set(agent, waiting);
  }

  #logOtherModel(agent: string, model: EmbeddingModel, log: Logger): void {
    if (model.name === this.#embedder.model.name || this.#logged.has(agent)) return;
    this.#logged.add(agent);
    logOther(model, this.#embedder, log);
  }

  /** Empties the queue of an agent while the caller waits. */
  async drain(agent: string): Promise<DrainReport> {
    const log = this.#log.child({ agent });
    const report = await this.#alone(agent, () =>
      drain(this.#queueOf(agent), this.#embedder, log, this.#end.signal),
    );
    if (report.ok) this.#note(agent, 0);
    return report;
  }

  /** Aborts the calls in progress. Their texts stay in the queue. */
  async close(): Promise<void> {
    this.#end.abort(new Refusal(503, "the server is stopping"));
    for (const { timer } of this.#timers.values()) clearTimeout(timer);
    await Promise.allSettled(this.#running.values());
  }
}
