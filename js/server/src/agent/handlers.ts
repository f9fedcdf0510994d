// What each operation does, by its name. The compiler sees to it that none is left out.

import type { AnswerOf, GivenTo, OperationShape } from "../api/operation.ts";
import type { AGENT_OPERATIONS } from "../api/operations.ts";
import type { Agent } from "./agent.ts";
import { batchHandlers } from "./batches.ts";
import { clusterHandlers } from "./clusters.ts";
import { conflictHandlers } from "./conflicts.ts";
import { consolidationHandlers } from "./consolidation.ts";
import { contextHandlers } from "./context.ts";
import { decayHandlers } from "./decay.ts";
import { edgeHandlers } from "./edges.ts";
import { embeddingHandlers } from "./embeddings.ts";
import { graphHandlers } from "./graph.ts";
import { healthHandlers } from "./health.ts";
import { nodeHandlers } from "./nodes.ts";
import { playbookHandlers } from "./playbooks.ts";
import { purgeHandlers } from "./purge.ts";
import { retrievalHandlers } from "./retrieval.ts";
import { searchHandlers } from "./search.ts";

/**
 * Operations' handlers. One that has to wait for something answers with a promise; the agent does
 * nothing else meanwhile.
 */
export type HandlersOf<Operations extends Readonly<Record<string, OperationShape>>> = {
  [Name in keyof Operations]: (
    agent: Agent,
    given: GivenTo<Operations[Name]>,
  ) => AnswerOf<Operations[Name]> | Promise<AnswerOf<Operations[Name]>>;
};

export const HANDLERS: HandlersOf<typeof AGENT_OPERATIONS> = {
  ...nodeHandlers,
  ...edgeHandlers,
  ...searchHandlers,
  ...decayHandlers,
  ...graphHandlers,
  ...healthHandlers,
  ...embeddingHandlers,
  ...playbookHandlers,
  ...retrievalHandlers,
  ...contextHandlers,
  ...consolidationHandlers,
  ...purgeHandlers,
  ...batchHandlers,
  ...clusterHandlers,
  ...conflictHandlers,
};
