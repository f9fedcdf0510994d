// The uses of memories: every new memory is an occasion on which older ones are searched or read.
// Memories with the same setup or coin are recalled, recalled memories are more likely to be
// recalled again, and edges between memories that are recalled together grow.

import { DAY, HOUR, weekday } from "./market.ts";
import { stabilityAt } from "./memory-model.ts";
import type { SampleEdge, SampleNode, Subtype } from "./types.ts";
import { MINUTE, type World } from "./world.ts";

type Random = World["random"];

/** The growth of an edge for each time that its memories are recalled together. */
const TOGETHER = 0.03;

/** The age up to which memories are recalled, in days. */
const REACH: Readonly<Record<Subtype, number>> = {
  "custom:trade_entry": 30,
  "custom:trade_close": 45,
  "custom:trade_modify": 12,
  "custom:trade": 20,
  "custom:turn_summary": 8,
  "custom:session_summary": 21,
  "custom:market_event": 20,
  "custom:signal": 3,
  "custom:watchpoint": 6,
  "custom:lesson": 400,
  "custom:thesis": 30,
  "custom:curiosity": 40,
  "custom:playbook": 400,
  "custom:missed_opportunity": 60,
  "custom:good_pass": 60,
};

interface Wish {
  subtype: Subtype;
  /** The most memories. */
  max: number;
}

/**
 * The memories that are recalled when a memory of a kind is written, beside those that it is linked
 * to.
 */
const WISHES: Partial<Record<Subtype, readonly Wish[]>> = {
  "custom:signal": [
    { subtype: "custom:playbook", max: 1 },
    { subtype: "custom:lesson", max: 2 },
    { subtype: "custom:signal", max: 2 },
    { subtype: "custom:market_event", max: 1 },
    { subtype: "custom:thesis", max: 1 },
    { subtype: "custom:watchpoint", max: 1 },
  ],
  "custom:trade_entry": [
    { subtype: "custom:lesson", max: 5 },
    { subtype: "custom:playbook", max: 2 },
    { subtype: "custom:trade_close", max: 3 },
    { subtype: "custom:trade_entry", max: 1 },
    { subtype: "custom:signal", max: 2 },
    { subtype: "custom:thesis", max: 1 },
    { subtype: "custom:missed_opportunity", max: 1 },
    { subtype: "custom:good_pass", max: 1 },
    { subtype: "custom:session_summary", max: 1 },
  ],
  "custom:trade_close": [
    { subtype: "custom:lesson", max: 1 },
    { subtype: "custom:trade_close", max: 1 },
    { subtype: "custom:playbook", max: 1 },
  ],
  "custom:thesis": [
    { subtype: "custom:market_event", max: 2 },
    { subtype: "custom:thesis", max: 1 },
    { subtype: "custom:lesson", max: 1 },
  ],
  "custom:turn_summary": [
    { subtype: "custom:turn_summary", max: 2 },
    { subtype: "custom:session_summary", max: 1 },
    { subtype: "custom:lesson", max: 2 },
    { subtype: "custom:watchpoint", max: 1 },
    { subtype: "custom:market_event", max: 1 },
    { subtype: "custom:trade_close", max: 1 },
    { subtype: "custom:trade", max: 1 },
    { subtype: "custom:trade_modify", max: 1 },
    { subtype: "custom:signal", max: 2 },
    { subtype: "custom:curiosity", max: 1 },
  ],
  "custom:session_summary": [
    { subtype: "custom:session_summary", max: 1 },
    { subtype: "custom:curiosity", max: 1 },
  ],
  "custom:missed_opportunity": [{ subtype: "custom:playbook", max: 1 }],
  "custom:good_pass": [{ subtype: "custom:good_pass", max: 1 }],
  "custom:watchpoint": [{ subtype: "custom:thesis", max: 1 }],
  "custom:lesson": [{ subtype: "custom:curiosity", max: 1 }],
};

