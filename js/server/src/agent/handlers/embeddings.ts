// Embeddings: finds memories that resemble a text, and serves the HTTP thread, which makes the
// embeddings.

import type { embeddingOperations } from "../../api/embeddings.ts";
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
  checkSimilar: (agent, { body, question }) =>
    similar(
      agent,
      body,
      agent.read(() => vectorOf(agent, body, question)),
    ),

  /** Without a provider no embedding can be made: the answer counts the memories that wait. */
  backfillEmbeddings: (agent) =>
    agent.read(() => {
      const total = agent.storage.embeddings.waiting();
      return { ok: total === 0, embedded: 0, total };
    }),
};

/** Tasks of the HTTP thread, which makes embeddings. */
export const EMBEDDING_TASKS = {
  /** Returns the model of the stored embeddings; null if the agent has none. */
  questionModel: (agent: Agent, configured: EmbeddingModel): EmbeddingModel | null =>
    agent.read(() =>
      agent.dimensions === 0 ? null : modelInUse(agent.storage, agent.dimensions, configured),
    ),

  takeWork: (
    agent: Agent,
    { configured, most }: { configured: EmbeddingModel; most: number },
  ): EmbeddingWork =>
    agent.read(() => {
      const model = modelInUse(agent.storage, agent.dimensions, configured);
      return takeWork(agent.storage, model, most, agent.now());
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
