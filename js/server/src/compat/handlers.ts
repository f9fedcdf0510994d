// The handlers of all operations in a compatibility mode.

import type { Handler } from "../agent/handler.ts";
import { HANDLERS } from "../agent/handlers.ts";
import type { AgentOperation } from "../api/operations.ts";
import { Refusal } from "../refusal.ts";
import type { Compat } from "../settings/choices.ts";
import { agentOverrides } from "./agent.ts";
import { clusterOverrides } from "./clusters.ts";
import { conflictOverrides } from "./conflicts.ts";
import { contextOverrides } from "./context.ts";
import { nodeOverrides } from "./nodes.ts";
import { searchAsHynous } from "./search.ts";

/** Handlers that differ with `compat: "hynous"`. */
const HYNOUS: Partial<Record<AgentOperation, Handler>> = {
  ...nodeOverrides,
  ...clusterOverrides,
  ...conflictOverrides,
  ...agentOverrides,
  ...contextOverrides,
  search: searchAsHynous,
  explain: () => {
    throw new Refusal(404, "ranks are not explained with --compat hynous");
  },
};

/** Returns the handler of each operation. */
export function handlersFor(compat: Compat): Readonly<Record<AgentOperation, Handler>> {
  return compat === "none" ? HANDLERS : { ...HANDLERS, ...HYNOUS };
}
