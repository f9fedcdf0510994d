// The interface of embedding providers, and of a call to one.

import type { EmbeddingModel } from "../api/operation.ts";

/** The limits of one call. */
export interface EmbeddingCall {
  model: EmbeddingModel;
  /** Milliseconds until the whole answer must have arrived. */
  timeout: number;
  signal: AbortSignal;
}

/** A service that makes embeddings. */
export interface EmbeddingProvider {
  /**
   * Returns an embedding for each text, in order: finite numbers, not all 0, all of the same
   * length, which is the model's if it has one.
   *
   * @throws {ProviderError} Also the signal's reason.
   */
  embed(texts: readonly string[], call: EmbeddingCall): Promise<Float32Array[]>;
}
