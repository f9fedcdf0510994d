// Edges between memories.

import { getInitialEdgeStrength } from "nous-wasm";
import type { edgeOperations, NewEdgeRequest } from "../../api/edges.ts";
import { EDGES, toCursor } from "../../api/pages.ts";
import { newId } from "../../ids.ts";
import { notFound, Refusal } from "../../refusal.ts";
import type { EdgeRow, NewEdge } from "../../storage/rows.ts";
import { toIso } from "../../time.ts";
import type { Agent, Unit } from "../agent.ts";
import { AnswerRoom, pageWithin } from "../answer-room.ts";
import type { HandlersOf } from "../handler.ts";
import { once, stillThere } from "../idempotency.ts";
import { presentEdge } from "../present.ts";
import { countEdge } from "../rules/outcomes.ts";

export const edgeHandlers: HandlersOf<typeof edgeOperations> = {
  createEdge: (agent, { headers, body }) => {
    const { id } = once(agent, "createEdge", { headers, body }, (unit) => ({
      id: insertEdge(agent, body, unit).id,
    }));
    const [[edge] = []] = agent.storage.edges.indexed([id]);
    return presentEdge(stillThere(edge));
  },

  listEdges: async (agent, { query: { node_id, direction, limit, cursor } }) => {
    const { data, last, isLast } = await pageWithin(
      agent,
      new AnswerRoom(),
      limit,
      (max, after: EdgeRow | undefined) =>
        agent.storage.edges.of(node_id, direction, {
          after: after?.sequence ?? cursor,
          limit: max,
        }),
      (rows) => rows.map(presentEdge),
    );
    return {
      data,
      count: data.length,
      next_cursor: toCursor(EDGES, isLast ? null : last?.sequence),
    };
  },

  strengthenEdge: (agent, { params: { id }, body: { amount } }) => {
    const edge = agent.write(() => agent.storage.edges.strengthen(id, amount));
    if (edge === undefined) throw notFound();
    return presentEdge(edge);
  },

  deleteEdge: (agent, { params: { id } }) => {
    if (!agent.write(() => agent.storage.edges.delete(id))) throw notFound();
    return { ok: true };
  },
};

/** Returns a new edge. Its ends have to exist. */
export function newEdgeOf(agent: Agent, fields: NewEdgeRequest): NewEdge {
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

/**
 * Within a `write`: inserts an edge, which may complete a closed trade.
 *
 * @throws {Refusal} If one of the two memories does not exist.
 */
export function insertEdge(agent: Agent, request: NewEdgeRequest, unit: Unit): EdgeRow {
  const { source_id, target_id, type } = request;
  checkThere(agent, { source_id, target_id });
  agent.checkNames({ "edge type": type });
  const edge = agent.storage.edges.insert(newEdgeOf(agent, request));
  countEdge(agent, edge, unit);
  return edge;
}

/**
 * Checks that memories exist, by the fields that name them.
 *
 * @throws {Refusal} If one does not exist.
 */
export function checkThere({ storage }: Agent, ids: Readonly<Record<string, string>>): void {
  const missing = Object.entries(ids).filter(([, id]) => storage.nodes.find(id) === undefined);
  if (missing.length === 0) return;
  const issues = missing.map(([path]) => ({ path, message: "there is no memory with this id" }));
  throw new Refusal(404, "not found", issues);
}
