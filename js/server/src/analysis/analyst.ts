// A language model as the server uses it: one question after another, each tried again, and all of
// a cycle within a time.

import type { CircuitBreakerPolicy } from "cockatiel";
import type { PatternPrompt } from "nous-wasm";
import type { Logger } from "../log.ts";
import { ProviderError } from "../providers/error.ts";
import {
  breakerOf,
  isBreakerOpen,
  RETRY_POLICY,
  type RetryPolicy,
  withRetries,
} from "../providers/retry-policy.ts";
import type { Settings } from "../settings/options.ts";
import { Chat } from "./chat.ts";

/**
 * How long the questions of one cycle may take together, in milliseconds. Others leave a cycle to a
 * process for longer.
 */
const CYCLE_TIME = 300_000;

/** What a model said of a group, or why it said nothing of use. */
export type ModelAnswer = { text: string } | { failure: string };

export interface AnalystOptions {
  /** Milliseconds for an answer. */
  timeout: number;
  log: Logger;
  pace?: RetryPolicy;
  /** Milliseconds for all of a cycle. */
  cycleTime?: number;
}

export class Analyst {
  readonly #chat: Pick<Chat, "answer">;
  readonly #timeout: number;
  readonly #log: Logger;
  readonly #cycleTime: number;
  readonly #pace: RetryPolicy;
  readonly #breaker: CircuitBreakerPolicy;
  readonly #end = new AbortController();

  constructor(
    chat: Pick<Chat, "answer">,
    { timeout, log, pace = RETRY_POLICY, cycleTime = CYCLE_TIME }: AnalystOptions,
  ) {
    this.#chat = chat;
    this.#timeout = timeout;
    this.#log = log;
    this.#cycleTime = cycleTime;
    this.#pace = pace;
    this.#breaker = breakerOf(pace, "The language model", log);
  }

  /** What the model says to each prompt, in their order. Never fails. */
  async answers(prompts: readonly PatternPrompt[]): Promise<ModelAnswer[]> {
    const late = AbortSignal.timeout(this.#cycleTime);
    const signal = AbortSignal.any([this.#end.signal, late]);
    const said: ModelAnswer[] = [];
    for (const prompt of prompts) {
      try {
        said.push({ text: await this.#answer(prompt, signal) });
      } catch (error) {
        const failure = late.aborted
          ? `the answers took more than ${this.#cycleTime} ms`
          : reasonOf(error);
        this.#log.warn({ failure: { message: failure } }, "The language model said nothing of use");
        said.push({ failure });
      }
    }
    return said;
  }

  #answer(prompt: PatternPrompt, signal: AbortSignal): Promise<string> {
    const call = () =>
      this.#breaker.execute(() => this.#chat.answer(prompt, { timeout: this.#timeout, signal }));
    return withRetries(call, this.#pace, this.#breaker, signal);
  }

  /** Ends what is under way, without an answer. */
  close(): void {
    this.#end.abort();
  }
}

/** In words that may be shown: without texts, without the key. */
function reasonOf(error: unknown): string {
  if (error instanceof ProviderError) return error.message;
  return isBreakerOpen(error)
    ? "the provider has failed too often, and is left alone for a while"
    : "the server is stopping";
}

/** The analyst that the settings ask for; none where there is no provider. */
export function analystOf(settings: Settings, log: Logger): Analyst | undefined {
  if (settings.analysis_provider === "none") return undefined;
  const {
    analysis_base_url: baseUrl,
    analysis_key: key,
    analysis_model: model,
    analysis_timeout: timeout,
  } = settings;
  return new Analyst(new Chat({ baseUrl, key, model }), { timeout, log });
}
