// Requests and answers of searches, and of the classification of questions.

import { z } from "@hono/zod-openapi";
import { MEMORY_SECTIONS, RERANKING_WEIGHTS } from "nous-wasm";
import { RANKINGS } from "../settings/choices.ts";
import { filter } from "./filter.ts";
import { MAX_FOUND, MAX_QUERY } from "./limits.ts";
import { node } from "./nodes.ts";
import { operation } from "./operation.ts";
import {
  instant,
  knows,
  lastInstant,
  limitOf,
  name,
  omittedIds,
  optionalName,
  replaced_by,
  replaces,
  rows,
  share,
  someText,
  state,
  text,
  vector,
} from "./parts.ts";

const SEARCH_LIMITS = { default: 10, max: MAX_FOUND };
const MAX_CLUSTERS = 1_000;

export const searchRequest = z
  .object({
    query: text(MAX_QUERY).min(1).describe("The question, or words to look for."),
    type: optionalName.describe("Only memories of this type."),
    subtype: optionalName.describe("Only memories of this subtype."),
    lifecycle: state.nullish().describe("Only memories in this lifecycle state."),
    limit: limitOf(SEARCH_LIMITS),
    filter: filter.nullish().describe("Only memories that this filter matches."),
    time_range: z
      .object({
        start: instant.nullish().describe("The first instant, in ISO 8601."),
        end: lastInstant.nullish().describe("The last instant, or the last day, in ISO 8601."),
        type: z
          .enum(["event", "ingestion", "any"])
          .default("any")
          .describe("Which time counts: of the event, of storing, or either."),
      })
      .nullish()
      .describe("Only memories of this time."),
    cluster_ids: z
      .array(name)
      .max(MAX_CLUSTERS)
      .nullish()
      .describe("Only memories in one of these clusters."),
    embedding: vector
      .nullish()
      .describe(
        "The vector of the question, which `signals` compare. Default: the provider's, if there is one.",
      ),
    ranking: z
      .enum(RANKINGS)
      .nullish()
      .describe(
        "How memories rank: by `evidence`, the probability that a memory answers, or by six " +
          "`signals`. Default: the server's, and `signals` with an `embedding`.",
      ),
    min_score: share.nullish().describe("Only memories with this score or more. Default 0."),
    diversity: share
      .nullish()
      .describe(
        "How far a memory moves back that is like a better one, from 0 to 1. Default 0. Only by evidence.",
      ),
    with_newer: z
      .boolean()
      .nullish()
      .describe(
        "Whether memories that may replace one of the first three stand directly behind it, in place of " +
          "the last ones. Default false. Only by evidence, and without a `min_score`.",
      ),
  })
  .openapi("SearchFields", { description: "A question, and the filters of the search." });

export const countedSearch = searchRequest
  .extend({
    recall: z
      .boolean()
      .default(true)
      .describe("Whether the memories of the answer count as accessed."),
  })
  .openapi("SearchRequest", { description: "A question, and the filters of the search." });

const question = z
  .object({ query: text(MAX_QUERY).min(1).describe("The question.") })
  .openapi("Question", { description: "A question to classify." });

const SIGNALS = Object.keys(RERANKING_WEIGHTS) as (keyof typeof RERANKING_WEIGHTS)[];
const MEANINGS: Record<(typeof SIGNALS)[number], string> = {
  semantic: "How near its vector is to the question's.",
  keyword: "How well its words match.",
  graph: "How much activation reached it along edges.",
  recency: "How recently it was accessed.",
  authority: "How many edges enter it, against the average.",
  affinity: "How often it was accessed.",
};
const breakdown = z
  .object(
    Object.fromEntries(
      SIGNALS.map((signal) => [signal, z.number().describe(`${MEANINGS[signal]} From 0 to 1.`)]),
    ) as Record<(typeof SIGNALS)[number], z.ZodNumber>,
  )
  .openapi("ScoreBreakdown", { description: "The six signals of a score, before weighting." });

export const found = node
  .extend({
    memory_section: z.enum(MEMORY_SECTIONS).describe("The section that its subtype belongs to."),
    score: z
      .number()
      .describe(
        "By evidence: the probability that the memory answers, from 0 to 1. By signals: their " +
          "weighted sum.",
      ),
    evidence: z
      .record(z.string(), z.number())
      .optional()
      .describe(
        "By evidence: each kind of evidence that is not 0, by its name. Missing by signals.",
      ),
    superseded_by: z
      .string()
      .optional()
      .describe("By evidence: the id of a memory that supersedes it, and that stands before it."),
    replaced_by,
    replaces,
    may_replace: z
      .string()
      .optional()
      .describe("With `with_newer`: the id of the memory before it that it may replace."),
    similar_to: z
      .string()
      .optional()
      .describe(
        "By evidence: the id of a memory before it that it is like or repeats, if it stands further " +
          "back for that reason.",
      ),
    breakdown: breakdown.optional(),
    primary_signal: z
      .enum(SIGNALS)
      .optional()
      .describe("The signal that contributes most to the score. Missing by evidence."),
  })
  .openapi("SearchHit", { description: "A memory that a search found, with its score." });

