// Remembering in this process: texts and messages become rows of a `Memory`.

import { type MemoryEdge, type MemorySection, NousError } from "nous-wasm";
import { createdAtOf, namesIn } from "./index-rows.ts";
import { MAX_NAME, MAX_TEXT, MAX_TITLE } from "./limits.ts";
import type { IndexedMemory } from "./prompt/over-index.ts";
import type { IndexedNodeRow } from "./rows.ts";
import { atOnce } from "./steps.ts";
import {
  futureProblem,
  MAX_AHEAD,
  parseInstant,
  parseInstantIn,
  toIso,
  toLocalIso,
} from "./time.ts";
import { correctionIn } from "./write/corrections.ts";
import {
  isProviderMessage,
  type MessageToRemember,
  type NotTaken,
  type ProviderMessage,
  type Taken,
  turnsOf,
} from "./write/messages.ts";
import { newRowOf } from "./write/new-row.ts";
import { prepare, storePrepared } from "./write/remembering.ts";
import { possiblyReplacedBy, type ToldReplaced, toldAmong } from "./write/replaced.ts";
import { stabilityOfNew } from "./write/stability.ts";
import type { GivenTexts, Remembered, RememberedText, RememberingStore } from "./write/store.ts";
import { LIKELY_SUPERSEDES, SUPERSEDES, typeOfGuess } from "./write/supersession.ts";

/** Rows with an index over them, to which new ones can be added: a `Memory`, or a holder of one's own. */
export interface WritableMemory extends Pick<IndexedMemory, "engine" | "preset" | "index" | "now"> {
  /** The time zone by whose clocks times without a zone are read. */
  readonly timeZone: string;
  /** The number of the next row. */
  readonly next: number;
  /** Returns the row of a memory; undefined if there is none. */
  row(id: string): IndexedNodeRow | undefined;
  /** Returns the rows of all memories. */
  all(): Iterable<IndexedNodeRow>;
  /** Returns the edges between memories. */
  edges(): Iterable<MemoryEdge>;
  /** Adds rows, and replaces those that are there. */
  put(rows: Iterable<IndexedNodeRow>): void;
  /** Adds edges. */
  link(edges: Iterable<MemoryEdge>): void;
}

/** What is remembered: one of `text`, `memories` and `messages`. */
export interface Given extends Omit<GivenTexts, "messages">, Pick<Taken, "tools"> {
  /** Messages of a conversation, oldest first, in the own shape or as a model provider writes them. */
  messages?: readonly (MessageToRemember | ProviderMessage)[] | undefined;
}

/** What became of a text, and what the memory is now. */
export interface RememberedMemory extends Remembered {
  /** The title of the memory. */
  title: string;
  /** The name of its type. */
  type: string;
  /** Its section, which decides how it ranks and fades. */
  section: MemorySection;
  /** Of a new memory: whether it reads like a correction of an earlier one. */
  is_correction?: boolean;
  /**
   * Of a new memory: older ones that it seems to replace, the most probable first; missing if there
   * are none. An edge of type `likely_supersedes` leads to a likely one, `possibly_supersedes` to a
   * possible one. Nothing is hidden by it: link the two by an edge of type `supersedes` if the guess
   * is right.
   */
  replaces?: ReplacedMemory[];
}

/** An older memory that a new one seems to replace. */
export interface ReplacedMemory extends ToldReplaced {
  /** The title of the older memory. */
  title: string;
}

/** What `remember` did. */
export interface RememberResult {
  /** What became of each text, or of each part of a long one, in order. */
  stored: RememberedMemory[];
  /** How many memories are new. */
  created: number;
  /** How many texts said what a memory says already. */
  duplicates: number;
  /** How many texts said nothing, such as a greeting. */
  skipped: number;
  /** What was not taken of messages; missing if all was. */
  not_taken?: NotTaken[];
}

/** The forms of what is remembered. */
const FORMS = ["text", "memories", "messages"] as const;

/**
 * Remembers texts, or messages of a conversation. A long text becomes several memories, a text
 * without a type gets the one that it reads like, and a text that a memory of the same user says
 * already is not stored again. New memories are compared with older ones that they may replace.
 * `nous-server` makes the same memories of the same texts.
 *
 * @param memory The memories. New ones are added to rows and index.
 * @param given A text, or an object with one of `text`, `memories` and `messages`, and fields that
 * all memories share.
 * @returns What became of each text.
 * @throws {NousError} `invalid_argument` if a text has no words or a field is wrong; `details.field`
 * names it. `out_of_memory` if the index is full. Nothing is stored then.
 *
 * @example
 * ```ts
 * const { stored } = remember(memory, "Mira eats no dairy.");
 * stored[0].type; // "preference"
 * remember(memory, { messages: [{ role: "user", content: "I moved to Bergen." }], user: "mira" });
 * ```
 */
