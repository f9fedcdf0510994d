// The events of an agent: what was written, in the order of the commits.

import { z } from "@hono/zod-openapi";
import { MEMORY_SECTIONS } from "nous-wasm";
import { operation } from "./operation.ts";
import { EVENTS_AT_ONCE } from "./pages.ts";
import { id, limitTextOf, rows, someText, time } from "./parts.ts";

const LIMITS = { default: EVENTS_AT_ONCE, max: 500 };
/** A cursor: the life of the agent and the number of a change, or `0` for the very beginning. */
const CURSOR = /^(?:0|[\w-]{1,64}\.\d{1,15})$/;
const cursor = z.string().regex(CURSOR, "must be 0, or the cursor of an event");

const eventsQuery = z.object({
  after: cursor.optional().openapi({
    type: "string",
    pattern: CURSOR.source,
    description:
      "Only what was written after the event with this cursor. Without it, what is written from now on. " +
      "`0` is the beginning of the memory, as long as its first events are known.",
  }),
  limit: limitTextOf(LIMITS),
});

const eventsHeaders = z.object({
  "Last-Event-ID": cursor.optional().openapi({
    type: "string",
    pattern: CURSOR.source,
    description: "The cursor that a reader of the stream had last. It counts more than `after`.",
  }),
});

const event = z
  .object({
    cursor: z.string().describe("The place of the event: what comes later is read after it."),
    kind: z
      .enum(["stored", "changed", "deleted", "linked", "replaced", "unlinked"])
      .describe(
        "What happened. `stored`, `changed` and `deleted` are about a memory, the others about an edge. " +
          "`replaced`: an edge of the type `supersedes`, whose source replaces its target.",
      ),
    id: id.describe("The id of the memory, or of the edge."),
    at: time.describe("When it was written, by the clock of the writer."),
    memory: z
      .object({
        id,
        type: z.string().describe("The type."),
        subtype: someText.describe("The subtype."),
        title: z.string().describe("The beginning of the title."),
        memory_section: z.enum(MEMORY_SECTIONS).describe("The section."),
      })
      .nullable()
      .describe("The memory as it is now; null if it is there no longer, or for an edge."),
    edge: z
      .object({
        type: z.string().describe("The type."),
        source_id: z.string().describe("The id of the memory that it leads from."),
        target_id: z.string().describe("The id of the memory that it leads to."),
      })
      .nullable()
      .describe("The edge as it is now; null if it is there no longer, or for a memory."),
  })
  .openapi("MemoryEvent", { description: "Something that was written." });

export const eventsAnswer = z
  .object({
    data: z.array(event).describe("The events, in the order in which they were written."),
    count: rows,
    cursor: z.string().describe("Give it as `after` to read what comes next."),
    reset: z
      .boolean()
      .describe(
        "Whether the events after the given cursor are not known any more: it is too old, or of an agent " +
          "that was deleted or restored. Then read the whole memory anew, and go on after `cursor`.",
      ),
  })
  .openapi("Events", { description: "What was written to a memory." });

export const eventOperations = {
  listEvents: operation({
    method: "get",
    path: "/events",
    summary: "Tells what was written to the memory, whoever wrote it",
    description:
      "Recalls and embeddings are no events. The last 100,000 changes at least are known. With the header " +
      "`Accept: text/event-stream` the answer is a stream of server-sent events that ends with the server or " +
      "the connection: `start` with the cursor to begin with, then one event of each kind of `kind`, whose " +
      "`id` is its cursor, and `reset` in place of lost events.",
    returns: "The next events, as far as there are any.",
    streams: "Server-sent events. The `data` of each is an event as JSON.",
    example: { query: { after: "0", limit: 20 } },
    scope: "memory",
    query: eventsQuery,
    headers: eventsHeaders,
    answer: eventsAnswer,
  }),
};

export type MemoryEvent = z.output<typeof event>;
export type Events = z.output<typeof eventsAnswer>;
