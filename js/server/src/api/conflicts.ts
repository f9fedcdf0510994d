// Requests and answers about contradictions: their detection, the queue of conflicts, and
// resolutions.

import { z } from "@hono/zod-openapi";
import { nextCursor, sequenceCursorOf } from "./cursors.ts";
import { MAX_TEXT } from "./limits.ts";
import { operation } from "./operation.ts";
import { QUEUE } from "./pages.ts";
import {
  gradeOfGuess,
  id,
  instant,
  limitTextOf,
  longText,
  name,
  ok,
  optionalName,
  rows,
  share,
  someNumber,
  someText,
  text,
  time,
  title,
} from "./parts.ts";

const QUEUE_LIMITS = { default: 50, max: 200 };
const MAX_RESOLVED_AT_ONCE = 50;

const DECISIONS = ["old_is_current", "new_is_current", "keep_both", "merge"] as const;
const RESOLUTIONS = [...DECISIONS, "undecided"] as const;
const STATUSES = ["pending", "resolved"] as const;

const conflictType = "The kind of the conflict.";
const tier =
  "The method that found it: `PATTERN` by markers of corrections, `EVIDENCE` without one.";
const sureness = "How sure the method is, from 0 to 1.";
const about = "A note on the conflict, for its resolution.";
const entity = "The person or thing that both texts are about.";
const topic = "The topic that both texts are about.";
const resolution = z
  .enum(RESOLUTIONS)
  .describe("How the conflict is resolved. `undecided` takes a decision back.");
const conflictId = z.string().describe("The id of the conflict.");

const detectRequest = z
  .object({
    content: text(MAX_TEXT).min(1).describe("The text that may correct a memory."),
    title: title
      .nullish()
      .describe("The text that memories are compared with. Default: the beginning of the content."),
  })
  .openapi("DetectRequest", { description: "A text that may correct a memory." });

export const detection = z
  .object({
    conflict_detected: z.boolean().describe("Whether the text corrects something."),
    tier: z.literal("PATTERN").describe("The method: patterns of words."),
    confidence: z.number().describe(sureness),
    triggers: z.array(z.string()).describe("The correction markers in the text."),
    disqualifiers: z.array(z.string()).describe("The phrases that speak against a correction."),
    temporal_signal: z.boolean().describe("Whether the text speaks of a change over time."),
    conflicting_nodes: z
      .array(
        z.object({
          id,
          title: z.string().describe("The title."),
          subtype: someText.describe("The subtype."),
        }),
      )
      .describe("Memories that the text may correct."),
  })
  .openapi("Detection", { description: "Whether a text corrects memories, and which." });

const newConflict = z
  .object({
    old_node_id: name.describe("The memory that may be outdated."),
    new_node_id: name.nullish().describe("The memory with the newer text, or give `new_content`."),
    new_content: longText.describe("The newer text, if no memory holds it."),
    conflict_type: optionalName.describe(conflictType),
    detection_tier: optionalName.describe(tier),
    detection_confidence: share.nullish().describe(sureness),
    context: longText.describe(about),
    entity_name: optionalName.describe(entity),
    topic: optionalName.describe(topic),
    expires_at: instant
      .nullish()
      .describe("When it leaves the queue, in ISO 8601. Default: in 14 days."),
  })
  .refine(({ new_node_id, new_content }) => Boolean(new_node_id ?? new_content), {
    path: ["new_node_id"],
    message: "must be given, or new_content",
  })
  .refine(({ old_node_id, new_node_id }) => new_node_id !== old_node_id, {
    path: ["new_node_id"],
    message: "must be another memory",
  })
  .openapi("NewConflict", { description: "A conflict to queue." });

export const conflict = z
  .object({
    id,
    old_node_id: someText.describe("The memory that may be outdated."),
    new_node_id: someText.describe("The memory with the newer text."),
    new_content: someText.describe(
      "The newer text. If a memory holds it: the body of that memory, or its title.",
    ),
    conflict_type: someText.describe(conflictType),
    detection_tier: someText.describe(tier),
    detection_confidence: someNumber.describe(sureness),
    grade: gradeOfGuess
      .optional()
      .describe("Of `EVIDENCE`: a likely one ranks the newer memory before the older one."),
    context: someText.describe(about),
    entity_name: someText.describe(entity),
    topic: someText.describe(topic),
    status: z.enum(STATUSES).describe("Whether it waits or is resolved."),
    created_at: time.nullable().describe("When it was queued."),
    expires_at: time.nullable().describe("When it leaves the queue."),
    resolution: someText.describe("How it was resolved."),
    resolved_at: time.nullable().describe("When it was resolved."),
  })
  .openapi("Conflict", { description: "Two texts that may contradict each other." });

export const conflictList = z
  .object({
    data: z.array(conflict).describe("The conflicts."),
    count: rows,
    next_cursor: nextCursor,
  })
  .openapi("ConflictList", { description: "A page of conflicts." });