export function remember(memory: WritableMemory, given: string | Given): RememberResult {
  const { tools, messages, ...texts } = typeof given === "string" ? { text: given } : given;
  const forms = FORMS.filter((name) => ({ ...texts, messages })[name] !== undefined);
  if (forms.length !== 1)
    refuse("text", `must be given, or memories, or messages: one of them, found ${forms.length}`);
  const { now, timeZone } = memory;
  const pending: Pending = { rows: new Map(), created: 0, edges: [] };
  const store = storeOf(memory, pending, now);
  const read = messages === undefined ? undefined : turnsOf(checkedMessages(messages), { tools });
  const turns = read?.turns.map(({ message }) => withTimes(message, timeZone));
  const memories = texts.memories?.map((own) =>
    typeof own === "string" ? own : withTimes(own, timeZone),
  );
  const whole = { ...withTimes(texts, timeZone), memories, messages: turns };
  const prepared = atOnce(prepare(store, whole, true, (item) => check(item, memory)));
  const { items, skipped } = atOnce(storePrepared(store, prepared));
  memory.put(pending.rows.values());
  memory.link(pending.edges);
  const stored = items.flatMap(({ made }) => made.map((one) => described(memory, one, store)));
  const { created } = pending;
  const left = read?.not_taken ?? [];
  return {
    ...{ stored, created, duplicates: stored.length - created, skipped },
    ...(left.length === 0 ? {} : { not_taken: left }),
  };
}

/** @throws {NousError} If a message has neither the own shape nor that of a provider. */
function checkedMessages(messages: readonly unknown[]): readonly unknown[] {
  for (const [place, message] of messages.entries()) {
    const { role, content } = (message ?? {}) as Partial<MessageToRemember>;
    if (isProviderMessage(message) || (typeof role === "string" && typeof content === "string"))
      continue;
    refuse(`messages[${place}]`, "must have role and content, or the shape of a model provider");
  }
  return messages;
}

/** What a call adds and changes. It joins the index at the end, so that an error stores nothing. */
interface Pending {
  rows: Map<string, IndexedNodeRow>;
  created: number;
  edges: MemoryEdge[];
}

function described(
  memory: WritableMemory,
  made: Remembered,
  store: RememberingStore,
): RememberedMemory {
  const row = memory.row(made.id)!;
  const { content_title: title, content_body: body, subtype } = row;
  const whole = {
    ...made,
    ...{ title, type: subtype ?? row.type },
    section: memory.engine.getSectionForSubtype(subtype),
  };
  if (made.action === "duplicate") return whole;
  const { engine } = memory;
  const replaced = possiblyReplacedBy(row, {
    ...{ engine, ask: store.ask, rows: store.rows },
    likelySuccessorsOf: (id) => sourcesOf(memory.edges(), LIKELY_SUPERSEDES, id),
  });
  memory.link(
    replaced.map(({ id: target_id, probability: strength, grade }) => ({
      ...{ id: newId("e"), type: typeOfGuess(grade) },
      ...{ source_id: row.id, target_id, strength },
    })),
  );
  const told = toldAmong(replaced);
  return {
    ...whole,
    is_correction: correctionIn(body === null ? title : `${title}\n${body}`).detected,
    ...(told.length === 0
      ? {}
      : { replaces: told.map((one) => ({ ...one, title: memory.row(one.id)!.content_title })) }),
  };
}

/** Returns the sources of the edges of a type to a memory. */
const sourcesOf = (edges: Iterable<MemoryEdge>, type: string, id: string): string[] =>
  Array.from(edges).flatMap((edge) =>
    edge.type === type && edge.target_id === id ? edge.source_id : [],
  );

