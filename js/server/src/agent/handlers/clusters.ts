// Clusters, and the memberships of memories in them.

import type {
  Cluster,
  ClusterChangesRequest,
  clusterOperations,
  NewClusterRequest,
} from "../../api/clusters.ts";
import { CLUSTERS, MEMBERS, toCursor } from "../../api/pages.ts";
import { newId } from "../../ids.ts";
import { notFound } from "../../refusal.ts";
import type { Compat } from "../../settings/compat.ts";
import type { ClusterChanges, ClusterRow, MembershipRow } from "../../storage/rows.ts";
import { toIso } from "../../time.ts";
import type { Agent } from "../agent.ts";
import { AnswerRoom, pageWithin } from "../answer-room.ts";
import type { HandlersOf } from "../handler.ts";
import { once, stillThere } from "../idempotency.ts";
import { fadedNow, presentClusters, presentMembership, presentNow } from "../present.ts";
import { textOf } from "../replica/index-rows.ts";
import { checkThere } from "./edges.ts";

/** The stored source of a new cluster. */
const SOURCE: Readonly<Record<Compat, string>> = { none: "agent", hynous: "user_created" };
/** The membership of a memory that joined by its subtype. */
const BY_ITSELF = { weight: 1, pinned: 0 };

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

function insertCluster(agent: Agent, request: NewClusterRequest): { id: string } {
  const { name, description = null, icon = null, pinned, auto_subtypes } = request;
  const { id } = agent.storage.clusters.insert({
    id: newId("c"),
    name,
    description,
    icon,
    pinned: Number(pinned),
    source: SOURCE[agent.compat],
    auto_subtypes: subtypesOf(agent, auto_subtypes),
    created_at: toIso(agent.now()),
  });
  return { id };
}

/**
 * Returns the stored form of automatic subtypes. Hynous distinguishes a cluster without a list from
 * one with an empty list.
 */
const subtypesOf = (
  { compat }: Agent,
  subtypes: readonly string[] | null | undefined,
): string | null =>
  compat === "hynous" && subtypes == null ? null : JSON.stringify(subtypes ?? []);

/**
 * Within a `write`: adds a memory to the clusters that take its subtype automatically. With
 * `compat: "hynous"` the client does that, not the server.
 */
export function joinClusters(agent: Agent, id: string, subtype: string | null): void {
  if (subtype === null || agent.compat === "hynous") return;
  for (const cluster_id of agent.storage.clusters.taking(subtype)) {
    agent.storage.clusters.putMember({
      cluster_id,
      node_id: id,
      ...BY_ITSELF,
      updated_at: toIso(agent.now()),
    });
  }
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

function changesOf(
  agent: Agent,
  { pinned, auto_subtypes, ...texts }: ClusterChangesRequest,
): ClusterChanges {
  const given = Object.fromEntries(
    Object.entries(texts).filter(([, value]) => value !== undefined),
  );
  return {
    ...given,
    ...(pinned === undefined ? {} : { pinned: Number(pinned) }),
    ...(auto_subtypes === undefined ? {} : { auto_subtypes: subtypesOf(agent, auto_subtypes) }),
  };
}
