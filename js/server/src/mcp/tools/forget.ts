// The tool `forget`: deletes memories, or tells which it would delete.

import { z } from "zod";
import { Refused } from "../ask.ts";
import { filterOf, id, session, tags, user } from "./arguments.ts";
import { tool } from "./tool.ts";

export const forget = tool("forget", {
  title: "Forget",
  description:
    "Call it when the user wants something deleted: a memory by its id, or all of a user or of tags. Do not call " +
    "it for a fact that changed: remember the new one. Without `confirm` it only tells what would be " +
    "deleted. It cannot be undone.",
  arguments: {
    id: id.optional(),
    user,
    session,
    tags,
    confirm: z.boolean().optional().describe("Whether to delete. Default false."),
  },
  seldom: ["session"],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  answer: async ({ id, confirm = false, ...filters }, asked, set) => {
    const filter = { ...filterOf(filters), ...(id === undefined ? {} : { ids: [id] }) };
    if (Object.keys(filter).length === 0)
      throw new Refused(
        `Say what to forget: an id, a user${set === "few" ? "" : ", a session"} or tags.`,
      );
    const { matched, deleted, ids } = await asked<{
      matched: number;
      deleted: number;
      ids: string[];
    }>("POST", "/nodes/delete", { filter, dry_run: !confirm });
    const text =
      matched === 0
        ? "No memory matches."
        : confirm
          ? `${deleted} deleted.`
          : `${matched} would be deleted: ${ids.slice(0, 20).join(", ")}. Call again with confirm: true.`;
    return { text, data: { matched, deleted } };
  },
});
