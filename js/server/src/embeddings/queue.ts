// Working off the texts that wait for a vector: batch after batch, in the background or while
// somebody waits for it.

import type { Logger } from "../log.ts";
import { ProviderError } from "../providers/error.ts";
import { failureOf, isBreakerOpen } from "../providers/retry-policy.ts";
import { Refusal } from "../refusal.ts";
import type { Embedder } from "./embedder.ts";
import type { EmbeddingModel } from "./provider.ts";
import type { EmbeddingWork, FailedTexts, MadeEmbeddings, StoredEmbeddings } from "./tasks.ts";

/** An agent's queue, wherever its database is open. */
export interface EmbeddingQueue {
  take(most: number): Promise<EmbeddingWork>;
  store(made: MadeEmbeddings): Promise<StoredEmbeddings>;
  putOff(failed: FailedTexts): Promise<void>;
  /** Makes those who were put off due; how many wait. */
  release(): Promise<{ waiting: number }>;
}

export interface DrainReport {
  /** Whether nobody waits any more. */
  ok: boolean;
  /** How many got a vector. */
  embedded: number;
  /** How many waited. */
  total: number;
}

/**
 * What came of a batch: it is to go on, the provider is being left alone, or its vectors do not fit
 * those of the memories.
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
  let vectors: Float32Array[];
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
      "Texts got no vectors, and are tried again",
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
  log.error(
    { model: model.name, components: vectors[0]!.length, expected },
    "Vectors do not fit those of the memories: `nous-server reembed` makes all of them anew",
  );
  return { embedded: 0, next: "misfit" };
}

/**
 * Works off all who wait, those who were put off among them. What was done stays done, whatever
 * ends it.
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
    const outcome = await workOff(queue, work, embedder, log, signal);
    embedded += outcome.embedded;
    progress(embedded, total);
    if (outcome.next !== "on") return { ok: false, embedded, total };
  }
}

/** After a write others often follow, and share a call, in milliseconds. */
const LINGER = 50;
/** How long nothing is tried after a batch that could not go on, in milliseconds. */
const REST = 10_000;
/**
 * How long an agent is left alone whose model's vectors do not fit, unless it is written to, in
 * milliseconds.
 */
const LONG_REST = 600_000;
/** The longest that a timer can wait. */
const MOST_TIMER = 2 ** 31 - 1;

/** The queues of all agents of a server, worked off in the background. */
export class Backlog {
  readonly #queueOf: (agent: string) => EmbeddingQueue;
  readonly #embedder: Embedder;
  readonly #log: Logger;
  readonly #timers = new Map<string, { timer: NodeJS.Timeout; at: number }>();
  /** Agents whose queue is being worked off, by whomever. */
  readonly #running = new Map<string, Promise<unknown>>();
  /**
   * The model of an agent whose vectors do not fit: it is not asked until the agent is on another
   * one.
   */
  readonly #misfits = new Map<string, string>();
  /** Agents of which it was told that they are on another model than the configured one. */
  readonly #told = new Set<string>();
  readonly #end = new AbortController();

  constructor(queueOf: (agent: string) => EmbeddingQueue, embedder: Embedder, log: Logger) {
    this.#queueOf = queueOf;
    this.#embedder = embedder;
    this.#log = log;
  }

  /** Somebody of this agent may wait, or will after so many milliseconds. */
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

  /** One works off an agent's queue at a time: two would ask for the same vectors. */
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

  /** Until nobody is due; comes back when somebody is. */
  async #work(agent: string): Promise<void> {
    let next: number | null = REST;
    try {
      next = await this.#workOff(agent);
    } catch (error) {
      if (this.#end.signal.aborted) return;
      this.#log.warn(
        { agent, failure: failureOf(error) },
        "Texts that wait for vectors could not be worked off",
      );
    }
    if (next !== null) this.wake(agent, Math.min(Math.max(next, LINGER), MOST_TIMER));
  }

  /** Milliseconds until somebody is due; null where nobody waits. */
  async #workOff(agent: string): Promise<number | null> {
    const queue = this.#queueOf(agent);
    const log = this.#log.child({ agent });
    for (;;) {
      const work = await queue.take(this.#embedder.batch);
      if (work.texts.length === 0) return work.next_in;
      const model = JSON.stringify(work.model);
      if (this.#misfits.get(agent) === model) return LONG_REST;
      this.#tellOther(agent, work.model, log);
      const { next } = await workOff(queue, work, this.#embedder, log, this.#end.signal);
      if (next === "misfit") this.#misfits.set(agent, model);
      if (next !== "on") return REST;
    }
  }

  #tellOther(agent: string, { name }: EmbeddingModel, log: Logger): void {
    const configured = this.#embedder.model.name;
    if (name === configured || this.#told.has(agent)) return;
    this.#told.add(agent);
    log.info(
      { model: name, configured },
      "Vectors of another model than the configured one are in use: `nous-server reembed` makes them anew",
    );
  }

  /** Works off all that waits while the caller does. */
  drain(agent: string): Promise<DrainReport> {
    const log = this.#log.child({ agent });
    return this.#alone(agent, () =>
      drain(this.#queueOf(agent), this.#embedder, log, this.#end.signal),
    );
  }

  /** Gives up what is under way; it is still in the queue. */
  async close(): Promise<void> {
    this.#end.abort(new Refusal(503, "the server is stopping"));
    for (const { timer } of this.#timers.values()) clearTimeout(timer);
    await Promise.allSettled(this.#running.values());
  }
}
