// Requests and answers about agents as such, and about purges.

import { z } from "@hono/zod-openapi";
import { AGENT_NAME, isAgentName } from "../settings/agent-names.ts";
import { cursorOf, nextCursor, pageLimit } from "./cursors.ts";
import { operation } from "./operation.ts";
import { AGENTS } from "./pages.ts";
import { done, doneText, idOf, ok, rows } from "./parts.ts";

const hostedAgent = z
  .object({
    agent: z.string().describe("The name of the agent."),
    bytes: z.int().describe("The size of its database, in bytes."),
  })
  .openapi("HostedAgent", { description: "An agent that the server has a database of." });

const purged = z
  .object({
    ok,
    deleted: z.boolean().describe("Whether the memory still existed."),
  })
  .openapi("Purged", { description: "The result of a purge." });

/** Operations that need no agent. */
export const hostingOperations = {
  listAgents: operation({
    method: "get",
    path: "/agents",
    summary: "Lists the agents of the server, in no particular order",
    description:
      "An agent that is not in the list has no memories yet: searches of it find nothing. " +
      "A key sees only the agents that it is for.",
    returns: "A page of agents.",
    example: { query: { limit: 100 } },
    scope: "admin",
    query: z.object({ limit: pageLimit, cursor: cursorOf(AGENTS, z.string()) }),
    answer: z
      .object({
        data: z.array(hostedAgent).describe("The agents."),
        count: rows,
        next_cursor: nextCursor,
      })
      .openapi("HostedAgentList", { description: "A page of agents." }),
  }),
  deleteAgent: operation({
    method: "delete",
    path: "/agents/{agent}",
    summary: "Deletes an agent with all its files",
    description: "This cannot be undone.",
    returns: doneText,
    example: { params: { agent: "alice" } },
    scope: "admin",
    params: z.object({
      agent: z.string().refine(isAgentName, AGENT_NAME).describe("The name of the agent."),
    }),
    answer: done,
    refusals: {
      404: "The server has no such agent.",
      409: "The agent's database is remote.",
    },
  }),
};

export const purgeOperations = {
  purgeNode: operation({
    method: "post",
    path: "/nodes/{id}/purge",
    summary: "Deletes a memory and removes its text from all files of the agent",
    description: "The server rewrites the database file. That takes seconds for a large memory.",
    returns: "Whether the memory still existed.",
    example: { params: { id: "n_0123456789ab" } },
    scope: "admin",
    params: idOf("memory"),
    answer: purged,
    refusals: { 409: "The agent's database is remote: delete the memory instead." },
  }),
};
