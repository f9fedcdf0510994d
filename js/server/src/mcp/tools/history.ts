// The tool `history`: the values that a fact had.

import { shortDay } from "nous-memory";
import { z } from "zod";
import type { History } from "../../api/history.ts";
import { filterOf, id, max_tokens, session, tags, user } from "./arguments.ts";
import { lineWithId, within, zoneOf } from "./lines.ts";
import { tool } from "./tool.ts";

export const history = tool("history", {
  title: "History of a fact",
  description:
    "Tells how a fact changed: the values that it had, in order. Use it for `how did X change?` and " +
    "`since when?`. Give a question, or the id of a memory.",
  arguments: {
    query: z.string().min(1).optional().describe("A question for the fact."),
    id: id.optional(),
    user,
    session,
    tags,
    max_tokens,
  },
  annotations: { readOnlyHint: true },
  answer: async ({ query, id, max_tokens: max, ...filters }, asked) => {
    const { data } = await asked<History>("POST", "/facts/history", {
      ...{ query, id, filter: filterOf(filters) },
    });
    const zone = await zoneOf(asked);
    const dayOf = (time: string) => shortDay(Date.parse(time), Date.now(), zone);
    const lines = data.map((value) => {
      const { until, replaced_by } = value;
      const end =
        until === null || replaced_by === null
          ? "holds"
          : replaced_by.grade === "sure"
            ? `until ${dayOf(until)}`
            : `probably (${replaced_by.probability.toFixed(2)}) until ${dayOf(until)}`;
      return `${lineWithId(value, zone)} · since ${dayOf(value.since)}, ${end}`;
    });
    const head = data.length === 0 ? "The memory knows nothing about it." : "";
    const { text, shown } = within(head, lines, max);
    const values = data
      .slice(0, shown)
      .map(({ id, since, until, replaced_by }) => ({ id, since, until, replaced_by }));
    return { text, data: { values } };
  },
});
