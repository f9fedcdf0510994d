// Requests and answers about clusters and their members.

import { z } from "@hono/zod-openapi";
import { nextCursor, pageLimit, sequenceCursorOf } from "./cursors.ts";
import { retryHeaders } from "./headers.ts";
import { node } from "./nodes.ts";
import { operation } from "./operation.ts";
import { CLUSTERS, MEMBERS } from "./pages.ts";
import {
  done,
  doneText,
  id,
  idOf,
  KEY_USED,
  longText,
  MADE_IS_GONE,
  NO_CLUSTER,
  name,
  ok,
  optionalName,
  rows,
  share,
  someNumber,
  someText,
  time,
} from "./parts.ts";

const MAX_SUBTYPES = 100;
const DEFAULT_WEIGHT = 1;
/** The most memories that one request adds to a cluster. */
const MAX_ADDED = 1_000;

const autoSubtypes = z
  .array(name)
  .max(MAX_SUBTYPES)
  .nullish()
  .describe("A new memory of one of these subtypes is put into the cluster.");
const described = longText.describe("The purpose of the cluster.");
const icon = optionalName.describe("A picture for displays, such as an emoji.");
const clusterName = name.describe("The name.");
const inFront = "Whether displays show it first.";

const newCluster = z
  .object({
    name: clusterName,
    description: described,
    icon,
    pinned: z.boolean().default(false).describe(inFront),
    auto_subtypes: autoSubtypes,
  })
  .openapi("NewCluster", { description: "A cluster to create." });

const clusterChanges = z
  .object({
    name: clusterName.optional(),
    description: described,
    icon,
    pinned: z.boolean().optional().describe(inFront),
    auto_subtypes: autoSubtypes,
  })
  .refine(
    (changes) => Object.values(changes).some((value) => value !== undefined),
    "names no field that can be changed",
  )
  .openapi("ClusterChanges", {
    description: "Fields of a cluster to change. The others stay.",
  });

const newMember = z
  .object({
    node_id: name.optional().describe("One memory. Give this or `node_ids`, not both."),
    node_ids: z
      .array(name)
      .min(1)
      .max(MAX_ADDED)
      .optional()
      .describe(`1 to ${MAX_ADDED} memories.`),
    weight: share
      .default(DEFAULT_WEIGHT)
      .describe("How strongly the memories belong to it, from 0 to 1."),
    pinned: z.boolean().default(false).describe(inFront),
  })
  .refine(({ node_id, node_ids }) => (node_id === undefined) !== (node_ids === undefined), {
    path: ["node_id"],
    message: "must be given, or node_ids, and not both",
  })
  .openapi("NewMember", { description: "Memories to put into a cluster." });

export const cluster = z
  .object({
    id,
    name: z.string().describe("The name."),
    description: someText.describe("The purpose of the cluster."),
    icon: someText.describe("A picture for displays, such as an emoji."),
    pinned: z.boolean().describe(inFront),
    source: someText.describe("Where the cluster comes from."),
    auto_subtypes: z
      .array(z.string())
      .describe("New memories of these subtypes are put into the cluster."),
    created_at: time.nullable().describe("When it was created."),
    node_count: z.int().describe("How many memories it holds."),
  })
  .openapi("Cluster", { description: "A named group of memories." });

export const clusterList = z
  .object({
    data: z.array(cluster).describe("The clusters."),
    count: rows,
    next_cursor: nextCursor,
  })
  .openapi("ClusterList", { description: "A page of clusters." });

export const membership = z
  .object({
    cluster_id: z.string().describe("The id of the cluster."),
    node_id: z.string().describe("The id of the memory."),
    weight: someNumber.describe("How strongly the memory belongs to the cluster, from 0 to 1."),
    pinned: z.boolean().describe(inFront),
    updated_at: time.nullable().describe("When the membership was last changed."),
  })
  .openapi("Membership", { description: "The entry that puts one memory into one cluster." });

export const addedMembers = membership
  .partial({ node_id: true, weight: true, pinned: true, updated_at: true })
  .extend({
    ok,
    added: z.int().describe("How many memories the request put into the cluster."),
  })
  .openapi("AddedMembers", {
    description:
      "The result of adding members. With `node_id` in the request it has the fields of the " +
      "membership, with `node_ids` it does not.",
  });

const member = node
  .extend(membership.shape)
  .extend({
    membership_weight: someNumber.describe("The same as `weight`."),
    membership_updated_at: time.nullable().describe("The same as `updated_at`."),
  })
  .openapi("ClusterMember", { description: "A memory with its membership in a cluster." });

export const memberList = z
  .object({
    data: z.array(member).describe("The memories."),
    count: rows,
    next_cursor: nextCursor,
  })
  .openapi("MemberList", { description: "A page of the memories in a cluster." });

