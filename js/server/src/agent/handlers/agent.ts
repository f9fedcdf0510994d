// An agent's memory as a whole: counts, sweeps, and the graph without bodies.

import { isState, otherSections, textOf } from "nous-memory";
import type { StoredLifecycleState } from "nous-wasm";
import type { AgentProfile, agentOperations, Graph, GraphPlace } from "../../api/agent.ts";
import { GRAPH, toCursor } from "../../api/pages.ts";
import { Refusal } from "../../refusal.ts";
import { knownPreset } from "../../settings/preset.ts";
import type { EdgeRow } from "../../storage/rows.ts";
import type { Page } from "../../storage/sql.ts";
import type { GraphNode } from "../../storage/tables/nodes.ts";
import type { Agent } from "../agent.ts";
import { AnswerRoom, pageWithin } from "../answer-room.ts";
import type { HandlersOf } from "../handler.ts";
import { presentClusters, presentEdge, presentMembership, timeOf } from "../present.ts";
import { sweep } from "../sweep.ts";

/** Sorts before the first row of a list: the answer had no room for any row of the list. */
const START = Number.MIN_SAFE_INTEGER;

export const agentHandlers: HandlersOf<typeof agentOperations> = {
  readAgent: (agent) => profileOf(agent),

  updateAgent: (agent, { body: { preset } }) => {
    knownPreset(agent.presets, preset);
    if (agent.givenPreset !== undefined)
      throw new Refusal(
        409,
        `the server's settings say ${agent.givenPreset}: change its option preset, or its key evidence.preset`,
      );
    agent.setPreset(preset);
    return profileOf(agent);
  },

  health: (agent) =>
    agent.read(() => {
      const { index, storage, soft, behaviour } = agent;
      const lifecycle = new Map<StoredLifecycleState, number>();
      const add = (state: StoredLifecycleState, count: number) =>
        lifecycle.set(state, (lifecycle.get(state) ?? 0) + count);
      const ahead = new Map(soft.states());
      for (const { state, count } of storage.nodes.countStates([...ahead.keys()])) {
        add(isState(state) ? state : "ACTIVE", count);
      }
      for (const state of ahead.values()) add(state, 1);
      for (const { from, to } of behaviour.dueTransitions(agent)) {
        add(from, -1);
        add(to, 1);
      }
      const there = [...lifecycle].filter(([, count]) => count > 0);
      return {
        status: "ok",
        node_count: index.size,
        edge_count: index.edgeCount,
        lifecycle: Object.fromEntries(there),
      };
    }),

  sweep: (agent, { body: { force } }) => sweep(agent, force),

  graph: async (agent, { query: { limit, cursor, nodes: form } }) => {
    const { storage } = agent;
    const room = new AnswerRoom();
    const place: GraphPlace = [null, null, null, null];
    /** Returns a page of one of the lists, and notes in `place` where the list continues. */
    const partOf = async <Row extends { sequence: number }, Item extends object>(
      list: number,
      rowsOf: (page: Page) => Row[],
      present: (rows: readonly Row[]) => readonly (Item | undefined)[],
    ): Promise<Item[]> => {
      const from = cursor === undefined ? START : cursor[list]!;
      if (from === null) return [];
      const read = (max: number, after: Row | undefined) =>
        rowsOf({ after: after?.sequence ?? from, limit: max, room });
      const { data, last, isLast } = await pageWithin(agent, room, limit, read, present);
      if (!isLast) place[list] = last?.sequence ?? from;
      return data;
    };
    const isOfIds = form === "ids";
    const nodes = isOfIds
      ? []
      : await partOf(
          0,
          (page) => storage.nodes.graph(page),
          (rows) => nodesOf(agent, rows),
        );
    const ids = isOfIds
      ? await partOf(
          0,
          (page) => storage.nodes.inOrder(page),
          (rows) => rows,
        )
      : undefined;
    const edges = await partOf(
      1,
      (page) => storage.edges.list(page),
      (rows) => rows.map(graphEdgeOf),
    );
    const clusters = await partOf(
      2,
      (page) => storage.clusters.list(page),
      (rows) => presentClusters(rows, storage),
    );
    const memberships = await partOf(
      3,
      (page) => storage.clusters.memberships(page),
      (rows) => rows.map(presentMembership),
    );
    return {
      nodes,
      ...(ids === undefined ? {} : { node_ids: ids.map(({ id }) => id) }),
      edges,
      clusters,
      memberships,
      count: { nodes: (ids ?? nodes).length, edges: edges.length },
      next_cursor: place.every((after) => after === null) ? null : toCursor(GRAPH, place),
    };
  },
};

function profileOf(agent: Agent): AgentProfile {
  const { preset, givenPreset, hasOwnPreset, ranking, timeZone, storage, engine } = agent;
  const from = hasOwnPreset ? "agent" : "default";
  const types = Object.entries(preset.types).map(([name, type]) => {
    const { section, stability_days, heading, line, description } = type;
    return [name, { section, stability_days, heading, line, description }];
  });
  return {
    preset: preset.name,
    preset_from: givenPreset === undefined ? from : "settings",
    time_zone: timeZone,
    weights: preset.weights,
    stemming: preset.stemming,
    types: Object.fromEntries(types),
    sections: otherSections(preset.name, storage.names.inUse("subtype"), (subtype) =>
      engine.getSectionForSubtype(subtype),
    ),
    ranking,
  };
}

function nodesOf(
  agent: Agent,
  stored: readonly GraphNode[],
): (Graph["nodes"][number] | undefined)[] {
  const { index, engine, behaviour } = agent;
  const nodes = index.getAll(stored.map(({ id }) => id));
  const faded = behaviour.faded(nodes, engine, agent.now());
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
