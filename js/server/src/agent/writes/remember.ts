// Remembering: texts and messages become memories in one transaction.

import { createHash } from "node:crypto";
import {
  comparedWords,
  givenLines,
  guessedType,
  type Preset,
  piecesOf,
  type Steps,
  saysTheSame,
  shareOfWords,
  titleOf,
  toIso,
  typeOf,
  withoutMarks,
  wordsOfMemory,
} from "nous-memory";
import type { RetryHeaders } from "../../api/headers.ts";
import type { Extracted, ExtractedFact, FactType } from "../../api/operation.ts";
import type { RememberAnswer, RememberRequest } from "../../api/remember.ts";
import { newId } from "../../ids.ts";
import { Refusal, wrong } from "../../refusal.ts";
import type { Agent, Unit } from "../agent.ts";
import { isKnown } from "../idempotency.ts";
import { insertEdge } from "./edges.ts";
import { insertNode } from "./nodes.ts";

/** A text of the request, with its fields. */
type Item = Pick<
  RememberRequest,
  | "type"
  | "tags"
  | "metadata"
  | "user"
  | "session"
  | "event_time"
  | "expires_at"
  | "source"
  | "importance"
  | "title"
  | "id"
> & {
  text: string;
  created_at?: string | null | undefined;
  why?: string;
  /** Of a message: its place in the request, from 1. */
  message?: number;
  /** Of a fact: the memories of its messages, which say the same and do not make it a duplicate. */
  sources?: ReadonlySet<string>;
};

/** What became of a text, without words of the memory: an idempotency key keeps it. */
interface Made {
  id: string;
  action: "created" | "duplicate";
  why: string;
  run?: string;
  part?: number;
  parts?: number;
  /** Of a fact: the memories of its messages. */
  from?: string[];
}

/** How facts were taken out of messages, without words of them. */
type Extraction = NonNullable<RememberAnswer["extraction"]>;

/** The older memories that a new text is compared with. */
const MAX_COMPARED = 5;
/** UTF-16 units of a text by which they are found. */
const MAX_ASKED = 2_000;
/** Parts of conversations are alike to a fact without being one: more memories are compared. */
const MAX_COMPARED_WITH_A_FACT = 20;
/** A text of so many characters is a title alone. */
const SHORT = 100;

/** The type of messages. */
const EPISODE = "episode";
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

/**
 * Within a `write`: stores the texts of a request, and the facts that were taken out of its
 * messages.
 *
 * @throws {Refusal} If a text cannot be stored. Nothing is written then.
 */
export function* remember(
  agent: Agent,
  body: RememberRequest,
  extracted: Extracted | undefined,
  unit: Unit,
): Steps<Done> {
  const seen = new Map<string, string>();
  const { items, run, skipped } = itemsOf(agent, body, extracted);
  const made: Made[] = [];
  const ofMessages = new Map<number, string[]>();
  for (const item of items) {
    const its = remembered(agent, item, run, seen);
    made.push(...its);
    if (item.message !== undefined)
      ofMessages.set(
        item.message,
        its.map(({ id }) => id),
      );
    yield;
  }
  if (body.messages === undefined) return { made, skipped };
  const facts: Made[] = [];
  const seenFacts = new Map<string, string>();
  let dropped = extracted?.dropped ?? 0;
  for (const fact of extracted?.facts ?? []) {
    const its = rememberedFact(agent, fact, { body, ofMessages, seen: seenFacts, unit });
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
    const conflicts = what.action === "created" ? storage.conflicts.olderOf(id) : [];
    return {
      id,
      ...what,
      title: row.content_title,
      type: row.subtype ?? row.type,
      section: engine.getSectionForSubtype(row.subtype),
      ...(conflicts.length === 0 ? {} : { possible_conflicts: conflicts }),
    };
  });
  const created = stored.filter(({ action }) => action === "created").length;
  const duplicates = stored.length - created;
  return {
    ...{ stored, created, duplicates, skipped },
    ...(extraction === undefined ? {} : { extraction }),
  };
}

