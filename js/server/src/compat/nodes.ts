// Memories and edges as Hynous answers them.

import { textOf } from "nous-memory";
import { edgeHandlers } from "../agent/handlers/edges.ts";
import { nodeHandlers } from "../agent/handlers/nodes.ts";
import { storedState } from "../agent/lifecycle-filters.ts";
import { presentEdge } from "../agent/present.ts";
import { listed } from "../agent/search/lists.ts";
import { notFound } from "../refusal.ts";
import { toFourDigits } from "./behaviour.ts";
import { idempotent, type OverridesOf } from "./overriding.ts";

/** The strength of an edge whose row has none. */
const STRENGTH_OF_NONE = 0.5;

export const nodeOverrides = {
  /** Filters by the state that was stored last. */
  listNodes: (agent, { query: { lifecycle, ...query } }) =>
    listed(
      agent,
      query,
      lifecycle === undefined ? undefined : agent.read(() => storedState(agent, lifecycle)),
    ),

  readNode: async (agent, given) => {
    const node = await nodeHandlers.readNode(agent, given);
    const { neural_retrievability: share } = node;
    return { ...node, neural_retrievability: share === null ? null : toFourDigits(share) };
  },

  /** Returns the row as it was written, with odd values. */
  updateNode: async (agent, given) => {
    await nodeHandlers.updateNode(agent, given);
    const row = agent.storage.nodes.find(given.params.id)!;
    return { ...agent.presentNew(row), state_lifecycle: textOf(row.state_lifecycle) };
  },

  deleteNode: idempotent(nodeHandlers.deleteNode),

  /** Lists all edges. For both directions, edges from the memory come first. */
  listEdges: ({ storage }, { query: { node_id, direction } }) => {
    const from = direction === "in" ? [] : storage.edges.of(node_id, "out");
    const known = new Set(from.map(({ id }) => id));
    const to =
      direction === "out" ? [] : storage.edges.of(node_id, "in").filter(({ id }) => !known.has(id));
    const data = [...from, ...to].map(presentEdge);
    return { data, count: data.length, next_cursor: null };
  },

  /** Changes the weight with the strength. The amount may be negative. */
  strengthenEdge: (agent, { params: { id }, body: { amount } }) =>
    agent.write(() => {
      const [[edge] = []] = agent.storage.edges.indexed([id]);
      if (edge === undefined) throw notFound();
      const sum = Number(edge.strength ?? STRENGTH_OF_NONE) + amount;
      // An infinite strength could not be changed any more.
      const strength = Math.max(-Number.MAX_VALUE, Math.min(1, sum));
      return presentEdge(agent.storage.edges.setStrength(id, strength)!);
    }),

  deleteEdge: idempotent(edgeHandlers.deleteEdge),
} satisfies OverridesOf<
  | "listNodes"
  | "readNode"
  | "updateNode"
  | "deleteNode"
  | "listEdges"
  | "strengthenEdge"
  | "deleteEdge"
>;
