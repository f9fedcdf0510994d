// Retrieval in several passes: what is asked and answered.

import { z } from "@hono/zod-openapi";
import { MEMORY_SECTIONS } from "nous-wasm";
import { operation } from "./operation.ts";
import { omittedIds, someNumber, someText } from "./parts.ts";
import { found, searchRequest } from "./search.ts";

const USUAL_TOKENS = 4_000;
const MOST_TOKENS = 1_000_000;

/**
 * Whether memories gain by being given, and how much: more where an agent asked for them itself.
 */
export const recall = z.enum(["automatic", "explicit", "none"]).default("automatic").openapi({
  description:
    "Whose wish it was: edges between what is recalled together gain by it. `none` counts nothing.",
});

const retrievalRequest = searchRequest
  .omit({ limit: true })
  .extend({ recall })
  .openapi("RetrievalRequest");

const linesRequest = retrievalRequest
  .extend({ max_tokens: z.number().min(0).max(MOST_TOKENS).default(USUAL_TOKENS) })
  .openapi("LinesRequest");

const searchTrace = z.object({
  query: z.string(),
  outcome: z.enum(["ok", "empty", "failed", "late"]),
  results: z.int(),
  top_score: someNumber,
  error: z.string().optional(),
  ms: z.number(),
});

const trace = z
  .object({
    query: z.string(),
    mode: z.enum(["parts", "plain", "fallback"]),
    classification: z.object({
      query_type: z.enum(["LOOKUP", "AMBIGUOUS"]),
      disqualifier_category: someText,
      entity: someText,
      attribute: someText,
      confidence: z.number(),
      intents: z.array(z.enum(MEMORY_SECTIONS)),
    }),
    parts: z.array(
      searchTrace.extend({
        retry: searchTrace.extend({ filters_dropped: z.boolean(), stands: z.boolean() }).optional(),
      }),
    ),
    fallback: searchTrace.optional(),
    merge: z
      .object({
        found: z.int(),
        kept: z.int(),
        cutoff: z.number(),
        boosted: z.array(z.object({ id: z.string(), from: z.number(), to: z.number() })),
        covered: z.array(z.string()),
        cut: z.array(
          z.object({
            id: z.string(),
            score: z.number(),
            why: z.enum(["below_cutoff", "max_results"]),
          }),
        ),
        cut_total: z.int(),
      })
      .nullable(),
    titles: z.array(searchTrace.extend({ id: z.string() })),
    replaced: z.array(
      z.object({ id: z.string(), score: z.number(), by: z.string(), by_score: z.number() }),
    ),
    dropped: z.array(
      z.object({
        id: z.string(),
        score: z.number(),
        why: z.enum(["nothing_better", "no_title", "budget"]),
      }),
    ),
    confidence: z.object({
      score: z.number(),
      level: z.enum(["HIGH", "MEDIUM", "LOW"]),
      breakdown: z.object({ mq: z.number(), dt: z.number(), cm: z.number() }),
      flags: z.array(z.string()),
    }),
    ms: z.object({
      understand: z.number(),
      search: z.number(),
      merge: z.number(),
      replace: z.number(),
      total: z.number(),
    }),
  })
  .openapi("RetrievalTrace");

export const retrievalAnswer = z
  .object({
    data: z.array(
      found.extend({
        _sub_query_group: z
          .int()
          .openapi({ description: "The part of the question that found it." }),
        _original_score: z
          .number()
          .optional()
          .openapi({ description: "Before the boost of a section asked for." }),
        _intent_boosted: z.literal(true).optional(),
      }),
    ),
    count: z.int(),
    omitted_ids: omittedIds,
    groups: z
      .array(z.array(z.string()))
      .openapi({ description: "Ids by the part of the question that found them." }),
    trace,
  })
  .openapi("RetrievalAnswer");

export const linesAnswer = z
  .object({
    text: someText.openapi({ description: "A line for each memory; null where there is none." }),
    ids: z.array(z.string()).openapi({ description: "What was found, in the order of the lines." }),
  })
  .openapi("LinesAnswer");

export const retrievalOperations = {
  retrieve: operation({
    method: "post",
    path: "/retrieve",
    summary: "Searches in several passes, for each part of a question, and tells how it came about",
    scope: "memory",
    body: retrievalRequest,
    answer: retrievalAnswer,
  }),
  contextLines: operation({
    method: "post",
    path: "/context/lines",
    summary: "The same as lines of text for a prompt",
    scope: "memory",
    body: linesRequest,
    answer: linesAnswer,
  }),
};

export type RetrievalRequest = z.output<typeof retrievalRequest>;
export type Recall = z.output<typeof recall>;
