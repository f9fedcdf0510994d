// An agent's memory as a whole, as Hynous answers it.

import { agentHandlers } from "../agent/handlers/agent.ts";
import { embeddingHandlers } from "../agent/handlers/embeddings.ts";
import { listed, newestFirst } from "./clusters.ts";
import type { OverridesOf } from "./overriding.ts";

export const agentOverrides = {
  /** Lists transitions in the order in which the memories were stored. */
  sweep: async (agent, given) => {
    const swept = await agentHandlers.sweep(agent, given);
    const rows = agent.read(() => agent.rows(swept.transitions.map(({ id }) => id)));
    const places = new Map(rows.map(({ id, sequence }) => [id, sequence]));
    const transitions = swept.transitions
      .map((one) => ({ ...one, subtype: one.subtype ?? "unknown" }))
      .sort((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0));
    return { ...swept, transitions };
  },

  /** Without a provider there is nothing to do, and Hynous does not count that as a failure. */
  backfillEmbeddings: async (agent, given) => ({
    ...(await embeddingHandlers.backfillEmbeddings(agent, given)),
    ok: true,
  }),

  /**
   * Returns the whole graph without pages: memories newest first, and clusters in the order of
   * their list.
   */
  graph: async (agent, given) => {
    const graph = await agentHandlers.graph(agent, {
      ...given,
      query: { limit: undefined, cursor: undefined, nodes: undefined },
    });
    const nodes = newestFirst(
      graph.nodes.map((node, sequence) => ({ node, sequence })),
      ({ node }) => node.created_at,
    ).map(({ node }) => node);
    return { ...graph, nodes, clusters: listed(agent) };
  },
} satisfies OverridesOf<"sweep" | "backfillEmbeddings" | "graph">;