/** Returns the texts of a request, and the cluster of its messages. */
function itemsOf(
  agent: Agent,
  { text, memories, messages, title, id, extract: _, ...shared }: RememberRequest,
  extracted: Extracted | undefined,
): { items: Item[]; run: string | undefined; skipped: number } {
  if (text !== undefined) {
    const saysNothing = shared.type == null && text.trim() !== "" && isIdle(agent, text);
    if (saysNothing) return { items: [], run: undefined, skipped: 1 };
    const lines = givenLines(text);
    const items =
      lines === undefined
        ? [{ ...shared, text, title, id }]
        : lines.map((line): Item => ({ ...shared, text: line }));
    return { items, run: undefined, skipped: 0 };
  }
  if (messages === undefined) {
    const items = memories!.map((given): Item => {
      const own = typeof given === "string" ? { text: given } : given;
      const said = Object.entries(own).filter(([, value]) => value != null);
      return { ...shared, ...(Object.fromEntries(said) as Pick<Item, "text">) };
    });
    return { items, run: undefined, skipped: 0 };
  }
  // A language model that reads the messages says itself what belongs to the profile.
  const guesses = shared.type == null && extracted?.by !== "model";
  const items = messages.flatMap(({ role, name, content, created_at }, place): Item[] => {
    if (isIdle(agent, content)) return [];
    const speaker = name ?? role;
    const isOwn = guesses && role === "user" && tellsOfUser(agent.preset, content);
    return [
      {
        ...shared,
        ...(isOwn
          ? { type: guessedType(agent.preset, content), why: "the user tells of themselves" }
          : { type: shared.type ?? EPISODE, why: "a message of a conversation" }),
        ...{ text: content, title: `${speaker}: ${titleOf(content)}`, created_at },
        message: place + 1,
      },
    ];
  });
  const run = items.length > 0 ? runOf(agent, shared.session) : undefined;
  return { items, run, skipped: messages.length - items.length };
}

