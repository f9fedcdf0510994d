// Retry policy and circuit breaker for HTTP providers.

import { setTimeout as wait } from "node:timers/promises";
import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
} from "cockatiel";
import type { Logger } from "../log.ts";
import { ProviderError } from "./error.ts";

/** How failures of a provider are handled. Times are in milliseconds. */
export interface RetryPolicy {
  /** Retries of the same texts. */
  retries: number;
  /**
   * The least delay before the first retry. Each further retry waits twice as long, and a random
   * factor of up to 2 is applied.
   */
  firstDelay: number;
  /** The longest delay before a retry, whatever the provider asks for. */
  longestDelay: number;
  /** Failures in a row that open the breaker; more than the retries of the same texts. */
  failures: number;
  /** How long the breaker stays open. Then a single call tests the provider. */
  rest: number;
}

/** The policy for all providers. */
export const RETRY_POLICY: RetryPolicy = {
  retries: 2,
  firstDelay: 500,
  longestDelay: 30_000,
  failures: 6,
  rest: 30_000,
};

/**
 * Calls a provider, and retries failures that may pass, after the delay that the provider asks for.
 *
 * @throws {ProviderError}, the breaker's error while it is open, and the signal's reason.
 */
export async function withRetries<T>(
  call: () => Promise<T>,
  {
    retries,
    firstDelay,
    longestDelay,
  }: Pick<RetryPolicy, "retries" | "firstDelay" | "longestDelay">,
  breaker: CircuitBreakerPolicy,
  signal: AbortSignal,
): Promise<T> {
  for (let retry = 0; ; retry++) {
    signal.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      signal.throwIfAborted();
      if (retry === retries) throw error;
      if (!(error instanceof ProviderError) || error.failure !== "unreachable") throw error;
      // The breaker has opened: this failure is reported, and not the breaker's.
      if (breaker.state !== CircuitState.Closed) throw error;
      const { retryAfter = 0 } = error;
      if (retryAfter > longestDelay) throw error;
      const delay = Math.min(longestDelay, firstDelay * 2 ** retry * (1 + Math.random()));
      await wait(retryAfter + delay, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** Creates the breaker of a provider. A rejected text does not count as a failure. */
export function breakerOf(
  { failures, rest }: RetryPolicy,
  who: string,
  log: Logger,
): CircuitBreakerPolicy {
  const breaker = circuitBreaker(
    handleWhen((error) => error instanceof ProviderError && error.failure !== "rejected"),
    { breaker: new ConsecutiveBreaker(failures), halfOpenAfter: rest },
  );
  breaker.onBreak((reason) => {
    const failure = "error" in reason ? failureOf(reason.error) : undefined;
    log.warn({ failure, rest_ms: rest }, `${who} failed too often: it is not called for a while`);
  });
  breaker.onReset(() => log.info(`${who} is back`));
  return breaker;
}

/** Returns whether an error is the breaker's: the provider was not called. */
export const isBreakerOpen = (error: unknown): boolean => error instanceof BrokenCircuitError;

/** Returns a failure for the log, without any text of a memory. */
export function failureOf(error: unknown): { name: string; message?: string } {
  const { name, message } = error as Error;
  return error instanceof ProviderError ? { name: error.failure, message } : { name };
}
