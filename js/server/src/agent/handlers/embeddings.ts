// Vectors of an agent's memories: what is like a text, and what those who make vectors ask of the
// database.

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

  /** Without a provider there is nobody to make them. */
  backfillEmbeddings: (agent) =>
    agent.read(() => {
      const total = agent.storage.embeddings.waiting();
      return { ok: total === 0, embedded: 0, total };
    }),
};

/** What the thread of HTTP, where vectors are made, asks of an agent. */
export const EMBEDDING_TASKS = {
  /** Whose vectors are in use; null where there are none. */
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