/** A text of the user about the user: "I am allergic to walnuts". */
const FIRST_PERSON = /\b(I|I'm|my|we|our|ich|mein\w*|wir|unser\w*)\b/i;
/** The most words of such a text. A longer one tells of more than one thing. */
const MAX_OF_ONE_THING = 40;

/** Whether a message says something about its user that belongs to the profile. */
function tellsOfUser(preset: Preset, content: string): boolean {
  if (isQuestion(content) || !FIRST_PERSON.test(content)) return false;
  if (content.split(/\s+/).length > MAX_OF_ONE_THING) return false;
  return typeOf(preset, guessedType(preset, content))?.heading === "user_profile";
}

/** Whether a text asks and tells nothing. */
const isQuestion = (text: string): boolean => /^[^.!?\n]*\?$/.test(text.trim());

/** Whether a message says nothing to remember: a greeting, or "ok". */
function isIdle({ engine }: Agent, content: string): boolean {
  if (content.trim() === "") return true;
  const { is_greeting, is_acknowledgement } = engine.classifyTurn(content);
  return is_greeting || is_acknowledgement;
}

/** Within a write: returns the cluster of a session; a new one without a session. */
function runOf(agent: Agent, session: string | null | undefined): string {
  const { clusters } = agent.storage;
  const id =
    session == null
      ? newId("c")
      : `c_${createHash("sha256").update(session).digest("base64url").slice(0, 20)}`;
  if (clusters.find(id) === undefined) {
    clusters.insert({
      id,
      name: session == null ? "conversation" : `session ${session}`.slice(0, 200),
      ...{ description: null, icon: null, pinned: 0, source: "remember", auto_subtypes: null },
      created_at: toIso(agent.now()),
    });
  }
  return id;
}

/** Within a write: stores a text, as several memories if it is long and no fact. */
function remembered(
  agent: Agent,
  item: Item,
  conversation: string | undefined,
  seen: Map<string, string>,
): Made[] {
  const text = withoutMarks(item.text, (id) => agent.storage.nodes.find(id) !== undefined);
  const isFact = item.sources !== undefined && text !== "";
  const pieces = isFact ? [{ title: titleOf(text), text }] : piecesOf(text);
  if (pieces.length === 0) throw wrong("text", "holds no words");
  if (pieces.length > 1 && item.id != null)
    throw wrong("id", `names one memory, and the text is so long that it becomes ${pieces.length}`);
  const whole = duplicateOf(agent, text, item, seen);
  if (whole !== undefined) return [{ id: whole, action: "duplicate", why: SAME }];
  const run =
    pieces.length > 1 && conversation === undefined ? runOf(agent, undefined) : conversation;
  return pieces.map(({ title, text: words }, place): Made => {
    const parts = pieces.length > 1 ? { part: place + 1, parts: pieces.length } : {};
    const known = pieces.length > 1 ? duplicateOf(agent, words, item, seen) : undefined;
    if (known !== undefined) return { id: known, action: "duplicate", why: SAME, ...parts };
    const { type, why } = kindOf(agent.preset, item, words);
    const isTitle = words.length <= SHORT && !words.includes("\n");
    const heading = item.title ?? (isTitle ? words : title);
    const subtype =
      typeOf(agent.preset, type) === undefined && !type.startsWith("custom:") ? null : type;
    const { id } = insertNode(
      agent,
      {
        id: item.id,
        type,
        subtype,
        content_title: heading,
        content_body: heading === words ? null : words,
        ...(item.importance == null
          ? {}
          : { neural_stability: lasting(agent, subtype, item.importance) }),
        ...{ tags: item.tags, metadata: item.metadata, user: item.user, session: item.session },
        ...{ event_time: item.event_time, expires_at: item.expires_at, source: item.source },
        created_at: item.created_at,
      },
      item.sources,
    );
    seen.set(keyOf(words, item), id);
    if (run !== undefined) {
      const updated_at = toIso(agent.now());
      agent.storage.clusters.putMember({
        cluster_id: run,
        node_id: id,
        weight: 1,
        pinned: 0,
        updated_at,
      });
    }
    return { id, action: "created", why, ...(run === undefined ? {} : { run }), ...parts };
  });
}

const SAME = "a memory says the same";

/** What facts of one request share. */
interface OfFacts {
  body: RememberRequest;
  /** The memories of each message, by its place. */
  ofMessages: ReadonlyMap<number, readonly string[]>;
  seen: Map<string, string>;
  unit: Unit;
}

/**
 * Within a write: stores a fact with edges to its messages; nothing if it cannot be stored. What
 * the model says must not refuse the request.
 */
function rememberedFact(
  agent: Agent,
  fact: ExtractedFact,
  { body, ofMessages, seen, unit }: OfFacts,
): Made[] {
  const { storage, preset } = agent;
  const parts = fact.messages.map((place) => ofMessages.get(place) ?? []);
  const sources = new Set(parts.flat());
  const { tags, metadata, user, session, expires_at, importance, source } = body;
  const isType = typeOf(preset, fact.type) !== undefined && !OF_PROGRAMS.has(fact.type!);
  const item: Item = {
    ...{ tags, metadata, user, session, expires_at, importance, source: source ?? EXTRACTION },
    ...{ text: fact.text, event_time: fact.event_time, created_at: saidAt(fact, body), sources },
    type: isType ? fact.type : undefined,
    ...(isType ? { why: `a fact of the type ${fact.type}, by the language model` } : {}),
  };
  let made: Made[];
  try {
    made = remembered(agent, item, undefined, seen);
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

/** When a fact was said last, if its messages say so. */
function saidAt({ messages }: ExtractedFact, body: RememberRequest): string | undefined {
  const times = messages.flatMap((place) => body.messages?.[place - 1]?.created_at ?? []);
  return times.sort().at(-1);
}

function kindOf(preset: Preset, { type, why }: Item, words: string): { type: string; why: string } {
  if (type != null) return { type, why: why ?? "the request names its type" };
  if (isQuestion(words) && typeOf(preset, EPISODE) !== undefined)
    return { type: EPISODE, why: "it is a question" };
  const guessed = guessedType(preset, words);
  return { type: guessed, why: `it reads like a ${guessed}` };
}

/** The time constant of decay, by importance: from half to twice that of the type. */
const lasting = ({ engine }: Agent, subtype: string | null, importance: number): number =>
  engine.getInitialStabilityForSubtype(subtype) * 2 ** (2 * importance - 1);

const keyOf = (text: string, { user }: Item): string =>
  JSON.stringify([user ?? null, comparedWords(text).join(" ")]);

/** Returns the id of a memory of the same user that says the same; undefined if there is none. */
function duplicateOf(
  agent: Agent,
  text: string,
  item: Item,
  seen: ReadonlyMap<string, string>,
): string | undefined {
  const inRequest = seen.get(keyOf(text, item));
  if (inRequest !== undefined) return inRequest;
  const words = comparedWords(text);
  const answers = agent.index.ask(text.slice(0, MAX_ASKED), {
    limit: item.sources === undefined ? MAX_COMPARED : MAX_COMPARED_WITH_A_FACT,
    now: agent.now(),
  });
  const order = answers.map(({ id }) => id);
  const rows = agent.storage.nodes.of(order);
  rows.sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  // A part of a conversation fades within weeks. It does not stand for the fact that it tells.
  const stands = ({ id, type, subtype }: (typeof rows)[number]) =>
    item.sources === undefined || (![type, subtype].includes(EPISODE) && !item.sources.has(id));
  return rows.find(
    (row) =>
      stands(row) &&
      row.user_id === (item.user ?? null) &&
      (saysTheSame(words, comparedWords(wordsOfMemory(row))) ||
        saysTheSame(words, comparedWords(row.content_body ?? ""))),
  )?.id;
}
