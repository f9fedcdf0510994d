// Remembering: texts and messages become memories in one transaction.

import { createHash } from "node:crypto";
import {
  EPISODE,
  isIdle,
  namesIn,
  type Prepared,
  prepare,
  type Remembered,
  type RememberedText,
  type RememberingStore,
  rememberText,
  type Steps,
  SUPERSEDES,
  shareOfWords,
  storePrepared,
  textOf,
  toIso,
  toLocalIso,
  typeOf,
  wordsOfMemory,
} from "nous-memory";
import type { RetryHeaders } from "../../api/headers.ts";
import type { Extracted, ExtractedFact, FactType, QuestionVector } from "../../api/operation.ts";
import type { RememberAnswer, RememberRequest, ReplacedMemory } from "../../api/remember.ts";
import { newId } from "../../ids.ts";
import { Refusal, wrong } from "../../refusal.ts";
import type { Agent, Unit } from "../agent.ts";
import { isKnown } from "../idempotency.ts";
import { gradeOfConflict } from "../rules/grade-of-conflict.ts";
import { insertEdge } from "./edges.ts";
import { insertNode } from "./nodes.ts";

/** What became of a text, without words of the memory: an idempotency key keeps it. */
interface Made extends Remembered {
  /** Of a fact: the memories of its messages. */
  from?: string[];
}

/** How facts were taken out of messages, without words of them. */
type Extraction = NonNullable<RememberAnswer["extraction"]>;

/** The edge from a fact to its messages; the source of facts unless the request names one. */
const MENTIONED_IN = "mentioned_in";
const EXTRACTION = "extraction";
/** Types of memories that programs write: they hold figures, or decide about trades. */
const OF_PROGRAMS = new Set([
  EPISODE,
  ...["custom:trade_entry", "custom:trade_close", "custom:trade_modify", "custom:trade"],
  "custom:playbook",
]);
const NO_MODEL =
  "the server has no language model for facts: start it with " +
  "--extraction-provider openai-compatible";

/** A request, and what was read for it. */
export interface ToRemember {
  body: RememberRequest;
  extracted: Extracted | undefined;
  read?: Read | undefined;
  /** Embeddings of the texts, as far as they were made before. */
  questions?: readonly QuestionVector[] | undefined;
}

/** What was read before the transaction, and the last change that it saw. */
interface Read {
  prepared: Prepared;
  last: number;
}

const preparing = (store: RememberingStore, { body, extracted }: ToRemember): Steps<Prepared> => {
  const { extract: _, not_taken: __, ...given } = body;
  // A language model that reads the messages says itself what belongs to the profile.
  return prepare(store, given, extracted?.by !== "model");
};

/**
 * Splits the texts of a request and looks for what is known of them, with pauses between which other
 * agents get their turns. A transaction would have to end within its time.
 *
 * @throws {Refusal} If a text cannot be stored.
 */
export async function readTexts(agent: Agent, request: ToRemember): Promise<Read> {
  const last = agent.read(() => agent.storage.changeLog.range().last);
  const steps = preparing(storeOf(agent, NO_UNIT), request);
  for (;;) {
    const step = agent.read(() => {
      const until = performance.now() + SLICE;
      let next = steps.next();
      while (!next.done && performance.now() < until) next = steps.next();
      return next;
    });
    // An index that was lost ends the work, and the transaction does it again.
    if (step.done) return { prepared: step.value, last: step.value === undefined ? -1 : last };
    await agent.giveWay();
  }
}

/** How long texts are read before others get their turns, in milliseconds. */
const SLICE = 5;
/** What reads changes nothing. */
const NO_UNIT: Unit = { settle: () => {}, embed: () => {} };

/**
 * Within a `write`: stores the texts of a request, and the facts that were taken out of its
 * messages.
 *
 * @throws {Refusal} If a text cannot be stored. Nothing is written then.
 */
export function* remember(
  agent: Agent,
  { body, extracted, read, questions }: ToRemember,
  unit: Unit,
): Steps<Done> {
  const store = storeOf(agent, unit, questions);
  // Another process may have written since.
  const isAsRead = read !== undefined && read.last === agent.storage.changeLog.range().last;
  const prepared = isAsRead ? read.prepared : yield* preparing(store, { body, extracted });
  const { items, skipped } = yield* storePrepared(store, prepared);
  const made: Made[] = items.flatMap((one) => one.made);
  if (body.messages === undefined) return { made, skipped };
  const ofMessages = new Map<number, string[]>();
  for (const { item, made } of items)
    if (item.message !== undefined)
      ofMessages.set(
        item.message,
        made.map(({ id }) => id),
      );
  const facts: Made[] = [];
  const seen = new Map<string, string[]>();
  let dropped = extracted?.dropped ?? 0;
  for (const fact of extracted?.facts ?? []) {
    const its = yield* rememberedFact(agent, fact, { body, ofMessages, seen, unit });
    facts.push(...its);
    if (its.length === 0) dropped += 1;
    yield;
  }
  const extraction = extractionOf(body, extracted, { facts: facts.length, dropped });
  return { made: [...made, ...facts], skipped, extraction };
}

