// The error of a call to a provider.

/**
 * The kind of a failure.
 * `unreachable` may pass: no connection, a timeout, too many requests, or a server error.
 * `rejected`: the provider refuses the texts, for example as too long.
 * `misconfigured`: the URL, the model or the key is wrong.
 * `unusable`: the answer has the wrong form.
 */
export type ProviderFailure = "unreachable" | "rejected" | "misconfigured" | "unusable";

/**
 * Thrown if a provider gives no usable answer. The message may be logged: it holds no texts and no
 * key.
 */
export class ProviderError extends Error {
  override readonly name = "ProviderError";

  constructor(
    readonly failure: ProviderFailure,
    message: string,
    /** The delay before a retry that the provider asks for, in milliseconds. */
    readonly retryAfter?: number | undefined,
  ) {
    super(message);
  }
}
