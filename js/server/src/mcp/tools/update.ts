// The tool `update`: changes a memory, or decides what it replaces.

import { z } from "zod";
import type { Resolving } from "../../api/conflicts.ts";
import type { Node } from "../../api/nodes.ts";
import type { Asked } from "../ask.ts";
import { Refused } from "../ask.ts";
import { id, instant, type } from "./arguments.ts";
import { lineWithId, zoneOf } from "./lines.ts";
import { tool } from "./tool.ts";

export const update = tool("update", {
  title: "Update a memory",
  description:
    "Call it to mend the words, type, tags or time of a memory, or to tell whether a new memory replaces an " +
    "older one. Do not call it for a fact that changed: remember the new one, so that the past stays known. " +
    "Fields that are not given stay as they are.",
  arguments: {
    id,
    title: z.string().min(1).optional().describe("The title."),
    text: z.string().optional().describe("The text below the title; an empty one removes it."),
    type: type.describe("The type."),
    tags: z.array(z.string().min(1)).optional().describe("The tags."),
    event_time: instant.optional().describe("When it happened; empty if unknown."),
    expires_at: instant.optional().describe("When it is to be forgotten; empty: never."),
    replaces: z
      .string()
      .min(1)
      .optional()
      .describe("In place of fields: the id of an older memory that holds no more."),
    keeps: z
      .string()
      .min(1)
      .optional()
      .describe("In place of fields: the id of an older memory that holds as well."),
  },
  seldom: ["expires_at"],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  answer: async ({ id, replaces, keeps, ...fields }, asked) => {
    const hasFields = Object.values(fields).some((field) => field !== undefined);
    if ([replaces !== undefined, keeps !== undefined, hasFields].filter(Boolean).length > 1)
      throw new Refused("Give one alone: fields to change, or replaces, or keeps.");
    if (id === (replaces ?? keeps))
      throw new Refused(
        `${keeps === undefined ? "replaces" : "keeps"} must be another memory than id.`,
      );
    if (replaces !== undefined) await decide(asked, id, replaces, "new_is_current");
    else if (keeps !== undefined) await decide(asked, id, keeps, "keep_both");
    else return change(asked, id, fields);
    const decided = keeps === undefined ? `replaces [${replaces}]` : `holds beside [${keeps}]`;
    return { text: `Noted: [${id}] ${decided}.`, data: { id } };
  },
});

/** Decides whether a memory replaces an older one, also if that was decided otherwise before. */
async function decide(
  asked: Asked,
  id: string,
  older: string,
  resolution: "new_is_current" | "keep_both",
): Promise<void> {
  const resolve = (how: Resolving["resolution"]) =>
    asked("POST", "/contradiction/resolve", {
      ...{ old_node_id: older, new_node_id: id, resolution: how },
    });
  try {
    await resolve(resolution);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.status === 404)
      throw new Refused("One of the two ids names no memory. Call recall to find it.");
    if (error.status !== 409) throw error;
    await resolve("undecided");
    await resolve(resolution);
  }
}

interface Fields {
  title?: string | undefined;
  text?: string | undefined;
  type?: string | undefined;
  tags?: string[] | undefined;
  event_time?: string | undefined;
  expires_at?: string | undefined;
}

async function change(
  asked: Asked,
  id: string,
  { title, text, type, tags, event_time, expires_at }: Fields,
) {
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
}
