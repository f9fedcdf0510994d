// The queue of conflicts as Hynous keeps and resolves it. Expired and resolved conflicts may still
// be resolved.

import { textOf, toIso } from "nous-memory";
import type { Agent, Unit } from "../agent/agent.ts";
import { AnswerRoom } from "../agent/answer-room.ts";
import { presentConflicts } from "../agent/present.ts";
import { insertEdge } from "../agent/writes/edges.ts";
import { deleteMemory } from "../agent/writes/nodes.ts";
import { resolve as resolvePair } from "../agent/writes/resolving.ts";
import type { Resolving } from "../api/conflicts.ts";
import { MAX_TEXT } from "../api/limits.ts";
import { notFound, Refusal, wrong } from "../refusal.ts";
import type { NodeRow } from "../storage/rows.ts";
import type { OverridesOf } from "./overriding.ts";

/** A resolution. Hynous takes ids of conflicts alone. */
type OfConflict = Resolving & { conflict_id: string };

/** The strength of edges that a resolution creates. */
const STRENGTH = 0.5;
const DAY = "2026-01-01";

export const conflictOverrides = {
  /** Lists conflicts of a status, oldest first, as many as fit into an answer. */
  listConflicts: (agent, { query: { status } }) => {
    const room = new AnswerRoom();
    const data = room.taken(conflictsOf(agent, status, room));
    return { data, count: data.length, next_cursor: null };
  },

  resolveConflict: (agent, { body }) => {
    const { conflict_id } = body;
    // Hynous knows no pairs: they are resolved as without `compat`.
    return conflict_id === undefined
      ? resolvePair(agent, body)
      : resolve(agent, { ...body, conflict_id });
  },

  resolveConflicts: (agent, { body: { items } }) => {
    const results = items.map((item) => outcomeOf(agent, item));
    const resolved = results.filter(({ ok }) => ok).length;
    return { ok: true, resolved, failed: items.length - resolved, total: items.length, results };
  },
} satisfies OverridesOf<"listConflicts" | "resolveConflict" | "resolveConflicts">;

/**
 * Returns conflicts of a status. A deleted new memory leaves its text; a conflict without a text is
 * left out.
 */
function conflictsOf(agent: Agent, status: string, room: AnswerRoom) {
  const { storage } = agent;
  const shown = presentConflicts(agent, storage.conflicts.all(status, room)).filter(
    ({ new_content }) => new_content !== null,
  );
  const there = new Set(
    storage.nodes.of(shown.flatMap(({ new_node_id }) => new_node_id ?? [])).map(({ id }) => id),
  );
  return shown.map((one) => ({
    ...one,
    new_node_id: there.has(one.new_node_id ?? "") ? one.new_node_id : null,
  }));
}

/** Returns the outcome of one item of a batch. */
function outcomeOf(agent: Agent, item: Partial<Resolving>): { ok: boolean } {
  const { conflict_id, resolution } = item;
  if (!conflict_id || !resolution) {
    return {
      ok: false,
      conflict_id: conflict_id || "?",
      error: "missing conflict_id or resolution",
    } as { ok: false };
  }
  try {
    return resolve(agent, { ...item, conflict_id, resolution });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const why = error.status === 404 ? `Conflict ${conflict_id} not found` : reasonOf(error);
    const nothing = { old_node_id: "", new_node_id: null, actions: [], resolved_at: "" };
    return { ok: false, conflict_id, resolution, ...nothing, error: why } as { ok: false };
  }
}

const reasonOf = ({ message, issues: [issue] }: Refusal): string =>
  issue === undefined ? message : `${issue.path} ${issue.message}`;

interface Parties {
  old: NodeRow;
  fresh: NodeRow | undefined;
  /** The text of the new memory, or the text that no memory holds. */
  text: string;
  /** The time of the resolution, in ISO 8601. */
  at: string;
}

type Resolver = (agent: Agent, unit: Unit, parties: Parties, request: OfConflict) => string[];

/** Carries out each resolution, and returns its actions in words. */
const RESOLVERS: Readonly<Record<string, Resolver>> = {
  new_is_current: (agent, unit, { old, fresh, at }) => [
    makeDormant(agent, unit, "Old", old, at),
    ...(fresh === undefined ? [] : [tie(agent, unit, "supersedes", fresh, old)]),
  ],
  old_is_current: (agent, unit, { old, fresh, at }) =>
    fresh === undefined
      ? [`Old node ${old.id} confirmed current (no new node to deprecate)`]
      : [makeDormant(agent, unit, "New", fresh, at), tie(agent, unit, "supersedes", old, fresh)],
  keep_both: (agent, unit, { old, fresh }) =>
    fresh === undefined
      ? ["Both kept (no new node to link)"]
      : [tie(agent, unit, "relates_to", old, fresh)],
  merge: (agent, unit, { old, fresh, text, at }, { merged_content }) => {
    const content_body = `${textOf(old.content_body) ?? ""}\n\n--- Merged (${at.slice(0, DAY.length)}) ---\n\n${merged_content || text}`;
    if (content_body.length > MAX_TEXT)
      throw wrong("merged_content", `would make a text of more than ${MAX_TEXT}`);
    unit.settle([old.id]);
    agent.storage.nodes.update(old.id, { content_body, last_modified: at });
    const merged = `Merged content into old node ${old.id}`;
    if (fresh === undefined) return [merged];
    deleteMemory(agent, fresh.id);
    return [merged, `Deleted new node ${fresh.id} (merged into ${old.id})`];
  },
};

/**
 * Resolves a conflict.
 *
 * @throws {Refusal} If the conflict does not exist, the resolution is unknown, or a text would
 * become too long.
 */
function resolve(agent: Agent, request: OfConflict) {
  return agent.write((unit) => {
    const { storage } = agent;
    const { conflict_id, resolution } = request;
    if (!Object.hasOwn(RESOLVERS, resolution))
      throw new Refusal(400, `Invalid resolution: ${resolution}`);
    const row = storage.conflicts.find(conflict_id);
    if (row === undefined) throw notFound();
    const at = toIso(agent.now());
    const old = storage.nodes.find(row.old_node_id!)!;
    const fresh = row.new_node_id === null ? undefined : storage.nodes.find(row.new_node_id);
    const text = presentConflicts(agent, [row])[0]!.new_content ?? "";
    // Resolved before a memory is deleted: the deletion changes or removes pending conflicts of the
    // memory.
    storage.conflicts.resolve(conflict_id, resolution, at);
    const actions = RESOLVERS[resolution]!(agent, unit, { old, fresh, text, at }, request);
    const ids = { old_node_id: old.id, new_node_id: fresh?.id ?? null };
    return { ok: true as const, conflict_id, resolution, ...ids, actions, resolved_at: at };
  });
}

function makeDormant(
  agent: Agent,
  unit: Unit,
  which: "Old" | "New",
  row: NodeRow,
  at: string,
): string {
  unit.settle([row.id]);
  agent.storage.nodes.update(row.id, { state_lifecycle: "DORMANT", last_modified: at });
  return `${which} node ${row.id} → DORMANT`;
}

function tie(agent: Agent, unit: Unit, type: string, from: NodeRow, to: NodeRow): string {
  const ends = { source_id: from.id, target_id: to.id };
  const { id } = insertEdge(agent, { ...ends, type, strength: STRENGTH, confidence: 1 }, unit);
  return `Edge ${id}: ${from.id} ${type} ${to.id}`;
}
