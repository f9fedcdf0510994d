// Resolves conflicts: one memory supersedes the other, both stay, or they become one. A decision can be
// taken back.

import { gradeOf, jsonObjectIn, SUPERSEDES, textOf, toIso } from "nous-memory";
import type { Resolved, Resolving } from "../../api/conflicts.ts";
import { MAX_TEXT } from "../../api/limits.ts";
import { notFound, Refusal, wrong } from "../../refusal.ts";
import type { ConflictRow, NodeRow } from "../../storage/rows.ts";
import type { Agent, Unit } from "../agent.ts";
import { CORRECTION } from "../default-behaviour.ts";
import { BY_EVIDENCE } from "../rules/grade-of-conflict.ts";
import { queue, waitsUntil } from "./conflicts.ts";
import { addGuess, checkThere, insertEdge } from "./edges.ts";
import { dropGuess, guessesAbout } from "./guesses.ts";
import { deleteMemory } from "./nodes.ts";

/** The two sides of a conflict: an old memory, and a new memory or a text. */
interface Parties {
  conflict_id: string;
  old: NodeRow;
  fresh: NodeRow | undefined;
  content: string | null;
}

type Resolution = Exclude<Resolving["resolution"], "undecided">;

/**
 * Resolves a conflict, or takes its resolution back.
 *
 * @throws {Refusal} If the conflict does not exist or is resolved, or if the resolution needs a
 * memory or a text that there is not.
 */
export function resolve(agent: Agent, request: Resolving): Resolved {
  const { resolution } = request;
  return resolution === "undecided" ? takeBack(agent, request) : decide(agent, request, resolution);
}

function decide(agent: Agent, request: Resolving, resolution: Resolution): Resolved {
  return agent.write((unit) => {
    const resolved_at = toIso(agent.now());
    const parties = partiesOf(agent, request, resolved_at);
    const { conflict_id, old, fresh } = parties;
    // Before a memory is deleted: its deletion removes its pending conflicts.
    agent.storage.conflicts.resolve(conflict_id, resolution, resolved_at);
    const guesses = fresh === undefined ? [] : dropGuess(agent, fresh.id, old.id);
    const actions = [...guesses, ...RESOLVERS[resolution](agent, unit, parties, request)];
    return {
      ok: true,
      conflict_id,
      resolution,
      old_node_id: old.id,
      new_node_id: fresh?.id ?? null,
      actions,
      resolved_at,
    };
  });
}

function partiesOf(agent: Agent, request: Resolving, now: string): Parties {
  const { old_node_id, new_node_id } = request;
  if (old_node_id !== undefined && new_node_id !== undefined)
    return ofPair(agent, old_node_id, new_node_id);
  const { storage } = agent;
  const id = request.conflict_id!;
  if (storage.conflicts.isResolved(id)) throw new Refusal(409, "the conflict is resolved already");
  const open = storage.conflicts.open(id, now);
  if (open === undefined) throw notFound();
  const fresh = open.new_node_id === null ? undefined : storage.nodes.find(open.new_node_id);
  const old = storage.nodes.find(open.old_node_id!)!;
  return { conflict_id: id, old, fresh, content: textOf(open.new_content) };
}

/** Returns the conflict of two memories, expired or not; a new one if none was queued. */
function ofPair(agent: Agent, old_node_id: string, new_node_id: string): Parties {
  checkThere(agent, { old_node_id, new_node_id });
  const { storage } = agent;
  const last = storage.conflicts.ofPair(old_node_id, new_node_id);
  if (last?.status === "resolved") throw new Refusal(409, "the conflict is resolved already");
  const guess = guessesAbout(agent, new_node_id, "out").find((it) => it.target_id === old_node_id);
  const { id, new_content } =
    last ??
    queue(agent, {
      ...{ old_node_id, new_node_id, new_content: null, conflict_type: CORRECTION },
      ...{ detection_tier: null, detection_confidence: guess?.strength ?? null },
      ...{ context: null, entity_name: null, topic: null },
    });
  return {
    ...{ conflict_id: id, content: textOf(new_content) },
    old: storage.nodes.find(old_node_id)!,
    fresh: storage.nodes.find(new_node_id),
  };
}

/**
 * Takes a decision back: its edge goes, a guess about unchanged memories comes back, and the pair
 * waits again. The agent's guesses learn nothing from it any more.
 *
 * @throws {Refusal} If the conflict or one of its memories does not exist, if it is not resolved, or was
 * resolved by a merge.
 */
function takeBack(agent: Agent, request: Resolving): Resolved {
  return agent.write((unit) => {
    const { storage } = agent;
    const { id, old_node_id, new_node_id, ...last } = resolvedOf(agent, request);
    const [old, fresh] = [old_node_id!, new_node_id];
    checkThere(agent, { old_node_id: old, ...(fresh === null ? {} : { new_node_id: fresh }) });
    storage.conflicts.reopen(id, waitsUntil(agent.now()));
    const actions: string[] = [];
    if (fresh !== null) {
      const [from, to] = last.resolution === "old_is_current" ? [old, fresh] : [fresh, old];
      const type = last.resolution === "keep_both" ? "relates_to" : SUPERSEDES;
      const made = storage.edges
        .of(from, "out")
        .find(
          (it) => it.type === type && it.target_id === to && it.created_at! >= last.resolved_at!,
        );
      const isAsDecided = storage.nodes
        .of([old, fresh])
        .every(({ last_modified }) => made !== undefined && last_modified! <= made.created_at!);
      if (made !== undefined) {
        storage.edges.delete(made.id);
        actions.push(`${from} ${type} ${to} is removed`);
      }
      if (type === SUPERSEDES) actions.push(...awaken(agent, unit, to));
      const probability = last.detection_confidence ?? 0;
      // No guess was made of a conflict that a marker or a client found. That of an edge has no method.
      const wasGuess = ["", BY_EVIDENCE].includes(last.detection_tier ?? "");
      const grade = wasGuess ? gradeOf(probability) : undefined;
      // A text that was changed since is another one than that of the guess.
      if (isAsDecided && grade !== undefined)
        addGuess(agent, { id: fresh, older: old, probability, grade }, unit);
    }
    return {
      ...{ ok: true, conflict_id: id, resolution: "undecided", actions },
      ...{ old_node_id: old, new_node_id: fresh, resolved_at: toIso(agent.now()) },
    };
  });
}

