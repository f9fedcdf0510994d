// Contradictions: finds memories that a text may correct, keeps the queue of conflicts, and
// resolves conflicts.

import type { Conflict, conflictOperations, Resolved, Resolving } from "../../api/conflicts.ts";
import { MAX_TEXT } from "../../api/limits.ts";
import { QUEUE, toCursor } from "../../api/pages.ts";
import { newId } from "../../ids.ts";
import { notFound, Refusal, wrong } from "../../refusal.ts";
import type { Compat } from "../../settings/compat.ts";
import type { ConflictRow, NodeRow } from "../../storage/rows.ts";
import { toIso } from "../../time.ts";
import type { Agent, Unit } from "../agent.ts";
import { AnswerRoom, pageWithin } from "../answer-room.ts";
import type { HandlersOf } from "../handler.ts";
import { jsonObjectIn } from "../json-objects.ts";
import { timeOf } from "../present.ts";
import { createdAtOf, numberOf, textOf, textsOf } from "../replica/index-rows.ts";
import { type Correction, correctionIn, looseCorrectionIn } from "../rules/corrections.ts";
import {
  type Compared,
  candidatesAmong,
  MAX_ANSWERS,
  possibleConflicts,
  whole,
} from "../rules/possible-conflicts.ts";
import { checkThere, insertEdge } from "./edges.ts";

const DAY = 86_400_000;
/** How long a conflict can be resolved, in milliseconds. */
const WAITS = 14 * DAY;
/**
 * The most memories that a text is in conflict with, and the words of its title that are compared.
 */
const MAX_CONFLICTS = 3;
/** Memories among which those with a word of the text are looked for. */
const MAX_COMPARED = 30;
const TITLE_WORDS = 3;
const TIER = "PATTERN";
/** The method that compares a new memory with older ones, without a marker. */
const BY_EVIDENCE = "EVIDENCE";
const CONFIDENCE_DIGITS = 4;
/** The most memories that wait to be compared. Later ones are not compared. */
const MAX_WAITING = 10_000;
/** The type of a conflict that a new memory's text caused. */
const TYPE: Readonly<Record<Compat, string>> = { none: "correction", hynous: "AMBIGUOUS" };

export const conflictHandlers: HandlersOf<typeof conflictOperations> = {
  detectContradiction: (agent, { body: { content, title } }) =>
    agent.read(() => {
      const { detected, confidence, triggers, disqualifiers, hasTime } = correctionIn(content);
      const alike = detected ? resembling(agent, title ?? content) : [];
      return {
        conflict_detected: detected,
        tier: TIER,
        confidence,
        triggers,
        disqualifiers,
        temporal_signal: hasTime,
        conflicting_nodes: alike.map(({ id, content_title, subtype }) => ({
          id,
          title: textOf(content_title) ?? "",
          subtype: textOf(subtype),
        })),
      };
    }),

  listConflicts: async (agent, { query: { status, limit, cursor } }) => {
    const now = toIso(agent.now());
    const room = new AnswerRoom();
    const { data, last, isLast } = await pageWithin(
      agent,
      room,
      limit,
      (max, after: ConflictRow | undefined) =>
        agent.storage.conflicts.list({
          status,
          now,
          before: after?.sequence ?? cursor,
          limit: max,
          room,
        }),
      (rows) => presentConflicts(agent, rows),
    );
    return {
      data,
      count: data.length,
      next_cursor: toCursor(QUEUE, isLast ? null : last?.sequence),
    };
  },

  queueConflict: (agent, { body }) =>
    presentOne(
      agent,
      agent.write(() => {
        const { old_node_id, new_node_id = null } = body;
        checkThere(agent, { old_node_id, ...(new_node_id === null ? {} : { new_node_id }) });
        return queue(agent, {
          old_node_id,
          new_node_id,
          new_content: body.new_content ?? null,
          conflict_type: body.conflict_type ?? null,
          detection_tier: body.detection_tier ?? null,
          detection_confidence: body.detection_confidence ?? null,
          context: body.context ?? null,
          entity_name: body.entity_name ?? null,
          topic: body.topic ?? null,
          ...(body.expires_at == null ? {} : { expires_at: body.expires_at }),
        });
      }),
    ),

  resolveConflict: resolve,

  resolveConflicts: (agent, { body: { items } }) => {
    const results = items.map((item) => {
      try {
        return resolve(agent, { body: item });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const { conflict_id, resolution } = item;
        return { ok: false as const, conflict_id, resolution, error: error.message };
      }
    });
    const resolved = results.filter(({ ok }) => ok).length;
    return { ok: true, resolved, failed: items.length - resolved, total: items.length, results };
  },
};

