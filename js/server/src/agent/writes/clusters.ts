// Writes of clusters and memberships.

import { toIso } from "nous-memory";
import type { ClusterChangesRequest, NewClusterRequest } from "../../api/clusters.ts";
import { newId } from "../../ids.ts";
import type { ClusterChanges } from "../../storage/rows.ts";
import type { Agent } from "../agent.ts";

/** The membership of a memory that joined by its subtype. */
const BY_ITSELF = { weight: 1, pinned: 0 };

/** Within a `write`: inserts a cluster. */
export function insertCluster(agent: Agent, request: NewClusterRequest): { id: string } {
  const { name, description = null, icon = null, pinned, auto_subtypes } = request;
  const { id } = agent.storage.clusters.insert({
    id: newId("c"),
    name,
    description,
    icon,
    pinned: Number(pinned),
    source: agent.behaviour.sourceOfClusters,
    auto_subtypes: agent.behaviour.subtypesOfCluster(auto_subtypes),
    created_at: toIso(agent.now()),
  });
  return { id };
}

/** Within a `write`: adds a memory to the clusters that take its subtype automatically. */
export function joinClusters(agent: Agent, id: string, subtype: string | null): void {
  if (subtype === null || !agent.behaviour.joinsClusters) return;
  for (const cluster_id of agent.storage.clusters.taking(subtype)) {
    agent.storage.clusters.putMember({
      cluster_id,
      node_id: id,
      ...BY_ITSELF,
      updated_at: toIso(agent.now()),
    });
  }
}

/** Returns the changes that a request makes to the row of a cluster. */
export function changesOf(
  agent: Agent,
  { pinned, auto_subtypes, ...texts }: ClusterChangesRequest,
): ClusterChanges {
  const given = Object.fromEntries(
    Object.entries(texts).filter(([, value]) => value !== undefined),
  );
  return {
    ...given,
    ...(pinned === undefined ? {} : { pinned: Number(pinned) }),
    ...(auto_subtypes === undefined
      ? {}
      : { auto_subtypes: agent.behaviour.subtypesOfCluster(auto_subtypes) }),
  };
}
