// The tool `update`: changes a memory.

import { z } from "zod";
import type { Node } from "../../api/nodes.ts";
import { id, instant, type } from "./arguments.ts";
import { lineWithId, zoneOf } from "./lines.ts";
import { tool } from "./tool.ts";

export const update = tool("update", {
  title: "Update a memory",
  description: "Changes a memory. Fields that are not given stay as they are.",
  arguments: {
    id,
    title: z.string().min(1).optional().describe("The title."),
    text: z.string().optional().describe("The text below the title; an empty one removes it."),
    type,
    tags: z.array(z.string().min(1)).optional().describe("The tags."),
    event_time: instant.optional().describe("When it happened; empty if unknown."),
    expires_at: instant.optional().describe("When it is to be forgotten; empty: never."),
  },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  answer: async ({ id, title, text, type, tags, event_time, expires_at }, asked) => {
    // Null means "not given" to clients with strict schemas, so that an empty text removes.
    const removable = Object.entries({ content_body: text, event_time, expires_at })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value === "" ? null : value]);
    const node = await asked<Node>("PATCH", `/nodes/${encodeURIComponent(id)}`, {
      ...Object.fromEntries(removable),
      ...(tags === undefined ? {} : { tags }),
      ...(title === undefined ? {} : { content_title: title }),
      ...(type === undefined ? {} : { type, subtype: type }),
    });
    return {
      text: `Changed. ${lineWithId(node, await zoneOf(asked))}`,
      data: { id: node.id, version: node.version },
    };
  },
});
