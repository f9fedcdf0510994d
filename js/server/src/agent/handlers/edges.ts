// Edges between memories.

import type { edgeOperations } from "../../api/edges.ts";
import { EDGES, toCursor } from "../../api/pages.ts";
import { notFound } from "../../refusal.ts";
import type { EdgeRow } from "../../storage/rows.ts";
import { AnswerRoom, pageWithin } from "../answer-room.ts";
import type { HandlersOf } from "../handler.ts";
import { once, stillThere } from "../idempotency.ts";
import { presentEdge } from "../present.ts";
import { insertEdge } from "../writes/edges.ts";

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
