// Clusters, and the memberships of memories in them.

import { fadedNow, textOf, toIso } from "nous-memory";
import type { Cluster, clusterOperations } from "../../api/clusters.ts";
import { CLUSTERS, MEMBERS, toCursor } from "../../api/pages.ts";
import { notFound } from "../../refusal.ts";
import type { ClusterRow, MembershipRow } from "../../storage/rows.ts";
import type { Agent } from "../agent.ts";
import { AnswerRoom, pageWithin } from "../answer-room.ts";
import type { HandlersOf } from "../handler.ts";
import { once, stillThere } from "../idempotency.ts";
import { presentClusters, presentMembership, presentNow } from "../present.ts";
import { changesOf, insertCluster } from "../writes/clusters.ts";
import { checkThere } from "../writes/edges.ts";

export const clusterHandlers: HandlersOf<typeof clusterOperations> = {
  createCluster: (agent, { headers, body }) => {
    const { id } = once(agent, "createCluster", { headers, body }, () =>
      insertCluster(agent, body),
    );
    return presentOne(agent, stillThere(agent.storage.clusters.find(id)));
  },

  listClusters: async (agent, { query: { limit, cursor } }) => {
    const room = new AnswerRoom();
    const { data, last, isLast } = await pageWithin(
      agent,
      room,
      limit,
      (max, after: ClusterRow | undefined) =>
        agent.storage.clusters.list({ after: after?.sequence ?? cursor, limit: max, room }),
      (rows) => presentClusters(rows, agent.storage),
    );
    return {
      data,
      count: data.length,
      next_cursor: toCursor(CLUSTERS, isLast ? null : last?.sequence),
    };
  },

  readCluster: (agent, { params: { id } }) => presentOne(agent, clusterOf(agent, id)),

  updateCluster: (agent, { params: { id }, body }) => {
    const changed = agent.write(() => agent.storage.clusters.update(id, changesOf(agent, body)));
    if (changed === undefined) throw notFound();
    return presentOne(agent, changed);
  },

  deleteCluster: (agent, { params: { id } }) =>
    agent.write(() => {
      if (!agent.storage.clusters.delete(id)) throw notFound();
      return { ok: true };
    }),

  addMember: (agent, { params: { id: cluster_id }, body: { node_id, node_ids, weight, pinned } }) =>
    agent.write(() => {
      clusterOf(agent, cluster_id);
      const ids = node_ids ?? [node_id!];
      checkThere(
        agent,
        node_ids === undefined ? { node_id: node_id! } : Object.fromEntries(pathsOf(ids)),
      );
      const how = { weight, pinned: Number(pinned), updated_at: toIso(agent.now()) };
      const rows = ids.map((node_id) =>
        agent.storage.clusters.putMember({ cluster_id, node_id, ...how }),
      );
      const one = node_ids === undefined ? presentMembership(rows[0]!) : { cluster_id };
      return { ok: true, added: new Set(ids).size, ...one };
    }),

  listMembers: async (agent, { params: { id }, query: { limit, cursor } }) => {
    clusterOf(agent, id);
    const { storage } = agent;
    const now = agent.now();
    const room = new AnswerRoom();
    const { data, last, isLast } = await pageWithin(
      agent,
      room,
      limit,
      (max, after: MembershipRow | undefined) => {
        const found = storage.clusters.members(id, {
          after: after?.sequence ?? cursor,
          limit: max,
        });
        const octets = storage.nodes.octets(found.map(({ node_id }) => node_id));
        return found.slice(0, room.fitting(found.map(({ node_id }) => octets.get(node_id) ?? 0)));
      },
      (rows) => membersOf(agent, rows, now),
    );
    return {
      data,
      count: data.length,
      next_cursor: toCursor(MEMBERS, isLast ? null : last?.sequence),
    };
  },

  removeMember: (agent, { params: { id, node_id } }) =>
    agent.write(() => {
      if (!agent.storage.clusters.deleteMember(id, node_id)) throw notFound();
      return { ok: true };
    }),

  clusterHealth: (agent, { params: { id } }) =>
    agent.read(() => {
      const name = textOf(clusterOf(agent, id).name) ?? "";
      const ids = agent.storage.clusters.members(id).map(({ node_id }) => node_id);
      const faded = fadedNow(ids, agent.index, agent.engine, agent.now());
      const countOf = (state: string) => faded.filter((it) => it?.lifecycle === state).length;
      const active_nodes = countOf("ACTIVE");
      return {
        cluster_id: id,
        name,
        total_nodes: ids.length,
        active_nodes,
        weak_nodes: countOf("WEAK"),
        dormant_nodes: countOf("DORMANT"),
        health_ratio: ids.length === 0 ? 0 : active_nodes / ids.length,
      };
    }),
};

/** Returns the memories of memberships; undefined for a memory that does not exist. */
function membersOf(agent: Agent, rows: readonly MembershipRow[], now: number) {
  const ids = rows.map(({ node_id }) => node_id);
  const byId = new Map(
    presentNow(agent.storage.nodes.of(ids), agent, now).map((node) => [node.id, node]),
  );
  return rows.map((row) => {
    const node = byId.get(row.node_id);
    if (node === undefined) return undefined;
    const membership = presentMembership(row);
    const { weight: membership_weight, updated_at: membership_updated_at } = membership;
    return { ...node, ...membership, membership_weight, membership_updated_at };
  });
}

const presentOne = ({ storage }: Agent, row: ClusterRow): Cluster =>
  presentClusters([row], storage)[0]!;

const pathsOf = (ids: readonly string[]): [path: string, id: string][] =>
  ids.map((id, place) => [`node_ids.${place}`, id]);

function clusterOf({ storage }: Agent, id: string): ClusterRow {
  const row = storage.clusters.find(id);
  if (row === undefined) throw notFound();
  return row;
}
