// The tool `recall`: answers a question by memories.

import type { Knows } from "nous-memory";
import { z } from "zod";
import type { SearchAnswer } from "../../api/search.ts";
import { percent } from "../explanation.ts";
import { filterOf, max_tokens, session, tags, user } from "./arguments.ts";
import { lineWithId, within, zoneOf } from "./lines.ts";
import { tool } from "./tool.ts";

/** What is said before memories. A search by signals does not tell whether the memory knows. */
const HEAD: Readonly<Record<Knows, (probability: string) => string>> = {
  yes: () => "",
  perhaps: (probability) => `The memory may know (${probability}):`,
  no: (probability) => `The memory probably does not know (${probability}). Nearest:`,
};

export const recall = tool("recall", {
  title: "Recall",
  description:
    "Finds the memories that answer a question, the most probable first. Ask a whole question in the " +
    "user's words; a time such as `last spring` may be part of it.",
  arguments: {
    query: z.string().min(1).describe("The question."),
    limit: z.number().int().min(1).max(50).optional().describe("How many at most. Default 8."),
    user,
    session,
    tags,
    max_tokens,
  },
  annotations: { readOnlyHint: true },
  answer: async ({ query, limit = 8, max_tokens: max, ...filters }, asked) => {
    const {
      data,
      answerable,
      knows = "yes",
      probability = 0,
    } = await asked<SearchAnswer>("POST", "/search", {
      query,
      limit,
      filter: filterOf(filters),
    });
    const head =
      data.length === 0 ? "The memory knows nothing about it." : HEAD[knows](percent(probability));
    const zone = await zoneOf(asked);
    const byId = new Map(data.map((node) => [node.id, node]));
    const lines = data.map((node, place) => {
      const newer = byId.get(node.replaced_by?.id ?? "");
      // For the past, the older one stands first.
      const isPast = newer !== undefined && data.indexOf(newer) > place;
      return `${lineWithId(node, zone, newer, isPast)} · ${percent(node.score)}`;
    });
    const { text, shown } = within(head, lines, max);
    const memories = data.slice(0, shown).map(({ id, score }) => ({ id, score }));
    return { text, data: { answerable: answerable ?? false, knows, probability, memories } };
  },
});