/** Tasks of the HTTP thread, which calls the language model before messages are stored. */
export const REMEMBERING_TASKS = {
  /**
   * Returns the types that facts of the messages may have; null if the model need not read them:
   * they say nothing, the request was made already, or there is no such agent.
   */
  typesOfFacts: (
    agent: Agent,
    { headers, body: { messages = [] } }: { headers: RetryHeaders; body: RememberRequest },
  ): FactType[] | null =>
    agent.read(() => {
      const isThere = agent.storage.meta("agent") !== undefined;
      if (!isThere || isKnown(agent, headers)) return null;
      if (messages.every(({ content }) => isIdle(agent, content))) return null;
      const types = Object.entries(agent.preset.types).filter(([name]) => !OF_PROGRAMS.has(name));
      return types.map(([name, { description }]) => ({ name, description }));
    }),
};

/** Returns the account of an extraction. Fields that say nothing are left out. */
function extractionOf(
  { extract }: RememberRequest,
  extracted: Extracted | undefined,
  { facts, dropped }: { facts: number; dropped: number },
): Extraction {
  const {
    by = "none",
    unread = 0,
    error = extract === true ? NO_MODEL : undefined,
  } = extracted ?? {};
  return {
    by,
    facts,
    ...(dropped === 0 ? {} : { dropped }),
    ...(unread === 0 ? {} : { unread }),
    ...(error === undefined ? {} : { error }),
  };
}

/** What became of a request. Requests of earlier versions have no extraction. */
interface Done {
  made: readonly Made[];
  skipped: number;
  extraction?: Extraction;
}

/** Returns the answer to a request whose texts are stored. Call it within `read`. */
export function answerOf(agent: Agent, { made, skipped, extraction }: Done): RememberAnswer {
  const { storage, engine } = agent;
  const rows = new Map(storage.nodes.of(made.map(({ id }) => id)).map((row) => [row.id, row]));
  const stored = made.flatMap(({ id, ...what }) => {
    const row = rows.get(id);
    if (row === undefined) return [];
    const replaces = what.action === "created" ? replacedBy(agent, id) : [];
    return {
      id,
      ...what,
      title: row.content_title,
      type: row.subtype ?? row.type,
      section: engine.getSectionForSubtype(row.subtype),
      ...(replaces.length === 0 ? {} : { replaces }),
    };
  });
  const created = stored.filter(({ action }) => action === "created").length;
  const duplicates = stored.length - created;
  return {
    ...{ stored, created, duplicates, skipped },
    ...(extraction === undefined ? {} : { extraction }),
  };
}

/** Returns what waits in the queue for a memory that may replace it, the most probable first. */
function replacedBy({ storage }: Agent, id: string): ReplacedMemory[] {
  const open = storage.conflicts.ofNewer(id).filter(({ status }) => status !== "resolved");
  const titles = new Map(
    storage.nodes
      .of(open.flatMap(({ old_node_id }) => old_node_id ?? []))
      .map((row) => [row.id, textOf(row.content_title) ?? ""]),
  );
  return open
    .flatMap(({ old_node_id, detection_tier, detection_confidence }) => {
      const title = titles.get(old_node_id ?? "");
      if (title === undefined) return [];
      const probability = detection_confidence ?? 0;
      const grade = gradeOfConflict({ detection_tier, detection_confidence }) ?? "possible";
      return { id: old_node_id!, title, probability, grade };
    })
    .sort((a, b) => b.probability - a.probability);
}

