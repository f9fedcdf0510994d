// Rule: which memories texts and messages become: pieces, titles, types, and what is known already. A
// store says what is there and takes what is new; the server's is a database, that of `remember` an
// index with rows.

import type { Answer, AskOptions, Engine } from "nous-wasm";
import { guessedType, type Preset, typeOf } from "../presets/preset.ts";
import { givenLines, withoutMarks, wordsOfMemory } from "../prompt/turn-prompt.ts";
import type { NodeRow } from "../rows.ts";
import { comparedWords, saysTheSame } from "./duplicates.ts";
import type { MessageToRemember } from "./messages.ts";
import { piecesOf, titleOf } from "./split.ts";

/** Fields that all memories of one call share. */
export interface SharedFields {
  /** The name of a type of the preset, or a name that begins with `custom:`. Default: guessed. */
  type?: string | null | undefined;
  /** Words by which the memory is found, beside title and text. */
  tags?: readonly string[] | null | undefined;
  /** Data of the caller's. */
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** The user that the memory belongs to. Duplicates are looked for among memories of the same user. */
  user?: string | null | undefined;
  /** The session that the memory belongs to. */
  session?: string | null | undefined;
  /** When it happened, as ISO 8601. */
  event_time?: string | null | undefined;
  /** From then on the memory does not exist any more, as ISO 8601. */
  expires_at?: string | null | undefined;
  /** Where the memory is from. Default: `agent`. */
  source?: string | null | undefined;
  /** From 0 to 1: half to twice the time constant of decay that its type has. */
  importance?: number | null | undefined;
}

/** A text to remember, with its fields. */
export interface TextToRemember extends SharedFields {
  /** The text. A long one becomes several memories. */
  text: string;
  /** Default: its first sentence, or the heading above it. */
  title?: string | null | undefined;
  /** The id of the memory. Default: a new one. */
  id?: string | null | undefined;
  /** When the memory was made, as ISO 8601. Default: now. */
  created_at?: string | null | undefined;
}

/** What is remembered: one of `text`, `memories` and `messages`. */
export interface GivenTexts extends SharedFields {
  /** One text. */
  text?: string | undefined;
  /** Several texts, each with fields of its own if need be. */
  memories?: readonly (string | TextToRemember)[] | undefined;
  /** Messages of a conversation, oldest first. */
  messages?: readonly MessageToRemember[] | undefined;
  /** The title of `text`. */
  title?: string | null | undefined;
  /** The id of the memory of `text`. */
  id?: string | null | undefined;
}

/** A text that becomes memories. */
export interface RememberedText extends TextToRemember {
  /** Why it has its type. */
  why?: string | undefined;
  /** Of a message: its place, from 1. */
  message?: number | undefined;
  /** Of a fact: the memories of its messages, which say the same and do not make it a duplicate. */
  sources?: ReadonlySet<string> | undefined;
}

/** A memory to store. Missing fields have their defaults. */
export interface NewMemory {
  id?: string | null | undefined;
  type: string;
  subtype: string | null;
  content_title: string;
  content_body: string | null;
  neural_stability?: number | undefined;
  tags?: readonly string[] | null | undefined;
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
  user?: string | null | undefined;
  session?: string | null | undefined;
  event_time?: string | null | undefined;
  expires_at?: string | null | undefined;
  source?: string | null | undefined;
  created_at?: string | null | undefined;
}

/** What the rules need of a store of memories. */
export interface RememberingStore {
  readonly engine: Pick<Engine, "classifyTurn" | "getInitialStabilityForSubtype">;
  readonly preset: Preset;
  /** Returns the memories that answer a question, as of now. */
  ask(question: string, options: Pick<AskOptions, "limit">): readonly Answer[];
  /** Returns the rows of memories, in any order; none for an id that no memory has. */
  rows(ids: readonly string[]): readonly NodeRow[];
  /** Stores a memory. Returns its id. */
  insert(memory: NewMemory, sources: ReadonlySet<string> | undefined): string;
  /** Returns the id of the run of a session; a new one without a session. */
  runOf(session: string | null | undefined): string;
  /** Adds a memory to a run. */
  join(run: string, id: string): void;
  /** Throws the error for a field that cannot be stored. */
  refuse(field: string, problem: string): never;
}

/** What became of a text. */
export interface Remembered {
  /** The id of the memory: the new one, or the one that says the same. */
  id: string;
  /** Whether the memory is new, or was there already. */
  action: "created" | "duplicate";
  /** Why it has its type, or why it is a duplicate. */
  why: string;
  /** The run that it belongs to: the parts of one text, or of one conversation. */
  run?: string;
  /** Of a long text: the number of this part, from 1. */
  part?: number;
  /** Of a long text: how many parts it has. */
  parts?: number;
}

/** The older memories that a new text is compared with. */
const MAX_COMPARED = 5;
/** UTF-16 units of a text by which they are found. */
const MAX_ASKED = 2_000;
/** Parts of conversations are alike to a fact without being one: more memories are compared. */
const MAX_COMPARED_WITH_A_FACT = 20;
/** A text of so many characters is a title alone. */
const SHORT = 100;

/** The type of messages. */
export const EPISODE = "episode";
const SAME = "a memory says the same";

/**
 * Returns the texts that are remembered, whether they are a conversation, and how many say nothing.
 * `guesses`: what the user tells of themselves gets a type of the profile.
 */
