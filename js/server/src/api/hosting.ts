// Agents as such, and what is to be gone without a trace.

import { z } from "@hono/zod-openapi";
import { AGENT_NAME, isAgentName } from "../settings/agent-names.ts";
import { cursorOf, nextCursor, pageLimit } from "./cursors.ts";
import { operation } from "./operation.ts";
import { AGENTS } from "./pages.ts";
import { done, idParameter } from "./parts.ts";

const hostedAgent = z
  .object({ agent: z.string(), bytes: z.int().openapi({ description: "Of its database." }) })
  .openapi("HostedAgent");

const purged = z
  .object({
    ok: z.literal(true),
    deleted: z.boolean().openapi({ description: "Whether the memory was still there." }),
  })
  .openapi("Purged");

/** What is answered without an agent of its own. */
export const hostingOperations = {
  listAgents: operation({
    method: "get",
    path: "/agents",
    summary: "Lists the agents that there are, in no order of theirs that means anything",
    scope: "admin",
    query: z.object({ limit: pageLimit, cursor: cursorOf(AGENTS, z.string()) }),
    answer: z
      .object({ data: z.array(hostedAgent), count: z.int(), next_cursor: nextCursor })
      .openapi("HostedAgentList"),
  }),
  deleteAgent: operation({
    method: "delete",
    path: "/agents/{agent}",
    summary: "Deletes an agent with all its files; nothing is left of it",
    scope: "admin",
    params: z.object({ agent: z.string().refine(isAgentName, AGENT_NAME) }),
    answer: done,
    refusals: [404, 409],
  }),
};

export const purgeOperations = {
  purgeNode: operation({
    method: "post",
    path: "/nodes/{id}/purge",
    summary:
      "Deletes a memory and writes its agent's files anew, so that its text is in none of them",
    scope: "admin",
    params: idParameter,
    answer: purged,
    refusals: [409],
  }),
};
