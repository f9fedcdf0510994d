// The whole graph, without bodies.

import type { Graph, GraphPlace, wholeOperations } from "../../api/agent.ts";
import { GRAPH, toCursor } from "../../api/pages.ts";
import type { EdgeRow } from "../../storage/rows.ts";
import type { GraphNode, Page } from "../../storage/storage.ts";
import type { Agent } from "../agent.ts";
import { pageWithin, Room } from "../answer-room.ts";
import type { HandlersOf } from "../handlers.ts";
import { fadedOf, presentClusters, presentEdge, presentMembership, timeOf } from "../present.ts";
import { textOf } from "../replica/index-rows.ts";

/** Before the first row of a list: it has not been begun for want of room. */
const START = Number.MIN_SAFE_INTEGER;

export const graphHandlers: HandlersOf<Pick<typeof wholeOperations, "graph">> = {
  graph: async (agent, { query: { limit, cursor } }) => {
    const { storage } = agent;
    const room = new Room();
    const place: GraphPlace = [null, null, null, null];
    /** A page of one of the lists; where it goes on is noted. */
    const partOf = async <Row extends { sequence: number }, Item extends object>(
      list: number,
      rowsOf: (page: Page) => Row[],
      present: (rows: readonly Row[]) => readonly (Item | undefined)[],
    ): Promise<Item[]> => {
      const from = cursor === undefined ? START : cursor[list]!;
      if (from === null) return [];
      const read = (most: number, after: Row | undefined) =>
        rowsOf({ after: after?.sequence ?? from, limit: most, room });
      const { data, last, isLast } = await pageWithin(agent, room, limit, read, present);
      if (!isLast) place[list] = last?.sequence ?? from;
      return data;
    };
    const nodes = await partOf(
      0,
      (page) => storage.graphNodes(page),
      (rows) => nodesOf(agent, rows),
    );
    const edges = await partOf(
      1,
      (page) => storage.listEdges(page),
      (rows) => rows.map(graphEdgeOf),
    );
    const clusters = await partOf(
      2,
      (page) => storage.clusters(page),
      (rows) => presentClusters(rows, storage),
    );
    const memberships = await partOf(
      3,
      (page) => storage.memberships(page),
      (rows) => rows.map(presentMembership),
    );
    return {
      nodes,
      edges,
      clusters,
      memberships,
      count: { nodes: nodes.length, edges: edges.length },
      next_cursor: place.every((after) => after === null) ? null : toCursor(GRAPH, place),
    };
  },
};

function nodesOf(
  agent: Agent,
  stored: readonly GraphNode[],
): (Graph["nodes"][number] | undefined)[] {
  const { index, engine, compat } = agent;
  const nodes = stored.map(({ id }) => index.get(id));
  const faded = fadedOf(nodes, engine, agent.now(), compat);
  return stored.map((row, place) => {
    const [live, now] = [nodes[place], faded[place]];
    if (live === undefined || now === undefined) return undefined;
    return {
      id: row.id,
      type: live.type,
      subtype: live.subtype,
      title: textOf(row.title) ?? "",
      summary: textOf(row.summary),
      ...now,
      access_count: live.access_count,
      created_at: timeOf(row.created_at),
    };
  });
}

function graphEdgeOf(row: EdgeRow): Graph["edges"][number] {
  const { id, source_id: source, target_id: target, type, strength } = presentEdge(row);
  return { id, source, target, type, strength };
}
