// The whole graph, without bodies.

import type { Graph, wholeOperations } from "../api/whole.ts";
import type { Agent } from "./agent.ts";
import type { HandlersOf } from "./handlers.ts";
import { numberOf, textOf } from "./index-rows.ts";
import { fadedNow, presentEdge, timeOf } from "./presenting.ts";

export const graphHandlers: HandlersOf<Pick<typeof wholeOperations, "graph">> = {
  graph: (agent) =>
    agent.read(() => {
      const [nodes, edges] = [nodesOf(agent), edgesOf(agent)];
      const clusters = agent.storage.clusters().map((cluster) => ({
        id: cluster.id,
        name: textOf(cluster.name) ?? "",
        description: textOf(cluster.description),
        icon: textOf(cluster.icon),
        pinned: cluster.pinned === 1,
        source: textOf(cluster.source),
        auto_subtypes: namesOf(cluster.auto_subtypes),
        created_at: timeOf(cluster.created_at),
      }));
      const memberships = agent.storage.memberships().map((membership) => ({
        ...membership,
        weight: numberOf(membership.weight),
        pinned: membership.pinned === 1,
        updated_at: timeOf(membership.updated_at),
      }));
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

/** The subtypes that a cluster takes in by itself, from JSON that somebody else may have written. */
function namesOf(json: string | null): string[] {
  try {
    const names: unknown = JSON.parse(json ?? "[]");
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}
