// Compares memories with older ones that they may replace, links them by edges that are guesses, and
// queues them as possible conflicts.

import {
  type Comparing,
  type Comparison,
  comparisonOf,
  learnedOffset,
  type Replaced,
  textOf,
  toldAmong,
  wholeOf,
} from "nous-memory";
import type { QuestionVector } from "../../api/operation.ts";
import { OtherModel } from "../../embeddings/other-model.ts";
import { isTransformer, scaleOfTransformer } from "../../embeddings/text.ts";
import type { NodeRow } from "../../storage/rows.ts";
import type { Agent, Unit } from "../agent.ts";
import { CORRECTION } from "../default-behaviour.ts";
import { meaningOf } from "../question.ts";
import { BY_EVIDENCE } from "../rules/grade-of-conflict.ts";
import { MAX_CONFLICTS } from "../search/resembling.ts";
import { BY_MARKER, queue } from "./conflicts.ts";
import { addGuess } from "./edges.ts";
import { likelyEdges } from "./guesses.ts";

const CONFIDENCE_DIGITS = 4;
/** The most memories that wait to be compared. Later ones are not compared. */
const MAX_WAITING = 10_000;
/** The most memories of a request that are compared before its answer; the others are compared later. */
const MAX_COMPARED_AT_ONCE = 16;

/**
 * Notes that a memory was written, so that `compareNext` compares it with older ones. Only a
 * ranking by evidence knows which are about the same thing.
 */
export function compareLater({ ranking, behaviour, uncompared }: Agent, id: string): void {
  if (ranking !== "evidence" || !behaviour.comparesNew) return;
  if (uncompared.size < MAX_WAITING) uncompared.add(id);
}

/** Compares the memory that was written first with older ones that it may replace. */
export async function compareNext(agent: Agent): Promise<void> {
  const [id] = agent.uncompared;
  if (id !== undefined) await compare(agent, id);
}

/**
 * Plans to compare memories again that were compared while others waited for their embeddings, if none
 * waits any more: a candidate without one may not have been found.
 */
export function compareEarlyOnesAgain({ storage, comparedEarly, uncompared }: Agent): void {
  if (comparedEarly.size === 0 || storage.embeddings.nextDue() !== undefined) return;
  for (const id of comparedEarly) uncompared.add(id);
  comparedEarly.clear();
}

/** Compares a memory with older ones, and marks what it may replace. */
async function compare(
  agent: Agent,
  id: string,
  questions?: readonly QuestionVector[],
): Promise<void> {
  const { uncompared, comparedEarly, storage } = agent;
  uncompared.delete(id);
  const { comparison, isEarly } = agent.read(() => ({
    comparison: comparisonWith(agent, id, questions),
    isEarly: storage.embeddings.nextDue() !== undefined,
  }));
  if (comparison === undefined) return;
  if (isEarly && comparedEarly.size < MAX_WAITING) comparedEarly.add(id);
  const { pairs } = comparison;
  const readings = pairs.length === 0 ? undefined : await agent.readPairs(pairs);
  const found = comparison.guesses(readings);
  if (found.length > 0) agent.write((unit) => mark(agent, id, found, unit));
}

/**
 * Compares new memories of a request with older ones, so that its answer can tell. `questions` has
 * embeddings of their texts.
 */
export async function compareNow(
  agent: Agent,
  ids: readonly string[],
  questions: readonly QuestionVector[] = [],
): Promise<void> {
  const some = ids.filter((id) => agent.uncompared.has(id)).slice(0, MAX_COMPARED_AT_ONCE);
  for (const id of some) {
    await compare(agent, id, questions);
    // What is stored stays, also if the client has gone.
    await agent.giveWay().catch(() => {});
  }
}

