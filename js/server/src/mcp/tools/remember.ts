// The tool `remember`: stores texts.

import { z } from "zod";
import type { RememberAnswer, ReplacedMemory } from "../../api/remember.ts";
import { Refused } from "../ask.ts";
import type { ToolSet } from "../tool-sets.ts";
import { instant, max_tokens, messages, type } from "./arguments.ts";
import { within } from "./lines.ts";
import { tool } from "./tool.ts";

/** Tells what a new memory seems to replace, and what to do. */
const guessed = (id: string, { id: older, title, probability, grade }: ReplacedMemory): string =>
  `  It ${grade === "likely" ? "likely" : "possibly"} replaces [${older}] ${title} ` +
  `(${Math.round(100 * probability)} %). If so, call update with id ${id} and replaces ${older}; ` +
  `if both hold, with keeps ${older} instead.`;

/** What is said of lines for which there is no room. */
const UNSEEN: Readonly<Record<ToolSet, string>> = {
  few: "to see all, remember less at once",
  all: "raise max_tokens to see them",
};

export const remember = tool("remember", {
  title: "Remember",
  description:
    "Call it when the user tells something that will matter later, in sentences that make sense alone: names " +
    "instead of pronouns, dates instead of `yesterday`. Do not call it for what this conversation alone needs, " +
    "or for what a tool of this memory returned. If the user corrects something, remember what holds now: the " +
    "answer names what it seems to replace (if nothing, `recall` the older one). Then `update` the new one with " +
    "`replaces` if the user's words leave no doubt, with `keeps` if both hold, and else ask the user.",
  arguments: {
    text: z.string().min(1).optional().describe("What to remember."),
    messages: messages.describe(`In place of a text: ${messages.description}`),
    tools: z
      .enum(["skip", "keep"])
      .optional()
      .describe("Whether calls of tools in messages, and their results, are stored. Default skip."),
    type,
    tags: z.array(z.string().min(1)).optional().describe("Words by which people ask for it."),
    user: z.string().min(1).optional().describe("The user that it is about."),
    session: z.string().min(1).optional().describe("The session that it comes from."),
    event_time: instant.optional().describe("When it happened, in ISO 8601."),
    created_at: instant
      .optional()
      .describe("When it was said or noted, if that was not now: it fades from then on."),
    expires_at: instant.optional().describe("When it is to be forgotten, in ISO 8601."),
    importance: z.number().min(0).max(1).optional().describe("How long it lasts; 0.5 is usual."),
    max_tokens,
  },
  seldom: [
    ...["messages", "tools", "session", "created_at", "expires_at", "importance", "max_tokens"],
  ] as const,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  answer: async ({ max_tokens: max, ...given }, asked, set) => {
    if ((given.text === undefined) === (given.messages === undefined))
      throw new Refused(`Give what to remember: a text${set === "few" ? "" : ", or messages"}.`);
    const answer = await asked<RememberAnswer>("POST", "/remember", given);
    const { stored, not_taken = [] } = answer;
    const left = not_taken.map(({ kind, count, why }) => `Not taken: ${count} × ${kind} (${why}).`);
    const lines = stored.flatMap(({ id, action, title, type, replaces = [] }) =>
      action === "duplicate"
        ? [`Known already: [${id}] ${title}`]
        : [`Stored [${id}] as ${type}: ${title}`, ...replaces.map((older) => guessed(id, older))],
    );
    const { text, shown } = within("", [...lines, ...left], max, UNSEEN[set]);
    return { text, data: { stored: stored.slice(0, shown), count: stored.length } };
  },
});
