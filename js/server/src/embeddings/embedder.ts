// The embedding provider with the server's policies: calls for texts are retried, embeddings of
// questions are cached and have a short timeout, and a circuit breaker pauses a provider that keeps
// failing.

import { type BulkheadPolicy, bulkhead, type CircuitBreakerPolicy, CircuitState } from "cockatiel";
import { LRUCache } from "lru-cache";
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
import type { EmbeddingCall, EmbeddingProvider, MaybeVector } from "./provider.ts";

/**
 * The timeout for the embedding of a question, in milliseconds. After it the search uses words
 * alone.
 */
const QUESTION_TIMEOUT = 2_000;
/** Stands for a question without an embedding. */
const NONE = "none";
/** Limits of the cache of questions: entries, and bytes of their texts and embeddings. */
const MAX_QUESTIONS = 10_000;
const MAX_QUESTION_BYTES = 64 * 2 ** 20;
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
      fetchMethod: async (_key, _stale, { context: { text, model }, signal }) => {
        const limits = { timeout: Math.min(timeout, QUESTION_TIMEOUT), isQuestion: true };
        const [vector] = await this.#call([text], { ...limits, model, signal });
        return vector ?? NONE;
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
    await this.#provider.close?.();
  }

  /**
   * Returns the embedding of an agent's question; undefined if it is not available at once, or if the
   * question has none. The cache is per agent: otherwise response times would reveal the questions of other agents.
   */
  async question(
    agent: string,
    text: string,
    model: EmbeddingModel,
  ): Promise<Float32Array | undefined> {
    const key = JSON.stringify([agent, model.name, model.dimensions, text]);
    const known = this.#questions.get(key);
    // While one call tests the provider, other calls do not wait for its result.
    if (known !== undefined || this.#breaker.state === CircuitState.HalfOpen) return foundOf(known);
    try {
      return foundOf(await this.#questions.fetch(key, { context: { text, model } }));
    } catch (error) {
      if (!isBreakerOpen(error))
        this.#log.warn({ failure: failureOf(error) }, "A question is searched by its words alone");
      return undefined;
    }
  }

  /**
   * Returns an embedding for each text that has one. Retries failures that may pass, after the delay that the
   * provider asks for, unless the caller retries by itself.
   *
   * @throws {ProviderError} Also the breaker's error while it is open, and the signal's reason.
   */
  async texts(
    texts: readonly string[],
    model: EmbeddingModel,
    signal: AbortSignal,
    isRetry = false,
  ): Promise<MaybeVector[]> {
    const limits = { model, timeout: this.#timeout, signal, isQuestion: false };
    const call = () => this.#calls.execute(() => this.#call(texts, limits), signal);
    return withRetries(
      call,
      isRetry ? { ...this.#pace, retries: 0 } : this.#pace,
      this.#breaker,
      signal,
    );
  }

  #call(texts: readonly string[], call: EmbeddingCall): Promise<MaybeVector[]> {
    return this.#breaker.execute(() => this.#provider.embed(texts, call));
  }
}

const foundOf = (known: Float32Array | typeof NONE | undefined): MaybeVector =>
  known === NONE ? undefined : known;
