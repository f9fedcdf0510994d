// The embedding provider with the server's policies: calls for texts of stored memories are
// retried, embeddings that a request waits for are cached and have a short timeout, and a circuit
// breaker pauses a provider that keeps failing.

import { type BulkheadPolicy, bulkhead, type CircuitBreakerPolicy, CircuitState } from "cockatiel";
import { LRUCache } from "lru-cache";
import { type PairOfStatements, SCALE_TEXTS, scaleOf } from "nous-memory";
import type { EmbeddingScale } from "nous-wasm";
import type { EmbeddingModel } from "../api/operation.ts";
import type { Logger } from "../log.ts";
import {
  breakerOf,
  failureOf,
  isBreakerOpen,
  RETRY_POLICY,
  type RetryPolicy,
  withRetries,
} from "../providers/retry-policy.ts";
import type { EmbeddingCall, EmbeddingProvider, MaybeVector, Purpose } from "./provider.ts";

/**
 * The timeout for the embedding of a question, in milliseconds. After it the search uses words
 * alone.
 */
const QUESTION_TIMEOUT = 2_000;
/** How long a comparison waits for the reading of its pairs, in milliseconds. Then words decide. */
const READING_TIMEOUT = 2_000;
/** Stands for a question without an embedding, and for a model without a scale. */
const NONE = "none";
/** Limits of the cache of questions: entries, and bytes of their texts and embeddings. */
const MAX_QUESTIONS = 10_000;
const MAX_QUESTION_BYTES = 64 * 2 ** 20;
/** The most models whose scales are kept. */
const MAX_MODELS = 100;
/** The most concurrent calls for texts. */
const MAX_CALLS = 4;

/** Options of an `Embedder`. */
export interface EmbedderOptions {
  /** The configured model. A database may still use another one. */
  model: EmbeddingModel;
  /** The timeout of a call for texts, in milliseconds. */
  timeout: number;
  /** The number of texts in one call. */
  batch: number;
  log: Logger;
  pace?: RetryPolicy;
}

interface Question {
  text: string;
  model: EmbeddingModel;
  purpose: Purpose;
}

/** Makes embeddings of texts and questions through one provider. */
export class Embedder {
  readonly model: EmbeddingModel;
  readonly batch: number;
  readonly #provider: EmbeddingProvider;
  readonly #timeout: number;
  readonly #log: Logger;
  readonly #pace: RetryPolicy;
  readonly #breaker: CircuitBreakerPolicy;
  readonly #calls: BulkheadPolicy = bulkhead(MAX_CALLS, Number.POSITIVE_INFINITY);
  /** A question without an embedding has none each time. */
  readonly #questions: LRUCache<string, Float32Array | typeof NONE, Question>;
  readonly #scales: LRUCache<string, EmbeddingScale | typeof NONE, EmbeddingModel>;

