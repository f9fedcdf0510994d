// What makes vectors of texts, as the rest of the server sees it, and how that fails.

/** Which vectors are wanted. */
export interface EmbeddingModel {
  name: string;
  /** Components; undefined for as many as the model gives. */
  dimensions: number | undefined;
}

export interface EmbeddingCall {
  model: EmbeddingModel;
  /** Milliseconds until an answer has to be there, whole. */
  timeout: number;
  signal: AbortSignal;
}

export interface EmbeddingProvider {
  /**
   * A vector for each text, in their order: finite, not all zeros, as long as the model says and as each other.
   *
   * @throws {EmbeddingError} and the signal's reason.
   */
  embed(texts: readonly string[], call: EmbeddingCall): Promise<Float32Array[]>;
}

/**
 * `unreachable` passes by itself: no connection, no answer in time, too many requests, a failure of the provider's own.
 * `rejected` are the texts, as too long or otherwise not to its taste. `misconfigured` is what we are told to ask, or as whom.
 * `unusable` is an answer that is not what was asked for.
 */
export type EmbeddingFailure = "unreachable" | "rejected" | "misconfigured" | "unusable";

/** No vectors, in words that may be logged: without texts, without the key. */
export class EmbeddingError extends Error {
  override readonly name = "EmbeddingError";

  constructor(
    readonly failure: EmbeddingFailure,
    message: string,
    /** Milliseconds after which the provider wants to be asked again. */
    readonly retryAfter?: number | undefined,
  ) {
    super(message);
  }
}