// ---- detecting ----------------------------------------------------------------------------------

/**
 * Returns memories whose title or text resembles the first words of a title, the most similar
 * first. The indexes have committed memories only, so memories of the same batch are not found.
 */
function resembling(agent: Agent, title: string): NodeRow[] {
  const { storage } = agent;
  const words = title.trim().split(/\s+/, TITLE_WORDS).join(" ");
  const ids = agent.ranking === "evidence" ? byEvidence(agent, words) : byFullText(agent, words);
  const rows = new Map(storage.nodes.of(ids).map((row) => [row.id, row]));
  return ids.flatMap((id) => rows.get(id) ?? []);
}

function byFullText({ engine, texts }: Agent, words: string): string[] {
  const { terms } = engine.understand(words, { terms: "unicode" });
  return texts.search(terms, { limit: MAX_CONFLICTS }).map(({ id }) => id);
}

/** Leaves out memories without a word of the text: those around one that has words of it. */
function byEvidence(agent: Agent, words: string): string[] {
  const answers = agent.index.ask(words, { limit: MAX_COMPARED, now: agent.now() });
  const sharing = answers.filter(({ evidence }) => (evidence.bm ?? 0) > 0);
  return sharing.slice(0, MAX_CONFLICTS).map(({ id }) => id);
}

/** The memories that a new memory may correct, found before the new one was stored. */
export interface Contradiction {
  correction: Correction;
  alike: NodeRow[];
}

/**
 * Returns what a text that will become a memory corrects; undefined if it has no correction marker.
 */
export function contradictionIn(
  agent: Agent,
  { title, summary, body }: { title: string; summary: string | null; body: string | null },
): Contradiction | undefined {
  if (agent.compat === "hynous") return looseContradictionIn(agent, title, body);
  const correction = correctionIn([title, summary, body].filter((it) => it !== null).join("\n"));
  return correction.detected ? { correction, alike: resembling(agent, title) } : undefined;
}

/**
 * Does the same as Hynous: it reads the body, or the title if there is none, and finds memories
 * with the title's first words in order.
 */
function looseContradictionIn(
  { storage }: Agent,
  title: string,
  body: string | null,
): Contradiction | undefined {
  const correction = looseCorrectionIn(body || title);
  if (!correction.detected) return undefined;
  const words = title.split(" ").slice(0, TITLE_WORDS).join("%");
  return { correction, alike: storage.nodes.like(`%${words}%`, MAX_CONFLICTS) };
}

/** Within a `write`: queues the conflicts of a new memory. */
export function queueContradiction(
  agent: Agent,
  id: string,
  { correction, alike }: Contradiction,
): void {
  // What two users say does not contradict.
  const user = agent.storage.nodes.find(id)?.user_id ?? null;
  for (const old of alike.filter(({ user_id }) => (user_id ?? null) === user)) {
    queue(agent, {
      old_node_id: old.id,
      new_node_id: id,
      // Hynous keeps the text as it was, even if the memory changes.
      new_content: agent.compat === "hynous" ? memoryText(agent.storage.nodes.find(id)!) : null,
      conflict_type: TYPE[agent.compat],
      detection_tier: TIER,
      detection_confidence: correction.confidence,
      context: agent.compat === "hynous" ? null : correction.triggers.join(", "),
      entity_name: null,
      topic: null,
    });
  }
}

