// Requests and answers about memories, one at a time and in lists.

import { z } from "@hono/zod-openapi";
import { MEMORY_SECTIONS } from "nous-wasm";
import { isCondition } from "./condition.ts";
import { cursorOf, nextCursor } from "./cursors.ts";
import { filter } from "./filter.ts";
import { matchHeaders, retryHeaders } from "./headers.ts";
import { MAX_NAMED } from "./limits.ts";
import { operation } from "./operation.ts";
import { NODES } from "./pages.ts";
import {
  done,
  doneText,
  eventTime,
  id,
  idOf,
  instant,
  KEY_USED,
  lastInstant,
  limitTextOf,
  longText,
  MADE_IS_GONE,
  metadata,
  NO_MEMORY,
  name,
  OTHER_VERSION,
  ok,
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

const LIST_LIMITS = { default: 50, max: 200 };

/** The ids of censors that a memory names. */
const MAX_CENSORS = 1_000;
/** The tags of a memory. */
const MAX_TAGS = 100;
/** The most characters of a filter in a query string. */
const MAX_QUERY_FILTER = 4_000;

const nodeFields = {
  type: name.describe("The broad kind, such as `concept`, `note` or `episode`."),
  content_title: title.describe("The title. Searches and prompts show it."),
  subtype: optionalName.describe(
    "The kind, such as `custom:lesson`. It decides the section, and so ranking and decay.",
  ),
  content_summary: longText.describe("A short form of the text, for prompts."),
  content_body: longText.describe("The text."),
  event_time: eventTime
    .nullish()
    .describe(
      "When it happened, in ISO 8601. Its own offset from UTC decides its day; without one, the time zone " +
        "of the agent.",
    ),
  temporal_event_time: eventTime
    .nullish()
    .describe("Another name of `event_time`. Both may be given if they are equal."),
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
    .max(MAX_CENSORS)
    .nullish()
    .describe("Ids of the active censors, as `active_censors` of a prompt names them."),
  tags: z
    .array(name)
    .max(MAX_TAGS)
    .nullish()
    .describe(
      "Words by which people ask for it, such as `billing`: they count like words of the title.",
    ),
  metadata: metadata
    .nullish()
    .describe(
      "Data of your own, at most 16 KB of JSON. Filters compare it; searches do not read it.",
    ),
  user: optionalName.describe("The user that it belongs to, for filters."),
  session: optionalName.describe("The session that it belongs to, for filters."),
  expires_at: instant
    .nullish()
    .describe(
      "When it expires, in ISO 8601. From then on it is not found, and the server deletes it.",
    ),
  source: optionalName.describe("Where it comes from, such as `chat`. Default: `agent`."),
};
/** Both names of the time of an event say the same. */
const agreesOnEvent = ({
  event_time,
  temporal_event_time,
}: {
  event_time?: string | null | undefined;
  temporal_event_time?: string | null | undefined;
}) =>
  event_time === undefined ||
  temporal_event_time === undefined ||
  event_time === temporal_event_time;
const EVENTS_DIFFER = {
  path: ["event_time"],
  error: "is another time than temporal_event_time: give one of them",
};

const fieldsOfNew = z.object({
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
});

export const newNode = fieldsOfNew
  .refine(agreesOnEvent, EVENTS_DIFFER)
  .openapi("NewNode", { description: "A memory to create." });

const replacement = fieldsOfNew
  .omit({ id: true })
  .refine(agreesOnEvent, EVENTS_DIFFER)
  .openapi("NodeReplacement", { description: "A memory whose id stands in the path." });

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
  .refine(agreesOnEvent, EVENTS_DIFFER)
  .openapi("NodeChanges", { description: "Fields of a memory to change. The others stay." });

/** A filter as JSON, in a query string. */
export const filterText = z
  .string()
  .max(MAX_QUERY_FILTER)
  .transform((json, context): unknown => {
    try {
      return JSON.parse(json);
    } catch {
      context.addIssue('must be JSON, such as {"user":"mira"}');
      return z.NEVER;
    }
  })
  .pipe(filter)
  .openapi({ type: "string", description: 'A filter as JSON: `{"user":"mira"}`.' });

const listQuery = z.object({
  type: name.optional().describe("Only memories of this type."),
  subtype: name.optional().describe("Only memories of this subtype."),
  lifecycle: state.optional().describe("Only memories in this lifecycle state."),
  created_after: instant.optional().describe("Only memories created at this time or later."),
  created_before: lastInstant
    .optional()
    .describe("Only memories created at this time or earlier, or on this day."),
  event_after: instant.optional().describe("Only memories of an event at this time or later."),
  event_before: lastInstant
    .optional()
    .describe("Only memories of an event at this time or earlier, or on this day."),
  user: name.optional().describe("Only memories of this user."),
  session: name.optional().describe("Only memories of this session."),
  source: name.optional().describe("Only memories from this source."),
  section: z.enum(MEMORY_SECTIONS).optional().describe("Only memories of this section."),
  tag: name.optional().describe("Only memories with this tag."),
  filter: filterText.optional(),
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
    event_time: time.nullable().describe("When it happened, as `temporal_event_time` says."),
    source: someText.describe("Where it comes from, as `provenance_source` says."),
    metadata: z
      .record(z.string(), z.unknown())
      .nullable()
      .openapi({
        type: ["object", "null"],
        additionalProperties: true,
        description: "Data of the caller's.",
      }),
    user: someText.describe("The user that it belongs to."),
    session: someText.describe("The session that it belongs to."),
    expires_at: time.nullable().describe("When it expires; null: never."),
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

const deletion = z
  .object({
    filter: filter
      .refine(isCondition, "must have a condition: without one all memories would be deleted")
      .describe("Which memories to delete."),
    dry_run: z
      .boolean()
      .default(false)
      .describe("Whether to count the memories, and to delete none."),
  })
  .openapi("Deletion", { description: "Memories to delete." });

const deleted = z
  .object({
    ok,
    matched: z.int().describe("How many memories the filter matches."),
    deleted: z.int().describe("How many were deleted; 0 with `dry_run`."),
    ids: z.array(z.string()).describe(`Ids of the first ${MAX_NAMED} of them.`),
    dry_run: z.boolean().describe("Whether it was a trial."),
  })
  .openapi("Deleted", { description: "The outcome of a deletion by a filter." });

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
  putNode: operation({
    method: "put",
    path: "/nodes/{id}",
    summary: "Creates a memory under an id, or replaces the one that has it",
    description:
      "Fields that the request does not name get their defaults. A replaced memory keeps its edges, " +
      "its clusters, the time of its making and its accesses.",
    returns: "The memory as it is stored.",
    example: {
      params: { id: "user-42-diet" },
      body: { type: "preference", content_title: "Mira eats no dairy", user: "mira" },
    },
    scope: "memory",
    params: z.object({ id: ownId.describe("The id of the memory.") }),
    headers: matchHeaders,
    body: replacement,
    answer: node,
    refusals: { 412: OTHER_VERSION },
    isVersioned: true,
    createsAgent: true,
  }),
  deleteNodes: operation({
    method: "post",
    path: "/nodes/delete",
    summary: "Deletes the memories that a filter matches, with their edges and memberships",
    description:
      "All of them or none are deleted. Use `dry_run` first. Parts of the texts may stay in the " +
      "database file until it is rewritten: see `purgeNode`.",
    returns: "How many were deleted.",
    example: { body: { filter: { user: "mira", tags: { any: ["draft"] } }, dry_run: true } },
    scope: "memory",
    body: deletion,
    answer: deleted,
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
export type DeletionRequest = z.output<typeof deletion>;
export type NodeChangesRequest = z.output<typeof nodeChanges>;
export type Node = z.output<typeof node>;
export type NodeList = z.output<typeof nodeList>;
export type ListQuery = z.output<typeof listQuery>;
