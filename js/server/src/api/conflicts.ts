// Contradictions: whether a text corrects something, the queue of conflicts, and how they are
// resolved.

import { z } from "@hono/zod-openapi";
import { nextCursor, sequenceCursorOf } from "./cursors.ts";
import { MOST_TEXT } from "./limits.ts";
import { operation } from "./operation.ts";
import { QUEUE } from "./pages.ts";
import {
  instant,
  limitTextOf,
  longText,
  name,
  optionalName,
  share,
  someNumber,
  someText,
  text,
  time,
  title,
} from "./parts.ts";

const QUEUE_LIMITS = { usual: 50, most: 200 };
const MOST_RESOLVED_AT_ONCE = 50;

const RESOLUTIONS = ["old_is_current", "new_is_current", "keep_both", "merge"] as const;
const STATUSES = ["pending", "resolved"] as const;

const detectRequest = z
  .object({
    content: text(MOST_TEXT).min(1),
    title: title
      .nullish()
      .openapi({ description: "What memories are compared with; else the content's beginning." }),
  })
  .openapi("DetectRequest");

export const detection = z
  .object({
    conflict_detected: z.boolean(),
    tier: z.literal("PATTERN"),
    confidence: z.number(),
    triggers: z.array(z.string()),
    disqualifiers: z.array(z.string()),
    temporal_signal: z.boolean(),
    conflicting_nodes: z.array(z.object({ id: z.string(), title: z.string(), subtype: someText })),
  })
  .openapi("Detection");

const newConflict = z
  .object({
    old_node_id: name,
    new_node_id: name.nullish(),
    new_content: longText,
    conflict_type: optionalName,
    detection_tier: optionalName,
    detection_confidence: share.nullish(),
    context: longText,
    entity_name: optionalName,
    topic: optionalName,
    expires_at: instant.nullish().openapi({ description: "In 14 days where it is not said." }),
  })
  .refine(({ new_node_id, new_content }) => Boolean(new_node_id ?? new_content), {
    path: ["new_node_id"],
    message: "must be given, or new_content",
  })
  .refine(({ old_node_id, new_node_id }) => new_node_id !== old_node_id, {
    path: ["new_node_id"],
    message: "must be another memory",
  })
  .openapi("NewConflict");

export const conflict = z
  .object({
    id: z.string(),
    old_node_id: someText,
    new_node_id: someText,
    new_content: someText.openapi({
      description:
        "The new text; where a memory holds it, its body, or its title where it has none.",
    }),
    conflict_type: someText,
    detection_tier: someText,
    detection_confidence: someNumber,
    context: someText,
    entity_name: someText,
    topic: someText,
    status: z.enum(STATUSES),
    created_at: time.nullable(),
    expires_at: time.nullable(),
    resolution: someText,
    resolved_at: time.nullable(),
  })
  .openapi("Conflict");

export const conflictList = z
  .object({ data: z.array(conflict), count: z.int(), next_cursor: nextCursor })
  .openapi("ConflictList");

const resolving = z
  .object({
    conflict_id: name,
    resolution: z.enum(RESOLUTIONS),
    merged_content: longText.openapi({
      description: "What a merge adds to the old memory; else the new one's text.",
    }),
  })
  .openapi("Resolving");

export const resolved = z
  .object({
    ok: z.literal(true),
    conflict_id: z.string(),
    resolution: z.enum(RESOLUTIONS),
    old_node_id: z.string(),
    new_node_id: someText,
    actions: z.array(z.string()).openapi({ description: "What was done, in words." }),
    resolved_at: time,
  })
  .openapi("Resolved");

const unresolved = z
  .object({
    ok: z.literal(false),
    conflict_id: z.string(),
    resolution: z.enum(RESOLUTIONS),
    error: z.string(),
  })
  .openapi("Unresolved");

const batchResolving = z
  .object({ items: z.array(resolving).min(1).max(MOST_RESOLVED_AT_ONCE) })
  .openapi("BatchResolving");

export const batchResolved = z
  .object({
    ok: z.literal(true),
    resolved: z.int(),
    failed: z.int(),
    total: z.int(),
    results: z.array(z.discriminatedUnion("ok", [resolved, unresolved])),
  })
  .openapi("BatchResolved");

export const conflictOperations = {
  detectContradiction: operation({
    method: "post",
    path: "/contradiction/detect",
    summary:
      "Tells whether a text corrects something, and which memories it may correct; queues nothing",
    scope: "memory",
    body: detectRequest,
    answer: detection,
  }),
  listConflicts: operation({
    method: "get",
    path: "/contradiction/queue",
    summary: "Lists conflicts that wait to be resolved, or that are, newest first",
    scope: "memory",
    query: z.object({
      status: z.enum(STATUSES).default("pending"),
      limit: limitTextOf(QUEUE_LIMITS),
      cursor: sequenceCursorOf(QUEUE),
    }),
    answer: conflictList,
  }),
  queueConflict: operation({
    method: "post",
    path: "/contradiction/queue",
    summary: "Queues a conflict between a memory and another, or a text",
    scope: "memory",
    body: newConflict,
    status: 201,
    answer: conflict,
    refusals: [404],
  }),
  resolveConflict: operation({
    method: "post",
    path: "/contradiction/resolve",
    summary: "Resolves a conflict",
    scope: "memory",
    body: resolving,
    answer: resolved,
    refusals: [404, 409],
  }),
  resolveConflicts: operation({
    method: "post",
    path: "/contradiction/batch-resolve",
    summary: "Resolves conflicts, each by itself",
    scope: "memory",
    body: batchResolving,
    answer: batchResolved,
  }),
};

export type Conflict = z.output<typeof conflict>;
export type Resolving = z.output<typeof resolving>;
export type Resolved = z.output<typeof resolved>;
