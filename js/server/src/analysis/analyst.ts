// The language model as the server uses it: one prompt after another, each with retries, and all
// prompts of a consolidation, or of a conversation, within one deadline.

import type { CircuitBreakerPolicy } from "cockatiel";
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
import { Chat, type Prompt } from "./chat.ts";

/**
 * The deadline for all prompts of one consolidation, in milliseconds. It is shorter than the lease
 * of the periodic work.
 */
const CYCLE_TIME = 300_000;

/** The answer of a model to a prompt, or the reason why there is no usable one. */
export type ModelAnswer = { text: string } | { failure: string };

export interface AnalystOptions {
  /** The deadline for one answer, in milliseconds. */
  timeout: number;
  log: Logger;
  /** The name of the model in the log. Default: `The language model`. */
  who?: string;
  pace?: RetryPolicy;
  /** The deadline for all prompts of a consolidation, in milliseconds. */
  cycleTime?: number;
}

export class Analyst {
  readonly #chat: Pick<Chat, "answer">;
  readonly #timeout: number;
  readonly #log: Logger;
  readonly #who: string;
  readonly #cycleTime: number;
  readonly #pace: RetryPolicy;
  readonly #breaker: CircuitBreakerPolicy;
  readonly #end = new AbortController();

  constructor(
    chat: Pick<Chat, "answer">,
    {
      timeout,
      log,
      who = "The language model",
      pace = RETRY_POLICY,
      cycleTime = CYCLE_TIME,
    }: AnalystOptions,
  ) {
    this.#chat = chat;
    this.#timeout = timeout;
    this.#log = log;
    this.#cycleTime = cycleTime;
    this.#pace = pace;
    this.#who = who;
    this.#breaker = breakerOf(pace, who, log);
  }

  /**
   * Returns the model's answer to each prompt, in their order. Never rejects. Once `gone` is
   * aborted, no answer is awaited.
   */
  async answers(prompts: readonly Prompt[], gone?: AbortSignal): Promise<ModelAnswer[]> {
    const late = AbortSignal.timeout(this.#cycleTime);
    const ends = [this.#end.signal, late, ...(gone === undefined ? [] : [gone])];
    const signal = AbortSignal.any(ends);
    const answers: ModelAnswer[] = [];
    for (const prompt of prompts) {
      try {
        answers.push({ text: await this.#answer(prompt, signal) });
      } catch (error) {
        const failure = late.aborted
          ? `the answers took more than ${this.#cycleTime} ms`
          : gone?.aborted
            ? "the client has gone"
            : reasonOf(error);
        this.#log.warn({ failure: { message: failure } }, `${this.#who} gave no usable answer`);
        answers.push({ failure });
      }
    }
    return answers;
  }

  #answer(prompt: Prompt, signal: AbortSignal): Promise<string> {
    const call = () =>
      this.#breaker.execute(() => this.#chat.answer(prompt, { timeout: this.#timeout, signal }));
    return withRetries(call, this.#pace, this.#breaker, signal);
  }

  /** Ends the calls under way, without an answer. */
  close(): void {
    this.#end.abort();
  }
}

/** Returns the reason of a failure in words for clients: without texts, without the key. */
function reasonOf(error: unknown): string {
  if (error instanceof ProviderError) return error.message;
  return isBreakerOpen(error)
    ? "the provider has failed too often, and is left alone for a while"
    : "the server is stopping";
}

/** Returns the analyst of the settings; undefined without a provider. */
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
