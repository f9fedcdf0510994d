// The type and a helper of handlers that replace others in a compatibility mode.

import type { Agent } from "../agent/agent.ts";
import type { GivenTo } from "../api/operation.ts";
import type { AGENT_OPERATIONS, AgentOperation } from "../api/operations.ts";
import { Refusal } from "../refusal.ts";

/** Handlers that replace those of these operations. `operations.ts` describes their answers. */
export type OverridesOf<Name extends AgentOperation> = {
  [Operation in Name]: (
    agent: Agent,
    given: GivenTo<(typeof AGENT_OPERATIONS)[Operation]>,
  ) => unknown;
};

/** Returns a handler that does the same as `handle`, but succeeds if the row does not exist. */
export function idempotent<Given>(handle: (agent: Agent, given: Given) => unknown) {
  return async (agent: Agent, given: Given): Promise<unknown> => {
    try {
      return await handle(agent, given);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 404) throw error;
      return { ok: true };
    }
  };
}
