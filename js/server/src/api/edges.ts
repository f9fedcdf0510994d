// Edges: what is asked and answered.

import { z } from "@hono/zod-openapi";
import { nextCursor, pageLimit, sequenceCursorOf } from "./cursors.ts";
import { retryHeaders } from "./headers.ts";
import { operation } from "./operation.ts";
import { EDGES } from "./pages.ts";
import {
  done,
  idParameter,
  name,
  optionalName,
  share,
  someNumber,
  someText,
  time,
} from "./parts.ts";

/** What strengthening adds when it is not told. */
const USUAL_STRENGTHENING = 0.05;

export const newEdge = z
  .object({
    source_id: name,
    target_id: name,
    type: name,
    subtype: optionalName,
    strength: share.nullish(),
    confidence: share.nullish(),
    neural_weight: share.nullish(),
  })
  .openapi("NewEdge");

const edgesQuery = z.object({
  node_id: name,
  direction: z.enum(["in", "out", "both"]).default("both"),
  limit: pageLimit,
  cursor: sequenceCursorOf(EDGES),
});

const strengthening = z
  .object({ amount: z.number().min(0).default(USUAL_STRENGTHENING) })
  .openapi("Strengthening");

export const edge = z
  .object({
    id: z.string(),
    type: z.string(),
    subtype: someText,
    source_id: z.string(),
    target_id: z.string(),
    neural_weight: someNumber,
    strength: someNumber,
    confidence: someNumber,
    created_at: time.nullable(),
  })
  .openapi("Edge");

const edgeList = z
  .object({ data: z.array(edge), count: z.int(), next_cursor: nextCursor })
  .openapi("EdgeList");

export const edgeOperations = {
  createEdge: operation({
    method: "post",
    path: "/edges",
    summary: "Ties two memories together",
    scope: "memory",
    headers: retryHeaders,
    body: newEdge,
    status: 201,
    answer: edge,
    refusals: [404, 409, 422],
  }),
  listEdges: operation({
    method: "get",
    path: "/edges",
    summary: "Lists the edges of a memory",
    scope: "memory",
    query: edgesQuery,
    answer: edgeList,
  }),
  strengthenEdge: operation({
    method: "post",
    path: "/edges/{id}/strengthen",
    summary: "Strengthens an edge, up to 1",
    scope: "memory",
    params: idParameter,
    body: strengthening,
    isBodyOptional: true,
    answer: edge,
    refusals: [404],
  }),
  deleteEdge: operation({
    method: "delete",
    path: "/edges/{id}",
    summary: "Deletes an edge",
    scope: "memory",
    params: idParameter,
    answer: done,
    refusals: [404],
  }),
};

export type NewEdgeRequest = Pick<z.output<typeof newEdge>, "source_id" | "target_id" | "type"> &
  Partial<z.output<typeof newEdge>>;
export type Edge = z.output<typeof edge>;
