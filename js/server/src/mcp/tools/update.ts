// The tool `update`: changes a memory.

import { z } from "zod";
import type { Node } from "../../api/nodes.ts";
import { id, instant, type } from "./arguments.ts";
import { lineWithId } from "./lines.ts";
import { tool } from "./tool.ts";

export const update = tool("update", {
  title: "Update a memory",
  description: "Changes a memory. Fields that are not given stay as they are.",
  arguments: {
    id,
    title: z.string().min(1).optional().describe("The title."),
    text: z.string().nullable().optional().describe("The text below the title; null for none."),
    type,
    tags: z.array(z.string().min(1)).optional().describe("The tags."),
    event_time: instant.nullable().optional().describe("When it happened; null if unknown."),
    expires_at: instant.nullable().optional().describe("When it is to be forgotten; null: never."),
  },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  answer: async ({ id, title, text, type, ...fields }, asked) => {
    const node = await asked<Node>("PATCH", `/nodes/${encodeURIComponent(id)}`, {
      ...fields,
      ...(title === undefined ? {} : { content_title: title }),
      ...(text === undefined ? {} : { content_body: text }),
      ...(type === undefined ? {} : { type, subtype: type }),
    });
    return {
      text: `Changed. ${lineWithId(node)}`,
      data: { id: node.id, version: node.version },
    };
  },
});
