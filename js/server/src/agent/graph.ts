// The whole graph, without bodies.

import { GRAPH, oneMore, pageOf, toCursor } from "../api/pages.ts";
import type { Graph, GraphPlace, wholeOperations } from "../api/whole.ts";
import type { EdgeRow } from "../storage/rows.ts";
import type { GraphNode, Page } from "../storage/storage.ts";
import type { Agent } from "./agent.ts";
import type { HandlersOf } from "./handlers.ts";
import { textOf } from "./index-rows.ts";
import { fadedOf, presentClusters, presentEdge, presentMembership, timeOf } from "./presenting.ts";

export const graphHandlers: HandlersOf<Pick<typeof wholeOperations, "graph">> = {
  graph: (agent, { query: { limit, cursor } }) =>
    agent.read(() => {
      const { storage } = agent;
      const place: GraphPlace = [null, null, null, null];
      /** A page of one of the lists; where it goes on is noted. */
      const partOf = <Row extends { sequence: number }>(
        list: number,
        rowsOf: (page: Page) => Row[],
      ): readonly Row[] => {
        const after = cursor?.[list];
        if (after === null) return [];
        const { rows, last } = pageOf(rowsOf({ after, limit: oneMore(limit) }), limit);
        place[list] = last?.sequence ?? null;
        return rows;
      };
      const nodes = nodesOf(
        agent,
        partOf(0, (page) => storage.graphNodes(page)),
      );
      const edges = partOf(1, (page) => storage.listEdges(page)).map(graphEdgeOf);
      return {
        nodes,
        edges,
        clusters: presentClusters(
          partOf(2, (page) => storage.clusters(page)),
          storage,
        ),
        memberships: partOf(3, (page) => storage.memberships(page)).map(presentMembership),
        count: { nodes: nodes.length, edges: edges.length },
        next_cursor: place.every((after) => after === null) ? null : toCursor(GRAPH, place),
      };
    }),
};

function nodesOf(agent: Agent, stored: readonly GraphNode[]): Graph["nodes"] {
  const { index, engine } = agent;
  const nodes = stored.map(({ id }) => index.get(id));
  const faded = fadedOf(nodes, engine, agent.now());
  return stored.flatMap((row, place) => {
    const [live, now] = [nodes[place], faded[place]];
    if (live === undefined || now === undefined) return [];
    return [
      {
        id: row.id,
        type: live.type,
        subtype: live.subtype,
        title: textOf(row.title) ?? "",
        summary: textOf(row.summary),
        ...now,
        access_count: live.access_count,
        created_at: timeOf(row.created_at),
      },
    ];
  });
}

function graphEdgeOf(row: EdgeRow): Graph["edges"][number] {
  const { id, source_id: source, target_id: target, type, strength } = presentEdge(row);
  return { id, source, target, type, strength };
}
