// What a provider is put up with: it is tried again, and one that fails again and again is left
// alone for a while.

import { setTimeout as wait } from "node:timers/promises";
import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
} from "cockatiel";
import retry from "p-retry";
import type { Logger } from "../log.ts";
import { ProviderError } from "./error.ts";

/** How a provider that fails is treated; times are in milliseconds. */
export interface RetryPolicy {
  /** How often the same texts are tried again. */
  retries: number;
  /**
   * Before the first retry, at least; each further one waits twice as long, and up to twice that by
   * chance.
   */
  firstDelay: number;
  /** The most that is waited before a retry, whatever the provider asks for. */
  longestDelay: number;
  /**
   * So many failures in a row, more than the same texts can make, and the provider is left alone…
   */
  failures: number;
  /** …for so long; then a single call tries it. */
  rest: number;
}

export const RETRY_POLICY: RetryPolicy = {
  retries: 2,
  firstDelay: 500,
  longestDelay: 30_000,
  failures: 6,
  rest: 30_000,
};

/**
 * Calls until there is an answer, as often as the pace says. What passes by itself is tried again,
 * when the provider says if it does.
 *
 * @throws {ProviderError}, the breaker's error while the provider is left alone, and the signal's
 * reason.
 */
export function withRetries<T>(
  call: () => Promise<T>,
  {
    retries,
    firstDelay,
    longestDelay,
  }: Pick<RetryPolicy, "retries" | "firstDelay" | "longestDelay">,
  breaker: CircuitBreakerPolicy,
  signal: AbortSignal,
): Promise<T> {
  const called = retry(call, {
    retries,
    minTimeout: firstDelay,
    maxTimeout: longestDelay,
    randomize: true,
    signal,
    shouldRetry: async ({ error }) => {
      if (!(error instanceof ProviderError) || error.failure !== "unreachable") return false;
      // It has been left alone since, and what it failed at is to be known.
      if (breaker.state !== CircuitState.Closed) return false;
      const { retryAfter = 0 } = error;
      if (retryAfter > longestDelay) return false;
      await wait(retryAfter, undefined, { signal });
      return true;
    },
  });
  return called.catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
}

/** Texts that are rejected say that the provider is there. */
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
    log.warn({ failure, rest_ms: rest }, `${who} is left alone for a while`);
  });
  breaker.onReset(() => log.info(`${who} is back`));
  return breaker;
}

/**
 * Whether there is no answer because the provider is being left alone, which says nothing about the
 * texts.
 */
export const isResting = (error: unknown): boolean => error instanceof BrokenCircuitError;

/** A failure as it is logged: no text is in it. */
export function failureOf(error: unknown): { name: string; message?: string } {
  const { name, message } = error as Error;
  return error instanceof ProviderError ? { name: error.failure, message } : { name };
}
