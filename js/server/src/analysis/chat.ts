// Language models with an interface like OpenAI's. Their answers are untrusted text.

import type { PatternPrompt } from "nous-wasm";
import {
  Endpoint,
  type EndpointCall,
  type EndpointOptions,
  unusable,
} from "../providers/endpoint.ts";
import { wellFormed } from "../text.ts";

/** The largest answer in bytes, and the usual longest text in UTF-16 units. */
const MAX_ANSWER = 2 ** 20;
const LONGEST_TEXT = 20_000;
/** The reasoning that some models print before the answer. */
const THOUGHTS = /^\s*<think>.*?<\/think>/s;

/** A prompt: instructions, and data. */
export type Prompt = Pick<PatternPrompt, "system" | "user">;

export class Chat {
  readonly #endpoint: Endpoint;
  readonly #model: string;
  readonly #longestText: number;

  /** `longestText` is the longest answer that is used, in UTF-16 units. */
  constructor({
    baseUrl,
    key,
    model,
    longestText = LONGEST_TEXT,
  }: Pick<EndpointOptions, "baseUrl" | "key"> & { model: string; longestText?: number }) {
    this.#endpoint = new Endpoint({
      baseUrl,
      key,
      path: "chat/completions",
      maxAnswer: MAX_ANSWER,
    });
    this.#model = model;
    this.#longestText = longestText;
  }

  /**
   * Returns the model's answer to a prompt.
   *
   * @throws {ProviderError} If the provider fails or its answer cannot be used.
   *
   * @throws The signal's reason, if the signal is aborted.
   */
  async answer({ system, user }: Prompt, call: EndpointCall): Promise<string> {
    const messages = [
      { role: "system", content: system },
      { role: "user", content: wellFormed(user) },
    ];
    const answer = await this.#endpoint.post({ model: this.#model, messages }, call);
    return textOf(answer, this.#longestText);
  }
}

function textOf(answer: unknown, longest: number): string {
  const { choices } = (answer ?? {}) as { choices?: unknown };
  const [choice] = Array.isArray(choices) ? choices : [];
  const { message, finish_reason: end } = (choice ?? {}) as {
    message?: { content?: unknown } | null;
    finish_reason?: unknown;
  };
  if (typeof message?.content !== "string") throw unusable("has no text");
  // A truncated answer may say the opposite of the whole.
  if (end != null && end !== "stop") throw unusable("did not come to its end");
  const text = wellFormed(message.content).replace(THOUGHTS, "").trim();
  if (text === "") throw unusable("is empty");
  if (text.length > longest) throw unusable(`is longer than ${longest} characters`);
  return text;
}