/** Returns the conflict that a request names, which is resolved. */
function resolvedOf(
  agent: Agent,
  { conflict_id, old_node_id, new_node_id }: Resolving,
): ConflictRow {
  const { conflicts } = agent.storage;
  const last =
    conflict_id === undefined
      ? conflicts.ofPair(old_node_id!, new_node_id!)
      : conflicts.find(conflict_id);
  if (last === undefined) throw notFound();
  if (last.status !== "resolved") throw new Refusal(409, "the conflict is not resolved");
  if (last.resolution === "merge")
    throw new Refusal(409, "a merge cannot be taken back: the newer memory is deleted");
  return last;
}

/** Makes a memory ACTIVE that nothing supersedes any more. */
function awaken(agent: Agent, unit: Unit, id: string): string[] {
  if (agent.storage.edges.of(id, "in").some(({ type }) => type === SUPERSEDES)) return [];
  unit.settle([id]);
  const last_modified = toIso(agent.now());
  agent.storage.nodes.update(id, { state_lifecycle: "ACTIVE", last_modified });
  return [`${id} is ACTIVE`];
}

type Resolver = (agent: Agent, unit: Unit, parties: Parties, request: Resolving) => string[];

const RESOLVERS: Readonly<Record<Resolution, Resolver>> = {
  new_is_current: (agent, unit, { old, fresh }) => supersede(agent, unit, newOf(fresh), old),
  // A text that no memory holds leaves nothing to make dormant.
  old_is_current: (agent, unit, { old, fresh }) =>
    fresh === undefined ? [] : supersede(agent, unit, old, fresh),
  keep_both: (agent, unit, { old, fresh }) => [
    ...dropReplacing(agent, unit, newOf(fresh), old),
    ...dropReplacing(agent, unit, old, newOf(fresh)),
    link(agent, unit, "relates_to", newOf(fresh), old),
  ],
  merge: (agent, unit, { old, fresh, content }, { merged_content }) => {
    const added = merged_content || textOfMemory(fresh) || content;
    if (!added) throw wrong("merged_content", "must be given: the new memory has no text");
    unit.settle([old.id]);
    append(agent, old, added);
    if (fresh === undefined) return [`appended to ${old.id}`];
    deleteMemory(agent, fresh.id);
    return [`appended to ${old.id}`, `deleted ${fresh.id}`];
  },
};

function newOf(fresh: NodeRow | undefined): NodeRow {
  if (fresh === undefined)
    throw new Refusal(409, "the conflict is with a text that is no memory: create it, or merge");
  return fresh;
}

const textOfMemory = (row: NodeRow | undefined): string | null =>
  row === undefined
    ? null
    : textOfBody(row) || textOf(row.content_summary) || textOf(row.content_title);

/** Returns the text of a body: the whole body, or the text field of a JSON body. */
function textOfBody({ content_body }: NodeRow): string | null {
  const fields = jsonObjectIn(content_body);
  return fields === undefined ? textOf(content_body) : textOf(fields.text);
}

/** Makes one memory supersede the other, which becomes DORMANT. */
function supersede(agent: Agent, unit: Unit, current: NodeRow, past: NodeRow): string[] {
  const otherwise = dropReplacing(agent, unit, past, current);
  unit.settle([past.id]);
  agent.storage.nodes.update(past.id, {
    state_lifecycle: "DORMANT",
    last_modified: toIso(agent.now()),
  });
  return [...otherwise, `${past.id} is DORMANT`, link(agent, unit, "supersedes", current, past)];
}

/** Removes what was decided otherwise before: that one memory supersedes the other. */
function dropReplacing(agent: Agent, unit: Unit, from: NodeRow, to: NodeRow): string[] {
  const { edges } = agent.storage;
  const between = edges
    .of(from.id, "out")
    .filter(({ type, target_id }) => type === SUPERSEDES && target_id === to.id);
  if (between.length === 0) return [];
  for (const { id } of between) edges.delete(id);
  return [`${from.id} supersedes ${to.id} is removed`, ...awaken(agent, unit, to.id)];
}

function link(
  agent: Agent,
  unit: Unit,
  type: "supersedes" | "relates_to",
  from: NodeRow,
  to: NodeRow,
): string {
  insertEdge(agent, { source_id: from.id, target_id: to.id, type }, unit);
  return `${from.id} ${type} ${to.id}`;
}

/**
 * Appends a text, with the date, to the text of a memory. A JSON body stays one: the text goes into
 * its text field.
 */
function append(agent: Agent, row: NodeRow, added: string): void {
  const last_modified = toIso(agent.now());
  const dated = `[Merged ${last_modified.slice(0, "2026-01-01".length)}]\n${added}`;
  const before = textOfBody(row);
  const text = before ? `${before}\n\n${dated}` : dated;
  const fields = jsonObjectIn(row.content_body);
  const content_body = fields === undefined ? text : JSON.stringify({ ...fields, text });
  if (content_body.length > MAX_TEXT)
    throw wrong("merged_content", `would make a text of more than ${MAX_TEXT}`);
  agent.storage.nodes.update(row.id, { content_body, last_modified });
}
