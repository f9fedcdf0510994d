// Summaries: repeated episodes about the same things become a memory that quotes them.
//
// # Invariants
//
// - A summary quotes memories that exist: a transaction writes it only if each of its sources is as
//   it was read, and the deletion of a source deletes the summary.
// - Memories that expire are not quoted.
// - The same episodes give the same summaries: a second run writes nothing.

import {
  CONSOLIDATION,
  createdAtOf,
  type Episode,
  type Group,
  groupsOf,
  inTurns,
  isId,
  isWrittenSummary,
  namesIn,
  parseInstant,
  SUMMARY,
  summaryOf,
  tellingWords,
  toIso,
  withoutCommonWords,
  withTexts,
  wordsOfMemory,
} from "nous-memory";
import type { ConsolidationAnswer } from "../../api/consolidation.ts";
import type { NodeRow } from "../../storage/rows.ts";
import type { NodePlace } from "../../storage/tables/nodes.ts";
import type { Agent, Unit } from "../agent.ts";
import { newEdgeOf } from "../writes/edges.ts";
import { deleteMemory, newNodeOf } from "../writes/nodes.ts";

/** The type of the edges from a summary to the memories that it sums up. */
const SUMMARIZES = "summarizes";
/** The most recent episodes are summed up, at most so many; so many are read at once. */
const MAX_EPISODES = 10_000;
const READ_AT_ONCE = 500;
/** UTF-16 units of an episode that are compared. */
const MAX_READ = 4_000;
/** Trades are records, which no summary may shorten. */
const TRADES = /^custom:trade/;

type Changed = NonNullable<ConsolidationAnswer["summaries"]>[number];

interface Summed {
  /** How many episodes were read. */
  reviewed: number;
  groups: number;
  summaries: Changed[];
}

/** An episode, with its row. */
interface Read extends Episode {
  row: NodeRow;
  text: string;
  at: number;
}

/** A summary as it should be. */
interface Draft {
  sources: readonly Read[];
  title: string;
  body: string;
  /** The existing summary that it replaces. */
  before: Existing | undefined;
}

/** A summary as it is. */
interface Existing {
  row: NodeRow;
  /** The ids of the memories that it sums up, with those of the edges. */
  sources: ReadonlyMap<string, string>;
}

/** Sums up the episodes of an agent. With `isDryRun` nothing is written. */
export async function summarize(agent: Agent, isDryRun: boolean): Promise<Summed> {
  const episodes = await episodesOf(agent);
  const groups = await inTurns(groupsOf(episodes), () => agent.giveWay());
  const existing = agent.read(() => existingSummaries(agent));
  const drafts = draftsOf(episodes, groups, existing);
  const summaries: Changed[] = [];
  for (const draft of drafts) {
    const { before, title, sources } = draft;
    const isSame =
      before !== undefined &&
      before.row.content_title === title &&
      before.row.content_body === draft.body &&
      before.sources.size === sources.length &&
      sources.every(({ row }) => before.sources.has(row.id));
    if (isSame) continue;
    const id = isDryRun
      ? (before?.row.id ?? null)
      : agent.write((unit) => writeSummary(agent, draft, unit));
    if (id === undefined) continue;
    const action = before === undefined ? ("created" as const) : ("updated" as const);
    summaries.push({ id, action, title, sources: sources.length });
    await agent.giveWay();
  }
  const reviewed = new Set(episodes.map(({ row }) => row.id));
  const used = new Set(drafts.map(({ before }) => before?.row.id));
  for (const { row, sources } of existing) {
    // A summary of episodes that were not read stays.
    if (used.has(row.id) || [...sources.keys()].some((id) => !reviewed.has(id))) continue;
    if (!isDryRun) agent.write(() => deleteMemory(agent, row.id));
    const title = String(row.content_title ?? "");
    summaries.push({ id: row.id, action: "deleted", title, sources: sources.size });
    await agent.giveWay();
  }
  return { reviewed: episodes.length, groups: groups.length, summaries };
}

