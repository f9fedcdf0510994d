// Requests and answers of retrieval in several passes.

import { z } from "@hono/zod-openapi";
import { MEMORY_SECTIONS } from "nous-wasm";
import { operation } from "./operation.ts";
import { omittedIds, rows, someNumber, someText } from "./parts.ts";
import { found, kind, searchRequest } from "./search.ts";

const DEFAULT_TOKENS = 4_000;
const MAX_TOKENS = 1_000_000;

/**
 * Whether returned memories count as recalled, and how much the edges between them gain: more if
 * the agent asked for them itself.
 */
export const recall = z
  .union([z.enum(["automatic", "explicit", "none"]), z.boolean()])
  .default("automatic")
  .transform((how) => (typeof how === "string" ? how : how ? "automatic" : "none"))
  .describe(
    "Edges between memories that are recalled together gain, more by `explicit` than by " +
      "`automatic`. `none`, or false, counts nothing.",
  );

const retrievalRequest = searchRequest
  .omit({ limit: true })
  .extend({ recall })
  .openapi("RetrievalRequest", { description: "A question for several passes." });

const linesRequest = retrievalRequest
  .extend({
    max_tokens: z
      .number()
      .min(0)
      .max(MAX_TOKENS)
      .default(DEFAULT_TOKENS)
      .describe("How long the text may be, in tokens."),
  })
  .openapi("LinesRequest", { description: "A question whose memories become lines of text." });

const searchTrace = z
  .object({
    query: z.string().describe("The text of the search."),
    outcome: z.enum(["ok", "empty", "failed", "late"]).describe("How the search ended."),
    results: z.int().describe("How many memories it found."),
    top_score: someNumber.describe("The best score."),
    error: z.string().optional().describe("Why it failed."),
    ms: z.number().describe("How long it took, in milliseconds."),
  })
  .openapi("SearchTrace", { description: "One search of a retrieval." });
const retryTrace = searchTrace
  .extend({
    filters_dropped: z.boolean().describe("Whether it searched without the filters."),
    stands: z.boolean().describe("Whether its results replaced the first ones."),
  })
  .openapi("RetryTrace", { description: "A second search for a part with weak results." });
const partTrace = searchTrace
  .extend({ retry: retryTrace.optional() })
  .openapi("PartTrace", { description: "The search for one part of the question." });
const memoryId = z.string().describe("The id of the memory.");
const score = z.number().describe("Its score.");

const trace = z
  .object({
    query: z.string().describe("The question."),
    mode: z
      .enum(["parts", "plain", "fallback"])
      .describe("Whether parts were searched for, or the question as a whole."),
    classification: z
      .object({
        query_type: kind.query_type,
        disqualifier_category: kind.disqualifier_category,
        entity: someText.describe("The person or thing that it asks about."),
        attribute: someText.describe("The property that it asks for."),
        confidence: kind.confidence,
        intents: z.array(z.enum(MEMORY_SECTIONS)).describe("The sections that it asks for."),
      })
      .describe("The kind of the question."),
    parts: z.array(partTrace).describe("The search for each part."),
    fallback: searchTrace.optional(),
    merge: z
      .object({
        found: z.int().describe("How many memories the searches found."),
        kept: z.int().describe("How many were kept."),
        cutoff: z.number().describe("The least score that was kept."),
        boosted: z
          .array(
            z.object({
              id: memoryId,
              from: z.number().describe("The score before the boost."),
              to: z.number().describe("The score after the boost."),
            }),
          )
          .describe("Memories of a section that the question asks for."),
        covered: z.array(z.string()).describe("Ids that were kept so that each part has a result."),
        cut: z
          .array(
            z.object({
              id: memoryId,
              score,
              why: z.enum(["below_cutoff", "max_results"]).describe("Why it was left out."),
            }),
          )
          .describe("Memories that were left out."),
        cut_total: z.int().describe("How many were left out."),
      })
      .nullable()
      .describe("How results were merged; null if nothing was found."),
    titles: z
      .array(searchTrace.extend({ id: memoryId }))
      .describe("Searches by the title of a weak result."),
    replaced: z
      .array(
        z.object({
          id: memoryId,
          score,
          by: z.string().describe("The id of the memory that replaced it."),
          by_score: z.number().describe("The score of that memory."),
        }),
      )
      .describe("Weak results that better ones replaced."),
    dropped: z
      .array(
        z.object({
          id: memoryId,
          score,
          why: z
            .enum(["nothing_better", "no_title", "budget"])
            .describe("Why nothing replaced it."),
        }),
      )
      .describe("Weak results that nothing replaced."),
    confidence: z
      .object({
        score: z.number().describe("How well the results answer the question, from 0 to 1."),
        level: z.enum(["HIGH", "MEDIUM", "LOW"]).describe("The same in one word."),
        breakdown: z
          .object({
            mq: z.number().describe("Match quality, from 0 to 1."),
            dt: z.number().describe("Distance between the best results, from 0 to 1."),
            cm: z.number().describe("Coverage of the question, from 0 to 1."),
          })
          .describe("The parts of the score."),
        flags: z.array(z.string()).describe("Reasons for doubt about the results."),
      })
      .describe("How sure the retrieval is of its results."),
    ms: z
      .object({
        understand: z.number().describe("Understanding the question."),
        search: z.number().describe("Searching."),
        merge: z.number().describe("Merging."),
        replace: z.number().describe("Replacing weak results."),
        total: z.number().describe("The whole."),
      })
      .describe("How long each step took, in milliseconds."),
  })
  .openapi("RetrievalTrace", { description: "The steps of a retrieval, and their reasons." });

const retrievalHit = found
  .extend({
    _sub_query_group: z.int().describe("The part of the question that found it, from 0."),
    _original_score: z
      .number()
      .optional()
      .describe("The score before the boost of a section that the question asks for."),
    _intent_boosted: z.literal(true).optional().describe("Its section is one of the intents."),
  })
  .openapi("RetrievalHit", { description: "A memory that a retrieval found." });

export const retrievalAnswer = z
  .object({
    data: z.array(retrievalHit).describe("The memories, the best first."),
    count: rows,
    omitted_ids: omittedIds,
    groups: z.array(z.array(z.string())).describe("The ids that each part of the question found."),
    trace,
  })
  .openapi("RetrievalAnswer", { description: "The memories that a retrieval found." });

export const linesAnswer = z
  .object({
    text: someText.describe("A line for each memory; null if nothing was found."),
    ids: z.array(z.string()).describe("The ids of the memories, in the order of the lines."),
  })
  .openapi("LinesAnswer", { description: "Memories as lines of text." });

export const retrievalOperations = {
  retrieve: operation({
    method: "post",
    path: "/retrieve",
    summary: "Searches in several passes, for each part of a question, and returns a trace",
    description: "Each memory in the answer counts as accessed, unless `recall` is `none`.",
    returns: "The memories that were found, the best first, and the trace.",
    example: { body: { query: "what did we decide about Redis, and why?" } },
    scope: "memory",
    body: retrievalRequest,
    answer: retrievalAnswer,
  }),
  contextLines: operation({
    method: "post",
    path: "/context/lines",
    summary: "Searches as `retrieve` does, and writes the memories as lines for a prompt",
    returns: "The lines, and the ids of their memories.",
    example: { body: { query: "Friday deploys", max_tokens: 500 } },
    scope: "memory",
    body: linesRequest,
    answer: linesAnswer,
  }),
};

export type LinesAnswer = z.output<typeof linesAnswer>;
export type RetrievalRequest = z.output<typeof retrievalRequest>;
export type Recall = z.output<typeof recall>;
