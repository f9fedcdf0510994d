// Requests and answers about edges.

import { z } from "@hono/zod-openapi";
import { nextCursor, pageLimit, sequenceCursorOf } from "./cursors.ts";
import { retryHeaders } from "./headers.ts";
import { operation } from "./operation.ts";
import { EDGES } from "./pages.ts";
import {
  done,
  doneText,
  id,
  idOf,
  KEY_USED,
  MADE_IS_GONE,
  NO_EDGE,
  name,
  optionalName,
  rows,
  share,
  someNumber,
  someText,
  time,
} from "./parts.ts";

/** The default amount of a strengthening. */
const DEFAULT_STRENGTHENING = 0.05;

export const newEdge = z
  .object({
    source_id: name.describe("The memory that the edge leaves."),
    target_id: name.describe("The memory that the edge enters, another one."),
    type: name.describe("The relation, such as `part_of`, `causes` or `supersedes`."),
    subtype: optionalName.describe("A finer kind of the relation."),
    strength: share
      .nullish()
      .describe("How strongly activation spreads along it, from 0 to 1. Default: by the type."),
    confidence: share.nullish().describe("How sure the relation is, from 0 to 1."),
    neural_weight: share.nullish().describe("A weight of your own, from 0 to 1."),
  })
  .refine(({ source_id, target_id }) => source_id !== target_id, {
    path: ["target_id"],
    message: "is the same memory as source_id: an edge joins two memories",
  })
  .openapi("NewEdge", { description: "An edge to create." });

const edgesQuery = z.object({
  node_id: name.describe("The memory whose edges are listed."),
  direction: z
    .enum(["in", "out", "both"])
    .default("both")
    .describe("Edges that enter the memory, that leave it, or both."),
  limit: pageLimit,
  cursor: sequenceCursorOf(EDGES),
});

const strengthening = z
  .object({
    amount: z
      .number()
      .min(0)
      .default(DEFAULT_STRENGTHENING)
      .describe("The amount that is added to `strength`."),
  })
  .openapi("Strengthening", { description: "How much an edge gains." });

export const edge = z
  .object({
    id,
    type: z.string().describe("The relation, such as `part_of`."),
    subtype: someText.describe("A finer kind of the relation."),
    source_id: z.string().describe("The memory that the edge leaves."),
    target_id: z.string().describe("The memory that the edge enters."),
    neural_weight: someNumber.describe("The weight that its creator gave, from 0 to 1."),
    strength: someNumber.describe("How strongly activation spreads along it, from 0 to 1."),
    confidence: someNumber.describe("How sure the relation is, from 0 to 1."),
    created_at: time.nullable().describe("When it was created."),
  })
  .openapi("Edge", { description: "A typed, directed link between two memories." });

const edgeList = z
  .object({
    data: z.array(edge).describe("The edges."),
    count: rows,
    next_cursor: nextCursor,
  })
  .openapi("EdgeList", { description: "A page of edges." });

export const edgeOperations = {
  createEdge: operation({
    method: "post",
    path: "/edges",
    summary: "Creates an edge between two memories",
    returns: "The edge as it is stored.",
    example: {
      body: { source_id: "n_0123456789ab", target_id: "n_ba9876543210", type: "supersedes" },
    },
    scope: "memory",
    headers: retryHeaders,
    body: newEdge,
    status: 201,
    answer: edge,
    refusals: {
      404: "One of the two memories does not exist.",
      409: MADE_IS_GONE,
      422: KEY_USED,
    },
  }),
  listEdges: operation({
    method: "get",
    path: "/edges",
    summary: "Lists the edges of a memory",
    returns: "A page of edges.",
    example: { query: { node_id: "n_0123456789ab", direction: "out" } },
    scope: "memory",
    query: edgesQuery,
    answer: edgeList,
  }),
  strengthenEdge: operation({
    method: "post",
    path: "/edges/{id}/strengthen",
    summary: "Strengthens an edge, up to 1",
    returns: "The edge after the change.",
    example: { params: { id: "e_0123456789ab" }, body: { amount: 0.1 } },
    scope: "memory",
    params: idOf("edge"),
    body: strengthening,
    isBodyOptional: true,
    answer: edge,
    refusals: { 404: NO_EDGE },
  }),
  deleteEdge: operation({
    method: "delete",
    path: "/edges/{id}",
    summary: "Deletes an edge",
    returns: doneText,
    example: { params: { id: "e_0123456789ab" } },
    scope: "memory",
    params: idOf("edge"),
    answer: done,
    refusals: { 404: NO_EDGE },
  }),
};

export type NewEdgeRequest = Pick<z.output<typeof newEdge>, "source_id" | "target_id" | "type"> &
  Partial<z.output<typeof newEdge>>;
export type Edge = z.output<typeof edge>;
