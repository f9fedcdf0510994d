// Compares memories with older ones that they may replace, and queues the possible conflicts.

import { type Replaced, possiblyReplacedBy as replacedBy } from "nous-memory";
import type { Agent } from "../agent.ts";
import { CORRECTION } from "../default-behaviour.ts";
import { MAX_CONFLICTS } from "../search/resembling.ts";
import { queue } from "./conflicts.ts";

/** The method that compares a new memory with older ones, without a marker. */
const BY_EVIDENCE = "EVIDENCE";
const CONFIDENCE_DIGITS = 4;
/** The most memories that wait to be compared. Later ones are not compared. */
const MAX_WAITING = 10_000;

/**
 * Notes that a memory was written, so that `compareNext` compares it with older ones. Only a
 * ranking by evidence knows which are about the same thing.
 */
export function compareLater({ ranking, behaviour, uncompared }: Agent, id: string): void {
  if (ranking !== "evidence" || !behaviour.comparesNew) return;
  if (uncompared.size < MAX_WAITING) uncompared.add(id);
}

/**
 * Compares the memory that was written first with older ones that it may replace, and queues the
 * possible conflicts.
 */
export function compareNext(agent: Agent): void {
  const [id] = agent.uncompared;
  if (id === undefined) return;
  agent.uncompared.delete(id);
  const found = agent.read(() => possiblyReplacedBy(agent, id));
  if (found.length > 0) agent.write(() => queuePossible(agent, id, found));
}

/**
 * Compares memories with older ones, in the order in which they were stored, from where the last call
 * ended, and queues the possible conflicts: those of imports, and of writes before a restart, are
 * found. Returns how many were queued, and how many memories are left.
 */
export async function compareAll(
  agent: Agent,
  max: number,
  isDryRun: boolean,
): Promise<{ queued: number; left: number }> {
  const { storage } = agent;
  if (agent.ranking !== "evidence") return { queued: 0, left: 0 };
  await agent.prepare("evidence");
  const until = Number(storage.meta("compared_until") ?? 0);
  const { ids, left, last } = agent.read(() => storage.nodes.after(until, max));
  let queued = 0;
  for (const id of ids) {
    const found = agent.read(() => possiblyReplacedBy(agent, id));
    if (found.length > 0)
      queued += isDryRun
        ? agent.read(() => freshAmong(agent, id, found).length)
        : agent.write(() => queuePossible(agent, id, found));
    await agent.giveWay();
  }
  if (!isDryRun && ids.length > 0)
    agent.write(() => storage.setMeta("compared_until", String(last)));
  return { queued, left };
}

/** Returns the memories that a memory may replace; none if it was deleted meanwhile. */
function possiblyReplacedBy(agent: Agent, id: string): Replaced[] {
  const { index, engine, storage } = agent;
  const [row] = storage.nodes.of([id]);
  if (row === undefined) return [];
  return replacedBy(row, {
    engine,
    ask: (question, options) => index.ask(question, { ...options, now: agent.now(), times: false }),
    rows: (ids) => agent.rows(ids),
  });
}

/** Returns the older memories that exist, and with which a memory is not queued yet. */
function freshAmong({ storage }: Agent, id: string, found: readonly Replaced[]): Replaced[] {
  const ids = [id, ...found.map((older) => older.id)];
  const there = new Set(storage.nodes.of(ids).map((row) => row.id));
  if (!there.has(id)) return [];
  const known = storage.conflicts.olderOf(id);
  return found
    .filter((older) => there.has(older.id) && !known.includes(older.id))
    .slice(0, Math.max(MAX_CONFLICTS - known.length, 0));
}

/**
 * Within a `write`: queues a memory with older ones that it is not queued with yet. Returns with how
 * many.
 */
function queuePossible(agent: Agent, id: string, found: readonly Replaced[]): number {
  const fresh = freshAmong(agent, id, found);
  for (const older of fresh) {
    queue(agent, {
      old_node_id: older.id,
      new_node_id: id,
      new_content: null,
      conflict_type: CORRECTION,
      detection_tier: BY_EVIDENCE,
      detection_confidence: Number(older.probability.toFixed(CONFIDENCE_DIGITS)),
      context: null,
      entity_name: null,
      topic: null,
    });
  }
  return fresh.length;
}
