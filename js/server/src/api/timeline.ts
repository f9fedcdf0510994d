// Requests and answers of the timeline: memories in the order of when things happened.

import { z } from "@hono/zod-openapi";
import { MEMORY_SECTIONS } from "nous-wasm";
import { cursorOf, nextCursor } from "./cursors.ts";
import { filterText, node } from "./nodes.ts";
import { operation } from "./operation.ts";
import { TIMELINE } from "./pages.ts";
import { instant, lastInstant, limitTextOf, name, rows, time } from "./parts.ts";

const LIMITS = { default: 50, max: 200 };

const timelineQuery = z.object({
  from: instant.optional().describe("Only what happened at this time or later, in ISO 8601."),
  to: lastInstant
    .optional()
    .describe("Only what happened at this time or earlier, or on this day."),
  order: z.enum(["asc", "desc"]).default("asc").describe("`asc`: the earliest first."),
  user: name.optional().describe("Only memories of this user."),
  session: name.optional().describe("Only memories of this session."),
  source: name.optional().describe("Only memories from this source."),
  type: name.optional().describe("Only memories of this type."),
  section: z.enum(MEMORY_SECTIONS).optional().describe("Only memories of this section."),
  tag: name.optional().describe("Only memories with this tag."),
  filter: filterText.optional(),
  limit: limitTextOf(LIMITS),
  cursor: cursorOf(TIMELINE, z.object({ at: z.string(), sequence: z.int() })),
});

const entry = node
  .extend({
    at: time.describe("When it happened; if it tells of no event, when it was created."),
    at_is: z.enum(["event", "created"]).describe("Which of the two times that is."),
  })
  .openapi("TimelineEntry", { description: "A memory in the order of time." });

export const timelineAnswer = z
  .object({
    data: z.array(entry).describe("The memories, in order."),
    count: rows,
    next_cursor: nextCursor,
  })
  .openapi("Timeline", { description: "A page of the timeline." });

export const timelineOperations = {
  timeline: operation({
    method: "get",
    path: "/timeline",
    summary: "Lists memories in the order of when things happened",
    description:
      "The time of a memory is that of its event, or else that of its creation. No memory counts as " +
      "accessed.",
    returns: "A page of memories with their times.",
    example: { query: { from: "2026-03-01", to: "2026-05-31", limit: 20 } },
    scope: "memory",
    query: timelineQuery,
    answer: timelineAnswer,
  }),
};

export type TimelineEntry = z.output<typeof entry>;
