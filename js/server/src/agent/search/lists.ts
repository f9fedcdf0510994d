// Lists of memories in the order in which they were stored, by filters.

import { isCondition } from "../../api/condition.ts";
import type { Filter } from "../../api/filter.ts";
import type { ListQuery, NodeList } from "../../api/nodes.ts";
import { NODES, toCursor } from "../../api/pages.ts";
import type { NodeFilter } from "../../storage/filters/conditions.ts";
import type { NodeRow } from "../../storage/rows.ts";
import type { Agent } from "../agent.ts";
import { AnswerRoom, pageWithin } from "../answer-room.ts";
import { presentNow } from "../present.ts";
import { wantedOf } from "./wanted.ts";

/**
 * Returns a page of memories whose stored state is one of these; undefined stands for all states.
 */
export async function listed(
  agent: Agent,
  {
    limit,
    cursor,
    type,
    subtype,
    created_after,
    created_before,
    ...query
  }: Omit<ListQuery, "lifecycle">,
  states: NodeFilter["lifecycle"],
): Promise<NodeList> {
  const { storage } = agent;
  const now = agent.now();
  const conditions = filtersOf(query);
  const filter: NodeFilter = {
    ...{ type, subtype, created_after, created_before, lifecycle: states },
    alsoWanted: agent.read(() => conditions.map((one) => wantedOf(agent, one, now)!)),
  };
  const room = new AnswerRoom();
  const { data, last, isLast } = await pageWithin(
    agent,
    room,
    limit,
    (max, after: NodeRow | undefined) => {
      const place = after === undefined ? cursor : storage.nodes.placeOf(after.sequence);
      return storage.nodes.list(filter, max, place, room);
    },
    (rows) => presentNow(rows, agent, now),
  );
  const place = isLast || last === undefined ? undefined : storage.nodes.placeOf(last.sequence);
  return { data, count: data.length, next_cursor: toCursor(NODES, place) };
}

/** Returns the filters of a list: that of its query fields, and the one that it names as JSON. */
export function filtersOf({
  user,
  session,
  source,
  section,
  tag,
  event_after,
  event_before,
  filter,
}: Partial<
  Pick<
    ListQuery,
    "user" | "session" | "source" | "section" | "tag" | "event_after" | "event_before" | "filter"
  >
>): Filter[] {
  const listOf = <Value>(value: Value | undefined) => (value === undefined ? undefined : [value]);
  const hasEvent = event_after !== undefined || event_before !== undefined;
  const fields: Filter = {
    user: listOf(user),
    session: listOf(session),
    source: listOf(source),
    section: listOf(section),
    tags: tag === undefined ? undefined : { all: [tag] },
    event_time: hasEvent ? { gte: event_after, lte: event_before } : undefined,
  };
  return [fields, filter].filter(isCondition);
}
