// Duplicates: memories that say the same become one.
//
// # Invariant
//
// Nothing that differs is lost. Two memories are duplicates only if type, user, metadata, expiry
// and the time of the event are equal; two that tell what happened must also be of one day and
// session. Trades and playbooks are records, and never duplicates. The older memory stays, and gets
// the tags, the edges and the conversations of the other.

import {
  CONSOLIDATION,
  createdAtOf,
  inTurns,
  isId,
  namesIn,
  sameTexts,
  toIso,
  withTexts,
  wordsOfMemory,
} from "nous-memory";
import type { ConsolidationAnswer } from "../../api/consolidation.ts";
import type { NodeRow } from "../../storage/rows.ts";
import type { NodePlace } from "../../storage/tables/nodes.ts";
import type { Agent, Unit } from "../agent.ts";
import { newEdgeOf } from "../writes/edges.ts";
import { deleteMemory } from "../writes/nodes.ts";

type Duplicates = NonNullable<ConsolidationAnswer["duplicates"]>;

/** The most recent memories that are compared, at most so many; so many are read at once. */
const MAX_MEMORIES = 20_000;
const READ_AT_ONCE = 500;
/** The most pairs of one consolidation. */
const MAX_PAIRS = 1_000;
/** UTF-16 units of a text that are compared. Longer texts are no duplicates. */
const MAX_READ = 20_000;
const DAY = 86_400_000;
/** Types of records, of which two may be equal by chance. */
const RECORDS = /^custom:(trade|playbook)/;

/** A memory, as far as duplicates compare it. */
interface Compared {
  id: string;
  text: string;
  /** What two duplicates have in common beside their words. */
  key: string;
}

/** Finds duplicates. With `merges`, merges them, each pair in a transaction of its own. */
export async function mergeDuplicates(agent: Agent, merges: boolean): Promise<Duplicates> {
  const memories = await memoriesOf(agent);
  const pairs = await inTurns(
    sameTexts(
      memories.map(({ text }) => text),
      (first, second) => memories[first]!.key === memories[second]!.key,
      MAX_PAIRS,
    ),
    () => agent.giveWay(),
  );
  const duplicates: Duplicates = [];
  for (const [first, second] of pairs) {
    const [kept, duplicate] = [memories[first]!, memories[second]!];
    const merged = merges && agent.write((unit) => merge(agent, kept, duplicate, unit));
    duplicates.push({ kept: kept.id, duplicate: duplicate.id, merged });
    if (merges) await agent.giveWay();
  }
  return duplicates;
}

/** Returns the most recent memories, the oldest first. Generated ones are left out. */
async function memoriesOf(agent: Agent): Promise<Compared[]> {
  const { storage } = agent;
  const memories: Compared[] = [];
  let after: NodePlace | undefined;
  for (let read = 0; read < MAX_MEMORIES; read += READ_AT_ONCE) {
    const rows = agent.read(() => {
      const found = storage.nodes.list({}, READ_AT_ONCE, after);
      const last = found.at(-1);
      if (last !== undefined) after = storage.nodes.placeOf(last.sequence);
      return found;
    });
    for (const row of rows) {
      const isRecord = [row.type, row.subtype].some((name) => RECORDS.test(String(name)));
      if (isRecord || !isId(row.id) || row.provenance_source === CONSOLIDATION) continue;
      const one = comparedOf(agent, row);
      if (one.text !== "" && one.text.length <= MAX_READ) memories.push(one);
    }
    if (rows.length < READ_AT_ONCE) break;
    await agent.giveWay();
  }
  return memories.reverse();
}

function comparedOf({ engine }: Agent, row: NodeRow): Compared {
  const { id, type, subtype, user_id, metadata, expires_at, temporal_event_time } = row;
  const tellsWhatHappened = engine.getSectionForSubtype(subtype) === "EPISODIC";
  const when = tellsWhatHappened
    ? [Math.floor((createdAtOf(row) ?? 0) / DAY), row.session_id]
    : null;
  const same = [type, subtype, user_id, metadata, expires_at, temporal_event_time, when];
  return { id, text: wordsOfMemory(withTexts(row)), key: JSON.stringify(same) };
}

/**
 * Within a `write`: merges a memory into an older one. Returns false if one of them has changed
 * since it was read.
 */
function merge(agent: Agent, older: Compared, duplicate: Compared, { settle }: Unit): boolean {
  const { nodes, edges, clusters } = agent.storage;
  const rows = new Map(nodes.of([older.id, duplicate.id]).map((row) => [row.id, row]));
  const [kept, other] = [rows.get(older.id), rows.get(duplicate.id)];
  if (kept === undefined || other === undefined) return false;
  // A memory into which another was merged before has a new version, and is as it was otherwise.
  const isAsRead = [older, duplicate].every((one) => {
    const now = comparedOf(agent, rows.get(one.id)!);
    return now.text === one.text && now.key === one.key;
  });
  if (!isAsRead) return false;
  settle([kept.id, other.id]);
  const tags = [...new Set([...namesIn(kept.tags), ...namesIn(other.tags)])];
  nodes.update(kept.id, {
    tags: tags.length === 0 ? null : JSON.stringify(tags),
    last_modified: toIso(agent.now()),
  });
  const known = new Set(
    edges
      .of(kept.id, "both")
      .map(({ type, source_id, target_id }) => JSON.stringify([type, source_id, target_id])),
  );
  for (const edge of edges.of(other.id, "both")) {
    const source_id = edge.source_id === other.id ? kept.id : edge.source_id;
    const target_id = edge.target_id === other.id ? kept.id : edge.target_id;
    const name = JSON.stringify([edge.type, source_id, target_id]);
    // A summary of the duplicate is deleted with it, and written anew.
    if (source_id === target_id || known.has(name) || edge.type === "summarizes") continue;
    known.add(name);
    const { type, subtype, neural_weight, strength, confidence } = edge;
    edges.insert({
      ...newEdgeOf(agent, { source_id, target_id, type, subtype }),
      ...{ neural_weight, strength, confidence, created_at: edge.created_at },
    });
  }
  const updated_at = toIso(agent.now());
  for (const batch of nodes.indexed([other.id])) {
    for (const cluster_id of batch.flatMap((row) => namesIn(row.clusters)))
      clusters.putMember({ cluster_id, node_id: kept.id, weight: 1, pinned: 0, updated_at });
  }
  deleteMemory(agent, other.id);
  return true;
}
