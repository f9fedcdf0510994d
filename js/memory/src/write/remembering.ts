// Rule: which memories texts and messages become: pieces, titles, types, and what is known already.

import { beginsWithQuestion, endsWithQuestion, isQuestion } from "../asks.ts";
import { EPISODE, isIdle } from "../idle.ts";
import { guessedType, type Preset, typeOf } from "../presets/preset.ts";
import { givenLines, withoutMarks } from "../prompt/turn-prompt.ts";
import type { Steps } from "../steps.ts";
import { parseInstant, toIso } from "../time.ts";
import { mergeInto } from "./merging.ts";
import { candidatesOf, sameStatement, statementOfPiece, superseding } from "./same-statement.ts";
import { type Piece, splitText, titleOf } from "./split.ts";
import type {
  GivenTexts,
  PreparedItem,
  Remembered,
  RememberedText,
  RememberingStore,
  Seen,
  SplitItem,
} from "./store.ts";
import { titleOfPiece } from "./titles.ts";
import { knownTurns } from "./turns.ts";

/** A longer message tells of more than one thing. */
const MAX_OF_ONE_THING = { words: 40, characters: 1_000 };

const SAME = "a memory says the same";
const SENT_BEFORE = "the message was sent before";

/** Texts that were read, and are not stored yet. */
export interface Prepared {
  items: readonly PreparedItem[];
  /** The memories of messages that were sent before. */
  known: ReadonlyMap<SplitItem, readonly string[]>;
  /** The run of a conversation. */
  run: string | undefined;
  /** How many texts say nothing. */
  skipped: number;
}

/** What became of the texts of a call. */
export interface RememberedTexts {
  /** What became of each text, in order. */
  items: { item: RememberedText; made: Remembered[] }[];
  /** How many texts said nothing. */
  skipped: number;
}

/**
 * Reads texts, or messages of a conversation, with pauses: splits them, and looks for memories that say
 * them already. It writes nothing. `guesses`: what the user tells of themselves gets a type of the
 * profile. `check` throws for a text that cannot be stored.
 */
export function* prepare(
  store: RememberingStore,
  given: GivenTexts,
  guesses: boolean,
  check: (item: RememberedText) => void = () => {},
): Steps<Prepared> {
  const { messages, session } = given;
  const before =
    messages === undefined || session == null ? [] : lastTurn(store, session, given.user);
  const { items, skipped } = textsToRemember(store, given, guesses, before[0]);
  const split: SplitItem[] = [];
  for (const item of items) {
    check(item);
    split.push(yield* splitItem(store, item));
  }
  const prepared: PreparedItem[] = [];
  for (const item of split) prepared.push(yield* preparedItem(store, item));
  if (messages === undefined || prepared.length === 0)
    return { items: prepared, known: new Map(), run: undefined, skipped };
  const { known, run = store.runOf(session) } = yield* knownTurns(store, prepared, session);
  return { items: prepared, known, run, skipped };
}

/** Stores texts that were read, with pauses. Returns what became of them. */
export function* storePrepared(
  store: RememberingStore,
  { items, known, run, skipped }: Prepared,
): Steps<RememberedTexts> {
  const seen: Seen = new Map();
  const done: RememberedTexts["items"] = [];
  for (const item of items) {
    const ids = known.get(item);
    const made =
      ids === undefined
        ? yield* rememberItem(store, item, run, seen)
        : sentBefore(store, item, ids);
    done.push({ item, made });
    yield;
  }
  return { items: done, skipped };
}

/** Gives the memories of a message that was sent before what is new in its fields. */
function sentBefore(
  store: RememberingStore,
  item: SplitItem,
  ids: readonly string[],
): Remembered[] {
  const rows = new Map(store.rows(ids).map((row) => [row.id, row]));
  return ids.map((id, place): Remembered => {
    const not_taken = mergeInto(store, rows.get(id)!, item);
    return {
      ...{ id, action: "duplicate", why: SENT_BEFORE },
      ...partOf(ids.length, place),
      ...(not_taken.length === 0 ? {} : { fields_not_taken: not_taken }),
    };
  });
}

/** The last thing that was said in a session. */
const lastTurn = (
  store: RememberingStore,
  session: string,
  user: string | null | undefined,
): string[] =>
  store
    .turns(store.runOf(session), { user: user ?? null, end: "last", limit: 1 })
    .map(({ content_title, content_body }) => content_body ?? content_title);

