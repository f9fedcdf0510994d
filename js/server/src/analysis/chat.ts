// Language models that speak OpenAI's interface. What they say is text that anybody may have
// written.

import type { PatternPrompt } from "nous-wasm";
import {
  Endpoint,
  type EndpointCall,
  type EndpointOptions,
  unusable,
} from "../providers/endpoint.ts";
import { wellFormed } from "../text.ts";

/** The largest answer that is read, in bytes, and the longest text that is taken. */
const MOST_ANSWER = 2 ** 20;
const LONGEST_TEXT = 20_000;
/** What some models think aloud before they answer. */
const THOUGHTS = /^\s*<think>.*?<\/think>/s;

export class Chat {
  readonly #endpoint: Endpoint;
  readonly #model: string;

  constructor({
    baseUrl,
    key,
    model,
  }: Pick<EndpointOptions, "baseUrl" | "key"> & { model: string }) {
    this.#endpoint = new Endpoint({
      baseUrl,
      key,
      path: "chat/completions",
      mostAnswer: MOST_ANSWER,
    });
    this.#model = model;
  }

  /**
   * What the model answers to a prompt.
   *
   * @throws {ProviderError} and the signal's reason.
   */
  async answer({ system, user }: PatternPrompt, call: EndpointCall): Promise<string> {
    const messages = [
      { role: "system", content: system },
      { role: "user", content: wellFormed(user) },
    ];
    return textOf(await this.#endpoint.post({ model: this.#model, messages }, call));
  }
}

function textOf(answer: unknown): string {
  const { choices } = (answer ?? {}) as { choices?: unknown };
  const [choice] = Array.isArray(choices) ? choices : [];
  const { message, finish_reason: end } = (choice ?? {}) as {
    message?: { content?: unknown } | null;
    finish_reason?: unknown;
  };
  if (typeof message?.content !== "string") throw unusable("has no text");
  // A part of an answer may say the opposite of the whole.
  if (end != null && end !== "stop") throw unusable("did not come to its end");
  const text = wellFormed(message.content).replace(THOUGHTS, "").trim();
  if (text === "") throw unusable("is empty");
  if (text.length > LONGEST_TEXT) throw unusable(`is longer than ${LONGEST_TEXT} characters`);
  return text;
}
