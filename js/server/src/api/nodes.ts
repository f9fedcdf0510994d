// Memories, one at a time and in lists: what is asked and answered.

import { z } from "@hono/zod-openapi";
import { MEMORY_SECTIONS } from "nous-wasm";
import { cursorOf, nextCursor } from "./cursors.ts";
import { matchHeaders, retryHeaders } from "./headers.ts";
import { operation } from "./operation.ts";
import { NODES } from "./pages.ts";
import {
  done,
  idParameter,
  instant,
  limitTextOf,
  longText,
  name,
  optionalName,
  ownId,
  share,
  signals,
  someNumber,
  someText,
  state,
  time,
  title,
  vector,
} from "./parts.ts";

const LIST_LIMITS = { usual: 50, most: 200 };

/** Ids of censors that a memory names. */
const MOST_CENSORS = 1_000;

const nodeFields = {
  type: name,
  content_title: title,
  subtype: optionalName,
  content_summary: longText,
  content_body: longText,
  temporal_event_time: instant.nullish(),
  temporal_event_confidence: share.nullish(),
  temporal_event_source: optionalName,
  neural_stability: z.number().positive().nullish().openapi({ description: "Days." }),
  embedding: vector.nullish(),
  embedding_model: optionalName,
  frame: optionalName.openapi({
    description:
      "The frame of mind that it is stored in: a prompt in the same frame shows it before others.",
  }),
  censors: z.array(name).max(MOST_CENSORS).nullish().openapi({
    description: "Ids of the censors that are active, as `active_censors` of a prompt tells them.",
  }),
};

export const newNode = z
  .object({
    ...nodeFields,
    id: ownId
      .nullish()
      .openapi({ description: "The caller's own; the same memory with the same id is made once." }),
    signals: signals.nullish().openapi({
      type: ["object", "null"],
      additionalProperties: true,
      description:
        "Figures such as `pnl_pct`. What was at stake decides the stability, unless that is given.",
    }),
  })
  .openapi("NewNode");

export const nodeChanges = z
  .object({
    ...nodeFields,
    type: name.optional(),
    content_title: title.optional(),
    neural_stability: nodeFields.neural_stability.openapi({
      description: "Days; null for what the subtype begins with.",
    }),
    neural_retrievability: share.optional(),
    neural_difficulty: share.optional(),
    state_lifecycle: state.optional(),
  })
  .refine(
    (changes) => Object.values(changes).some((value) => value !== undefined),
    "names no field that can be changed",
  )
  .openapi("NodeChanges");

const listQuery = z.object({
  type: name.optional(),
  subtype: name.optional(),
  lifecycle: state.optional(),
  created_after: instant.optional(),
  created_before: instant.optional(),
  limit: limitTextOf(LIST_LIMITS),
  cursor: cursorOf(NODES, z.object({ listed_at: z.string().nullable(), sequence: z.int() })),
});

/** Whether a read counts. */
export const readQuery = z.object({
  recall: z
    .enum(["true", "false"])
    .optional()
    .transform((recall) => recall !== "false")
    .openapi({ type: "boolean", default: true, description: "Whether the read is a recall." }),
});

export const node = z
  .object({
    id: z.string(),
    type: z.string(),
    subtype: someText,
    content_title: z.string(),
    content_summary: someText,
    content_body: someText,
    neural_stability: someNumber.openapi({ description: "Days." }),
    neural_retrievability: someNumber,
    neural_difficulty: someNumber,
    neural_access_count: z.int().nullable(),
    neural_last_accessed: time.nullable(),
    state_lifecycle: state.nullable(),
    provenance_source: someText,
    provenance_created_at: time.nullable(),
    layer: someText,
    version: z.int().nullable(),
    last_modified: time.nullable(),
    created_at: time.nullable(),
    embedding_model: someText,
    temporal_event_time: time.nullable(),
    temporal_event_confidence: someNumber,
    temporal_event_source: someText,
    frame: someText,
    censors: z.array(z.string()),
    memory_section: z
      .enum(MEMORY_SECTIONS)
      .openapi({ description: "The section that its subtype belongs to." }),
  })
  .openapi("Node");

export const createdNode = node
  .extend({
    _contradiction_detected: z.literal(true).optional().openapi({
      description: "The text corrects something: see the queue of conflicts.",
    }),
  })
  .openapi("CreatedNode");

export const nodeList = z
  .object({ data: z.array(node), count: z.int(), next_cursor: nextCursor })
  .openapi("NodeList");

export const nodeOperations = {
  createNode: operation({
    method: "post",
    path: "/nodes",
    summary: "Creates a memory",
    scope: "memory",
    headers: retryHeaders,
    body: newNode,
    status: 201,
    answer: createdNode,
    refusals: [409, 422],
    isVersioned: true,
    createsAgent: true,
  }),
  listNodes: operation({
    method: "get",
    path: "/nodes",
    summary: "Lists memories, newest first",
    scope: "memory",
    query: listQuery,
    answer: nodeList,
  }),
  readNode: operation({
    method: "get",
    path: "/nodes/{id}",
    summary: "Reads a memory, which is a recall: its stability grows",
    scope: "memory",
    params: idParameter,
    query: readQuery,
    answer: node,
    isVersioned: true,
    refusals: [404],
  }),
  updateNode: operation({
    method: "patch",
    path: "/nodes/{id}",
    summary: "Changes fields of a memory",
    scope: "memory",
    params: idParameter,
    headers: matchHeaders,
    body: nodeChanges,
    answer: node,
    refusals: [404, 412],
    isVersioned: true,
  }),
  deleteNode: operation({
    method: "delete",
    path: "/nodes/{id}",
    summary: "Deletes a memory, its edges and memberships with it",
    scope: "memory",
    params: idParameter,
    headers: matchHeaders,
    answer: done,
    refusals: [404, 412],
  }),
};

export type NewNodeRequest = z.output<typeof newNode>;
export type NodeChangesRequest = z.output<typeof nodeChanges>;
export type Node = z.output<typeof node>;
export type NodeList = z.output<typeof nodeList>;
export type ListQuery = z.output<typeof listQuery>;
