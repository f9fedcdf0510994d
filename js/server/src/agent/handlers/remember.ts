// Remembering: texts and messages become memories in one transaction.

import { createHash } from "node:crypto";
import type { RememberAnswer, RememberRequest, rememberOperations } from "../../api/remember.ts";
import { newId } from "../../ids.ts";
import { guessedType, type Preset, typeOf } from "../../presets/preset.ts";
import { wrong } from "../../refusal.ts";
import { toIso } from "../../time.ts";
import type { Agent } from "../agent.ts";
import type { HandlersOf } from "../handler.ts";
import { onceInTurns } from "../idempotency.ts";
import { comparedWords, saysTheSame } from "../rules/duplicates.ts";
import { piecesOf, titleOf } from "../rules/split.ts";
import { givenLines, withoutMarks, wordsOfMemory } from "../rules/turn-prompt.ts";
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
> & { text: string; created_at?: string | null | undefined; why?: string };

/** What became of a text, without words of the memory: an idempotency key keeps it. */
interface Made {
  id: string;
  action: "created" | "duplicate";
  why: string;
  run?: string;
  part?: number;
  parts?: number;
}

/** The older memories that a new text is compared with. */
const MOST_COMPARED = 5;
/** UTF-16 units of a text by which they are found. */
const MOST_ASKED = 2_000;
/** The type of a message, and of a question. */
const EPISODE = "episode";
/** A text of so many characters is a title alone. */
const SHORT = 100;

export const rememberHandlers: HandlersOf<typeof rememberOperations> = {
  remember: async (agent, { headers, body }) => {
    await agent.prepare("evidence");
    const { made, skipped } = await onceInTurns(agent, "remember", { headers, body }, function* () {
      const seen = new Map<string, string>();
      const { items, run, skipped } = itemsOf(agent, body);
      const made: Made[] = [];
      for (const item of items) {
        made.push(...remembered(agent, item, run, seen));
        yield;
      }
      return { made, skipped };
    });
    return agent.read(() => answerOf(agent, made, skipped));
  },
};

function answerOf(agent: Agent, made: readonly Made[], skipped: number): RememberAnswer {
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
  return { stored, created, duplicates: stored.length - created, skipped };
}

/** Returns the texts of a request, and the cluster of its messages. */
function itemsOf(
  agent: Agent,
  { text, memories, messages, title, id, ...shared }: RememberRequest,
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
  const telling = messages.filter(({ content }) => !isIdle(agent, content));
  const items = telling.map(({ role, name, content, created_at }): Item => {
    const speaker = name ?? role;
    const isOwn = shared.type == null && role === "user" && tellsOfUser(agent.preset, content);
    return {
      ...shared,
      ...(isOwn
        ? { type: guessedType(agent.preset, content), why: "the user tells of themselves" }
        : { type: shared.type ?? EPISODE, why: "a message of a conversation" }),
      ...{ text: content, title: `${speaker}: ${titleOf(content)}`, created_at },
    };
  });
  const run = items.length > 0 ? runOf(agent, shared.session) : undefined;
  return { items, run, skipped: messages.length - telling.length };
}

/** A text of the user about the user: "I am allergic to walnuts". */
const FIRST_PERSON = /\b(I|I'm|my|we|our|ich|mein\w*|wir|unser\w*)\b/i;
/** The most words of such a text. A longer one tells of more than one thing. */
const MOST_OF_ONE_THING = 40;

/** Whether a message says something about its user that belongs to the profile. */
function tellsOfUser(preset: Preset, content: string): boolean {
  if (isQuestion(content) || !FIRST_PERSON.test(content)) return false;
  if (content.split(/\s+/).length > MOST_OF_ONE_THING) return false;
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

/** Within a write: stores a text, as several memories if it is long. */
function remembered(
  agent: Agent,
  item: Item,
  conversation: string | undefined,
  seen: Map<string, string>,
): Made[] {
  const text = withoutMarks(item.text, (id) => agent.storage.nodes.find(id) !== undefined);
  const pieces = piecesOf(text);
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
    const { id } = insertNode(agent, {
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
    });
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
  const answers = agent.index.ask(text.slice(0, MOST_ASKED), {
    limit: MOST_COMPARED,
    now: agent.now(),
  });
  const order = answers.map(({ id }) => id);
  const rows = agent.storage.nodes.of(order);
  rows.sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  return rows.find(
    (row) =>
      row.user_id === (item.user ?? null) &&
      (saysTheSame(words, comparedWords(wordsOfMemory(row))) ||
        saysTheSame(words, comparedWords(row.content_body ?? ""))),
  )?.id;
}
