// Clusters as Hynous answers them.

import { textOf, toIso } from "nous-memory";
import type { Agent } from "../agent/agent.ts";
import { AnswerRoom } from "../agent/answer-room.ts";
import { clusterHandlers } from "../agent/handlers/clusters.ts";
import { presentClusters, presentNow } from "../agent/present.ts";
import type { Cluster } from "../api/clusters.ts";
import { notFound } from "../refusal.ts";
import type { ClusterRow } from "../storage/rows.ts";
import { toFourDigits } from "./behaviour.ts";
import { idempotent, type OverridesOf } from "./overriding.ts";

/** The membership of an added memory. */
const HOW = { weight: 1, pinned: 0 };

export const clusterOverrides = {
  createCluster: async (agent, given) =>
    shown(agent, await clusterHandlers.createCluster(agent, given)),

  listClusters: (agent) => {
    const data = listed(agent).map((cluster) => shown(agent, cluster));
    return { data, count: data.length, next_cursor: null };
  },

  readCluster: async (agent, given) =>
    shown(agent, await clusterHandlers.readCluster(agent, given)),
  updateCluster: async (agent, given) =>
    shown(agent, await clusterHandlers.updateCluster(agent, given)),
  deleteCluster: idempotent(clusterHandlers.deleteCluster),

  /** Skips memories that do not exist, and leaves existing memberships unchanged. */
  addMember: (agent, { params: { id: cluster_id }, body: { node_id, node_ids } }) =>
    agent.write(() => {
      const { storage } = agent;
      if (storage.clusters.find(cluster_id) === undefined) throw notFound();
      const ids = node_ids ?? [node_id!];
      const isThere = new Set(storage.nodes.of(ids).map(({ id }) => id));
      const there = ids.filter((id) => isThere.has(id));
      const updated_at = toIso(agent.now());
      for (const node_id of there) {
        if (!storage.clusters.isMember(cluster_id, node_id))
          storage.clusters.putMember({ cluster_id, node_id, ...HOW, updated_at });
      }
      return { ok: true, added: there.length, cluster_id };
    }),

  /**
   * Lists the members that joined last first, as many as fit into an answer; nothing for a missing
   * cluster.
   */
  listMembers: (agent, { params: { id }, query: { limit } }) =>
    agent.read(() => {
      const { storage } = agent;
      const room = new AnswerRoom();
      const members = newestFirst(
        storage.clusters.members(id),
        ({ updated_at }) => updated_at,
      ).slice(0, limit);
      const octets = storage.nodes.octets(members.map(({ node_id }) => node_id));
      const rows = members.slice(
        0,
        room.fitting(members.map(({ node_id }) => octets.get(node_id) ?? 0)),
      );
      const nodes = storage.nodes.of(rows.map(({ node_id }) => node_id));
      const byId = new Map(presentNow(nodes, agent, agent.now()).map((node) => [node.id, node]));
      const data = room.taken(
        rows.map(({ node_id, weight, updated_at }) => ({
          ...byId.get(node_id),
          membership_weight: weight,
          membership_updated_at: updated_at,
        })),
      );
      return { data, count: data.length, next_cursor: null };
    }),

  removeMember: idempotent(clusterHandlers.removeMember),

  /** Counts states as they were stored last. */
  clusterHealth: (agent, { params: { id } }) =>
    agent.read(() => {
      const cluster = agent.storage.clusters.find(id);
      if (cluster === undefined) throw notFound();
      const states = agent.storage.clusters
        .members(id)
        .map(({ node_id }) => agent.index.get(node_id)?.lifecycle);
      const countOf = (state: string) => states.filter((it) => it === state).length;
      const active_nodes = countOf("ACTIVE");
      return {
        cluster_id: id,
        name: textOf(cluster.name) ?? "",
        total_nodes: states.length,
        active_nodes,
        weak_nodes: countOf("WEAK"),
        dormant_nodes: countOf("DORMANT"),
        health_ratio: states.length === 0 ? 0 : toFourDigits(active_nodes / states.length),
      };
    }),
} satisfies OverridesOf<
  | "createCluster"
  | "listClusters"
  | "readCluster"
  | "updateCluster"
  | "deleteCluster"
  | "addMember"
  | "listMembers"
  | "removeMember"
  | "clusterHealth"
>;

/** Returns all clusters, pinned ones first, then newest first. */
export function listed({ storage }: Agent): Cluster[] {
  const rows = newestFirst(storage.clusters.list(), ({ created_at }) => created_at);
  return presentClusters(
    [...rows.filter(isPinned), ...rows.filter((row) => !isPinned(row))],
    storage,
  );
}

const isPinned = (row: ClusterRow): boolean => row.pinned === 1;

/** Returns rows with the latest time first; of equal times, the one that was written last. */
export const newestFirst = <Row extends { sequence: number }>(
  rows: readonly Row[],
  timeOf: (row: Row) => string | null,
): Row[] =>
  [...rows].sort((a, b) => {
    const [one, other] = [timeOf(a) ?? "", timeOf(b) ?? ""];
    return one === other ? b.sequence - a.sequence : one < other ? 1 : -1;
  });

/**
 * Returns a cluster in Hynous' form: a flag is a number, and missing automatic subtypes are null.
 */
function shown({ storage }: Agent, cluster: Cluster): object {
  const stored = storage.clusters.find(cluster.id)?.auto_subtypes ?? null;
  return {
    ...cluster,
    pinned: Number(cluster.pinned),
    auto_subtypes: stored === null ? null : cluster.auto_subtypes,
  };
}
