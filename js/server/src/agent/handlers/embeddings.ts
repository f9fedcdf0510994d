// Embeddings: finds memories that resemble a text, and serves the HTTP thread, which makes the
// embeddings.

import type { embeddingOperations, SimilarRequest } from "../../api/embeddings.ts";
import { builtInText } from "../../embeddings/built-in.ts";
import type { EmbeddingModel } from "../../embeddings/provider.ts";
import {
  type EmbeddingWork,
  type FailedTexts,
  type MadeEmbeddings,
  modelInUse,
  putOff,
  type StoredEmbeddings,
  storeVectors,
  takeWork,
} from "../../embeddings/tasks.ts";
import type { Agent } from "../agent.ts";
import type { HandlersOf } from "../handler.ts";
import { vectorOf } from "../question.ts";
import { similar } from "../rules/similar.ts";

export const embeddingHandlers: HandlersOf<typeof embeddingOperations> = {
  checkSimilar: (agent, { body, question }) => {
    const { vector, own } = agent.read(() => ({
      vector: vectorOf(agent, body, question),
      own: ownVectorOf(agent, body),
    }));
    return similar(agent, body, vector ?? own, own !== undefined);
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
 * Returns the vector that the server makes of a text by itself; undefined if the memories have
 * others, or if the table has no word of the text.
 */
function ownVectorOf(agent: Agent, { title, content }: SimilarRequest): Float32Array | undefined {
  if (!agent.usesBuiltIn) return undefined;
  const text = builtInText({
    content_title: title ?? null,
    content_summary: null,
    content_body: content,
  });
  const { vector, coverage } = agent.builtIn!.embed(text);
  return coverage === 0 ? undefined : vector;
}

/** Tasks of the HTTP thread, which makes embeddings. */
export const EMBEDDING_TASKS = {
  /** Returns the model of the stored embeddings; null if the agent has none. */
  questionModel: (agent: Agent, configured: EmbeddingModel): EmbeddingModel | null =>
    agent.read(() =>
      agent.dimensions === 0 ? null : modelInUse(agent.storage, agent.dimensions, configured),
    ),

  takeWork: (
    agent: Agent,
    { configured, max }: { configured: EmbeddingModel; max: number },
  ): EmbeddingWork =>
    agent.read(() => {
      const model = modelInUse(agent.storage, agent.dimensions, configured);
      return takeWork(agent.storage, model, max, agent.now());
    }),

  storeVectors: (agent: Agent, made: MadeEmbeddings): StoredEmbeddings =>
    agent.write(() => storeVectors(agent.storage, made)),

  putOff: (agent: Agent, failed: FailedTexts): null =>
    agent.write(() => {
      putOff(agent.storage, failed, agent.now());
      return null;
    }),

  releaseWork: (agent: Agent): { waiting: number } =>
    agent.write(() => {
      agent.storage.embeddings.release();
      return { waiting: agent.storage.embeddings.waiting() };
    }),
};
