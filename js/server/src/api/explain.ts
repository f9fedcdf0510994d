// Why memories come up for a question, or why they do not.

import { z } from "@hono/zod-openapi";
import { ANSWERABLE, MEMORY_SECTIONS } from "nous-wasm";
import { filter } from "./filter.ts";
import { MAX_QUERY } from "./limits.ts";
import { operation } from "./operation.ts";
import {
  id,
  knows,
  NO_MEMORY,
  name,
  replaced_by,
  replaces,
  rows,
  share,
  someText,
  text,
} from "./parts.ts";

/** The most memories of a request: each asks the whole memory once. */
const MAX_EXPLAINED = 10;

const explainRequest = z
  .object({
    query: text(MAX_QUERY).min(1).describe("The question."),
    id: name.optional().describe("The id of the memory. Give either `id` or `ids`."),
    ids: z
      .array(name)
      .min(1)
      .max(MAX_EXPLAINED)
      .optional()
      .describe(`The ids of up to ${MAX_EXPLAINED} memories.`),
    filter: filter.nullish().describe("The filter of the search: only memories that it matches."),
  })
  .refine(({ id, ids }) => (id === undefined) !== (ids === undefined), {
    path: ["id"],
    error: "must be given, or `ids` instead, and not both",
  })
  .openapi("ExplainRequest", { description: "A question, and the memories to explain." });

const contribution = z
  .object({
    name: z.string().describe("The name of the kind of evidence."),
    value: z.number().describe("Its value for the memory."),
    weight: z.number().describe("Its weight."),
    contribution: z.number().describe("`value` · `weight`."),
  })
  .openapi("Contribution", { description: "A kind of evidence, and what it adds to the sum." });

const matchedWord = z
  .object({
    asked: z.string().describe("The word of the question."),
    found: someText.describe("The nearest word of the memory; null if no word is near."),
    nearness: z
      .number()
      .describe("How near the two are, from 0 to 1: 1 for forms of one word, 0 if none is near."),
    in_passage: z.boolean().describe("Whether the best passage holds the word that was found."),
  })
  .openapi("MatchedWord", {
    description: "A word of the question, with the word of the memory that it matched.",
  });

const meaning = z
  .object({
    model: z.string().describe("The model that made the vectors of the question and of memories."),
    is_estimated: z
      .boolean()
      .describe("Whether the memory has no vector yet, so that its cosine is an estimate."),
    unheld: share.describe("The share of the question's words that no memory holds, by rarity."),
    unlike: share.describe("The share of the question's words to which no passage has near ones."),
    weight: z.number().describe("What a cosine of 1 weighs for this question."),
    least_weight: z.number().describe("What it would weigh if one memory held all its words."),
  })
  .openapi("Meaning", { description: "How much the meaning of whole sentences counts, and why." });

const explanation = z
  .object({
    id,
    content_title: z.string().describe("The title of the memory."),
    rank: z
      .int()
      .nullable()
      .describe("Its place among all memories that are found, from 1; null if it is not found."),
    absent: z
      .enum(["filtered", "not_connected", "no_words"])
      .optional()
      .describe(
        "Why it is not found: the filter excludes it, or it is a summary of a consolidation, which " +
          "only a filter by type finds; nothing connects it with the question; or it has no words. If " +
          "it is `filtered`, the numbers are those without the filter. Missing with a rank.",
      ),
    score: share.describe(
      "The probability that it answers: 1 / (1 + exp(−(`scale` · `sum` + `offset`))). Searches " +
        "round it to four decimals.",
    ),
    sum: z.number().describe("The sum of all contributions."),
    scale: z.number().describe("See `score`. It depends on the question."),
    offset: z.number().describe("See `score`. It depends on the question."),
    evidence: z
      .array(contribution)
      .describe("The evidence that is not 0, the largest contribution first, whatever its sign."),
    words: z.array(matchedWord).describe("The words of the question that count."),
    passage: someText.describe(
      "The passage that speaks most for it, in the words of title and text; null if there is none.",
    ),
    meaning: meaning
      .optional()
      .describe("How much meaning counts; missing if the question has no vector."),
    superseded_by: z
      .string()
      .optional()
      .describe("The id of a memory that supersedes it, and that stands before it."),
    replaced_by,
    replaces,
    similar_to: z
      .string()
      .optional()
      .describe(
        "The id of a memory before it that it is like or repeats, if it stands further back for that " +
          "reason.",
      ),
  })
  .openapi("Explanation", { description: "Why a memory has its place." });

const understood = z
  .object({
    words: z.array(z.string()).describe("The words that count, without stop words."),
    times: z
      .array(
        z.object({
          text: z.string().describe("The words that name the time."),
          start: someText.describe("The first instant, in ISO 8601; null if there is no bound."),
          end: someText.describe("The instant after the last; null if there is no bound."),
        }),
      )
      .describe("The times that the question names."),
    parts: z.array(z.string()).describe("The questions that it consists of."),
    intents: z.array(z.enum(MEMORY_SECTIONS)).describe("The sections that it asks for."),
    query_type: z
      .enum(["LOOKUP", "AMBIGUOUS"])
      .describe("Whether it asks for one fact, or may mean several things."),
  })
  .openapi("UnderstoodQuestion", { description: "What was understood of a question." });

const explainAnswer = z
  .object({
    data: z
      .array(explanation)
      .describe("The memories, in the order of the request; one that is named twice stands once."),
    count: rows,
    answerable: z.boolean().describe("Whether `probability` reaches `threshold`."),
    knows,
    probability: share.describe(
      "The probability that the memory knows the answer, as in a search with the filter; 0 if it " +
        "finds nothing.",
    ),
    threshold: share.describe(`The constant \`ANSWERABLE\`, ${ANSWERABLE}.`),
    understood,
  })
  .openapi("ExplainAnswer", { description: "Why memories come up for a question, or do not." });

export const explainOperations = {
  explain: operation({
    method: "post",
    path: "/explain",
    summary: "Tells why memories come up for a question, or why they do not",
    description: "No memory counts as accessed. It ranks by evidence.",
    returns: "The rank and the evidence of each memory, and what was understood of the question.",
    example: { body: { query: "which deploys fail?", ids: ["n_0123456789ab"] } },
    scope: "memory",
    body: explainRequest,
    answer: explainAnswer,
    refusals: { 404: NO_MEMORY, 409: "The agent ranks by signals, which have no evidence." },
  }),
};

export type Explanation = z.output<typeof explanation>;
export type ExplainAnswer = z.output<typeof explainAnswer>;
