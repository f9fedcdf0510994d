// Edges between memories.

import { getInitialEdgeStrength } from "nous-wasm";
import type { edgeOperations } from "../api/edges.ts";
import { newId } from "../ids.ts";
import { toIso } from "../time.ts";
import type { Agent } from "./agent.ts";
import { notFound, Refusal } from "./errors.ts";
import type { HandlersOf } from "./handlers.ts";
import { presentEdge } from "./presenting.ts";

export const edgeHandlers: HandlersOf<typeof edgeOperations> = {
  createEdge: (agent, { body }) => {
    const { source_id, target_id, type, subtype = null } = body;
    const edge = agent.write(() => {
      checkEnds(agent, { source_id, target_id });
      agent.checkNames({ "edge type": type });
      const strength = body.strength ?? getInitialEdgeStrength(type);
      return agent.storage.insertEdge({
        id: newId("e"),
        type,
        subtype,
        source_id,
        target_id,
        neural_weight: body.neural_weight ?? strength,
        strength,
        confidence: body.confidence ?? 1,
        created_at: toIso(agent.now()),
      });
    });
    return presentEdge(edge);
  },

  listEdges: (agent, { query: { node_id, direction } }) => {
    const data = agent.storage.edgesOf(node_id, direction).map(presentEdge);
    return { data, count: data.length };
  },

  strengthenEdge: (agent, { params: { id }, body: { amount } }) => {
    const edge = agent.write(() => agent.storage.strengthenEdge(id, amount));
    if (edge === undefined) throw notFound();
    return presentEdge(edge);
  },

  deleteEdge: (agent, { params: { id } }) => {
    if (!agent.write(() => agent.storage.deleteEdge(id))) throw notFound();
    return { ok: true };
  },
};

function checkEnds({ storage }: Agent, ends: { source_id: string; target_id: string }): void {
  const missing = Object.entries(ends).filter(([, id]) => storage.node(id) === undefined);
  if (missing.length === 0) return;
  const issues = missing.map(([path]) => ({ path, message: "there is no memory with this id" }));
  throw new Refusal(404, "not found", issues);
}
