// Many memories or edges at once, with an outcome for each: what is asked and answered. What is not
// valid in itself refuses the whole; what does not go with what is there refuses its item.

import { z } from "@hono/zod-openapi";
import { newEdge } from "./edges.ts";
import { retryHeaders } from "./headers.ts";
import { MOST_ANSWER } from "./limits.ts";
import { newNode, node } from "./nodes.ts";
import { operation } from "./operation.ts";
import { name, problem } from "./parts.ts";

const MOST_NODES = 100;
const MOST_READ = 200;
const MOST_EDGES = 500;

const index = z.int().openapi({ description: "The item's place in the request, from 0." });

const madeItem = z
  .object({
    index,
    status: z.literal(201),
    id: z.string(),
    _contradiction_detected: z.literal(true).optional(),
  })
  .openapi("MadeItem");
const readItem = z.object({ index, status: z.literal(200), node }).openapi("ReadItem");
const refusedItem = problem
  .extend({
    index,
    status: z
      .int()
      .min(400)
      .openapi({
        description: `413 for one that the answer has no room for: nodes take ${MOST_ANSWER} bytes at most.`,
      }),
  })
  .openapi("RefusedItem");

export const batchMade = z
  .object({
    ok: z.literal(true),
    created: z.int(),
    failed: z.int(),
    total: z.int(),
    results: z.array(z.union([madeItem, refusedItem])),
  })
  .openapi("BatchMade");

export const batchRead = z
  .object({
    ok: z.literal(true),
    found: z.int(),
    failed: z.int(),
    total: z.int(),
    results: z.array(z.union([readItem, refusedItem])),
  })
  .openapi("BatchRead");

export const batchOperations = {
  createNodes: operation({
    method: "post",
    path: "/nodes/batch",
    summary: "Creates memories, in one transaction",
    scope: "memory",
    headers: retryHeaders,
    body: z.object({ items: z.array(newNode).min(1).max(MOST_NODES) }).openapi("NewNodes"),
    answer: batchMade,
    refusals: [422],
    createsAgent: true,
  }),
  readNodes: operation({
    method: "post",
    path: "/nodes/batch-get",
    summary: "Reads memories, each of which is a recall unless it is said to be none",
    scope: "memory",
    body: z
      .object({ ids: z.array(name).min(1).max(MOST_READ), recall: z.boolean().default(true) })
      .openapi("NodesWanted"),
    answer: batchRead,
  }),
  createEdges: operation({
    method: "post",
    path: "/edges/batch",
    summary: "Ties memories together, in one transaction",
    scope: "memory",
    headers: retryHeaders,
    body: z.object({ items: z.array(newEdge).min(1).max(MOST_EDGES) }).openapi("NewEdges"),
    answer: batchMade,
    refusals: [422],
  }),
};

export type MadeItem = z.output<typeof madeItem>;
export type RefusedItem = z.output<typeof refusedItem>;
export type BatchMade = z.output<typeof batchMade>;
