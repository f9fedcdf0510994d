// Requests and answers about embeddings: the memories that resemble a text, and the making of
// missing embeddings.

import { z } from "@hono/zod-openapi";
import { operation } from "./operation.ts";
import { limitOf, optionalName, state, text, title, vector } from "./parts.ts";

const LIMITS = { default: 5, max: 50 };
const MAX_CONTENT = 1_000_000;

const similarRequest = z
  .object({
    content: text(MAX_CONTENT).min(1).describe("The text that memories are compared with."),
    title: title.nullish().describe("The title of that text."),
    subtype: optionalName.describe("Only memories of this subtype are compared."),
    limit: limitOf(LIMITS),
    embedding: vector.nullish().describe("The vector of the text."),
  })
  .openapi("SimilarRequest", { description: "A text that memories are compared with." });

const similarAnswer = z
  .object({
    matches: z
      .array(
        z.object({
          node_id: z.string().describe("The id of the memory."),
          title: z.string().describe("The title of the memory."),
          similarity: z.number().describe("How similar it is, from 0 to 1."),
          action: z
            .enum(["duplicate", "connect"])
            .describe("The advice: do not store the text again, or create an edge to the memory."),
          lifecycle: state.describe("The lifecycle state of the memory."),
        }),
      )
      .describe("Similar memories, the most similar first."),
    recommendation: z
      .enum(["duplicate_found", "similar_found", "unique"])
      .describe("The conclusion from the matches."),
    basis: z.enum(["vectors", "words"]).describe("The data that was compared."),
  })
  .openapi("SimilarAnswer", { description: "Memories that resemble a text." });

const backfillAnswer = z
  .object({
    ok: z.boolean().describe("Whether every memory has a vector now."),
    embedded: z.int().describe("How many memories got a vector."),
    total: z.int().describe("How many memories waited for a vector."),
  })
  .openapi("BackfillAnswer", { description: "The result of a backfill of embeddings." });

export const embeddingOperations = {
  checkSimilar: operation({
    method: "post",
    path: "/nodes/check-similar",
    summary: "Says whether a memory holds a text already",
    returns: "Similar memories, and a recommendation.",
    example: { body: { content: "Staging runs on heron." } },
    scope: "memory",
    body: similarRequest,
    answer: similarAnswer,
  }),
  backfillEmbeddings: operation({
    method: "post",
    path: "/nodes/backfill-embeddings",
    summary: "Makes the vectors that are missing",
    description: "The server answers when all embeddings are made, or when the provider fails.",
    returns: "How many vectors were made.",
    scope: "admin",
    answer: backfillAnswer,
  }),
};

export type SimilarRequest = z.output<typeof similarRequest>;
export type SimilarAnswer = z.output<typeof similarAnswer>;
