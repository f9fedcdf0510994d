// Clusters, and the memories in them: what is asked and answered.

import { z } from "@hono/zod-openapi";
import { nextCursor, pageLimit, sequenceCursorOf } from "./cursors.ts";
import { retryHeaders } from "./headers.ts";
import { node } from "./nodes.ts";
import { operation } from "./operation.ts";
import { CLUSTERS, MEMBERS } from "./pages.ts";
import {
  done,
  idParameter,
  longText,
  name,
  optionalName,
  share,
  someNumber,
  someText,
  time,
} from "./parts.ts";

const MOST_SUBTYPES = 100;
const USUAL_WEIGHT = 1;
/** Memories that one request puts into a cluster. */
const MOST_ADDED = 1_000;

const autoSubtypes = z
  .array(name)
  .max(MOST_SUBTYPES)
  .nullish()
  .openapi({ description: "A new memory of one of these subtypes is put into the cluster." });

const newCluster = z
  .object({
    name,
    description: longText,
    icon: optionalName,
    pinned: z.boolean().default(false),
    auto_subtypes: autoSubtypes,
  })
  .openapi("NewCluster");

const clusterChanges = z
  .object({
    name: name.optional(),
    description: longText,
    icon: optionalName,
    pinned: z.boolean().optional(),
    auto_subtypes: autoSubtypes,
  })
  .refine(
    (changes) => Object.values(changes).some((value) => value !== undefined),
    "names no field that can be changed",
  )
  .openapi("ClusterChanges");

const newMember = z
  .object({
    node_id: name.optional(),
    node_ids: z.array(name).min(1).max(MOST_ADDED).optional(),
    weight: share.default(USUAL_WEIGHT),
    pinned: z.boolean().default(false),
  })
  .refine(({ node_id, node_ids }) => (node_id === undefined) !== (node_ids === undefined), {
    path: ["node_id"],
    message: "must be given, or node_ids, and not both",
  })
  .openapi("NewMember");

export const cluster = z
  .object({
    id: z.string(),
    name: z.string(),
    description: someText,
    icon: someText,
    pinned: z.boolean(),
    source: someText,
    auto_subtypes: z.array(z.string()),
    created_at: time.nullable(),
    node_count: z.int().openapi({ description: "Memories in it." }),
  })
  .openapi("Cluster");

export const clusterList = z
  .object({ data: z.array(cluster), count: z.int(), next_cursor: nextCursor })
  .openapi("ClusterList");

export const membership = z
  .object({
    cluster_id: z.string(),
    node_id: z.string(),
    weight: someNumber,
    pinned: z.boolean(),
    updated_at: time.nullable(),
  })
  .openapi("Membership");

export const addedMembers = membership
  .partial({ node_id: true, weight: true, pinned: true, updated_at: true })
  .extend({
    ok: z.literal(true),
    added: z.int().openapi({ description: "Memories that the request has put into the cluster." }),
  })
  .openapi("AddedMembers", {
    description:
      "With `node_id` in the request, it is the membership as well; with `node_ids` it has no fields of one.",
  });

const member = node
  .extend(membership.shape)
  .extend({
    membership_weight: someNumber.openapi({ description: "The same as `weight`." }),
    membership_updated_at: time.nullable().openapi({ description: "The same as `updated_at`." }),
  })
  .openapi("Member");

export const memberList = z
  .object({ data: z.array(member), count: z.int(), next_cursor: nextCursor })
  .openapi("MemberList");

export const clusterHealth = z
  .object({
    cluster_id: z.string(),
    name: z.string(),
    total_nodes: z.int(),
    active_nodes: z.int(),
    weak_nodes: z.int(),
    dormant_nodes: z.int(),
    health_ratio: z
      .number()
      .openapi({ description: "The share of active ones; 0 where there are none." }),
  })
  .openapi("ClusterHealth");

export const clusterOperations = {
  createCluster: operation({
    method: "post",
    path: "/clusters",
    summary: "Creates a cluster: a named group of memories",
    scope: "memory",
    headers: retryHeaders,
    body: newCluster,
    status: 201,
    answer: cluster,
    refusals: [409, 422],
    createsAgent: true,
  }),
  listClusters: operation({
    method: "get",
    path: "/clusters",
    summary: "Lists clusters, oldest first",
    scope: "memory",
    query: z.object({ limit: pageLimit, cursor: sequenceCursorOf(CLUSTERS) }),
    answer: clusterList,
  }),
  readCluster: operation({
    method: "get",
    path: "/clusters/{id}",
    summary: "Reads a cluster",
    scope: "memory",
    params: idParameter,
    answer: cluster,
    refusals: [404],
  }),
  updateCluster: operation({
    method: "patch",
    path: "/clusters/{id}",
    summary: "Changes fields of a cluster",
    scope: "memory",
    params: idParameter,
    body: clusterChanges,
    answer: cluster,
    refusals: [404],
  }),
  deleteCluster: operation({
    method: "delete",
    path: "/clusters/{id}",
    summary: "Deletes a cluster; the memories in it stay",
    scope: "memory",
    params: idParameter,
    answer: done,
    refusals: [404],
  }),
  addMember: operation({
    method: "post",
    path: "/clusters/{id}/members",
    summary: "Puts a memory, or several, into a cluster, or changes how they are in it",
    scope: "memory",
    params: idParameter,
    body: newMember,
    status: 201,
    answer: addedMembers,
    refusals: [404],
  }),
  listMembers: operation({
    method: "get",
    path: "/clusters/{id}/members",
    summary: "Lists the memories in a cluster, those that came first in front",
    scope: "memory",
    params: idParameter,
    query: z.object({ limit: pageLimit, cursor: sequenceCursorOf(MEMBERS) }),
    answer: memberList,
    refusals: [404],
  }),
  removeMember: operation({
    method: "delete",
    path: "/clusters/{id}/members/{node_id}",
    summary: "Takes a memory out of a cluster",
    scope: "memory",
    params: idParameter.extend({ node_id: z.string() }),
    answer: done,
    refusals: [404],
  }),
  clusterHealth: operation({
    method: "get",
    path: "/clusters/{id}/health",
    summary: "How many of a cluster's memories are still well remembered",
    scope: "memory",
    params: idParameter,
    answer: clusterHealth,
    refusals: [404],
  }),
};

export type Cluster = z.output<typeof cluster>;
export type NewClusterRequest = z.output<typeof newCluster>;
export type ClusterChangesRequest = z.output<typeof clusterChanges>;
export type Membership = z.output<typeof membership>;
export type NewMemberRequest = z.output<typeof newMember>;