/**
 * Notes that a memory was written, so that `compareNext` compares it with older ones. Only a
 * ranking by evidence knows which are about the same thing. For a remote database each comparison
 * would cost round trips.
 */
export function compareLater({ ranking, compat, storage, uncompared }: Agent, id: string): void {
  if (ranking !== "evidence" || compat !== "none" || storage.isRemote) return;
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

/** An older memory that a new one may replace, with the probability that it does. */
interface Replaced {
  id: string;
  probability: number;
}

/** Returns the memories that a memory may replace; none if it was deleted meanwhile. */
function possiblyReplacedBy(agent: Agent, id: string): Replaced[] {
  const { index, engine, storage } = agent;
  const [row] = storage.nodes.of([id]);
  if (row === undefined) return [];
  const newer = comparedOf(row);
  const answers = index.ask(whole(newer), {
    limit: MAX_ANSWERS,
    now: agent.now(),
    filters: { created_before: newer.created_at },
  });
  // A memory that another one supersedes is replaced already.
  const older = answers.filter((answer) => answer.id !== id && answer.superseded_by === undefined);
  const rows = new Map(agent.rows(older.map(({ id }) => id)).map((row) => [row.id, row]));
  const candidates = candidatesAmong(
    newer,
    older.flatMap(({ id, evidence }) => {
      const its = rows.get(id);
      return its === undefined || its.user_id !== row.user_id
        ? []
        : { id, ...comparedOf(its), evidence };
    }),
    (subtype) => engine.getSectionForSubtype(subtype),
  );
  return possibleConflicts(newer, candidates).map(({ place, probability }) => ({
    id: candidates[place]!.id,
    probability,
  }));
}

function comparedOf(row: NodeRow): Compared {
  return {
    // Without kind and tags, which the index adds to the title.
    title: textOf(row.content_title) ?? "",
    text: textsOf(row).text ?? "",
    subtype: textOf(row.subtype),
    created_at: createdAtOf(row) ?? 0,
  };
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
      conflict_type: TYPE.none,
      detection_tier: BY_EVIDENCE,
      detection_confidence: Number(older.probability.toFixed(CONFIDENCE_DIGITS)),
      context: null,
      entity_name: null,
      topic: null,
    });
  }
  return fresh.length;
}

/**
 * Within a `write`: deletes a memory. With `compat: "hynous"` conflicts whose new side it is stay,
 * as texts.
 */
export function deleteMemory({ storage, compat }: Agent, id: string): void {
  if (compat === "hynous") storage.conflicts.untie(id);
  storage.nodes.delete(id);
}

type Queued = Omit<
  ConflictRow,
  "sequence" | "id" | "status" | "created_at" | "expires_at" | "resolution" | "resolved_at"
>;

function queue(agent: Agent, conflict: Queued & { expires_at?: string }): ConflictRow {
  const now = agent.now();
  // Hynous' daemon resolves expired conflicts.
  if (agent.compat !== "hynous") agent.storage.conflicts.removeExpired(toIso(agent.heldNow()));
  return agent.storage.conflicts.insert({
    id: newId("q"),
    status: "pending",
    created_at: toIso(now),
    expires_at: toIso(now + WAITS),
    resolution: null,
    resolved_at: null,
    ...conflict,
  });
}

// ---- resolving ----------------------------------------------------------------------------------

/** The two sides of a conflict: an old memory, and a new memory or a text. */
interface Parties {
  old: NodeRow;
  fresh: NodeRow | undefined;
  content: string | null;
}

