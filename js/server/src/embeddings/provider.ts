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
   * A vector for each text, in their order: finite, not all zeros, as long as the model says and as
   * each other.
   *
   * @throws {ProviderError} and the signal's reason.
   */
  embed(texts: readonly string[], call: EmbeddingCall): Promise<Float32Array[]>;
}