export const searchMetrics = z
  .object({
    total_ms: z.number().describe("The whole search, in milliseconds."),
    parse_filters_ms: z.number().describe("Reading the filters, in milliseconds."),
    embed_queries_ms: z
      .number()
      .optional()
      .describe("Making the question's vector, in milliseconds. Missing by evidence without one."),
    hybrid_seeding_ms: z
      .number()
      .optional()
      .describe("The full-text search, in milliseconds. Missing by evidence."),
    spreading_ms: z.number().describe("The index, with the ranking, in milliseconds."),
    seeds_found: z
      .int()
      .optional()
      .describe("How many memories vectors and words found. Missing by evidence."),
    nodes_activated: z
      .int()
      .optional()
      .describe("How many memories activation reached. Missing by evidence."),
    nodes_filtered: z.int().describe("How many memories the filters left out."),
    nodes_returned: z.int().describe("How many memories the answer has."),
  })
  .openapi("SearchMetrics", { description: "Times and counts of a search." });

/** Fields that classify a question. */
export const kind = {
  query_type: z
    .enum(["LOOKUP", "AMBIGUOUS"])
    .describe("Whether the question asks for one fact, or may mean several things."),
  confidence: z.number().describe("How sure that is, from 0 to 1."),
  disqualifier_category: someText.describe("The rule that makes it ambiguous, `D1` to `D6`."),
};
const disqualified = z.boolean().describe("Whether a rule makes it ambiguous.");

export const queryAssessment = z
  .object({
    ...kind,
    disqualified,
    used_embeddings: z.boolean().describe("Whether vectors were compared."),
    ssa_multiplier: z
      .number()
      .optional()
      .describe("The search looked for this many times the limit. Missing by evidence."),
  })
  .openapi("QueryAssessment", { description: "The kind of the question." });

export const searchAnswer = z
  .object({
    data: z.array(found).describe("The memories, the best first."),
    count: rows,
    answerable: z
      .boolean()
      .optional()
      .describe(
        "Whether the memory answers the question: `probability` reaches the constant " +
          "`ANSWERABLE`, 0.2. Missing by signals.",
      ),
    knows: knows.optional(),
    probability: share
      .optional()
      .describe(
        "The probability that the memory knows the answer, by the score of the best memory, how " +
          "near the nearest of the first ten is in meaning, and how many memories there are. " +
          "Missing by signals.",
      ),
    omitted_ids: omittedIds,
    metrics: searchMetrics,
    qcs: queryAssessment,
  })
  .openapi("SearchAnswer", { description: "The memories that a search found." });

export const classification = z
  .object({
    query: z.string().describe("The question."),
    disqualified,
    disqualifier_category: kind.disqualifier_category,
    disqualifier_reason: someText.describe("That rule in words."),
    query_type: kind.query_type,
    confidence: kind.confidence,
    entity: someText.describe("The person or thing that it asks about."),
    attribute: someText.describe("The property that it asks for."),
  })
  .openapi("Classification", { description: "The kind of a question." });

const answerableRequest = z
  .object({
    question: text(MAX_QUERY).min(1).describe("The question."),
    filter: filter.nullish().describe("Only memories that this filter matches."),
  })
  .openapi("AnswerableRequest", { description: "A question that the memory may answer." });

export const answerability = z
  .object({
    answerable: z
      .boolean()
      .describe("Whether the probability reaches the constant `ANSWERABLE`, 0.2."),
    knows,
    probability: share.describe("The probability that the memory knows the answer."),
    best: z
      .object({
        id: z.string().describe("The id of the memory."),
        content_title: z.string().describe("The title of the memory."),
      })
      .nullable()
      .describe("The memory that answers best; null if none has to do with the question."),
  })
  .openapi("Answerability", { description: "Whether the memory holds an answer." });

export const searchOperations = {
  search: operation({
    method: "post",
    path: "/search",
    summary: "Finds the memories that answer a question",
    description:
      "Each memory in the answer counts as accessed. A search of an agent that does not exist yet " +
      "finds nothing: `listAgents` names the agents.",
    returns: "The memories that were found, the best first.",
    example: { body: { query: "Friday deploys", limit: 5 } },
    scope: "memory",
    body: countedSearch,
    answer: searchAnswer,
  }),
  isAnswerable: operation({
    method: "post",
    path: "/answerable",
    summary: "Tells whether the memory holds an answer to a question",
    description: "No memory counts as accessed. It ranks by evidence.",
    returns: "The probability, and the best memory.",
    example: { body: { question: "when do deploys fail?" } },
    scope: "memory",
    body: answerableRequest,
    answer: answerability,
  }),
};

/** Operations that need no agent. */
export const questionOperations = {
  classifyQuery: operation({
    method: "post",
    path: "/classify-query",
    summary: "Classifies a question",
    returns: "The classification.",
    example: { body: { query: "what is Bob's phone?" } },
    scope: "memory",
    body: question,
    answer: classification,
  }),
};

export type SearchRequest = z.output<typeof searchRequest>;
export type FoundNode = z.output<typeof found>;
export type SearchAnswer = z.output<typeof searchAnswer>;
