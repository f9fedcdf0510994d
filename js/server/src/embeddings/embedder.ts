// A provider as the server uses it: texts are tried again, questions are remembered and not waited
// for long, and one that fails again and again is left alone for a while.

import { type BulkheadPolicy, bulkhead, type CircuitBreakerPolicy, CircuitState } from "cockatiel";
import { LRUCache } from "lru-cache";
import type { Logger } from "../log.ts";
import {
  breakerOf,
  failureOf,
  isBreakerOpen,
  RETRY_POLICY,
  type RetryPolicy,
  withRetries,
} from "../providers/retry-policy.ts";
import type { EmbeddingModel, EmbeddingProvider } from "./provider.ts";

/**
 * A question is searched by its words alone rather than wait longer for its vector, in
 * milliseconds.
 */
const QUESTION_TIMEOUT = 2_000;
/** What is kept of questions: so many, and bytes of their texts and vectors. */
const MOST_QUESTIONS = 10_000;
const MOST_QUESTION_BYTES = 64 * 2 ** 20;
/** Calls for texts that are under way at once. */
const MOST_CALLS = 4;

export interface EmbedderOptions {
  /** What is configured; a database may still be on another one. */
  model: EmbeddingModel;
  /** Milliseconds for a call with texts. */
  timeout: number;
  /** Texts of a call. */
  batch: number;
  log: Logger;
  pace?: RetryPolicy;
}

interface Question {
  text: string;
  model: EmbeddingModel;
}

export class Embedder {
  readonly model: EmbeddingModel;
  readonly batch: number;
  readonly #provider: EmbeddingProvider;
  readonly #timeout: number;
  readonly #log: Logger;
  readonly #pace: RetryPolicy;
  readonly #breaker: CircuitBreakerPolicy;
  readonly #calls: BulkheadPolicy = bulkhead(MOST_CALLS, Number.POSITIVE_INFINITY);
  readonly #questions: LRUCache<string, Float32Array, Question>;

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
    this.#questions = new LRUCache<string, Float32Array, Question>({
      max: MOST_QUESTIONS,
      maxSize: MOST_QUESTION_BYTES,
      sizeCalculation: (vector, key) => vector.byteLength + 2 * key.length,
      // Those who ask the same at once share one call.
      fetchMethod: async (_key, _stale, { context, signal }) =>
        (
          await this.#call(
            [context.text],
            context.model,
            Math.min(timeout, QUESTION_TIMEOUT),
            signal,
          )
        )[0],
    });
  }

  /**
   * The vector of an agent's question; undefined where there is none to be had at once. What one
   * has asked is not at hand for another, who would know by the time it takes.
   */
  async question(
    agent: string,
    text: string,
    model: EmbeddingModel,
  ): Promise<Float32Array | undefined> {
    const key = JSON.stringify([agent, model.name, model.dimensions, text]);
    const known = this.#questions.get(key);
    // While one call tries whether the provider is back, others do not wait for how it ends.
    if (known !== undefined || this.#breaker.state === CircuitState.HalfOpen) return known;
    try {
      return await this.#questions.fetch(key, { context: { text, model } });
    } catch (error) {
      if (!isBreakerOpen(error))
        this.#log.warn({ failure: failureOf(error) }, "A question is searched by its words alone");
      return undefined;
    }
  }

  /**
   * A vector for each text. What passes by itself is tried again, when the provider says if it
   * does; not where the caller does so anyway.
   *
   * @throws {ProviderError}, the breaker's error while the provider is left alone, and the signal's
   * reason.
   */
  async texts(
    texts: readonly string[],
    model: EmbeddingModel,
    signal: AbortSignal,
    isRetry = false,
  ): Promise<Float32Array[]> {
    const call = () =>
      this.#calls.execute(() => this.#call(texts, model, this.#timeout, signal), signal);
    return withRetries(
      call,
      isRetry ? { ...this.#pace, retries: 0 } : this.#pace,
      this.#breaker,
      signal,
    );
  }

  #call(texts: readonly string[], model: EmbeddingModel, timeout: number, signal: AbortSignal) {
    return this.#breaker.execute(() => this.#provider.embed(texts, { model, timeout, signal }));
  }
}
