// The timeline: memories in the order of when things happened.

import { TIMELINE, toCursor } from "../../api/pages.ts";
import type { timelineOperations } from "../../api/timeline.ts";
import type { NodeRow } from "../../storage/rows.ts";
import { AnswerRoom, pageWithin } from "../answer-room.ts";
import type { HandlersOf } from "../handler.ts";
import { presentNow, timeOf } from "../present.ts";
import { filtersOf } from "../search/lists.ts";
import { wantedOf } from "../search/wanted.ts";

export const timelineHandlers: HandlersOf<typeof timelineOperations> = {
  timeline: async (agent, { query: { from, to, order, type, limit, cursor, ...query } }) => {
    const { storage } = agent;
    const now = agent.now();
    const conditions = filtersOf(query);
    const filter = {
      type,
      alsoWanted: agent.read(() => conditions.map((one) => wantedOf(agent, one, now)!)),
    };
    const room = new AnswerRoom();
    const { data, last, isLast } = await pageWithin(
      agent,
      room,
      limit,
      (max, after: NodeRow | undefined) =>
        storage.nodes.timeline(filter, {
          ...{ from, to, order, limit: max, room },
          after: after === undefined ? cursor : storage.nodes.timeOf(after.sequence),
        }),
      (rows) =>
        presentNow(rows, agent, now).map((node, place) => {
          const event = timeOf(rows[place]!.temporal_event_time);
          return {
            ...node,
            at: event ?? node.created_at ?? "",
            at_is: event === null ? ("created" as const) : ("event" as const),
          };
        }),
    );
    const place = isLast || last === undefined ? undefined : storage.nodes.timeOf(last.sequence);
    return { data, count: data.length, next_cursor: toCursor(TIMELINE, place) };
  },
};
