// Tasks of the HTTP thread, which makes embeddings.

import type { EmbeddingModel } from "../api/operation.ts";
import {
  type EmbeddingWork,
  type FailedTexts,
  type MadeEmbeddings,
  modelInUse,
  putOff,
  type StoredEmbeddings,
  storeVectors,
  takeWork,
} from "../embeddings/tasks.ts";
import type { Agent } from "./agent.ts";
import { compareEarlyOnesAgain } from "./writes/comparing.ts";

export const EMBEDDING_TASKS = {
  /** Returns the model of the stored embeddings; null if the agent has none. */
  questionModel: (agent: Agent, configured: EmbeddingModel): EmbeddingModel | null =>
    agent.read(() =>
      agent.dimensions === 0 ? null : modelInUse(agent.storage, agent.dimensions, configured),
    ),

  /** Returns whether the agent has no embedding yet, and a memory that is due to get one. */
  awaitsFirst: (agent: Agent): boolean =>
    agent.read(
      () => agent.dimensions === 0 && agent.storage.embeddings.due(agent.now(), 1).length > 0,
    ),

  takeWork: (
    agent: Agent,
    { configured, max }: { configured: EmbeddingModel; max: number },
  ): EmbeddingWork =>
    agent.read(() => {
      const model = modelInUse(agent.storage, agent.dimensions, configured);
      return takeWork(agent.storage, model, max, agent.now());
    }),

  storeVectors: (agent: Agent, made: MadeEmbeddings): StoredEmbeddings => {
    const stored = agent.write(() => storeVectors(agent.storage, made));
    agent.read(() => compareEarlyOnesAgain(agent));
    return stored;
  },

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
