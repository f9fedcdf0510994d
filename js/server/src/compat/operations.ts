// The operations on agents in a compatibility mode.

import type { OperationShape } from "../api/operation.ts";
import { AGENT_OPERATIONS, type AgentOperation } from "../api/operations.ts";
import type { Compat } from "../settings/choices.ts";
import { HYNOUS } from "./requests.ts";

/**
 * Returns the operations on agents, with the schemas of their requests and the descriptions of
 * their answers.
 */
export function operationsFor(compat: Compat): typeof AGENT_OPERATIONS {
  if (compat === "none") return AGENT_OPERATIONS;
  const entries = Object.entries<OperationShape>(AGENT_OPERATIONS);
  return Object.fromEntries(
    entries.map(([name, operation]) => [name, { ...operation, ...HYNOUS[name as AgentOperation] }]),
  ) as typeof AGENT_OPERATIONS;
}