/** Within a `write`: returns what the rules of remembering need of an agent. */
function storeOf(
  agent: Agent,
  unit: Unit,
  vectors: readonly QuestionVector[] = [],
): RememberingStore {
  const { storage } = agent;
  const sessions = new Map<string, string | null>();
  return {
    engine: agent.engine,
    preset: agent.preset,
    now: agent.now(),
    ask: (question, options) =>
      agent.index.ask(question, { ...options, now: agent.now(), times: false }),
    rows: (ids) => storage.nodes.of(ids),
    insert: ({ tags, ...memory }, sources) =>
      insertNode(agent, { ...memory, tags: tags == null ? tags : [...tags] }, sources, vectors).id,
    update(id, changes) {
      unit.settle([id]);
      storage.nodes.update(id, { ...changes, last_modified: toIso(agent.now()) });
    },
    successorsOf(id) {
      const edges = storage.edges.of(id, "in").filter(({ type }) => type === SUPERSEDES);
      return edges.length === 0 ? [] : storage.nodes.of(edges.map(({ source_id }) => source_id));
    },
    supersede: (source_id, target_id) =>
      void insertEdge(agent, { source_id, target_id, type: SUPERSEDES }, unit),
    runOf(session) {
      const run = session == null ? newId("c") : runOfSession(session);
      sessions.set(run, session ?? null);
      return run;
    },
    runsOf(ids) {
      const clusters = [...storage.nodes.indexed(ids)]
        .flat()
        .flatMap((row) => namesIn(row.clusters));
      return [...new Set(clusters)];
    },
    turns(run, { user, end, limit, from, to }) {
      const filter = {
        cluster_ids: [run],
        wanted: { filter: { user: [user] }, subtypes: undefined, lifecycles: undefined },
        created_after: from,
        created_before: to,
      };
      return end === "last"
        ? storage.nodes.list(filter, limit).reverse()
        : storage.nodes.timeline(filter, { order: "asc", limit });
    },
    join(run, id) {
      if (storage.clusters.find(run) === undefined) openRun(agent, run, sessions.get(run) ?? null);
      const entry = { cluster_id: run, node_id: id, weight: 1, pinned: 0 };
      storage.clusters.putMember({ ...entry, updated_at: toIso(agent.now()) });
    },
    refuse(field, problem) {
      throw wrong(field, problem);
    },
  };
}

const runOfSession = (session: string): string =>
  `c_${createHash("sha256").update(session).digest("base64url").slice(0, 20)}`;

/** Within a write: makes the cluster of a run. */
function openRun(agent: Agent, id: string, session: string | null): void {
  agent.storage.clusters.insert({
    id,
    name: session === null ? "conversation" : `session ${session}`.slice(0, 200),
    ...{ description: null, icon: null, pinned: 0, source: "remember", auto_subtypes: null },
    created_at: toIso(agent.now()),
  });
}

/** What facts of one request share. */
interface OfFacts {
  body: RememberRequest;
  /** The memories of each message, by its place. */
  ofMessages: ReadonlyMap<number, readonly string[]>;
  seen: Map<string, string[]>;
  unit: Unit;
}

/**
 * Within a write: stores a fact with edges to its messages; nothing if it cannot be stored. What
 * the model says must not refuse the request.
 */
function* rememberedFact(
  agent: Agent,
  fact: ExtractedFact,
  { body, ofMessages, seen, unit }: OfFacts,
): Steps<Made[]> {
  const { storage, preset } = agent;
  const parts = fact.messages.map((place) => ofMessages.get(place) ?? []);
  const sources = new Set(parts.flat());
  const { tags, metadata, user, session, expires_at, importance, source } = body;
  const isType = typeOf(preset, fact.type) !== undefined && !OF_PROGRAMS.has(fact.type!);
  const item: RememberedText = {
    ...{ tags, metadata, user, session, expires_at, importance, source: source ?? EXTRACTION },
    ...{ text: fact.text, event_time: toLocalIso(agent.timeZone, fact.event_time ?? "") },
    ...{ created_at: saidAt(fact, body), sources },
    type: isType ? fact.type : undefined,
    ...(isType ? { why: `a fact of the type ${fact.type}, by the language model` } : {}),
  };
  let made: Made[];
  try {
    made = yield* rememberText(storeOf(agent, unit), item, undefined, seen);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [];
  }
  const rows = new Map(storage.nodes.of([...sources]).map((row) => [row.id, wordsOfMemory(row)]));
  const from = parts.flatMap((ids): { id: string; share: number }[] => {
    // Of a message that became several memories, the one that holds most words of the fact.
    const shares = ids.map((id) => ({ id, share: shareOfWords(fact.text, rows.get(id) ?? "") }));
    return shares.sort((a, b) => b.share - a.share).slice(0, 1);
  });
  for (const { id } of made) {
    const known = new Set(
      storage.edges.of(id, "out").map((edge) => `${edge.type} ${edge.target_id}`),
    );
    for (const { id: target_id, share } of from) {
      if (target_id === id || known.has(`${MENTIONED_IN} ${target_id}`)) continue;
      known.add(`${MENTIONED_IN} ${target_id}`);
      const edge = { source_id: id, target_id, type: MENTIONED_IN, confidence: share };
      try {
        insertEdge(agent, edge, unit);
      } catch (error) {
        // The agent has as many types of edges as it can have.
        if (!(error instanceof Refusal)) throw error;
      }
    }
  }
  const ids = [...new Set(from.map(({ id }) => id))];
  return made.map((one) => ({ ...one, from: ids }));
}

/** When a fact was said last, if its messages or the request say so. */
function saidAt({ messages }: ExtractedFact, body: RememberRequest): string | null | undefined {
  const times = messages.flatMap((place) => body.messages?.[place - 1]?.created_at ?? []);
  return times.sort().at(-1) ?? body.created_at;
}