/**
 * Returns the texts that are remembered, and how many say nothing. `before` is what was said before the
 * messages.
 */
export function textsToRemember(
  store: Pick<RememberingStore, "engine" | "preset">,
  { text, memories, messages, title, id, ...shared }: GivenTexts,
  guesses: boolean,
  before?: string,
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
  let asked = before !== undefined && endsWithQuestion(before);
  const items = messages.flatMap((message, place): RememberedText[] => {
    const { role, name, content, created_at, id: elsewhere } = message;
    // "yes" says something where it answers.
    const isAnswer = asked && content.trim() !== "";
    asked = endsWithQuestion(content);
    if (!isAnswer && isIdle(store, content)) return [];
    const speaker = name ?? role;
    const isOwn =
      guesses && shared.type == null && role === "user" && tellsOfUser(store.preset, content);
    return [
      {
        ...shared,
        ...(isOwn
          ? { type: guessedType(store.preset, content), why: "the user tells of themselves" }
          : { type: shared.type ?? EPISODE, why: "a message of a conversation" }),
        ...{ text: content, title: `${speaker}: ${titleOf(content)}` },
        created_at: created_at ?? shared.created_at,
        ...(elsewhere == null ? {} : { metadata: { message_id: elsewhere, ...shared.metadata } }),
        ...{ message: place + 1, speaker },
      },
    ];
  });
  return { items, skipped: messages.length - items.length };
}

