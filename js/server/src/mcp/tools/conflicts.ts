// The tool `conflicts`: lists pairs that may contradict each other, and resolves one.

import { z } from "zod";
import type { Conflict, Resolved } from "../../api/conflicts.ts";
import type { Node } from "../../api/nodes.ts";
import { Refused } from "../ask.ts";
import { max_tokens } from "./arguments.ts";
import { within } from "./lines.ts";
import { tool } from "./tool.ts";

export const conflicts = tool("conflicts", {
  title: "Conflicts",
  description:
    "Lists pairs of memories of which the newer one may replace the older one. With `resolution` and " +
    "`conflict_id`, or `old_id` and `new_id`, it resolves one.",
  arguments: {
    conflict_id: z.string().min(1).optional().describe("The id of the conflict to resolve."),
    old_id: z.string().min(1).optional().describe("In place of `conflict_id`: the older memory."),
    new_id: z.string().min(1).optional().describe("In place of `conflict_id`: the newer memory."),
    resolution: z
      .enum(["new_is_current", "old_is_current", "keep_both", "merge", "undecided"])
      .optional()
      .describe(
        "`new_is_current`: the newer memory supersedes the older one. `keep_both`: both hold. " +
          "`undecided` takes a resolution back.",
      ),
    max_tokens,
  },
  annotations: { readOnlyHint: false, destructiveHint: false },
  answer: async ({ conflict_id, old_id, new_id, resolution, max_tokens: max }, asked) => {
    const isPair = old_id !== undefined && new_id !== undefined;
    const isNamed = conflict_id !== undefined || isPair;
    if (isNamed !== (resolution !== undefined) || (old_id === undefined) !== (new_id === undefined))
      throw new Refused(
        "Give resolution with conflict_id, or with old_id and new_id; or none to list the conflicts.",
      );
    if (isNamed) {
      const named = isPair ? { old_node_id: old_id, new_node_id: new_id } : { conflict_id };
      const { conflict_id: resolved } = await asked<Resolved>("POST", "/contradiction/resolve", {
        ...named,
        resolution,
      });
      return { text: `Resolved: ${resolution}.`, data: { conflict_id: resolved } };
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
      ({ id, old_node_id, new_node_id, grade }) =>
        `- [${id}]${grade === undefined ? "" : ` ${grade}:`} old [${old_node_id}] ${titles.get(old_node_id ?? "") ?? ""} / new [${new_node_id}] ${titles.get(new_node_id ?? "") ?? ""}`,
    );
    const head = data.length === 0 ? "No conflicts wait." : "";
    const { text, shown } = within(head, lines, max);
    return {
      text,
      data: { conflicts: data.slice(0, shown).map(({ id }) => id) },
    };
  },
});