/**
 * Compares memories with older ones, in the order in which they were stored, from where the last call
 * ended, and marks what they may replace: memories of imports, and of writes before a restart, are
 * compared. Words decide alone: there may be thousands of pairs. Returns how many pairs were queued, and how many memories are left.
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
    const found = agent.read(() => comparisonWith(agent, id)?.guesses() ?? []);
    if (found.length > 0)
      queued += isDryRun
        ? agent.read(() => freshAmong(agent, id, found).length)
        : agent.write((unit) => mark(agent, id, found, unit));
    await agent.giveWay();
  }
  if (!isDryRun && ids.length > 0)
    agent.write(() => storage.setMeta("compared_until", String(last)));
  return { queued, left };
}

/** Compares a memory with those that it may replace; undefined if it was deleted meanwhile. */
function comparisonWith(
  agent: Agent,
  id: string,
  questions: readonly QuestionVector[] = [],
): Comparison | undefined {
  const { index, engine, storage } = agent;
  const [row] = storage.nodes.of([id]);
  if (row === undefined) return undefined;
  const { confirmed, rejected } = storage.conflicts.verdicts(BY_EVIDENCE);
  const offset = learnedOffset(confirmed, rejected);
  return comparisonOf(
    row,
    {
      engine,
      ask: (question, options) =>
        index.ask(question, { ...options, now: agent.now(), times: false }),
      rows: (ids) => agent.rows(ids),
      likelySuccessorsOf: (older) =>
        likelyEdges(agent, older, "in").map(({ source_id }) => source_id),
    },
    { offset, ...meaningOfMemory(agent, row, questions) },
  );
}

/** Returns the embedding of a new memory: the one that was made for its text, or the stored one. */
function meaningOfMemory(
  agent: Agent,
  row: NodeRow,
  questions: readonly QuestionVector[],
): Comparing {
  const text = wholeOf({
    title: textOf(row.content_title) ?? "",
    text: textOf(row.content_body) ?? "",
  });
  const made = questions.find((question) => question.text === text);
  try {
    if (made !== undefined) return meaningOf(agent, text, made);
  } catch (error) {
    // The agent's model has changed: words compare.
    if (!(error instanceof OtherModel)) throw error;
    return {};
  }
  const name = textOf(row.embedding_model) ?? "";
  if (!isTransformer({ name })) return {};
  const [stored] = [...agent.storage.nodes.indexed([row.id])].flat();
  const bytes = stored?.embedding_vector;
  if (bytes == null || bytes.byteLength !== 4 * agent.dimensions) return {};
  const embedding = new Float32Array(Uint8Array.from(bytes).buffer);
  return { embedding, embedding_scale: scaleOfTransformer({ name }) };
}

/** Returns the told older memories that a memory can be queued with. */
function freshAmong(agent: Agent, id: string, found: readonly Replaced[]): Replaced[] {
  const queued = agent.storage.conflicts.ofNewer(id).length;
  return openAmong(agent, id, toldAmong(found)).slice(0, Math.max(MAX_CONFLICTS - queued, 1));
}

/**
 * Returns the older memories that exist, and with which a memory is not queued yet, but by a marker of
 * a correction.
 */
function openAmong({ storage }: Agent, id: string, found: readonly Replaced[]): Replaced[] {
  const ids = [id, ...found.map((older) => older.id)];
  const there = new Set(storage.nodes.of(ids).map((row) => row.id));
  if (!there.has(id)) return [];
  const known = storage.conflicts.ofNewer(id);
  const isOpen = (older: string) =>
    known.every(
      (one) =>
        one.old_node_id !== older ||
        (one.status !== "resolved" && one.detection_tier === BY_MARKER),
    );
  return found.filter((older) => there.has(older.id) && isOpen(older.id));
}

/**
 * Within a `write`: queues a memory with older ones that it is not queued with yet, and links it to
 * them. Returns with how many. It is linked to what it replaces faintly, and not queued with it.
 */
function mark(agent: Agent, id: string, found: readonly Replaced[], unit: Unit): number {
  const fresh = freshAmong(agent, id, found);
  const known = agent.storage.conflicts.ofNewer(id);
  for (const older of fresh) {
    const probability = Number(older.probability.toFixed(CONFIDENCE_DIGITS));
    const before = known.find(({ old_node_id }) => old_node_id === older.id);
    if (before !== undefined) agent.storage.conflicts.grade(before.id, BY_EVIDENCE, probability);
    else
      queue(agent, {
        old_node_id: older.id,
        new_node_id: id,
        new_content: null,
        conflict_type: CORRECTION,
        detection_tier: BY_EVIDENCE,
        detection_confidence: probability,
        context: null,
        entity_name: null,
        topic: null,
      });
    addGuess(agent, { id, older: older.id, probability, grade: older.grade }, unit);
  }
  const faint = found.filter(({ grade }) => grade === "faint");
  for (const { id: older, probability, grade } of openAmong(agent, id, faint))
    addGuess(agent, { id, older, probability, grade }, unit);
  return fresh.length;
}