/** Returns a memory as the rules of remembering see it, with what the call adds. */
function storeOf(memory: WritableMemory, pending: Pending, now: number): RememberingStore {
  const { engine, preset, index } = memory;
  const { rows: added, edges } = pending;
  const rowOf = (id: string) => added.get(id) ?? memory.row(id);
  return {
    ...{ engine, preset, now, refuse },
    ask: (question, options) => index.ask(question, { ...options, now, times: false }),
    rows: (ids) => ids.flatMap((id) => rowOf(id) ?? []),
    insert(given) {
      const id = given.id ?? newId("n");
      if (rowOf(id) !== undefined) refuse("id", `must be new: another memory is ${id}`);
      const stability = stabilityOfNew(engine, given.subtype, null);
      added.set(id, {
        // As they come, one after the other: many memories of one instant count as imported.
        ...newRowOf(given, { id, now: toIso(memory.now), stability }),
        sequence: memory.next + pending.created,
        embedding_vector: null,
        clusters: "[]",
      });
      pending.created += 1;
      return id;
    },
    update(id, changes) {
      const last_modified = toIso(memory.now);
      added.set(id, { ...rowOf(id)!, ...changes, last_modified });
    },
    successorsOf: (id) =>
      sourcesOf([...memory.edges(), ...edges], SUPERSEDES, id).flatMap(
        (source_id) => rowOf(source_id) ?? [],
      ),
    supersede: (source_id, target_id) =>
      void edges.push({ ...{ id: newId("e"), type: SUPERSEDES }, source_id, target_id }),
    runOf: (session) => (session == null ? newId("c") : `session:${session}`),
    runsOf: (ids) => [...new Set(ids.flatMap((id) => namesIn(rowOf(id)?.clusters)))],
    turns(run, { user, end, limit, from = "", to }) {
      const isWanted = (row: IndexedNodeRow) =>
        row.user_id === user &&
        namesIn(row.clusters).includes(run) &&
        (row.created_at ?? "") >= from &&
        (to === undefined || (row.created_at ?? "") <= to);
      const rows = [...memory.all()].filter(isWanted).sort(byTime);
      return end === "first" ? rows.slice(0, limit) : rows.slice(-limit);
    },
    join(run, id) {
      added.get(id)!.clusters = JSON.stringify([run]);
    },
  };
}

/** Orders turns as they were said. */
const byTime = (one: IndexedNodeRow, other: IndexedNodeRow): number =>
  (createdAtOf(one) ?? 0) - (createdAtOf(other) ?? 0) || one.sequence - other.sequence;

/** Returns a new id of 128 random bits. `crypto.randomUUID` is not there in pages without TLS. */
function newId(prefix: "n" | "c" | "e"): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `${prefix}_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function refuse(field: string, problem: string): never {
  throw new NousError("invalid_argument", `${field} ${problem}`, { field });
}

/** Times of what is remembered. */
interface Times {
  created_at?: string | null | undefined;
  event_time?: string | null | undefined;
  expires_at?: string | null | undefined;
}

/** Returns what is remembered with its times as rows have them; wrong ones stay, for `check`. */
function withTimes<Timed extends Times>(given: Timed, zone: string): Timed {
  const read = (time: unknown): string | undefined => {
    const instant = typeof time === "string" ? parseInstantIn(zone, time) : undefined;
    return instant === undefined ? undefined : toIso(instant);
  };
  const { created_at, event_time, expires_at } = given;
  const times: Times = {
    created_at: read(created_at) ?? created_at,
    event_time:
      typeof event_time === "string" ? (toLocalIso(zone, event_time) ?? event_time) : event_time,
    expires_at: read(expires_at) ?? expires_at,
  };
  const isGiven = ([, time]: [string, unknown]) => time !== undefined;
  return { ...given, ...Object.fromEntries(Object.entries(times).filter(isGiven)) };
}

/** @throws {NousError} If a field of a text is out of its range. */
function check(item: RememberedText, { now, timeZone }: WritableMemory): void {
  const longest = { text: MAX_TEXT, title: MAX_TITLE, type: MAX_NAME, id: MAX_NAME } as const;
  for (const [field, max] of Object.entries(longest) as [keyof typeof longest, number][]) {
    const value = item[field] ?? undefined;
    if (value === undefined) continue;
    if (typeof value !== "string" || (value === "" && field !== "text" && field !== "title"))
      refuse(field, "must be a text that is not empty");
    if (value.length > max) refuse(field, `must have at most ${max} characters`);
  }
  for (const field of ["created_at", "event_time", "expires_at"] as const) {
    const value: unknown = item[field] ?? undefined;
    if (value !== undefined && (typeof value !== "string" || parseInstant(value) === undefined))
      refuse(field, "must be an instant, such as 2026-01-15T09:30:00Z");
  }
  if (item.created_at != null && parseInstant(item.created_at)! > now + MAX_AHEAD)
    refuse("created_at", futureProblem(now, timeZone));
  const { importance } = item;
  if (importance != null && !(importance >= 0 && importance <= 1))
    refuse("importance", "must be a number from 0 to 1");
}
