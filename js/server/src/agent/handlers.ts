// What each operation does, by its name. The compiler sees to it that none is left out.

import type { AnswerOf, GivenTo, OperationShape } from "../api/operation.ts";
import type { AGENT_OPERATIONS } from "../api/operations.ts";
import type { Agent } from "./agent.ts";
import { batchHandlers } from "./handlers/batches.ts";
import { clusterHandlers } from "./handlers/clusters.ts";
import { conflictHandlers } from "./handlers/conflicts.ts";
import { consolidationHandlers } from "./handlers/consolidation.ts";
import { contextHandlers } from "./handlers/context.ts";
import { edgeHandlers } from "./handlers/edges.ts";
import { embeddingHandlers } from "./handlers/embeddings.ts";
import { graphHandlers } from "./handlers/graph.ts";
import { healthHandlers } from "./handlers/health.ts";
import { purgeHandlers } from "./handlers/hosting.ts";
import { nodeHandlers } from "./handlers/nodes.ts";
import { playbookHandlers } from "./handlers/playbooks.ts";
import { retrievalHandlers } from "./handlers/retrieval.ts";
import { searchHandlers } from "./handlers/search.ts";
import { decayHandlers } from "./sweep.ts";

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
