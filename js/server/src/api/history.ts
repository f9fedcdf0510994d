// The history of a fact: the values that it had, in the order of time.

import { z } from "@hono/zod-openapi";
import { filter } from "./filter.ts";
import { MAX_QUERY } from "./limits.ts";
import { node } from "./nodes.ts";
import { operation } from "./operation.ts";
import { id, NO_MEMORY, name, rows, share, text, time } from "./parts.ts";

const historyRequest = z
  .object({
    id: name.optional().describe("The id of one of its memories. Give either `id` or `query`."),
    query: text(MAX_QUERY)
      .min(1)
      .optional()
      .describe("A question: the history of the memory that answers it best."),
    filter: filter.nullish().describe("Only memories that it matches."),
  })
  .refine(({ id, query }) => (id === undefined) !== (query === undefined), {
    path: ["id"],
    error: "must be given, or `query` instead, and not both",
  })
  .openapi("HistoryRequest", { description: "A memory whose history is asked for." });

const value = node
  .extend({
    since: time.describe("When it came to hold: the time of its event, or of its creation."),
    until: time.nullable().describe("Until when it held: the `since` of what replaced it."),
    replaced_by: z
      .object({
        id,
        grade: z
          .enum(["sure", "likely"])
          .describe("`sure`: an edge `supersedes`. `likely`: a guess, that waits to be confirmed."),
        probability: share.describe("How probably it replaces the value; 1 if that is sure."),
      })
      .nullable()
      .describe("What replaced it; null for a value that holds."),
  })
  .openapi("HistoryValue", { description: "A value of a fact, with the time in which it held." });

export const historyAnswer = z
  .object({
    data: z.array(value).describe("The values, the oldest first; none if nothing answers."),
    count: rows,
  })
  .openapi("History", { description: "The values that a fact had." });

export const historyOperations = {
  factHistory: operation({
    method: "post",
    path: "/facts/history",
    summary: "Tells the values that a fact had, in the order of time",
    description:
      "The values are memories that edges of the types `supersedes` and `likely_supersedes` connect. " +
      "A memory that nothing replaced and that replaced nothing is the only value. No memory counts " +
      "as accessed.",
    returns: "The values, with the times in which they held.",
    example: { body: { query: "what is our rent?" } },
    scope: "memory",
    body: historyRequest,
    answer: historyAnswer,
    refusals: { 404: NO_MEMORY },
  }),
};

export type History = z.output<typeof historyAnswer>;
