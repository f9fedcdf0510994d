// Takes facts out of conversations with a language model. It never rejects: the messages are stored
// whatever the model does.

import { Analyst } from "../analysis/analyst.ts";
import { Chat } from "../analysis/chat.ts";
import type { Extracted } from "../api/operation.ts";
import type { RememberRequest } from "../api/remember.ts";
import type { Logger } from "../log.ts";
import type { Settings } from "../settings/options.ts";
import { type Facts, factsIn, joined, MAX_OF_A_REQUEST } from "./facts.ts";
import { type Circumstances, promptOf } from "./prompt.ts";
import { MAX_OF_A_WINDOW, MAX_WINDOWS, type ReadMessage, windowsOf } from "./windows.ts";

/** The deadline for all answers of one request, in milliseconds: a client waits. */
const REQUEST_TIME = 120_000;
/** The longest answer: fifty facts of the greatest length, and their fields. */
const LONGEST_ANSWER = 100_000;

const NO_FORM = "the answer of the model is not a list of facts in JSON";

export class Extractor {
  readonly #analyst: Pick<Analyst, "answers" | "close">;

  constructor(analyst: Pick<Analyst, "answers" | "close">) {
    this.#analyst = analyst;
  }

  /** Returns the facts of a conversation. If `gone` is aborted, no more answers are awaited. */
  async facts(
    messages: NonNullable<RememberRequest["messages"]>,
    circumstances: Circumstances,
    gone?: AbortSignal,
  ): Promise<Extracted> {
    const all = windowsOf(
      messages.map(({ role, name, content, created_at }, place): ReadMessage => {
        const time = created_at == null ? {} : { time: created_at };
        return { message: place + 1, speaker: name ?? role, ...time, text: content };
      }),
    );
    const windows = all.slice(0, MAX_WINDOWS);
    const answers = await this.#analyst.answers(
      windows.map((window) => promptOf(window, circumstances)),
      gone,
    );
    const read: (Facts | string)[] = answers.map((answer, place) => {
      if ("failure" in answer) return answer.failure;
      const numbers = new Set(windows[place]!.map(({ message }) => message));
      return factsIn(answer.text, numbers) ?? NO_FORM;
    });
    const usable = read.filter((one) => typeof one !== "string");
    const unread = new Set(
      all.flatMap((window, place) =>
        typeof (read[place] ?? "") === "string"
          ? window.filter(({ earlier }) => earlier === undefined).map(({ message }) => message)
          : [],
      ),
    );
    const failure = read.find((one) => typeof one === "string");
    const error = failure ?? (all.length > MAX_WINDOWS ? TOO_LONG : undefined);
    const facts = joined(usable.flatMap((one) => one.facts));
    const dropped = usable.reduce((sum, one) => sum + one.dropped, 0);
    return {
      by: usable.length > 0 ? "model" : "none",
      facts: facts.slice(0, MAX_OF_A_REQUEST),
      dropped: dropped + Math.max(0, facts.length - MAX_OF_A_REQUEST),
      unread: unread.size,
      ...(error === undefined ? {} : { error }),
    };
  }

  /** Ends the calls under way, without an answer. */
  close(): void {
    this.#analyst.close();
  }
}

const TOO_LONG =
  `the conversation is longer than ${MAX_WINDOWS} parts of ${MAX_OF_A_WINDOW} characters: ` +
  "send it in several requests";

/** Returns the extractor of the settings; undefined without a provider. */
export function extractorOf(settings: Settings, log: Logger): Extractor | undefined {
  if (settings.extraction_provider === "none") return undefined;
  const {
    extraction_base_url: baseUrl,
    extraction_key: key,
    extraction_model: model,
    extraction_timeout: timeout,
  } = settings;
  const chat = new Chat({ baseUrl, key, model, longestText: LONGEST_ANSWER });
  const who = "The language model of facts";
  return new Extractor(new Analyst(chat, { timeout, log, who, cycleTime: REQUEST_TIME }));
}
