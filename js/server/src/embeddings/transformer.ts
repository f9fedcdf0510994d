// A sentence transformer of the server: a provider whose model runs in a thread of the process.
//
// Idea: the thread has one text at a time, and the next one is chosen when it answers. A question,
// or a new memory that is compared, therefore waits for one text of a stored memory at most,
// however many are waiting. Pairs of a new memory, which are read together, come in between.

import { Worker } from "node:worker_threads";
import type { PairOfStatements } from "nous-memory";
import type { EmbeddingModel } from "../api/operation.ts";
import type { Logger } from "../log.ts";
import { ProviderError } from "../providers/error.ts";
import type { TransformerName } from "../settings/embeddings-model.ts";
import { Languages } from "./languages.ts";
import type { EmbeddingCall, EmbeddingProvider, MaybeVector } from "./provider.ts";
import { TRANSFORMERS } from "./text.ts";
import type { ToEmbed, ToRead } from "./transformer-thread.ts";

/**
 * The delay before a thread that ended by itself is restarted, in milliseconds: it starts with the
 * first value, doubles with each failure in a row, and stays below the second.
 */
const RESTART_AFTER = 500;
const MAX_WAIT = 30_000;

/** What waits for an answer of the thread. */
interface Waiting {
  message: ToEmbed | ToRead;
  resolve(answer: MaybeVector): void;
  reject(error: unknown): void;
}

/** What the thread does first, second and last. */
const URGENCIES = ["urgent", "pairs", "text"] as const;
type Urgency = (typeof URGENCIES)[number];

/** The packages whose models the threads run. */
const PACKAGES = { english: "nous-minilm", multilingual: "nous-e5" } as const;

/** Runs a model in a thread of its own. The thread starts with the first call, or with `warm`. */
export class Transformer implements EmbeddingProvider {
  readonly #script: URL;
  readonly #name: TransformerName;
  readonly #log: Logger;
  #thread: Worker | undefined;
  #isLoaded = false;
  #isClosed = false;
  /** How many times in a row the thread ended without an answer. */
  #failures = 0;
  #restart: NodeJS.Timeout | undefined;
  #running: Waiting | undefined;
  readonly #waiting: Readonly<Record<Urgency, Waiting[]>> = { urgent: [], pairs: [], text: [] };
  readonly #languages = new Languages();

  /** `script` is the program of the thread. */
  constructor(script: URL, name: TransformerName, log: Logger) {
    this.#script = script;
    this.#name = name;
    this.#log = log;
  }

  serves(model: EmbeddingModel): boolean {
    return model.name === TRANSFORMERS[this.#name].name;
  }

  /** Starts the thread, which loads the model. */
  warm(): void {
    if (this.#thread !== undefined || this.#restart !== undefined || this.#isClosed) return;
    this.#isLoaded = false;
    const thread = new Worker(this.#script, { workerData: this.#name });
    this.#thread = thread;
    thread.on("message", (message: unknown) => this.#hear(message));
    thread.on("error", ({ name, message }) =>
      this.#log.error({ failure: { name, message } }, "The sentence transformer failed"),
    );
    thread.on("exit", () => this.#ended());
  }

  /**
   * Texts of stored memories have no timeout: they wait for those before them. An urgent text has
   * one.
   *
   * @throws {ProviderError} If the thread ended, or an urgent text waited too long.
   */
  async embed(texts: readonly string[], call: EmbeddingCall): Promise<MaybeVector[]> {
    const { signal, timeout, purpose, isUrgent } = call;
    const vectors: MaybeVector[] = [];
    const late = isUrgent ? AbortSignal.timeout(timeout) : undefined;
    const end = late === undefined ? signal : AbortSignal.any([signal, late]);
    for (const text of texts) {
      if (this.#name === "english" && !isUrgent && this.#languages.note(text))
        this.#log.warn(
          "Most memories are in another language than English, which the model knows poorly: " +
            "`--embeddings-model multilingual` and `nous-server reembed` take one that knows them",
        );
      try {
        const urgency = isUrgent ? "urgent" : "text";
        vectors.push(await this.#answerTo({ text, purpose }, urgency, end));
      } catch (error) {
        if (late === undefined || error !== late.reason) throw error;
        throw new ProviderError("unreachable", `there was no vector within ${timeout} ms`);
      }
    }
    return vectors;
  }

  /** As the model of MiniLM: another model reads no pairs. */
  async readPairs(
    pairs: readonly PairOfStatements[],
    signal: AbortSignal,
  ): Promise<Float32Array | undefined> {
    return this.#name === "english" ? this.#answerTo({ pairs }, "pairs", signal) : undefined;
  }

  async #answerTo(
    message: ToEmbed | ToRead,
    urgency: Urgency,
    signal: AbortSignal,
  ): Promise<MaybeVector> {
    signal.throwIfAborted();
    this.warm();
    if (this.#thread === undefined) throw this.#lost();
    let abort = () => {};
    try {
      return await new Promise((resolve, reject) => {
        const waiting = { message, resolve, reject };
        const queue = this.#waiting[urgency];
        queue.push(waiting);
        abort = () => {
          const place = queue.indexOf(waiting);
          if (place >= 0) queue.splice(place, 1);
          reject(signal.reason);
        };
        signal.addEventListener("abort", abort);
        this.#send();
      });
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  #next(): Waiting | undefined {
    const first = URGENCIES.find((urgency) => this.#waiting[urgency].length > 0);
    return first && this.#waiting[first].shift();
  }

  /** Gives the thread what is most urgent if it has nothing to do. */
  #send(): void {
    if (this.#thread === undefined || !this.#isLoaded || this.#running !== undefined) return;
    this.#running = this.#next();
    if (this.#running !== undefined) this.#thread.postMessage(this.#running.message);
  }

  /** The first message is the name of the model that was loaded; each other one is an answer. */
  #hear(message: unknown): void {
    if (this.#isLoaded) {
      this.#failures = 0;
      this.#running?.resolve(message as MaybeVector);
      this.#running = undefined;
    } else if (message !== TRANSFORMERS[this.#name].name) {
      const models = { found: message, expected: TRANSFORMERS[this.#name].name };
      const which = `${PACKAGES[this.#name]} has another model: install the version of the server's`;
      this.#log.error(models, which);
      void this.#thread?.terminate();
      return;
    }
    this.#isLoaded = true;
    this.#send();
  }

  #ended(): void {
    this.#thread = undefined;
    const lost = [
      this.#running,
      ...URGENCIES.flatMap((urgency) => this.#waiting[urgency].splice(0)),
    ];
    this.#running = undefined;
    for (const waiting of lost) waiting?.reject(this.#lost());
    if (this.#isClosed) return;
    this.#log.error("The thread of the sentence transformer ended, and is restarted");
    const wait = Math.min(RESTART_AFTER * 2 ** this.#failures, MAX_WAIT);
    this.#failures += 1;
    this.#restart = setTimeout(() => {
      this.#restart = undefined;
      this.warm();
    }, wait);
  }

  #lost(): ProviderError {
    const why = this.#isClosed ? "is closed" : "is being restarted";
    return new ProviderError("unreachable", `the sentence transformer ${why}`);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    await this.#thread?.terminate();
  }
}
