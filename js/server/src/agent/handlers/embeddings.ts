// Embeddings: finds memories that resemble a text, and makes vectors of memories that wait.

import type { embeddingOperations, SimilarRequest } from "../../api/embeddings.ts";
import { builtInText } from "../../embeddings/text.ts";
import type { Agent } from "../agent.ts";
import type { HandlersOf } from "../handler.ts";
import { vectorOf } from "../question.ts";
import { similar } from "../rules/similar.ts";

export const embeddingHandlers: HandlersOf<typeof embeddingOperations> = {
  checkSimilar: (agent, { body, question }) => {
    const { vector, ofTable } = agent.read(() => ({
      vector: vectorOf(agent, body, question),
      ofTable: tableVectorOf(agent, body),
    }));
    return similar(agent, body, vector ?? ofTable, ofTable !== undefined);
  },

  /**
   * Makes vectors that the server can make by itself. Without them and without a provider no
   * embedding can be made: the answer counts the memories that wait.
   */
  backfillEmbeddings: async (agent) => {
    const waiting = agent.read(() => agent.storage.embeddings.waiting());
    const made = await agent.embedOlder(Number.POSITIVE_INFINITY);
    const { done, embedded } = made ?? { done: waiting, embedded: 0 };
    return { ok: waiting === 0 || made !== undefined, embedded, total: done };
  },
};

/**
 * Returns the vector that the server's table gives to a text; undefined if the memories have others, or
 * if the table has no word of the text.
 */
function tableVectorOf(agent: Agent, { title, content }: SimilarRequest): Float32Array | undefined {
  if (!agent.vectors.areOfTable) return undefined;
  const text = builtInText({
    content_title: title ?? null,
    content_summary: null,
    content_body: content,
  });
  const { vector, coverage } = agent.vectors.table!.embed(text);
  return coverage === 0 ? undefined : vector;
}
