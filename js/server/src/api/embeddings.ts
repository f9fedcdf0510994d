// Vectors of memories: what is like a text, and making those that are missing.

import { z } from "@hono/zod-openapi";
import { operation } from "./operation.ts";
import { limitOf, optionalName, state, text, title, vector } from "./parts.ts";

const LIMITS = { usual: 5, most: 50 };
const MOST_CONTENT = 1_000_000;

const similarRequest = z
  .object({
    content: text(MOST_CONTENT).min(1),
    title: title.nullish(),
    subtype: optionalName.openapi({ description: "Only memories of this subtype are looked at." }),
    limit: limitOf(LIMITS),
    embedding: vector.nullish(),
  })
  .openapi("SimilarRequest");

const similarAnswer = z
  .object({
    matches: z.array(
      z.object({
        node_id: z.string(),
        title: z.string(),
        similarity: z.number(),
        action: z.enum(["duplicate", "connect"]),
        lifecycle: state,
      }),
    ),
    recommendation: z.enum(["duplicate_found", "similar_found", "unique"]),
    basis: z.enum(["vectors", "words"]).openapi({ description: "What was compared." }),
  })
  .openapi("SimilarAnswer");

const backfillAnswer = z
  .object({
    ok: z.boolean().openapi({ description: "Whether no memory waits for a vector any more." }),
    embedded: z.int().openapi({ description: "How many got one." }),
    total: z.int().openapi({ description: "How many waited." }),
  })
  .openapi("BackfillAnswer");

export const embeddingOperations = {
  checkSimilar: operation({
    method: "post",
    path: "/nodes/check-similar",
    summary: "Tells whether a text says what a memory says already",
    scope: "memory",
    body: similarRequest,
    answer: similarAnswer,
  }),
  backfillEmbeddings: operation({
    method: "post",
    path: "/nodes/backfill-embeddings",
    summary:
      "Makes the vectors that are missing, and answers when that is done, or cannot be done now",
    scope: "admin",
    answer: backfillAnswer,
  }),
};

export type SimilarRequest = z.output<typeof similarRequest>;
export type SimilarAnswer = z.output<typeof similarAnswer>;
