// The interface of embedding providers, and of a call to one.

import type { PairOfStatements } from "nous-memory";
import type { EmbeddingModel } from "../api/operation.ts";

/** What embeddings are for: some models tell what asks from what is found. */
export type Purpose = "question" | "passage";

/** What one call is for, and its limits. */
export interface EmbeddingCall {
  model: EmbeddingModel;
  /** Milliseconds until the whole answer must have arrived. */
  timeout: number;
  signal: AbortSignal;
  purpose: Purpose;
  /** Whether somebody waits for it: it goes before texts of stored memories. */
  isUrgent: boolean;
}

/**
 * An embedding; undefined for a text that has none, because it has nothing that the model reads.
 */
export type MaybeVector = Float32Array | undefined;

/** Makes embeddings: a service, or a thread of the server. */
export interface EmbeddingProvider {
  /** Returns whether it can make embeddings of a model. */
  serves(model: EmbeddingModel): boolean;

  /**
   * Returns an embedding for each text, in order: finite numbers, not all 0, all of the same
   * length, which is the model's if it has one.
   *
   * @throws {ProviderError} Also the signal's reason.
   */
  embed(texts: readonly string[], call: EmbeddingCall): Promise<MaybeVector[]>;

  /**
   * Returns for each pair how likely its newer statement replaces the older one, as log-odds;
   * undefined if its model reads no pairs.
   *
   * @throws {ProviderError} Also the signal's reason.
   */
  readPairs?(
    pairs: readonly PairOfStatements[],
    signal: AbortSignal,
  ): Promise<Float32Array | undefined>;

  /** Prepares it, so that the first question does not wait. */
  warm?(): void;

  /** Frees what it holds. Calls under way fail. */
  close?(): Promise<void>;
}
