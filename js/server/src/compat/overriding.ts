// What handlers that stand for others are made of.

import type { Agent } from "../agent/agent.ts";
import type { GivenTo } from "../api/operation.ts";
import type { AGENT_OPERATIONS, AgentOperation } from "../api/operations.ts";
import { Refusal } from "../refusal.ts";

/**
 * Handlers that stand for those of these operations. Their answers are described in
 * `operations.ts`.
 */
export type OverridesOf<Name extends AgentOperation> = {
  [Operation in Name]: (
    agent: Agent,
    given: GivenTo<(typeof AGENT_OPERATIONS)[Operation]>,
  ) => unknown;
};

/** Does what `handle` does. What is not there counts as deleted. */
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
