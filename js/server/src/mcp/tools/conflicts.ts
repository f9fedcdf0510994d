// The tool `conflicts`: lists pairs that may contradict each other, and resolves one.

import { z } from "zod";
import type { Conflict } from "../../api/conflicts.ts";
import type { Node } from "../../api/nodes.ts";
import { Refused } from "../ask.ts";
import { max_tokens } from "./arguments.ts";
import { within } from "./lines.ts";
import { tool } from "./tool.ts";

export const conflicts = tool("conflicts", {
  title: "Conflicts",
  description:
    "Lists pairs of memories that may contradict each other. With `conflict_id` and `resolution` it resolves one.",
  arguments: {
    conflict_id: z.string().min(1).optional().describe("The id of the conflict to resolve."),
    resolution: z
      .enum(["new_is_current", "old_is_current", "keep_both", "merge"])
      .optional()
      .describe("`new_is_current`: the newer memory supersedes the older one."),
    max_tokens,
  },
  annotations: { readOnlyHint: false, destructiveHint: false },
  answer: async ({ conflict_id, resolution, max_tokens: max }, asked) => {
    if ((conflict_id === undefined) !== (resolution === undefined))
      throw new Refused("Give both conflict_id and resolution, or neither to list the conflicts.");
    if (conflict_id !== undefined) {
      await asked("POST", "/contradiction/resolve", { conflict_id, resolution });
      return { text: `Resolved: ${resolution}.`, data: { conflict_id } };
    }
    const { data } = await asked<{ data: Conflict[] }>(
      "GET",
      "/contradiction/queue?status=pending&limit=50",
    );
    const ids = data.flatMap(({ old_node_id, new_node_id }) => [old_node_id, new_node_id ?? ""]);
    const known = [...new Set(ids)].filter((id) => id !== "" && id !== null) as string[];
    const read =
      known.length === 0
        ? { results: [] }
        : await asked<{ results: { node?: Node }[] }>("POST", "/nodes/batch-get", {
            ids: known.slice(0, 200),
            recall: false,
          });
    const titles = new Map(read.results.map(({ node }) => [node?.id, node?.content_title]));
    const lines = data.map(
      ({ id, old_node_id, new_node_id }) =>
        `- [${id}] old [${old_node_id}] ${titles.get(old_node_id ?? "") ?? ""} / new [${new_node_id}] ${titles.get(new_node_id ?? "") ?? ""}`,
    );
    const head = data.length === 0 ? "No conflicts wait." : "";
    const { text, shown } = within(head, lines, max);
    return {
      text,
      data: { conflicts: data.slice(0, shown).map(({ id }) => id) },
    };
  },
});