  constructor(
    provider: EmbeddingProvider,
    { model, timeout, batch, log, pace = RETRY_POLICY }: EmbedderOptions,
  ) {
    this.#provider = provider;
    this.model = model;
    this.batch = batch;
    this.#timeout = timeout;
    this.#log = log;
    this.#pace = pace;
    this.#breaker = breakerOf(pace, "The provider of embeddings", log);
    this.#questions = new LRUCache<string, Float32Array | typeof NONE, Question>({
      max: MAX_QUESTIONS,
      maxSize: MAX_QUESTION_BYTES,
      sizeCalculation: (known, key) => 2 * key.length + (known === NONE ? 1 : known.byteLength),
      // Concurrent requests for the same question share one call.
      fetchMethod: async (_key, _stale, { context: { text, ...given }, signal }) => {
        const limits = { timeout: Math.min(timeout, QUESTION_TIMEOUT), isUrgent: true };
        const [vector] = await this.#call([text], { ...limits, ...given, signal });
        return vector ?? NONE;
      },
    });
    this.#scales = new LRUCache<string, EmbeddingScale | typeof NONE, EmbeddingModel>({
      max: MAX_MODELS,
      fetchMethod: async (_key, _stale, { context: model, signal }) => {
        const vectors: MaybeVector[] = [];
        const limits = { purpose: "question", timeout, isUrgent: true } as const;
        for (let from = 0; from < SCALE_TEXTS.length; from += batch) {
          const some = SCALE_TEXTS.slice(from, from + batch);
          vectors.push(...(await this.#call(some, { ...limits, model, signal })));
        }
        const scale = scaleOf(vectors);
        if (scale === undefined)
          log.warn(
            { model: model.name },
            "The model hardly tells answers from other texts: evidence does not compare its embeddings",
          );
        return scale ?? NONE;
      },
    });
  }

  /** Returns whether embeddings of a model can be made. */
  serves(model: EmbeddingModel): boolean {
    return this.#provider.serves(model);
  }

  /** Prepares the provider, so that the first question does not wait. */
  warm(): void {
    this.#provider.warm?.();
  }

  /** Frees what the provider holds. */
  async close(): Promise<void> {
    // Aborts measurements that have begun.
    this.#scales.clear();
    await this.#provider.close?.();
  }

  /**
   * Returns the embedding of an agent's question, or of a new memory that is compared with stored
   * ones; undefined if it is not available at once, or if the text has none. The cache is per
   * agent: otherwise response times would reveal the questions of other agents.
   */
  async atOnce(
    agent: string,
    text: string,
    model: EmbeddingModel,
    purpose: Purpose,
  ): Promise<Float32Array | undefined> {
    const key = JSON.stringify([agent, model.name, model.dimensions, purpose, text]);
    const known = this.#questions.get(key);
    // While one call tests the provider, other calls do not wait for its result.
    if (known !== undefined || this.#breaker.state === CircuitState.HalfOpen) return foundOf(known);
    try {
      return foundOf(await this.#questions.fetch(key, { context: { text, model, purpose } }));
    } catch (error) {
      if (!isBreakerOpen(error))
        this.#log.warn({ failure: failureOf(error) }, "A question is searched by its words alone");
      return undefined;
    }
  }

  /**
   * Returns the scale of a model's cosines; undefined if the model has none, or if it is not known
   * within the time of a question. It is measured once.
   */
  async scaleOf(model: EmbeddingModel): Promise<EmbeddingScale | undefined> {
    const key = JSON.stringify([model.name, model.dimensions]);
    const known = this.#scales.get(key);
    if (known !== undefined) return foundOf(known);
    const late = AbortSignal.timeout(Math.min(this.#timeout, QUESTION_TIMEOUT));
    try {
      // The measurement goes on when a question gives up.
      return foundOf(await abortable(this.#scales.fetch(key, { context: model }), late));
    } catch (error) {
      if (!isBreakerOpen(error))
        this.#log.warn(
          { model: model.name, failure: failureOf(error) },
          "The scale of a model is not known yet: a question is searched by its words alone",
        );
      return undefined;
    }
  }

  /**
   * Returns an embedding for each text that has one. Retries failures that may pass, after the
   * delay that the provider asks for, unless the caller retries by itself.
   *
   * @throws {ProviderError} Also the breaker's error while it is open, and the signal's reason.
   */
  async texts(
    texts: readonly string[],
    model: EmbeddingModel,
    signal: AbortSignal,
    isRetry = false,
  ): Promise<MaybeVector[]> {
    const limits = { timeout: this.#timeout, purpose: "passage", isUrgent: false } as const;
    const call = () =>
      this.#calls.execute(() => this.#call(texts, { ...limits, model, signal }), signal);
    return withRetries(
      call,
      isRetry ? { ...this.#pace, retries: 0 } : this.#pace,
      this.#breaker,
      signal,
    );
  }

  /**
   * Returns for each pair how likely its newer statement replaces the older one, as log-odds;
   * undefined if the model reads no pairs, or not in time.
   */
  async readPairs(pairs: readonly PairOfStatements[]): Promise<Float32Array | undefined> {
    try {
      return await this.#provider.readPairs?.(pairs, AbortSignal.timeout(READING_TIMEOUT));
    } catch (error) {
      this.#log.warn({ failure: failureOf(error) }, "A new memory is compared by its words alone");
      return undefined;
    }
  }

  #call(texts: readonly string[], call: EmbeddingCall): Promise<MaybeVector[]> {
    return this.#breaker.execute(() => this.#provider.embed(texts, call));
  }
}

/** Returns the value of a promise, or throws the reason of a signal if that comes first. */
const abortable = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  Promise.race([
    promise,
    new Promise<never>((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
    ),
  ]);

const foundOf = <T>(known: T | typeof NONE | undefined): T | undefined =>
  known === NONE ? undefined : known;