const resolving = z
  .object({
    conflict_id: name.optional().describe("The id of the conflict, or give the two memories."),
    old_node_id: name
      .optional()
      .describe("In place of `conflict_id`: the older memory of the two."),
    new_node_id: name.optional().describe("In place of `conflict_id`: the newer memory."),
    resolution,
    merged_content: longText.describe(
      "The text that a merge adds to the old memory. Default: the newer text.",
    ),
  })
  .refine(
    ({ conflict_id, old_node_id, new_node_id }) =>
      conflict_id === undefined
        ? old_node_id !== undefined && new_node_id !== undefined
        : old_node_id === undefined && new_node_id === undefined,
    { path: ["conflict_id"], message: "must be given, or old_node_id and new_node_id" },
  )
  .refine(
    ({ old_node_id, new_node_id }) => old_node_id === undefined || old_node_id !== new_node_id,
    { path: ["new_node_id"], message: "must be another memory" },
  )
  .openapi("Resolving", { description: "How a conflict is to be resolved." });

export const resolved = z
  .object({
    ok,
    conflict_id: conflictId,
    resolution,
    old_node_id: z.string().describe("The memory with the older text."),
    new_node_id: someText.describe("The memory with the newer text."),
    actions: z.array(z.string()).describe("The changes, in words."),
    resolved_at: time.describe("When it was resolved."),
  })
  .openapi("Resolved", { description: "A conflict that was resolved." });

const unresolved = z
  .object({
    ok: z.literal(false).describe("Always false."),
    conflict_id: conflictId.optional(),
    resolution,
    error: z.string().describe("Why it was not resolved."),
  })
  .openapi("Unresolved", { description: "A conflict that could not be resolved." });

const batchResolving = z
  .object({
    items: z
      .array(resolving)
      .min(1)
      .max(MAX_RESOLVED_AT_ONCE)
      .describe(`1 to ${MAX_RESOLVED_AT_ONCE} conflicts.`),
  })
  .openapi("BatchResolving", { description: "How conflicts are to be resolved." });

export const batchResolved = z
  .object({
    ok,
    resolved: z.int().describe("How many were resolved."),
    failed: z.int().describe("How many could not be resolved."),
    total: z.int().describe("How many the request has."),
    results: z
      .array(z.discriminatedUnion("ok", [resolved, unresolved]))
      .describe("An outcome for each item, in the order of the request."),
  })
  .openapi("BatchResolved", { description: "The outcomes of several resolutions." });

export const conflictOperations = {
  detectContradiction: operation({
    method: "post",
    path: "/contradiction/detect",
    summary: "Says whether a text corrects something, and which memories; queues nothing",
    returns: "The memories that the text corrects.",
    example: { body: { content: "Actually, staging does not run on heron any more." } },
    scope: "memory",
    body: detectRequest,
    answer: detection,
  }),
  listConflicts: operation({
    method: "get",
    path: "/contradiction/queue",
    summary: "Lists conflicts of the queue, newest first",
    returns: "A page of conflicts.",
    example: { query: { status: "pending" } },
    scope: "memory",
    query: z.object({
      status: z
        .enum(STATUSES)
        .default("pending")
        .describe("Conflicts that wait, or resolved ones."),
      limit: limitTextOf(QUEUE_LIMITS),
      cursor: sequenceCursorOf(QUEUE),
    }),
    answer: conflictList,
  }),
  queueConflict: operation({
    method: "post",
    path: "/contradiction/queue",
    summary: "Queues a conflict between a memory and another memory or a text",
    returns: "The conflict as it is stored.",
    example: {
      body: { old_node_id: "n_0123456789ab", new_content: "Staging runs on egret." },
    },
    scope: "memory",
    body: newConflict,
    status: 201,
    answer: conflict,
    refusals: { 404: "One of the two memories does not exist." },
  }),
  resolveConflict: operation({
    method: "post",
    path: "/contradiction/resolve",
    summary: "Resolves a conflict",
    returns: "The changes of the resolution.",
    example: { body: { conflict_id: "cf_0123456789ab", resolution: "new_is_current" } },
    scope: "memory",
    body: resolving,
    answer: resolved,
    refusals: {
      404: "No pending conflict has this id.",
      409:
        "The conflict is resolved already, or its newer text is no memory: create it, or merge. For " +
        "`undecided`: it is not resolved, or by a merge.",
    },
  }),
  resolveConflicts: operation({
    method: "post",
    path: "/contradiction/batch-resolve",
    summary: "Resolves conflicts, each by itself",
    returns: "An outcome for each item.",
    example: {
      body: { items: [{ conflict_id: "cf_0123456789ab", resolution: "keep_both" }] },
    },
    scope: "memory",
    body: batchResolving,
    answer: batchResolved,
  }),
};

export type Conflict = z.output<typeof conflict>;
export type Resolving = z.output<typeof resolving>;
export type Resolved = z.output<typeof resolved>;
