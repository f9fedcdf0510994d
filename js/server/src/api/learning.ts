// Requests and answers about what use has taught: feedback on searches, and the learned weights.

import { z } from "@hono/zod-openapi";
import { TRAITS, type Trait } from "nous-wasm";
import { retryHeaders } from "./headers.ts";
import { MAX_FOUND, MAX_QUERY } from "./limits.ts";
import { operation } from "./operation.ts";
import { KEY_USED, name, ok, text } from "./parts.ts";

const MEANINGS: Record<Trait, string> = {
  qm: "Whether the memory ends as a question.",
  prevq: "Whether the memory before it in its conversation or run ends as a question.",
  len: "How long it is.",
  num: "Whether it holds a number.",
  cap: "The share of its words that begin with a capital letter.",
  pos: "Its place in its conversation or run.",
};

const byTrait = (schemaId: string, about: string) =>
  z
    .object(
      Object.fromEntries(
        TRAITS.map((trait) => [trait, z.number().describe(MEANINGS[trait])]),
      ) as Record<Trait, z.ZodNumber>,
    )
    .openapi(schemaId, { description: about });

const feedback = z
  .object({
    question: text(MAX_QUERY).min(1).describe("The question of the search."),
    shown: z
      .array(name)
      .max(MAX_FOUND)
      .describe("The ids of the memories that were shown. Those that do not exist do not count."),
    used: z
      .array(name)
      .max(MAX_FOUND)
      .describe("The ids of those that were used. Each one must be among `shown`."),
  })
  .superRefine(({ shown, used }, context) => {
    const known = new Set(shown);
    for (const [place, id] of used.entries())
      if (!known.has(id))
        context.addIssue({
          code: "custom",
          path: ["used", place],
          message: "must be among `shown`",
        });
  })
  .openapi("SearchFeedback", { description: "Which memories of a search were used." });

export const counted = z
  .int()
  .describe(
    "How many memories taught something: 0 if the setting `learning` is off, and if none or all of " +
      "the memories were used.",
  );

export const lessonAnswer = z
  .object({
    ok,
    counted,
    moved: byTrait("MovedWeights", "The changes of weights, from −1 to 1."),
  })
  .openapi("LessonAnswer", { description: "What feedback has taught." });

export const learnedAnswer = z
  .object({
    learning: z
      .boolean()
      .describe("Whether feedback teaches, and searches rank by what it taught: a setting."),
    steps: z.int().describe("How often feedback has taught something."),
    weights: byTrait(
      "LearnedWeights",
      "What is added to the weights of evidence that says what a memory is like, from −2 to 2.",
    ),
  })
  .openapi("Learned", { description: "What use has taught." });

export const forgottenAnswer = z
  .object({
    ok,
    forgotten: z.int().describe("How often feedback had taught something."),
  })
  .openapi("ForgottenAnswer", { description: "What was forgotten." });

export const learningOperations = {
  giveSearchFeedback: operation({
    method: "post",
    path: "/search/feedback",
    summary: "Tells which memories of a search were used",
    description:
      "With the setting `learning`, memories like those that were used rank higher from then on: " +
      "longer or shorter ones, questions or statements. Each feedback moves the weights by one small " +
      "step.",
    returns: "The changes of the weights.",
    example: {
      body: {
        question: "Friday deploys",
        shown: ["n_0123456789ab", "n_ba9876543210"],
        used: ["n_0123456789ab"],
      },
    },
    scope: "memory",
    headers: retryHeaders,
    body: feedback,
    answer: lessonAnswer,
    refusals: { 422: KEY_USED },
  }),
  readLearned: operation({
    method: "get",
    path: "/learned",
    summary: "Returns what use has taught",
    returns: "The learned weights; 0 for an agent that has learned nothing.",
    scope: "memory",
    answer: learnedAnswer,
  }),
  forgetLearned: operation({
    method: "delete",
    path: "/learned",
    summary: "Forgets what use has taught",
    returns: "How much was forgotten.",
    scope: "admin",
    answer: forgottenAnswer,
  }),
};
