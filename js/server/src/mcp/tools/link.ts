// The tool `link`: an edge between two memories.

import { z } from "zod";
import { id } from "./arguments.ts";
import { tool } from "./tool.ts";

export const link = tool("link", {
  title: "Link two memories",
  description:
    "Links a memory to another one. With `supersedes` the first replaces the second, which is shown no more.",
  arguments: {
    from: id.describe("The id of the memory that the link starts at."),
    to: id.describe("The id of the memory that it leads to."),
    relation: z
      .enum(["relates_to", "supersedes", "part_of", "causes", "supports", "contradicts"])
      .describe("What the first is to the second."),
  },
  annotations: { readOnlyHint: false, destructiveHint: false },
  answer: async ({ from, to, relation }, asked) => {
    const edge = await asked<{ id: string }>("POST", "/edges", {
      source_id: from,
      target_id: to,
      type: relation,
    });
    return { text: `Linked: [${from}] ${relation} [${to}].`, data: { id: edge.id } };
  },
});
