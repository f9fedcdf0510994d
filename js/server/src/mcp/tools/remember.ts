// The tool `remember`: stores texts.

import { z } from "zod";
import type { RememberAnswer } from "../../api/remember.ts";
import { instant, max_tokens, type } from "./arguments.ts";
import { within } from "./lines.ts";
import { tool } from "./tool.ts";

export const remember = tool("remember", {
  title: "Remember",
  description:
    "Stores something that will matter later, in one or more sentences that make sense alone: write " +
    "names instead of pronouns, and dates instead of `yesterday`. What is known already is not stored again.",
  arguments: {
    text: z.string().min(1).describe("What to remember."),
    type,
    tags: z.array(z.string().min(1)).optional().describe("Words by which people ask for it."),
    user: z.string().min(1).optional().describe("The user that it is about."),
    session: z.string().min(1).optional().describe("The session that it comes from."),
    event_time: instant.optional().describe("When it happened, in ISO 8601."),
    expires_at: instant.optional().describe("When it is to be forgotten, in ISO 8601."),
    importance: z.number().min(0).max(1).optional().describe("How long it lasts; 0.5 is usual."),
    max_tokens,
  },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  answer: async ({ max_tokens: max, ...given }, asked) => {
    const { stored } = await asked<RememberAnswer>("POST", "/remember", given);
    const lines = stored.map(({ id, action, title, type, possible_conflicts = [] }) => {
      const conflicts = possible_conflicts.map((old) => `[${old}]`).join(", ");
      return action === "duplicate"
        ? `Known already: [${id}] ${title}`
        : `Stored [${id}] as ${type}: ${title}${conflicts === "" ? "" : `. It may correct ${conflicts}: see the tool conflicts`}`;
    });
    const { text, shown } = within("", lines, max, "raise max_tokens to see them");
    return { text, data: { stored: stored.slice(0, shown), count: stored.length } };
  },
});