function resolve(agent: Agent, { body }: { body: Resolving }): Resolved {
  return agent.write((unit) => {
    const { conflict_id, resolution } = body;
    const resolved_at = toIso(agent.now());
    const parties = partiesOf(agent, conflict_id, resolved_at);
    // Before a memory is deleted: its deletion removes its pending conflicts.
    agent.storage.conflicts.resolve(conflict_id, resolution, resolved_at);
    const actions = RESOLVERS[resolution](agent, unit, parties, body);
    const { old, fresh } = parties;
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

function partiesOf({ storage }: Agent, id: string, now: string): Parties {
  if (storage.conflicts.isResolved(id)) throw new Refusal(409, "the conflict is resolved already");
  const open = storage.conflicts.open(id, now);
  if (open === undefined) throw notFound();
  const fresh = open.new_node_id === null ? undefined : storage.nodes.find(open.new_node_id);
  return { old: storage.nodes.find(open.old_node_id!)!, fresh, content: textOf(open.new_content) };
}

type Resolver = (agent: Agent, unit: Unit, parties: Parties, request: Resolving) => string[];

const RESOLVERS: Readonly<Record<Resolving["resolution"], Resolver>> = {
  new_is_current: (agent, unit, { old, fresh }) => supersede(agent, unit, newOf(fresh), old),
  // A text that no memory holds leaves nothing to make dormant.
  old_is_current: (agent, unit, { old, fresh }) =>
    fresh === undefined ? [] : supersede(agent, unit, old, fresh),
  keep_both: (agent, unit, { old, fresh }) => [link(agent, unit, "relates_to", newOf(fresh), old)],
  merge: (agent, unit, { old, fresh, content }, { merged_content }) => {
    const added = merged_content || textOfMemory(fresh) || content;
    if (!added) throw wrong("merged_content", "must be given: the new memory has no text");
    unit.settle([old.id]);
    append(agent, old, added);
    if (fresh === undefined) return [`appended to ${old.id}`];
    agent.storage.nodes.delete(fresh.id);
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
  unit.settle([past.id]);
  agent.storage.nodes.update(past.id, {
    state_lifecycle: "DORMANT",
    last_modified: toIso(agent.now()),
  });
  return [`${past.id} is DORMANT`, link(agent, unit, "supersedes", current, past)];
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

// ---- presenting ---------------------------------------------------------------------------------

/**
 * Returns conflicts in the form of answers. The text of a new memory is read from the memory: a
 * copy in the queue would outlive the memory.
 */
export function presentConflicts({ storage }: Agent, rows: readonly ConflictRow[]): Conflict[] {
  const ids = rows.flatMap(({ new_node_id }) => new_node_id ?? []);
  const texts = new Map(storage.nodes.of(ids).map((row) => [row.id, memoryText(row)]));
  return rows.map((row) => presentConflict(row, texts.get(row.new_node_id ?? "") ?? null));
}

/** Returns the text of a memory for resolving a conflict. */
const memoryText = (row: NodeRow): string | null =>
  textOf(row.content_body) || textOf(row.content_title);

const presentOne = (agent: Agent, row: ConflictRow): Conflict => presentConflicts(agent, [row])[0]!;

/** A value of a wrong type for its column counts as missing. */
function presentConflict({ sequence: _, ...row }: ConflictRow, textOfNew: string | null): Conflict {
  return {
    id: row.id,
    old_node_id: textOf(row.old_node_id),
    new_node_id: textOf(row.new_node_id),
    new_content: textOf(row.new_content) || textOfNew,
    conflict_type: textOf(row.conflict_type) || null,
    detection_tier: textOf(row.detection_tier) || null,
    detection_confidence: numberOf(row.detection_confidence),
    context: textOf(row.context),
    entity_name: textOf(row.entity_name),
    topic: textOf(row.topic),
    status: row.status === "resolved" ? "resolved" : "pending",
    created_at: timeOf(row.created_at),
    expires_at: timeOf(row.expires_at),
    resolution: textOf(row.resolution),
    resolved_at: timeOf(row.resolved_at),
  };
}
