// Requests and answers of batches: many memories or edges, with an outcome for each. An invalid
// item refuses the whole batch. An item that conflicts with stored data is refused alone.

import { z } from "@hono/zod-openapi";
import { newEdge } from "./edges.ts";
import { retryHeaders } from "./headers.ts";
import { MAX_ANSWER } from "./limits.ts";
import { newNode, node } from "./nodes.ts";
import { operation } from "./operation.ts";
import { KEY_USED, name, ok, problem } from "./parts.ts";

const MAX_NODES = 100;
const MAX_READ = 200;
const MAX_EDGES = 500;

const index = z.int().describe("The item's place in the request, from 0.");
const failed = z.int().describe("How many items were refused.");
const total = z.int().describe("How many items the request has.");
const results = "An outcome for each item, in the order of the request.";

const madeItem = z
  .object({
    index,
    status: z.literal(201).describe("It was created."),
    id: z.string().describe("The id of the created row."),
    _contradiction_detected: z
      .literal(true)
      .optional()
      .describe("The text corrects an older memory: see the queue of conflicts."),
  })
  .openapi("MadeItem", { description: "An item of a batch that was created." });
const readItem = z
  .object({ index, status: z.literal(200).describe("It was read."), node })
  .openapi("ReadItem", { description: "An item of a batch that was read." });
const refusedItem = problem
  .extend({
    index,
    status: z
      .int()
      .min(400)
      .openapi({
        description:
          "The status that the item alone would be answered with. " +
          `413: the answer has no room for it; its nodes take ${MAX_ANSWER} bytes at most.`,
      }),
  })
  .openapi("RefusedItem", { description: "An item of a batch that was refused." });

export const batchMade = z
  .object({
    ok,
    created: z.int().describe("How many items were created."),
    failed,
    total,
    results: z.array(z.union([madeItem, refusedItem])).describe(results),
  })
  .openapi("BatchMade", { description: "The outcomes of a batch of creations." });

export const batchRead = z
  .object({
    ok,
    found: z.int().describe("How many memories were read."),
    failed,
    total,
    results: z.array(z.union([readItem, refusedItem])).describe(results),
  })
  .openapi("BatchRead", { description: "The outcomes of a batch of reads." });

export const batchOperations = {
  createNodes: operation({
    method: "post",
    path: "/nodes/batch",
    summary: "Creates memories, in one transaction",
    description:
      "An invalid item refuses the whole batch. An item that conflicts with " +
      "stored data is refused alone.",
    returns: "An outcome for each item.",
    example: {
      body: {
        items: [
          { type: "note", content_title: "Staging runs on heron" },
          { type: "note", content_title: "Backups start at three" },
        ],
      },
    },
    scope: "memory",
    headers: retryHeaders,
    body: z
      .object({
        items: z.array(newNode).min(1).max(MAX_NODES).describe(`1 to ${MAX_NODES} memories.`),
      })
      .openapi("NewNodes", { description: "Memories to create." }),
    answer: batchMade,
    refusals: { 422: KEY_USED },
    createsAgent: true,
  }),
  readNodes: operation({
    method: "post",
    path: "/nodes/batch-get",
    summary: "Reads memories by their ids; each read counts as a recall unless `recall` is false",
    returns: "An outcome for each id.",
    example: { body: { ids: ["n_0123456789ab", "n_ba9876543210"], recall: false } },
    scope: "memory",
    body: z
      .object({
        ids: z.array(name).min(1).max(MAX_READ).describe(`1 to ${MAX_READ} ids.`),
        recall: z.boolean().default(true).describe("Whether the reads count as recalls."),
      })
      .openapi("NodesWanted", { description: "Memories to read." }),
    answer: batchRead,
  }),
  createEdges: operation({
    method: "post",
    path: "/edges/batch",
    summary: "Creates edges, in one transaction",
    description: "An edge to a memory that does not exist is refused alone.",
    returns: "An outcome for each item.",
    example: {
      body: {
        items: [{ source_id: "n_0123456789ab", target_id: "n_ba9876543210", type: "relates_to" }],
      },
    },
    scope: "memory",
    headers: retryHeaders,
    body: z
      .object({
        items: z.array(newEdge).min(1).max(MAX_EDGES).describe(`1 to ${MAX_EDGES} edges.`),
      })
      .openapi("NewEdges", { description: "Edges to create." }),
    answer: batchMade,
    refusals: { 422: KEY_USED },
  }),
};

export type MadeItem = z.output<typeof madeItem>;
export type RefusedItem = z.output<typeof refusedItem>;
export type BatchMade = z.output<typeof batchMade>;
