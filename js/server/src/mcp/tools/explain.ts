// The tool `explain`: the rank of a memory for a question.

import { z } from "zod";
import type { ExplainAnswer } from "../../api/explain.ts";
import { explanationFor } from "../explanation.ts";
import { filterOf, id, max_tokens, session, tags, user } from "./arguments.ts";
import { within, zoneOf } from "./lines.ts";
import { tool } from "./tool.ts";

export const explain = tool("explain", {
  title: "Explain a rank",
  description:
    "Tells why a memory comes up for a question, or why it does not: its rank, the words that " +
    "match, and what each kind of evidence adds.",
  arguments: {
    query: z.string().min(1).describe("The question."),
    id,
    user,
    session,
    tags,
    max_tokens,
  },
  annotations: { readOnlyHint: true },
  answer: async ({ query, id, max_tokens: max, ...filters }, asked) => {
    const explained = await asked<ExplainAnswer>("POST", "/explain", {
      query,
      id,
      filter: filterOf(filters),
    });
    const { head, lines, data } = explanationFor(explained, await zoneOf(asked));
    return { text: within(head, lines, max).text, data };
  },
});
