// The tool `recall`: answers a question by memories.

import { type Knows, tokensOf } from "nous-memory";
import { z } from "zod";
import type { contextAnswer } from "../../api/context.ts";
import type { SearchAnswer } from "../../api/search.ts";
import type { Asked } from "../ask.ts";
import { percent } from "../explanation.ts";
import { filterOf, max_tokens, session, tags, user } from "./arguments.ts";
import { ADVICE_IN, DEFAULT_TOKENS, lineWithId, within, zoneOf } from "./lines.ts";
import { tool } from "./tool.ts";

/** What is said before memories. A search by signals does not tell whether the memory knows. */
const HEAD: Readonly<Record<Knows, (probability: string) => string>> = {
  yes: () => "",
  perhaps: (probability) => `The memory may know (${probability}):`,
  no: (probability) => `The memory probably does not know (${probability}). Nearest:`,
};

const NOTHING = "The memory knows nothing about it.";
const ALL_THE_SAME = `${NOTHING} What may matter all the same:\n\n`;

/** Returns what is said if no memory is found: what the user cannot eat tells what to cook. */
async function withoutFound(
  input: string,
  filter: ReturnType<typeof filterOf>,
  asked: Asked,
  max = DEFAULT_TOKENS,
): Promise<string> {
  const max_tokens = max - tokensOf(ALL_THE_SAME);
  const { sections } = await asked<z.infer<typeof contextAnswer>>("POST", "/context", {
    ...{ input, max_tokens, filter },
  });
  // By signals a prompt also tells the frame of the question, which is no memory.
  const told = sections.filter(({ name }) => name !== "frame");
  if (told.length === 0) return NOTHING;
  return ALL_THE_SAME + told.map(({ label, content }) => `## ${label}\n\n${content}`).join("\n\n");
}

export const recall = tool("recall", {
  title: "Recall",
  description:
    "Call it before you answer anything that earlier conversations may tell, with a whole question in the " +
    "user's words; a time such as `last spring` may be part of it. Do not call it for what this conversation says.",
  arguments: {
    query: z.string().min(1).describe("The question."),
    limit: z.number().int().min(1).max(50).optional().describe("How many at most. Default 8."),
    user,
    session,
    tags,
    max_tokens,
  },
  seldom: ["session", "max_tokens"],
  annotations: { readOnlyHint: true },
  answer: async ({ query, limit = 8, max_tokens: max, ...filters }, asked, set) => {
    const filter = filterOf(filters);
    const {
      data,
      answerable,
      knows = "yes",
      probability = 0,
    } = await asked<SearchAnswer>("POST", "/search", { query, limit, filter, with_newer: true });
    const head =
      data.length === 0
        ? await withoutFound(query, filter, asked, max)
        : HEAD[knows](percent(probability));
    const zone = await zoneOf(asked);
    const byId = new Map(data.map((node) => [node.id, node]));
    const lines = data.map((node, place) => {
      const newer = byId.get(node.replaced_by?.id ?? "");
      // For the past, the older one stands first.
      const isPast = newer !== undefined && data.indexOf(newer) > place;
      const told = { newer, isPast, isBehind: node.may_replace !== undefined };
      return `${lineWithId(node, zone, told)} · ${percent(node.score)}`;
    });
    const { text, shown } = within(head, lines, max, ADVICE_IN[set]);
    const memories = data.slice(0, shown).map(({ id, score }) => ({ id, score }));
    return { text, data: { answerable: answerable ?? false, knows, probability, memories } };
  },
});
