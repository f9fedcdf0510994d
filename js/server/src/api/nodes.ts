// Requests and answers about memories, one at a time and in lists.

import { z } from "@hono/zod-openapi";
import { MEMORY_SECTIONS } from "nous-wasm";
import { cursorOf, nextCursor } from "./cursors.ts";
import { matchHeaders, retryHeaders } from "./headers.ts";
import { operation } from "./operation.ts";
import { NODES } from "./pages.ts";
import {
  done,
  doneText,
  id,
  idOf,
  instant,
  KEY_USED,
  limitTextOf,
  longText,
  MADE_IS_GONE,
  NO_MEMORY,
  name,
  OTHER_VERSION,
  optionalName,
  ownId,
  rows,
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

/** The ids of censors that a memory names. */
const MOST_CENSORS = 1_000;
/** The tags of a memory. */
const MOST_TAGS = 100;

const nodeFields = {
  type: name.describe("The broad kind, such as `concept`, `note` or `episode`."),
  content_title: title.describe("The title. Searches and prompts show it."),
  subtype: optionalName.describe(
    "The kind, such as `custom:lesson`. It decides the section, and so ranking and decay.",
  ),
  content_summary: longText.describe("A short form of the text, for prompts."),
  content_body: longText.describe("The text."),
  temporal_event_time: instant.nullish().describe("When it happened, in ISO 8601."),
  temporal_event_confidence: share.nullish().describe("How sure that time is, from 0 to 1."),
  temporal_event_source: optionalName.describe("The source of that time."),
  neural_stability: z
    .number()
    .positive()
    .nullish()
    .describe("The time constant of decay, in days. Default: by the subtype."),
  embedding: vector
    .nullish()
    .describe("The vector of the text. All vectors of an agent have one length."),
  embedding_model: optionalName.describe("The model that made the vector."),
  frame: optionalName.describe(
    "The frame in which it is stored: a prompt in the same frame shows it before others.",
  ),
  censors: z
    .array(name)
    .max(MOST_CENSORS)
    .nullish()
    .describe("Ids of the active censors, as `active_censors` of a prompt names them."),
  tags: z
    .array(name)
    .max(MOST_TAGS)
    .nullish()
    .describe(
      "Words by which people ask for it, such as `billing`: they count like words of the title.",
    ),
};

export const newNode = z
  .object({
    ...nodeFields,
    id: ownId
      .nullish()
      .describe(
        "An id of your own: letters, digits, `_ . : -`. The same memory with the same id is made once.",
      ),
    created_at: instant
      .nullish()
      .describe(
        "When it was made, in ISO 8601, for memories that are older than their row. It is also the " +
          "time of the last access, from which they fade. Not in the future. Default: now.",
      ),
    signals: signals.nullish().openapi({
      type: ["object", "null"],
      additionalProperties: true,
      description:
        "Figures such as `pnl_pct`. The salience that follows from them decides the stability, " +
        "unless `neural_stability` is given.",
    }),
  })
  .openapi("NewNode", { description: "A memory to create." });

export const nodeChanges = z
  .object({
    ...nodeFields,
    type: name.optional().describe("The broad kind, such as `concept` or `note`."),
    content_title: title.optional().describe("The title."),
    neural_stability: nodeFields.neural_stability.describe(
      "The time constant of decay, in days; null for that of the subtype.",
    ),
    neural_retrievability: share.optional().describe("The probability of recall, from 0 to 1."),
    neural_difficulty: share.optional().describe("How little recalls help, from 0 to 1."),
    state_lifecycle: state.optional().describe("The lifecycle state."),
  })
  .refine(
    (changes) => Object.values(changes).some((value) => value !== undefined),
    "names no field that can be changed",
  )
  .openapi("NodeChanges", { description: "Fields of a memory to change. The others stay." });

const listQuery = z.object({
  type: name.optional().describe("Only memories of this type."),
  subtype: name.optional().describe("Only memories of this subtype."),
  lifecycle: state.optional().describe("Only memories in this lifecycle state."),
  created_after: instant.optional().describe("Only memories created at this time or later."),
  created_before: instant.optional().describe("Only memories created at this time or earlier."),
  limit: limitTextOf(LIST_LIMITS),
  cursor: cursorOf(NODES, z.object({ listed_at: z.string().nullable(), sequence: z.int() })),
});

/** Whether a read counts as a recall. */
export const readQuery = z.object({
  recall: z
    .enum(["true", "false"])
    .optional()
    .transform((recall) => recall !== "false")
    .openapi({
      type: "boolean",
      default: true,
      description: "Whether the read counts as a recall.",
    }),
});

export const node = z
  .object({
    id,
    type: z.string().describe("The broad kind, such as `concept` or `note`."),
    subtype: someText.describe("The kind, such as `custom:lesson`."),
    content_title: z.string().describe("The title."),
    content_summary: someText.describe("The short form of the text."),
    content_body: someText.describe("The text."),
    neural_stability: someNumber.describe("The time constant of decay, in days."),
    neural_retrievability: someNumber.describe("The probability of recall now, from 0 to 1."),
    neural_difficulty: someNumber.describe("How little recalls help, from 0 to 1."),
    neural_access_count: z.int().nullable().describe("How often it was accessed."),
    neural_last_accessed: time.nullable().describe("When it was last accessed."),
    state_lifecycle: state.nullable().describe("The lifecycle state now."),
    provenance_source: someText.describe("The source of the memory."),
    provenance_created_at: time.nullable().describe("When it was created, by its source."),
    layer: someText.describe("The layer of the store that it belongs to."),
    version: z.int().nullable().describe("Grows with each change; the ETag."),
    last_modified: time.nullable().describe("When it was last changed."),
    created_at: time.nullable().describe("When its row was made."),
    embedding_model: someText.describe("The model that made its vector."),
    temporal_event_time: time.nullable().describe("When it happened."),
    temporal_event_confidence: someNumber.describe("How sure that time is, from 0 to 1."),
    temporal_event_source: someText.describe("The source of that time."),
    frame: someText.describe("The frame in which it was stored."),
    censors: z.array(z.string()).describe("Ids of the censors that were active."),
    tags: z.array(z.string()).describe("Words by which it is found, beside title and text."),
    memory_section: z.enum(MEMORY_SECTIONS).describe("The section that its subtype belongs to."),
  })
  .openapi("MemoryNode", { description: "A memory." });

export const createdNode = node
  .extend({
    _contradiction_detected: z
      .literal(true)
      .optional()
      .describe("The text corrects an older memory: see the queue of conflicts."),
  })
  .openapi("CreatedNode", { description: "A memory that was just created." });

export const nodeList = z
  .object({
    data: z.array(node).describe("The memories."),
    count: rows,
    next_cursor: nextCursor,
  })
  .openapi("NodeList", { description: "A page of memories." });

export const nodeOperations = {
  createNode: operation({
    method: "post",
    path: "/nodes",
    summary: "Creates a memory",
    description:
      "An agent that does not exist yet is created with it. A search finds the memory at once. " +
      "Its embedding is made later, if the server has a provider and none is given.",
    returns: "The memory as it is stored.",
    example: {
      body: {
        type: "concept",
        subtype: "custom:lesson",
        content_title: "Deploys on Friday fail more often",
        content_body: "Three of four rollbacks this year began on a Friday.",
      },
    },
    scope: "memory",
    headers: retryHeaders,
    body: newNode,
    status: 201,
    answer: createdNode,
    refusals: { 409: `Another memory has this id. ${MADE_IS_GONE}`, 422: KEY_USED },
    isVersioned: true,
    createsAgent: true,
  }),
  listNodes: operation({
    method: "get",
    path: "/nodes",
    summary: "Lists memories, newest first",
    description: "A listed memory does not count as accessed.",
    returns: "A page of memories.",
    example: { query: { subtype: "custom:lesson", limit: 20 } },
    scope: "memory",
    query: listQuery,
    answer: nodeList,
  }),
  readNode: operation({
    method: "get",
    path: "/nodes/{id}",
    summary: "Reads a memory, which counts as a recall: its stability grows",
    returns: "The memory.",
    example: { params: { id: "n_0123456789ab" }, query: { recall: false } },
    scope: "memory",
    params: idOf("memory"),
    query: readQuery,
    answer: node,
    isVersioned: true,
    refusals: { 404: NO_MEMORY },
  }),
  updateNode: operation({
    method: "patch",
    path: "/nodes/{id}",
    summary: "Changes fields of a memory",
    description: "A changed text gets a new embedding, if the server has a provider.",
    returns: "The memory after the change.",
    example: {
      params: { id: "n_0123456789ab" },
      body: { content_body: "Four of five rollbacks began on a Friday." },
    },
    scope: "memory",
    params: idOf("memory"),
    headers: matchHeaders,
    body: nodeChanges,
    answer: node,
    refusals: { 404: NO_MEMORY, 412: OTHER_VERSION },
    isVersioned: true,
  }),
  deleteNode: operation({
    method: "delete",
    path: "/nodes/{id}",
    summary: "Deletes a memory, with its edges and memberships",
    description:
      "Parts of the text may stay in the database file until it is rewritten: see `purgeNode`.",
    returns: doneText,
    example: { params: { id: "n_0123456789ab" } },
    scope: "memory",
    params: idOf("memory"),
    headers: matchHeaders,
    answer: done,
    refusals: { 404: NO_MEMORY, 412: OTHER_VERSION },
  }),
};

export type NewNodeRequest = z.output<typeof newNode>;
export type NodeChangesRequest = z.output<typeof nodeChanges>;
export type Node = z.output<typeof node>;
export type NodeList = z.output<typeof nodeList>;
export type ListQuery = z.output<typeof listQuery>;
