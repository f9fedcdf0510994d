// The handler of each operation on an agent. A missing handler is a type error.

import type { AGENT_OPERATIONS } from "../api/operations.ts";
import type { HandlersOf } from "./handler.ts";
import { agentHandlers } from "./handlers/agent.ts";
import { batchHandlers } from "./handlers/batches.ts";
import { clusterHandlers } from "./handlers/clusters.ts";
import { conflictHandlers } from "./handlers/conflicts.ts";
import { consolidationHandlers } from "./handlers/consolidation.ts";
import { contextHandlers } from "./handlers/context.ts";
import { edgeHandlers } from "./handlers/edges.ts";
import { embeddingHandlers } from "./handlers/embeddings.ts";
import { eventHandlers } from "./handlers/events.ts";
import { explainHandlers } from "./handlers/explain.ts";
import { historyHandlers } from "./handlers/history.ts";
import { purgeHandlers } from "./handlers/hosting.ts";
import { importHandlers } from "./handlers/import.ts";
import { learningHandlers } from "./handlers/learning.ts";
import { nodeHandlers } from "./handlers/nodes.ts";
import { playbookHandlers } from "./handlers/playbooks.ts";
import { rememberHandlers } from "./handlers/remember.ts";
import { retrievalHandlers } from "./handlers/retrieval.ts";
import { searchHandlers } from "./handlers/search.ts";
import { timelineHandlers } from "./handlers/timeline.ts";

export const HANDLERS: HandlersOf<typeof AGENT_OPERATIONS> = {
  ...nodeHandlers,
  ...edgeHandlers,
  ...searchHandlers,
  ...explainHandlers,
  ...eventHandlers,
  ...learningHandlers,
  ...agentHandlers,
  ...embeddingHandlers,
  ...playbookHandlers,
  ...retrievalHandlers,
  ...contextHandlers,
  ...consolidationHandlers,
  ...purgeHandlers,
  ...batchHandlers,
  ...importHandlers,
  ...clusterHandlers,
  ...conflictHandlers,
  ...timelineHandlers,
  ...historyHandlers,
  ...rememberHandlers,
};
