// The events of an agent, read from the change log of its database. Its numbers rise in the order of
// commits, whichever process wrote, and are never reused: a cursor is the number of a change, with
// the epoch of the database, which changes if the agent is deleted or restored.

import { TYPE_OF_NO_EDGE, TYPE_OF_NONE, textOf } from "nous-memory";
import type { Events, eventOperations, MemoryEvent } from "../../api/events.ts";
import { BEGINNING } from "../../api/pages.ts";
import type { EdgeRow } from "../../storage/rows.ts";
import type { Storage } from "../../storage/storage.ts";
import type { ToldChange } from "../../storage/tables/change-log.ts";
import type { NodeBrief } from "../../storage/tables/nodes.ts";
import type { Agent } from "../agent.ts";
import type { HandlersOf } from "../handler.ts";

export const eventHandlers: HandlersOf<typeof eventOperations> = {
  listEvents: (agent, { query: { after, limit }, headers }) =>
    eventsAfter(agent, headers["Last-Event-ID"] ?? after, limit),
};

/** Returns the events after a cursor; without one, the cursor of what comes next. */
export function eventsAfter(agent: Agent, after: string | undefined, limit: number): Events {
  const { storage } = agent;
  const none = { data: [], count: 0, reset: false };
  // A stream asks often, and mostly nothing has changed.
  const now = cursorAt(storage, storage.changeLog.range().last);
  if (after === undefined || after === now) return { ...none, cursor: now };
  return storage.snapshot(() => {
    const { last } = storage.changeLog.range();
    const from = placeOf(after, storage);
    if (from === undefined) return { ...none, cursor: cursorAt(storage, last), reset: true };
    const changes = storage.changeLog.told(from, limit);
    const data = presented(agent, changes);
    const end = changes.length < limit ? last : (changes.at(-1)?.sequence ?? from);
    return { data, count: data.length, cursor: cursorAt(storage, end), reset: false };
  });
}

/** Returns the cursor of a change. The server names the agent in each database that it has opened. */
const cursorAt = (storage: Storage, sequence: number): string =>
  storage.meta("agent") === undefined ? BEGINNING : `${storage.meta("epoch")}.${sequence}`;

/** Returns the number that a cursor names; undefined if what came after it is not known. */
function placeOf(after: string, storage: Storage): number | undefined {
  const sequence = Number(after.slice(after.lastIndexOf(".") + 1));
  if (after !== BEGINNING && after !== cursorAt(storage, sequence)) return undefined;
  const { first, last } = storage.changeLog.range();
  // If the log is empty, `first` is 0, and all entries up to `last` were trimmed.
  const isKnown = sequence === last || (sequence < last && first > 0 && first <= sequence + 1);
  return isKnown ? sequence : undefined;
}

function presented({ storage, engine }: Agent, changes: readonly ToldChange[]): MemoryEvent[] {
  const idsOf = (wanted: ToldChange["entity"]) => [
    ...new Set(changes.flatMap(({ entity, id }) => (entity === wanted ? id : []))),
  ];
  const nodes = new Map(storage.nodes.briefs(idsOf("node")).map((row) => [row.id, row]));
  const edges = new Map([...storage.edges.indexed(idsOf("edge"))].flat().map((it) => [it.id, it]));
  return changes.map(({ sequence, entity, id, action, at }): MemoryEvent => {
    const [node, edge] = entity === "node" ? [nodes.get(id)] : [undefined, edges.get(id)];
    return {
      cursor: cursorAt(storage, sequence),
      kind: action,
      id,
      at,
      memory: node === undefined ? null : memoryOf(node, engine),
      edge: edge === undefined ? null : endsOf(edge),
    };
  });
}

const memoryOf = (row: NodeBrief, engine: Agent["engine"]) => ({
  id: row.id,
  type: textOf(row.type) ?? TYPE_OF_NONE,
  subtype: textOf(row.subtype),
  title: textOf(row.title) ?? "",
  memory_section: engine.getSectionForSubtype(textOf(row.subtype)),
});

const endsOf = ({ type, source_id, target_id }: EdgeRow) => ({
  type: textOf(type) ?? TYPE_OF_NO_EDGE,
  source_id,
  target_id,
});
