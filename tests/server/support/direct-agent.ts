// Calls the handlers of an agent in the process of the test, without a server.

import type { Agent } from "../../../js/server/src/agent/agent.ts";
import { HANDLERS } from "../../../js/server/src/agent/handlers.ts";
import { AGENT_OPERATIONS, type AgentOperation } from "../../../js/server/src/api/operations.ts";

/**
 * Calls a handler with a request that its schema has parsed. Checks that the answer matches the
 * documented schema.
 */
export async function ask(
  agent: Agent,
  name: AgentOperation,
  given: { params?: object; query?: object; headers?: object; body?: object } = {},
) {
  const { params, query, headers, body, answer } = {
    params: undefined,
    query: undefined,
    headers: undefined,
    body: undefined,
    ...AGENT_OPERATIONS[name],
  };
  const checked = {
    params: params?.parse(given.params),
    query: query?.parse(given.query ?? {}),
    headers: headers?.parse(given.headers ?? {}),
    body: body?.parse(given.body ?? {}),
  };
  const handle = HANDLERS[name] as (agent: Agent, given: unknown) => unknown;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  return answer.parse(JSON.parse(JSON.stringify(await handle(agent, checked)))) as any;
}
