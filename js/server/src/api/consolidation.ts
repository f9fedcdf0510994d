// Requests and answers of consolidation.

import { z } from "@hono/zod-openapi";
import { operation } from "./operation.ts";

export const consolidationAnswer = z
  .object({
    episodes_reviewed: z.int().describe("How many episodes were read."),
    groups_found: z.int().describe("How many groups the episodes form."),
    groups_analyzed: z.int().describe("How many of the groups were analysed."),
    patterns_created: z.int().describe("How many lessons and playbooks are new."),
    patterns_strengthened: z.int().describe("How many existing lessons and playbooks gained."),
    errors: z
      .array(
        z.object({
          symbol: z.string().describe("The symbol of the group."),
          stage: z.string().describe("The step that failed."),
          message: z.string().describe("Why it failed."),
        }),
      )
      .describe("Groups that were skipped, and groups that statistics analysed for a model."),
  })
  .openapi("ConsolidationReport", { description: "The result of a consolidation." });

export const consolidationOperations = {
  consolidate: operation({
    method: "post",
    path: "/consolidate",
    summary: "Turns episodes of trades into lessons and playbooks",
    description: "A language model writes the lessons, if one is configured; else statistics do.",
    returns: "A report.",
    scope: "admin",
    body: z.object({}),
    isBodyOptional: true,
    answer: consolidationAnswer,
  }),
};

export type ConsolidationAnswer = z.output<typeof consolidationAnswer>;
