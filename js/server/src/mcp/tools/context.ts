// The tool `context`: the prompt of a turn.

import type { Knows } from "nous-memory";
import { z } from "zod";
import { filterOf, max_tokens, messages, session, user } from "./arguments.ts";
import { DEFAULT_TOKENS } from "./lines.ts";
import { tool } from "./tool.ts";

export const context = tool("context", {
  title: "Context for a message",
  description:
    "Returns what the memory has to say about a message of the user: profile, facts, decisions, events. " +
    "Call it once per turn, before you answer.",
  arguments: {
    input: z.string().min(1).describe("The message of the user."),
    messages: messages.describe(
      "The conversation before it. Memories that it repeats are left out.",
    ),
    user,
    session,
    max_tokens,
    max_lines: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe("The most memories. Default: those that probably matter."),
    min_score: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe("The least probability of a memory. 0 returns what is next best, too."),
  },
  annotations: { readOnlyHint: true },
  answer: async (
    { input, messages, max_tokens: max = DEFAULT_TOKENS, max_lines, min_score, ...filters },
    asked,
  ) => {
    const {
      prompt,
      tokens,
      answerable = false,
      knows,
    } = await asked<{
      prompt: string;
      tokens: number;
      answerable?: boolean;
      knows?: Knows;
    }>("POST", "/context", {
      ...{ input, messages, max_tokens: max, max_lines, min_score },
      filter: filterOf(filters),
    });
    const text = prompt === "" ? "The memory knows nothing about it." : prompt;
    return { text, data: { tokens, answerable, ...(knows === undefined ? {} : { knows }) } };
  },
});
