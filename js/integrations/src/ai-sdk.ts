// The memory in the Vercel AI SDK: tools that a model calls, and a middleware that needs no model to
// call anything.

import { jsonSchema, type LanguageModelMiddleware, type Tool, tool } from "ai";
import type { NousClient } from "nous-server/client";
import { contextOf, type Said, type TurnOptions } from "./turn.ts";

export type { TurnOptions } from "./turn.ts";

type Prompt = Parameters<
  NonNullable<LanguageModelMiddleware["transformParams"]>
>[0]["params"]["prompt"];

/**
 * Returns a middleware that puts what the memory knows about the user's message into the system prompt,
 * and stores the message unless it only asks.
 *
 * In a turn of several steps, such as calls of tools, each step gets the prompt, and the message is
 * stored once.
 *
 * @example
 * ```ts
 * const model = wrapLanguageModel({ model: openai("gpt-5-mini"), middleware: memoryMiddleware(memory) });
 * ```
 */
export function memoryMiddleware(
  memory: NousClient,
  options: TurnOptions = {},
): LanguageModelMiddleware {
  return {
    specificationVersion: "v4",
    transformParams: async ({ params }) => {
      const at = params.prompt.findLastIndex(({ role }) => role === "user");
      if (at < 0) return params;
      const said = params.prompt.map(saidOf);
      const before = said
        .slice(0, at)
        .filter(({ role }) => role === "user" || role === "assistant");
      const isNew = at === params.prompt.length - 1;
      const found = await contextOf(memory, { input: said[at]!.content, before, isNew }, options);
      return found === "" ? params : { ...params, prompt: withSystem(params.prompt, found) };
    },
  };
}

function saidOf({ role, content }: Prompt[number]): Said {
  if (typeof content === "string") return { role, content };
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return { role, content: texts.join("\n") };
}

/** Returns a prompt with a text after its own system prompt. */
function withSystem(prompt: Prompt, text: string): Prompt {
  const own = prompt.findIndex(({ role }) => role !== "system");
  const at = own < 0 ? prompt.length : own;
  return [...prompt.slice(0, at), { role: "system", content: text }, ...prompt.slice(at)];
}

/** What the tools of {@link memoryTools} work on. */
export interface ToolOptions {
  /** The user whose memories count. New memories belong to the user. Default: all memories. */
  user?: string;
  /** The session that new memories belong to. */
  session?: string;
}

/** What the tool `remember` takes. */
export interface RememberInput {
  /** A fact or an event, in a sentence that is understood by itself. */
  text: string;
}

/** What the tool `recall` takes. */
export interface RecallInput {
  /** The question. */
  question: string;
  /** How many memories at most. */
  limit?: number;
}

/** A memory that the tool `recall` found. */
export interface Recalled {
  id: string;
  text: string;
  /** When it was noted. */
  noted: string | null;
  /** The probability that it answers. */
  probability: number;
}

/** Whether the memory knows an answer. */
export type Knows = "yes" | "perhaps" | "no";

/** The tools of {@link memoryTools}. */
export interface MemoryTools {
  remember: Tool<RememberInput, { created: number; text: string[] }>;
  recall: Tool<RecallInput, { knows: Knows; memories: Recalled[] }>;
}

const MAX_RECALLED = 20;

/**
 * Returns the tools `remember` and `recall`, for a model that calls them by itself.
 *
 * @example
 * ```ts
 * await generateText({ model, tools: memoryTools(memory, { user: "mira" }), prompt, stopWhen: isStepCount(5) });
 * ```
 */
export function memoryTools(
  memory: NousClient,
  { user, session }: ToolOptions = {},
): MemoryTools & Record<string, Tool> {
  const owned = {
    ...(user === undefined ? {} : { user }),
    ...(session === undefined ? {} : { session }),
  };
  return {
    remember: tool({
      description:
        "Stores what will matter later: facts about the user, preferences, decisions, events. " +
        "One sentence that is understood by itself.",
      inputSchema: jsonSchema<RememberInput>({
        type: "object",
        properties: { text: { type: "string", description: "What to remember, in one sentence." } },
        required: ["text"],
        additionalProperties: false,
      }),
      execute: async ({ text }) => {
        const { created, stored } = await memory.remember({ text, ...owned });
        return { created, text: stored.map(({ title }) => title) };
      },
    }),
    recall: tool({
      description:
        "Finds what was remembered about a question. Call it before you answer about the user or the past.",
      inputSchema: jsonSchema<RecallInput>({
        type: "object",
        properties: {
          question: { type: "string", description: "The question, in a sentence." },
          limit: { type: "integer", minimum: 1, maximum: MAX_RECALLED },
        },
        required: ["question"],
        additionalProperties: false,
      }),
      execute: async ({ question, limit = 5 }) => {
        const filter = user === undefined ? {} : { filter: { user } };
        const { knows, data } = await memory.search({ query: question, limit, ...filter });
        const memories = data.map(({ id, content_title, content_body, created_at, score }) => ({
          ...{ id, text: content_body ?? content_title, noted: created_at, probability: score },
        }));
        return { knows: knows ?? "perhaps", memories };
      },
    }),
  };
}
