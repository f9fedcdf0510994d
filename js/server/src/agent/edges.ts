// Edges between memories.

import { getInitialEdgeStrength } from "nous-wasm";
import type { edgeOperations, NewEdgeRequest } from "../api/edges.ts";
import { newId } from "../ids.ts";
import type { NewEdge } from "../storage/rows.ts";
import { toIso } from "../time.ts";
import type { Agent } from "./agent.ts";
import { notFound, Refusal } from "./errors.ts";
import type { HandlersOf } from "./handlers.ts";
import { countEdge } from "./outcomes.ts";
import { presentEdge } from "./presenting.ts";

export const edgeHandlers: HandlersOf<typeof edgeOperations> = {
  createEdge: (agent, { body }) => {
    const { source_id, target_id, type } = body;
    const edge = agent.write((unit) => {
      checkEnds(agent, { source_id, target_id });
      agent.checkNames({ "edge type": type });
      const edge = agent.storage.insertEdge(newEdgeOf(agent, body));
      // What is counted may strengthen the very edge.
      return countEdge(agent, edge, unit) ? [...agent.storage.edges([edge.id])].flat()[0]! : edge;
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

/** An edge between memories that are there. */
export function newEdgeOf(
  agent: Agent,
  fields: Partial<NewEdgeRequest> & Pick<NewEdgeRequest, "source_id" | "target_id" | "type">,
): NewEdge {
  const { type, subtype = null, source_id, target_id } = fields;
  const strength = fields.strength ?? getInitialEdgeStrength(type);
  return {
    id: newId("e"),
    type,
    subtype,
    source_id,
    target_id,
    neural_weight: fields.neural_weight ?? strength,
    strength,
    confidence: fields.confidence ?? 1,
    created_at: toIso(agent.now()),
  };
}

function checkEnds({ storage }: Agent, ends: { source_id: string; target_id: string }): void {
  const missing = Object.entries(ends).filter(([, id]) => storage.node(id) === undefined);
  if (missing.length === 0) return;
  const issues = missing.map(([path]) => ({ path, message: "there is no memory with this id" }));
  throw new Refusal(404, "not found", issues);
}
