// Consolidation: what is asked and answered.

import { z } from "@hono/zod-openapi";
import { operation } from "./operation.ts";

export const consolidationAnswer = z
  .object({
    episodes_reviewed: z.int(),
    groups_found: z.int(),
    groups_analyzed: z.int(),
    patterns_created: z.int().openapi({ description: "Lessons and playbooks that are new." }),
    patterns_strengthened: z.int().openapi({ description: "Those that were there and gained." }),
    errors: z
      .array(z.object({ symbol: z.string(), stage: z.string(), message: z.string() }))
      .openapi({
        description:
          "Groups that were left as they are, and those that statistics analyzed in a model's place.",
      }),
  })
  .openapi("ConsolidationReport");

export const consolidationOperations = {
  consolidate: operation({
    method: "post",
    path: "/consolidate",
    summary:
      "Makes lessons and playbooks of what trades add up to, by a language model where there is one, or statistics",
    scope: "admin",
    body: z.object({}),
    isBodyOptional: true,
    answer: consolidationAnswer,
  }),
};

export type ConsolidationAnswer = z.output<typeof consolidationAnswer>;