/** Adds the recalls of the whole period, and the growth of edges by them. */
export function recallAll(world: World): void {
  const { journal, market, quota } = world;
  const random = world.random.fork("recalls");
  const nodes = [...journal.nodes].sort((a, b) => a.created_at - b.created_at);
  const tied = new Map<string, string[]>();
  const from = new Map<string, SampleEdge[]>();
  const add = <T>(map: Map<string, T[]>, key: string, value: T) => {
    const list = map.get(key);
    if (list) list.push(value);
    else map.set(key, [value]);
  };
  for (const edge of journal.edges) {
    add(tied, edge.source_id, edge.target_id);
    add(tied, edge.target_id, edge.source_id);
    add(from, edge.source_id, edge);
  }
  const known = new Map<string, SampleNode[]>();
  const everything: SampleNode[] = [];
  // A large sample has more memories to choose from, not more recalls of each.
  const share = Math.min(1, 400 / Math.max(1, quota.signals));
  for (const node of nodes) {
    const recalled = new Map<SampleNode, boolean>();
    for (const id of tied.get(node.id) ?? []) {
      const other = journal.get(id);
      if (other.created_at < node.created_at) recalled.set(other, random.chance(0.45));
    }
    for (const wish of WISHES[node.subtype] ?? []) {
      for (let i = 0; i < wish.max; i++) {
        if (!random.chance(0.75)) continue;
        const found = remember(known, node, wish.subtype, random);
        if (found && !recalled.has(found)) recalled.set(found, random.chance(0.12));
      }
    }
    if (node.subtype === "custom:session_summary" && weekday(node.created_at) === 0) {
      for (const other of reviewed(everything, node.created_at)) {
        if (random.chance(0.5)) recalled.set(other, random.chance(0.2));
      }
    }
    for (const [other, isRead] of recalled) {
      const at = node.created_at - random.whole(0, 4) * MINUTE;
      if (at <= other.created_at || at > market.end || !random.chance(Math.max(share, 0.3)))
        continue;
      if (other.access_times.includes(at)) continue;
      other.access_times.push(at);
      if (isRead) other.read_times.push(at);
    }
    strengthen(new Set([...recalled.keys()].map((one) => one.id)), from);
    everything.push(node);
    for (const tag of node.tags) add(known, `${node.subtype} ${tag}`, node);
  }
  for (const node of nodes) {
    node.access_times.sort((a, b) => a - b);
    node.read_times.sort((a, b) => a - b);
    node.access_count = node.access_times.length;
    node.last_accessed = node.access_times.at(-1) ?? node.created_at;
    node.stability = stabilityAt(node, market.end);
  }
}

/**
 * Returns the memories of the review on Sunday evening: theses, playbooks, lessons, and the week's
 * trades.
 */
function reviewed(nodes: readonly SampleNode[], at: number): SampleNode[] {
  const within: Partial<Record<Subtype, number>> = {
    "custom:thesis": 21,
    "custom:playbook": 400,
    "custom:lesson": 45,
    "custom:trade_close": 7,
    "custom:trade_entry": 7,
    "custom:missed_opportunity": 7,
    "custom:good_pass": 7,
  };
  return nodes.filter((node) => at - node.created_at < (within[node.subtype] ?? 0) * DAY);
}

/**
 * Draws a memory of a kind that shares a tag with the occasion. Newer and more used memories are
 * more likely.
 */
function remember(
  known: ReadonlyMap<string, SampleNode[]>,
  node: SampleNode,
  subtype: Subtype,
  random: Random,
): SampleNode | null {
  const tag = random.pick(node.tags);
  const reach = REACH[subtype] * DAY;
  const all = known.get(`${subtype} ${tag}`) ?? [];
  const fit = all
    .slice(-60)
    .filter(
      (one) =>
        node.created_at - one.created_at < reach && node.created_at - one.created_at > 0.2 * HOUR,
    );
  if (fit.length === 0) return null;
  return random.weighted(
    fit,
    (one) =>
      (1 + one.access_times.length) / (1 + (node.created_at - one.created_at) / (reach * 0.2)),
  );
}

function strengthen(recalled: ReadonlySet<string>, from: ReadonlyMap<string, SampleEdge[]>): void {
  for (const id of recalled) {
    for (const edge of from.get(id) ?? []) {
      if (recalled.has(edge.target_id))
        edge.strength = Math.min(1, Math.round((edge.strength + TOGETHER) * 100) / 100);
    }
  }
}
