// The tool `timeline`: memories in the order in which they happened.

import { z } from "zod";
import type { Node } from "../../api/nodes.ts";
import { filterOf, instant, max_tokens, session, tags, user } from "./arguments.ts";
import { lineWithId, within, zoneOf } from "./lines.ts";
import { tool } from "./tool.ts";

export const timeline = tool("timeline", {
  title: "Timeline",
  description: "Lists what happened in a time, in order. Use it for `what happened in May?`.",
  arguments: {
    from: instant.optional().describe("The first day, in ISO 8601."),
    to: instant.optional().describe("The last day, which counts as a whole, or the last instant."),
    order: z.enum(["asc", "desc"]).optional().describe("`asc`, the default: the earliest first."),
    limit: z.number().int().min(1).max(200).optional().describe("How many at most. Default 30."),
    user,
    session,
    tags,
    max_tokens,
  },
  annotations: { readOnlyHint: true },
  answer: async ({ from, to, order, limit = 30, max_tokens: max, ...filters }, asked) => {
    const query = new URLSearchParams({ limit: String(limit) });
    for (const [name, value] of Object.entries({ from, to, order }))
      if (value !== undefined) query.set(name, value);
    const filter = filterOf(filters);
    if (Object.keys(filter).length > 0) query.set("filter", JSON.stringify(filter));
    const { data } = await asked<{ data: Node[] }>("GET", `/timeline?${query}`);
    const head =
      data.length === 0 ? "Nothing happened in that time, as far as the memory knows." : "";
    const zone = await zoneOf(asked);
    const lines = data.map((node) => lineWithId(node, zone));
    const { text, shown } = within(head, lines, max);
    return {
      text,
      data: { ids: data.slice(0, shown).map(({ id }) => id) },
    };
  },
});
