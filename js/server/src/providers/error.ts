// How somebody who makes something for us over the network fails.

/**
 * `unreachable` passes by itself: no connection, no answer in time, too many requests, a failure of
 * the provider's own. `rejected` are the texts, as too long or otherwise not to its taste.
 * `misconfigured` is what we are told to ask, or as whom. `unusable` is an answer that is not what
 * was asked for.
 */
export type ProviderFailure = "unreachable" | "rejected" | "misconfigured" | "unusable";

/** There is no answer, in words that may be logged: without texts, without the key. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";

  constructor(
    readonly failure: ProviderFailure,
    message: string,
    /** Milliseconds after which the provider wants to be asked again. */
    readonly retryAfter?: number | undefined,
  ) {
    super(message);
  }
}
