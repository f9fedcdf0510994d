// Requests and answers of consolidation.

import { z } from "@hono/zod-openapi";
import { operation } from "./operation.ts";

export const consolidationAnswer = z
  .object({
    episodes_reviewed: z.int().describe("How many episodes were read."),
    groups_found: z.int().describe("How many groups the episodes form."),
    groups_analyzed: z.int().describe("How many of the groups were analysed."),
    patterns_created: z.int().describe("How many lessons and playbooks, or summaries, are new."),
    patterns_strengthened: z
      .int()
      .describe("How many existing lessons and playbooks, or summaries, gained."),
    summaries: z
      .array(
        z.object({
          id: z
            .string()
            .nullable()
            .describe("The id of the summary; null if a dry run would create it."),
          action: z.enum(["created", "updated", "deleted"]).describe("What was done with it."),
          title: z.string().describe("Its title."),
          sources: z.int().describe("How many memories it sums up."),
        }),
      )
      .optional()
      .describe("The summaries that changed. Only of a preset that makes summaries."),
    conflicts: z
      .int()
      .optional()
      .describe("How many possible conflicts were queued. Only of a preset that makes summaries."),
    conflicts_left: z
      .int()
      .optional()
      .describe("How many memories the next call compares. Only of a preset that makes summaries."),
    duplicates: z
      .array(
        z.object({
          kept: z.string().describe("The id of the older memory, which stays."),
          duplicate: z.string().describe("The id of the memory that says the same."),
          merged: z.boolean().describe("Whether the duplicate was merged into the older memory."),
        }),
      )
      .optional()
      .describe("Memories that say the same. Only of a preset that makes summaries."),
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

const consolidating = z
  .object({
    dry_run: z
      .boolean()
      .optional()
      .describe(
        "If true, nothing is written: the report tells what would be. Default false. Only of a " +
          "preset that makes summaries.",
      ),
    merge_duplicates: z
      .boolean()
      .optional()
      .describe(
        "If true, duplicates are merged into the older memory. Default false: they are listed. " +
          "Only of a preset that makes summaries.",
      ),
  })
  .openapi("ConsolidationRequest", { description: "What a consolidation does." });

export const consolidationOperations = {
  consolidate: operation({
    method: "post",
    path: "/consolidate",
    summary: "Sums up episodes, and finds duplicates and contradictions; or learns from trades",
    description:
      "The agent's preset decides. `summaries`: repeated episodes become summaries, possible " +
      "contradictions are queued as conflicts, duplicates are listed, and merged on request. " +
      "`trades`: episodes of trades become lessons and playbooks, which a language model writes, " +
      "if one is configured; else statistics do.",
    returns: "A report.",
    scope: "admin",
    body: consolidating,
    isBodyOptional: true,
    answer: consolidationAnswer,
  }),
};

/** The request of a consolidation. */
export type Consolidating = z.output<typeof consolidating>;
export type ConsolidationAnswer = z.output<typeof consolidationAnswer>;