/** Returns the most recent episodes, in the order of when they happened. */
async function episodesOf(agent: Agent): Promise<Read[]> {
  const { storage, engine } = agent;
  const subtypes = agent
    .read(() => storage.nodes.subtypes())
    .filter((subtype) => engine.getSectionForSubtype(subtype) === "EPISODIC")
    .filter((subtype) => subtype !== SUMMARY && !TRADES.test(subtype ?? ""));
  const episodes: Read[] = [];
  let after: NodePlace | undefined;
  for (let read = 0; read < MAX_EPISODES; read += READ_AT_ONCE) {
    const rows = agent.read(() => {
      const found = storage.nodes.list({ subtypes }, READ_AT_ONCE, after);
      const last = found.at(-1);
      if (last !== undefined) after = storage.nodes.placeOf(last.sequence);
      const clusters = new Map<string, string[]>();
      for (const batch of storage.nodes.indexed(found.map(({ id }) => id)))
        for (const row of batch) clusters.set(row.id, namesIn(row.clusters));
      return found.map((row) => ({ row, runs: clusters.get(row.id) ?? [] }));
    });
    for (const { row, runs } of rows) {
      const text = wordsOfMemory(withTexts(row));
      const at = parseInstant(String(row.temporal_event_time)) ?? createdAtOf(row);
      if (!isId(row.id) || row.expires_at !== null || text === "" || at === undefined) continue;
      const words = tellingWords(text.slice(0, MAX_READ));
      episodes.push({ row, runs, text, at, words, user: row.user_id ?? null });
    }
    if (rows.length < READ_AT_ONCE) break;
    await agent.giveWay();
  }
  return withoutCommonWords(episodes).sort(
    (a, b) => a.at - b.at || a.row.sequence - b.row.sequence,
  );
}

function existingSummaries({ storage }: Agent): Existing[] {
  const rows = storage.nodes
    .ofSubtypes([SUMMARY])
    .filter((row) => isId(row.id) && isWrittenSummary(row));
  const sources = new Map(rows.map(({ id }) => [id, new Map<string, string>()]));
  for (const { id, source_id, target_id } of storage.edges.ofTypes([SUMMARIZES]))
    sources.get(source_id)?.set(target_id, id);
  return rows.map((row) => ({ row, sources: sources.get(row.id)! }));
}

/** Returns a draft of each group. A group takes over the summary that has most of its members. */
function draftsOf(
  episodes: readonly Read[],
  groups: readonly Group[],
  existing: readonly Existing[],
): Draft[] {
  const free = new Set(existing);
  const holders = new Map<string, Existing[]>();
  for (const one of existing)
    for (const id of one.sources.keys()) holders.set(id, [...(holders.get(id) ?? []), one]);
  return groups.map((group) => {
    const sources = group.map((place) => episodes[place]!);
    const counts = new Map<Existing, number>();
    for (const { row } of sources) {
      for (const one of holders.get(row.id) ?? [])
        if (free.has(one)) counts.set(one, (counts.get(one) ?? 0) + 1);
    }
    const [before] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
    if (before !== undefined) free.delete(before);
    return { sources, before, ...summaryOf(sources) };
  });
}

/**
 * Within a `write`: writes a summary with its edges, and returns its id; undefined if a memory has
 * changed since it was read. The next consolidation sees the change.
 */
function writeSummary(
  agent: Agent,
  { sources, title, body, before }: Draft,
  { settle }: Unit,
): string | undefined {
  const { nodes, edges } = agent.storage;
  const versions = new Map(
    nodes.of(sources.map(({ row }) => row.id)).map(({ id, version }) => [id, version]),
  );
  if (sources.some(({ row }) => versions.get(row.id) !== row.version)) return undefined;
  if (before !== undefined && nodes.find(before.row.id)?.version !== before.row.version)
    return undefined;
  agent.checkNames({ type: SUMMARY, subtype: SUMMARY, "edge type": SUMMARIZES });
  const last = sources.at(-1)!;
  const [session, ...sessions] = new Set(sources.map(({ row }) => row.session_id));
  const tags = sources
    .map(({ row }) => namesIn(row.tags))
    .reduce((common, own) => common.filter((tag) => own.includes(tag)));
  const node = newNodeOf(agent, {
    ...{ type: SUMMARY, subtype: SUMMARY, content_title: title, content_body: body },
    ...{ source: CONSOLIDATION, event_time: toIso(last.at), tags, user: last.user },
    session: sessions.length === 0 ? session : null,
  });
  const id = before?.row.id ?? node.id;
  if (before === undefined) nodes.insert({ ...node, embedding_vector: null });
  else {
    settle([id]);
    const { temporal_event_time, session_id } = node;
    nodes.update(id, {
      ...{ content_title: title, content_body: body },
      ...{ temporal_event_time, session_id, tags: node.tags },
      last_modified: toIso(agent.now()),
    });
  }
  const wanted = new Set(sources.map(({ row }) => row.id));
  for (const [target_id, edge] of before?.sources ?? [])
    if (!wanted.has(target_id)) edges.delete(edge);
  for (const target_id of wanted) {
    if (before?.sources.has(target_id)) continue;
    edges.insert(newEdgeOf(agent, { source_id: id, target_id, type: SUMMARIZES }));
  }
  return id;
}