export function textsToRemember(
  store: Pick<RememberingStore, "engine" | "preset">,
  { text, memories, messages, title, id, ...shared }: GivenTexts,
  guesses: boolean,
): { items: RememberedText[]; skipped: number } {
  if (text !== undefined) {
    const saysNothing = shared.type == null && text.trim() !== "" && isIdle(store, text);
    if (saysNothing) return { items: [], skipped: 1 };
    const lines = givenLines(text);
    const items =
      lines === undefined
        ? [{ ...shared, text, title, id }]
        : lines.map((line): RememberedText => ({ ...shared, text: line }));
    return { items, skipped: 0 };
  }
  if (messages === undefined) {
    const items = (memories ?? []).map((given): RememberedText => {
      const own = typeof given === "string" ? { text: given } : given;
      const said = Object.entries(own).filter(([, value]) => value != null);
      return { ...shared, ...(Object.fromEntries(said) as Pick<RememberedText, "text">) };
    });
    return { items, skipped: 0 };
  }
  const items = messages.flatMap((message, place): RememberedText[] => {
    const { role, name, content, created_at, id: elsewhere } = message;
    if (isIdle(store, content)) return [];
    const speaker = name ?? role;
    const isOwn =
      guesses && shared.type == null && role === "user" && tellsOfUser(store.preset, content);
    return [
      {
        ...shared,
        ...(isOwn
          ? { type: guessedType(store.preset, content), why: "the user tells of themselves" }
          : { type: shared.type ?? EPISODE, why: "a message of a conversation" }),
        ...{ text: content, title: `${speaker}: ${titleOf(content)}`, created_at },
        ...(elsewhere == null ? {} : { metadata: { message_id: elsewhere, ...shared.metadata } }),
        message: place + 1,
      },
    ];
  });
  return { items, skipped: messages.length - items.length };
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
export function isIdle({ engine }: Pick<RememberingStore, "engine">, content: string): boolean {
  if (content.trim() === "") return true;
  const { is_greeting, is_acknowledgement } = engine.classifyTurn(content);
  return is_greeting || is_acknowledgement;
}

/**
 * Stores a text, as several memories if it is long and no fact. `seen` holds the texts of this call
 * that are stored already.
 */
export function rememberText(
  store: RememberingStore,
  item: RememberedText,
  conversation: string | undefined,
  seen: Map<string, string>,
): Remembered[] {
  const text = withoutMarks(item.text, (id) => store.rows([id]).length > 0);
  const isFact = item.sources !== undefined && text !== "";
  const pieces = isFact ? [{ title: titleOf(text), text }] : piecesOf(text);
  if (pieces.length === 0) return store.refuse("text", "holds no words");
  if (pieces.length > 1 && item.id != null)
    store.refuse(
      "id",
      `names one memory, and the text is so long that it becomes ${pieces.length}`,
    );
  const whole = duplicateOf(store, text, item, seen);
  if (whole !== undefined) return [{ id: whole, action: "duplicate", why: SAME }];
  const run =
    pieces.length > 1 && conversation === undefined ? store.runOf(undefined) : conversation;
  return pieces.map(({ title, text: words }, place): Remembered => {
    const parts = pieces.length > 1 ? { part: place + 1, parts: pieces.length } : {};
    const known = pieces.length > 1 ? duplicateOf(store, words, item, seen) : undefined;
    if (known !== undefined) return { id: known, action: "duplicate", why: SAME, ...parts };
    const { type, why } = kindOf(store.preset, item, words);
    const isTitle = words.length <= SHORT && !words.includes("\n");
    const heading = item.title ?? (isTitle ? words : title);
    const subtype =
      typeOf(store.preset, type) === undefined && !type.startsWith("custom:") ? null : type;
    const id = store.insert(
      {
        id: item.id,
        type,
        subtype,
        content_title: heading,
        content_body: heading === words ? null : words,
        ...(item.importance == null
          ? {}
          : { neural_stability: lasting(store, subtype, item.importance) }),
        ...{ tags: item.tags, metadata: item.metadata, user: item.user, session: item.session },
        ...{ event_time: item.event_time, expires_at: item.expires_at, source: item.source },
        created_at: item.created_at,
      },
      item.sources,
    );
    seen.set(keyOf(words, item), id);
    if (run !== undefined) store.join(run, id);
    return { id, action: "created", why, ...(run === undefined ? {} : { run }), ...parts };
  });
}

function kindOf(
  preset: Preset,
  { type, why }: RememberedText,
  words: string,
): { type: string; why: string } {
  if (type != null) return { type, why: why ?? "the request names its type" };
  if (isQuestion(words) && typeOf(preset, EPISODE) !== undefined)
    return { type: EPISODE, why: "it is a question" };
  const guessed = guessedType(preset, words);
  return { type: guessed, why: `it reads like a ${guessed}` };
}

/** The time constant of decay, by importance: from half to twice that of the type. */
const lasting = (
  { engine }: RememberingStore,
  subtype: string | null,
  importance: number,
): number => engine.getInitialStabilityForSubtype(subtype) * 2 ** (2 * importance - 1);

const keyOf = (text: string, { user }: RememberedText): string =>
  JSON.stringify([user ?? null, comparedWords(text).join(" ")]);

/** Returns the id of a memory of the same user that says the same; undefined if there is none. */
function duplicateOf(
  store: RememberingStore,
  text: string,
  item: RememberedText,
  seen: ReadonlyMap<string, string>,
): string | undefined {
  const inRequest = seen.get(keyOf(text, item));
  if (inRequest !== undefined) return inRequest;
  const words = comparedWords(text);
  const answers = store.ask(text.slice(0, MAX_ASKED), {
    limit: item.sources === undefined ? MAX_COMPARED : MAX_COMPARED_WITH_A_FACT,
  });
  const order = answers.map(({ id }) => id);
  const rows = [...store.rows(order)];
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
