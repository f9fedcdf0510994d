// Questions: searches, and what kind of question one is.

import { z } from "@hono/zod-openapi";
import { MEMORY_SECTIONS, RERANKING_WEIGHTS } from "nous-wasm";
import { MOST_FOUND, MOST_QUERY } from "./limits.ts";
import { node } from "./nodes.ts";
import { operation } from "./operation.ts";
import {
  instant,
  limitOf,
  name,
  omittedIds,
  optionalName,
  someText,
  state,
  text,
  vector,
} from "./parts.ts";

const SEARCH_LIMITS = { usual: 10, most: MOST_FOUND };
const MOST_CLUSTERS = 1_000;

export const searchRequest = z
  .object({
    query: text(MOST_QUERY).min(1),
    type: optionalName,
    subtype: optionalName,
    lifecycle: state.nullish(),
    limit: limitOf(SEARCH_LIMITS),
    time_range: z
      .object({
        start: instant.nullish(),
        end: instant.nullish(),
        type: z.enum(["event", "ingestion", "any"]).default("any"),
      })
      .nullish(),
    cluster_ids: z.array(name).max(MOST_CLUSTERS).nullish(),
    embedding: vector.nullish(),
  })
  .openapi("SearchRequest");

const question = z.object({ query: text(MOST_QUERY).min(1) }).openapi("Question");

const SIGNALS = Object.keys(RERANKING_WEIGHTS) as (keyof typeof RERANKING_WEIGHTS)[];
const sixNumbers = Object.fromEntries(SIGNALS.map((signal) => [signal, z.number()])) as Record<
  (typeof SIGNALS)[number],
  z.ZodNumber
>;

export const found = node
  .extend({
    memory_section: z.enum(MEMORY_SECTIONS),
    score: z.number(),
    breakdown: z.object(sixNumbers),
    primary_signal: z.enum(SIGNALS),
  })
  .openapi("Found");

export const searchAnswer = z
  .object({
    data: z.array(found),
    count: z.int(),
    omitted_ids: omittedIds,
    metrics: z.object({
      total_ms: z.number(),
      parse_filters_ms: z.number(),
      embed_queries_ms: z.number(),
      hybrid_seeding_ms: z.number().openapi({ description: "The full-text search." }),
      spreading_ms: z
        .number()
        .openapi({ description: "The index: from seeds to the ranking, in one call." }),
      reranking_ms: z.number().openapi({ description: "0: ranking is part of `spreading_ms`." }),
      seeds_found: z.int(),
      nodes_activated: z.int(),
      nodes_filtered: z.int(),
      nodes_returned: z.int(),
    }),
    qcs: z.object({
      query_type: z.enum(["LOOKUP", "AMBIGUOUS"]),
      confidence: z.number(),
      disqualified: z.boolean(),
      disqualifier_category: someText,
      used_embeddings: z.boolean(),
      ssa_multiplier: z
        .number()
        .openapi({ description: "How many times the limit was searched for." }),
    }),
  })
  .openapi("SearchAnswer");

/** What a server answers that behaves as Hynous' does: what LIKE found has no scores. */
export const searchAnswerAsHynous = searchAnswer
  .partial({ metrics: true, qcs: true })
  .extend({
    data: z.array(found.partial({ score: true, breakdown: true, primary_signal: true })),
  })
  .openapi("SearchAnswer");

export const classification = z
  .object({
    query: z.string(),
    disqualified: z.boolean(),
    disqualifier_category: someText,
    disqualifier_reason: someText,
    query_type: z.enum(["LOOKUP", "AMBIGUOUS"]),
    confidence: z.number(),
    entity: someText,
    attribute: someText,
  })
  .openapi("Classification");

export const searchOperations = {
  search: operation({
    method: "post",
    path: "/search",
    summary:
      "Searches by words, and by a vector where one is given; what is found counts as accessed",
    scope: "memory",
    body: searchRequest,
    answer: searchAnswer,
  }),
};

/** What is answered without an agent. */
export const questionOperations = {
  classifyQuery: operation({
    method: "post",
    path: "/classify-query",
    summary: "Tells what kind of question it is",
    scope: "memory",
    body: question,
    answer: classification,
  }),
};

export type SearchRequest = z.output<typeof searchRequest>;
export type FoundNode = z.output<typeof found>;
export type SearchAnswer = z.output<typeof searchAnswer>;