/** A text of the user about the user: "I am allergic to walnuts". */
const FIRST_PERSON = /\b(I|I'm|my|we|our|ich|mein\w*|wir|unser\w*)\b/i;

/** Whether a message says something about its user that belongs to the profile. */
export function tellsOfUser(preset: Preset, content: string): boolean {
  if (content.length > MAX_OF_ONE_THING.characters) return false;
  if (isQuestion(content) || beginsWithQuestion(content)) return false;
  if (!FIRST_PERSON.test(content)) return false;
  if (content.split(/\s+/).length > MAX_OF_ONE_THING.words) return false;
  return typeOf(preset, guessedType(preset, content))?.heading === "user_profile";
}

/** Splits a text into the pieces that are stored; its front matter gives tags and a date. */
function* splitItem(store: RememberingStore, item: RememberedText): Steps<SplitItem> {
  if (item.speaker === undefined) {
    // A prompt or a tool gave the line, if a memory says it without the marks around it.
    const { text, isCertain } = withoutMarks(item.text, (id) => store.rows([id]).length > 0);
    if (text !== item.text.trim()) {
      const given: SplitItem = { ...item, text, isGiven: true, pieces: [pieceOf(text)] };
      const found = candidatesOf(store, given, given.pieces[0]!);
      const isKnown = () =>
        sameStatement(store, given, given.pieces[0]!, { seen: new Map(), found }) !== undefined;
      if (isCertain || isKnown()) return given;
    }
    if (item.sources !== undefined && item.text.trim() !== "")
      return { ...item, pieces: [pieceOf(item.text.trim())] };
  }
  const { pieces: split, front } = splitText(item.text);
  const pieces: Piece[] = [];
  for (const piece of split) {
    pieces.push(piece);
    yield;
  }
  if (front === undefined || item.speaker !== undefined) return { ...item, pieces };
  const date = front.date === undefined ? undefined : parseInstant(front.date);
  const tags = [...new Set([...(item.tags ?? []), ...front.tags])].slice(0, MAX_TAGS);
  return {
    ...item,
    pieces,
    ...(tags.length === 0 ? {} : { tags }),
    ...(item.created_at != null || date === undefined || date > store.now
      ? {}
      : { created_at: toIso(date) }),
  };
}

/** The tags of a memory, with those of its front matter. */
const MAX_TAGS = 100;

const pieceOf = (text: string): Piece => ({ title: titleOf(text), isBelowHeading: false, text });

const partOf = (parts: number, place: number) => (parts > 1 ? { part: place + 1, parts } : {});

/** Looks for what is known of the pieces of a text, and for their types. */
function* preparedItem(store: RememberingStore, item: SplitItem): Steps<PreparedItem> {
  const { pieces } = item;
  if (pieces.length === 0) return store.refuse("text", "holds no words");
  if (pieces.length > 1 && item.id != null)
    store.refuse(
      "id",
      `names one memory, and the text is so long that it becomes ${pieces.length}`,
    );
  const [kinds, found]: [PreparedItem["kinds"][number][], string[][]] = [[], []];
  const places = new Map<string, number>();
  for (const [place, piece] of pieces.entries()) {
    const statement = statementOfPiece(item, piece);
    const before = places.get(statement) ?? place;
    places.set(statement, before);
    kinds.push(kinds[before] ?? kindOf(store.preset, item, piece.text));
    // A message is one of its conversation, and no other memory says it.
    const isMessage = item.speaker !== undefined;
    found.push(found[before] ?? (isMessage ? [] : candidatesOf(store, item, piece)));
    yield;
  }
  return { ...item, kinds, found };
}

/**
 * Stores a text, with pauses: as several memories if it is long and no fact. `seen` holds the texts of
 * this call that are stored already.
 */
export function* rememberText(
  store: RememberingStore,
  item: RememberedText,
  conversation: string | undefined,
  seen: Seen,
): Steps<Remembered[]> {
  const prepared = yield* preparedItem(store, yield* splitItem(store, item));
  return yield* rememberItem(store, prepared, conversation, seen);
}

function* rememberItem(
  store: RememberingStore,
  item: PreparedItem,
  conversation: string | undefined,
  seen: Seen,
): Steps<Remembered[]> {
  const { pieces, kinds, found } = item;
  let run = conversation;
  const made: Remembered[] = [];
  for (const [place, piece] of pieces.entries()) {
    if (place > 0) yield;
    const parts = partOf(pieces.length, place);
    const same =
      item.speaker === undefined
        ? sameStatement(store, item, piece, { seen, found: found[place]! })
        : undefined;
    const past = same === undefined || item.isGiven ? [] : superseding(store, same, item);
    if (same !== undefined && past.length === 0) {
      const not_taken = mergeInto(store, same, item);
      made.push({
        ...{ id: same.id, action: "duplicate", why: SAME, ...parts },
        ...(not_taken.length === 0 ? {} : { fields_not_taken: not_taken }),
      });
      continue;
    }
    if (pieces.length > 1) run ??= store.runOf(undefined);
    const { type, why } = kinds[place]!;
    const subtype =
      typeOf(store.preset, type) === undefined && !type.startsWith("custom:") ? null : type;
    const title = titleOfPiece(item.title, piece);
    const id = store.insert(
      {
        id: item.id,
        type,
        subtype,
        content_title: title,
        content_body: title === piece.text ? null : piece.text,
        ...(item.importance == null
          ? {}
          : { neural_stability: lasting(store, subtype, item.importance) }),
        ...{ tags: item.tags, metadata: item.metadata, user: item.user, session: item.session },
        ...{ event_time: item.event_time, expires_at: item.expires_at, source: item.source },
        created_at: item.created_at,
      },
      item.sources,
    );
    for (const older of past) store.supersede(id, older);
    const statement = statementOfPiece(item, piece);
    seen.set(statement, [...(seen.get(statement) ?? []), id]);
    if (run !== undefined) store.join(run, id);
    made.push({
      ...{ id, action: "created", why: past.length === 0 ? why : TRUE_AGAIN },
      ...(run === undefined ? {} : { run }),
      ...parts,
      ...(past.length === 0 ? {} : { supersedes: past }),
    });
  }
  return made;
}

const TRUE_AGAIN = "it is true again: it supersedes what had superseded it";

export function kindOf(
  preset: Preset,
  { type, why }: RememberedText,
  words: string,
): { type: string; why: string } {
  if (type != null) return { type, why: why ?? "the request names its type" };
  if (isQuestion(words) && typeOf(preset, EPISODE) !== undefined)
    return { type: EPISODE, why: "it is a question" };
  const guessed = guessedType(preset, words);
  return {
    type: guessed,
    why: `it reads like ${/^[aeiou]/.test(guessed) ? "an" : "a"} ${guessed}`,
  };
}

/** The time constant of decay, by importance: from half to twice that of the type. */
const lasting = (
  { engine }: RememberingStore,
  subtype: string | null,
  importance: number,
): number => engine.getInitialStabilityForSubtype(subtype) * 2 ** (2 * importance - 1);
