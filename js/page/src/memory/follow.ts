// Follows what others write to the memory of a server, and takes it over. It begins where the reading of the
// memory began, so that nothing is lost in between, and goes on where a broken connection ended.

import { type EdgeRow, isFaint, type JsonObject as Json } from "nous-memory";
import { take } from "./edit.ts";
import type { Held } from "./held.ts";
import { addRow } from "./lines.ts";
import type { News } from "./records.ts";
import type { Event, Server } from "./server.ts";

/** The waits before the page connects again, in milliseconds: doubled each time, up to the second. */
const FIRST_WAIT = 1_000;
const MAX_WAIT = 30_000;
/** Beyond so many changes at once the memory is to be read anew. */
const MAX_AT_ONCE = 400;

interface Following {
  held: Held;
  end: AbortController;
}
let following: Following | undefined;

/** Tells of each change, until `rest` or another memory. */
export async function follow(held: Held, tell: (news: News) => void): Promise<void> {
  rest();
  const { server } = held;
  if (server?.cursor === undefined) return;
  const end = new AbortController();
  const own: Following = { held, end };
  following = own;
  for (let wait = FIRST_WAIT; following === own && !held.isFreed; wait = doubled(wait)) {
    try {
      for await (const events of server.events(end.signal)) {
        await server.untilIdle();
        if (following !== own || held.isFreed) return;
        const news = await newsOf(held, server, events);
        if (news !== undefined) tell(news);
        if (news?.isTooMuch) return rest();
        server.cursor = events.at(-1)!.cursor;
        wait = FIRST_WAIT;
      }
    } catch (error) {
      if (server.refuses(error)) return;
    }
    await paused(wait, end.signal);
  }
}

/** Ends the following. `follow` goes on from there. */
export function rest(): void {
  following?.end.abort();
  following = undefined;
}

const doubled = (wait: number) => Math.min(2 * wait, MAX_WAIT);

function paused(wait: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, wait);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Takes events over. Returns what they tell the visitor: nothing of what the page itself has done. */
async function newsOf(
  held: Held,
  server: Server,
  events: readonly Event[],
): Promise<News | undefined> {
  const nothing: News = {
    ...{ stored: 0, changed: 0, deleted: 0, links: 0, title: "" },
    isTooMuch: false,
  };
  if (events.some(({ kind }) => kind === "reset")) return { ...nothing, isTooMuch: true };
  const idsOf = (...kinds: Event["kind"][]) => {
    const found = events.flatMap((it) => ("id" in it && kinds.includes(it.kind) ? it.id : []));
    return [...new Set(found)];
  };
  const touched = idsOf("stored", "changed");
  const hasEdge = new Set(held.rows.edges.map(({ id }) => id));
  const linked = events.flatMap((it) =>
    (it.kind === "linked" || it.kind === "replaced") && it.edge !== null && !hasEdge.has(it.id)
      ? it.edge.source_id
      : [],
  );
  if (touched.length + linked.length > MAX_AT_ONCE) return { ...nothing, isTooMuch: true };
  const rows = await server.rowsOf(touched);
  const versionOf = ({ id }: Json) => held.row(id as string)?.version;
  const news = rows.filter((row) => !held.isOlder(row) && versionOf(row) !== row.version);
  // A memory that is still to come was there before, unless it was stored just now.
  const stored = new Set(idsOf("stored"));
  const fresh = news.filter((row) => versionOf(row) === undefined && stored.has(row.id as string));
  const changed = news.filter((row) => !fresh.includes(row));
  take(held, news);
  const there = new Set(rows.map(({ id }) => id));
  // A memory that was stored again after its deletion is among those that were read.
  const deleted = [...touched, ...idsOf("deleted")].filter(
    (id) => !there.has(id) && held.expects(id),
  );
  if (deleted.length > 0) held.remove(deleted);
  const edges = await server.edgesOf([...new Set(linked)]);
  take(
    held,
    edges.filter((edge) => isWithin(held, edge)),
  );
  const isGone = new Set(idsOf("unlinked"));
  const unlinked = held.rows.edges.filter(({ id }) => isGone.has(id));
  if (unlinked.length > 0) held.dropEdges(({ id }) => isGone.has(id));
  if (linked.length + unlinked.length > 0) {
    const conflicts = await server.conflicts();
    held.rows.conflicts = [];
    for (const conflict of conflicts) addRow(held.rows, conflict);
  }
  if (fresh.length + changed.length + deleted.length + edges.length + unlinked.length === 0)
    return undefined;
  const last = [...changed, ...fresh].at(-1);
  return {
    ...{ stored: fresh.length, changed: changed.length, deleted: deleted.length },
    links: [...edges, ...unlinked].filter((edge) => !isFaint(edge as EdgeRow)).length,
    title: last === undefined ? "" : held.titleOf(last.id as string),
    isTooMuch: false,
  };
}

/** Whether both ends of an edge are here, or may still come. */
const isWithin = (held: Held, { source_id, target_id }: Json) =>
  held.expects(source_id as string) && held.expects(target_id as string);
