// The whole graph, without bodies.

import type { Graph, wholeOperations } from "../api/whole.ts";
import type { Agent } from "./agent.ts";
import type { HandlersOf } from "./handlers.ts";
import { textOf } from "./index-rows.ts";
import { fadedNow, presentCluster, presentEdge, presentMembership, timeOf } from "./presenting.ts";

export const graphHandlers: HandlersOf<Pick<typeof wholeOperations, "graph">> = {
  graph: (agent) =>
    agent.read(() => {
      const [nodes, edges] = [nodesOf(agent), edgesOf(agent)];
      const clusters = agent.storage.clusters().map(presentCluster);
      const memberships = agent.storage.memberships().map(presentMembership);
      return { nodes, edges, clusters, memberships, count: { nodes: nodes.length, edges: edges.length } };
    }),
};

function nodesOf(agent: Agent): Graph["nodes"] {
  const { index, engine } = agent;
  const stored = agent.storage.graphNodes();
  const ids = stored.map(({ id }) => id);
  const faded = fadedNow(ids, index, engine, agent.now());
  return stored.flatMap((row, place) => {
    const live = index.get(row.id);
    const now = faded[place];
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

function edgesOf({ storage }: Agent): Graph["edges"] {
  return [...storage.edges()].flat().map((row) => {
    const { id, source_id: source, target_id: target, type, strength } = presentEdge(row);
    return { id, source, target, type, strength };
  });
}