export const clusterHealth = z
  .object({
    cluster_id: z.string().describe("The id of the cluster."),
    name: z.string().describe("The name of the cluster."),
    total_nodes: z.int().describe("How many memories it holds."),
    active_nodes: z.int().describe("How many of them are ACTIVE."),
    weak_nodes: z.int().describe("How many of them are WEAK."),
    dormant_nodes: z.int().describe("How many of them are in a later state."),
    health_ratio: z
      .number()
      .describe("The share of active memories, from 0 to 1; 0 for an empty cluster."),
  })
  .openapi("ClusterHealth", { description: "How well the memories of a cluster are remembered." });

export const clusterOperations = {
  createCluster: operation({
    method: "post",
    path: "/clusters",
    summary: "Creates a cluster: a named group of memories",
    description: "An agent that does not exist yet is created with it.",
    returns: "The cluster as it is stored.",
    example: { body: { name: "Deployment", auto_subtypes: ["custom:incident"] } },
    scope: "memory",
    headers: retryHeaders,
    body: newCluster,
    status: 201,
    answer: cluster,
    refusals: { 409: MADE_IS_GONE, 422: KEY_USED },
    createsAgent: true,
  }),
  listClusters: operation({
    method: "get",
    path: "/clusters",
    summary: "Lists clusters, oldest first",
    returns: "A page of clusters.",
    example: { query: { limit: 20 } },
    scope: "memory",
    query: z.object({ limit: pageLimit, cursor: sequenceCursorOf(CLUSTERS) }),
    answer: clusterList,
  }),
  readCluster: operation({
    method: "get",
    path: "/clusters/{id}",
    summary: "Reads a cluster",
    returns: "The cluster.",
    example: { params: { id: "c_0123456789ab" } },
    scope: "memory",
    params: idOf("cluster"),
    answer: cluster,
    refusals: { 404: NO_CLUSTER },
  }),
  updateCluster: operation({
    method: "patch",
    path: "/clusters/{id}",
    summary: "Changes fields of a cluster",
    returns: "The cluster after the change.",
    example: { params: { id: "c_0123456789ab" }, body: { pinned: true } },
    scope: "memory",
    params: idOf("cluster"),
    body: clusterChanges,
    answer: cluster,
    refusals: { 404: NO_CLUSTER },
  }),
  deleteCluster: operation({
    method: "delete",
    path: "/clusters/{id}",
    summary: "Deletes a cluster; the memories in it stay",
    returns: doneText,
    example: { params: { id: "c_0123456789ab" } },
    scope: "memory",
    params: idOf("cluster"),
    answer: done,
    refusals: { 404: NO_CLUSTER },
  }),
  addMember: operation({
    method: "post",
    path: "/clusters/{id}/members",
    summary: "Puts memories into a cluster, or changes their memberships",
    returns: "The membership of one memory, or how many were put into the cluster.",
    example: {
      params: { id: "c_0123456789ab" },
      body: { node_ids: ["n_0123456789ab", "n_ba9876543210"] },
    },
    scope: "memory",
    params: idOf("cluster"),
    body: newMember,
    status: 201,
    answer: addedMembers,
    refusals: { 404: "No cluster has this id, or a memory does not exist." },
  }),
  listMembers: operation({
    method: "get",
    path: "/clusters/{id}/members",
    summary: "Lists the memories in a cluster, in the order in which they were put there",
    returns: "A page of memories with their memberships.",
    example: { params: { id: "c_0123456789ab" }, query: { limit: 20 } },
    scope: "memory",
    params: idOf("cluster"),
    query: z.object({ limit: pageLimit, cursor: sequenceCursorOf(MEMBERS) }),
    answer: memberList,
    refusals: { 404: NO_CLUSTER },
  }),
  removeMember: operation({
    method: "delete",
    path: "/clusters/{id}/members/{node_id}",
    summary: "Takes a memory out of a cluster",
    returns: doneText,
    example: { params: { id: "c_0123456789ab", node_id: "n_0123456789ab" } },
    scope: "memory",
    params: idOf("cluster").extend({ node_id: z.string().describe("The id of the memory.") }),
    answer: done,
    refusals: { 404: "No cluster has this id, or the memory is not in it." },
  }),
  clusterHealth: operation({
    method: "get",
    path: "/clusters/{id}/health",
    summary: "Counts how many of a cluster's memories are still well remembered",
    returns: "The counts by lifecycle state.",
    example: { params: { id: "c_0123456789ab" } },
    scope: "memory",
    params: idOf("cluster"),
    answer: clusterHealth,
    refusals: { 404: NO_CLUSTER },
  }),
};

export type Cluster = z.output<typeof cluster>;
export type NewClusterRequest = z.output<typeof newCluster>;
export type ClusterChangesRequest = z.output<typeof clusterChanges>;
export type Membership = z.output<typeof membership>;
export type NewMemberRequest = z.output<typeof newMember>;
