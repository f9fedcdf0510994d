// All operations, declared in one file per subject. The file of the same name in `agent/handlers/`
// carries the subject's operations out.

import { agentOperations } from "./agent.ts";
import { batchOperations } from "./batches.ts";
import { clusterOperations } from "./clusters.ts";
import { conflictOperations } from "./conflicts.ts";
import { consolidationOperations } from "./consolidation.ts";
import { contextOperations, guidanceOperations } from "./context.ts";
import { edgeOperations } from "./edges.ts";
import { embeddingOperations } from "./embeddings.ts";
import { eventOperations } from "./events.ts";
import { explainOperations } from "./explain.ts";
import { historyOperations } from "./history.ts";
import { hostingOperations, purgeOperations } from "./hosting.ts";
import { importOperations } from "./import.ts";
import { learningOperations } from "./learning.ts";
import { nodeOperations } from "./nodes.ts";
import { playbookOperations } from "./playbooks.ts";
import { rememberOperations } from "./remember.ts";
import { retrievalOperations } from "./retrieval.ts";
import { questionOperations, searchOperations } from "./search.ts";
import { timelineOperations } from "./timeline.ts";

/** The operations on an agent. */
export const AGENT_OPERATIONS = {
  ...embeddingOperations,
  ...nodeOperations,
  ...edgeOperations,
  ...searchOperations,
  ...explainOperations,
  ...eventOperations,
  ...learningOperations,
  ...agentOperations,
  ...playbookOperations,
  ...retrievalOperations,
  ...contextOperations,
  ...consolidationOperations,
  ...purgeOperations,
  ...batchOperations,
  ...importOperations,
  ...clusterOperations,
  ...conflictOperations,
  ...timelineOperations,
  ...historyOperations,
  ...rememberOperations,
};

/** The operations that need no agent. */
export const AGENTLESS_OPERATIONS = {
  ...questionOperations,
  ...guidanceOperations,
  ...hostingOperations,
};

export type AgentOperation = keyof typeof AGENT_OPERATIONS;
