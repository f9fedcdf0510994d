// Rule: which messages of a conversation were sent before.
//
// # Idea
//
// Clients in the manner of chat interfaces send the whole conversation again at each turn, others only
// what is new. A message is no duplicate because it was said before: people say "yes, please" twice. So
// the messages are aligned with the stored turns of their session, by speaker and statement:
//
// - If all messages have a time, a message is known if a stored turn has its time, speaker and statement.
// - Otherwise the beginning of the messages is known if it is all that is stored, the first turns that are
//   stored (three at least), or the last ones (two at least, with something new after them). A message
//   alone is always new.
//
// Without a session, messages continue the conversation without a session that begins with them, if that
// has two turns at least.
//
// # Cost
//
// Two lists of as many stored turns as the messages have pieces, and time linear in them.

import { createdAtOf } from "../index-rows.ts";
import type { NodeRow } from "../rows.ts";
import { statementOf } from "../statement.ts";
import type { Steps } from "../steps.ts";
import { parseInstant } from "../time.ts";
import type { RememberingStore, SplitItem } from "./store.ts";

/** The fewest messages at the start of a conversation, and at its end, that count as sent again. */
const FEWEST_FIRST = 3;
const FEWEST_LAST = 2;
/** The conversations without a session that may go on, and the memories by which they are found. */
const MAX_RUNS = 5;
const MAX_FOUND = 20;
const MAX_ASKED = 300;
/** Stored turns beside those of the given times. */
const MORE_TURNS = 1_000;

/** The messages that were sent before, with the ids of their memories, and the run that they continue. */
export interface KnownTurns {
  known: Map<SplitItem, readonly string[]>;
  run?: string;
}

/** Messages as they are compared: the pieces of all of them, in order. */
interface Given {
  items: readonly SplitItem[];
  keys: string[];
  /** By message: the number of pieces up to its end. */
  ends: number[];
  speakers: readonly string[];
  isTimed: boolean;
  user: string | null;
}

/** Returns the messages that a conversation has already. */
export function* knownTurns(
  store: RememberingStore,
  items: readonly SplitItem[],
  session: string | null | undefined,
): Steps<KnownTurns> {
  const given = yield* givenOf(items);
  if (session != null) {
    const run = store.runOf(session);
    return { run, known: (yield* knownIn(store, given, run, false)).known };
  }
  const [first] = items;
  const asked = first!.pieces[0]?.text.slice(0, MAX_ASKED) ?? "";
  const answers = store.ask(asked, { limit: MAX_FOUND });
  const beginnings = store
    .rows(answers.map(({ id }) => id))
    .filter((row) => row.session_id === null && row.user_id === given.user)
    .filter((row) => keyOf(given, row) === given.keys[0]);
  let best: KnownTurns = { known: new Map() };
  for (const run of store.runsOf(beginnings.map(({ id }) => id)).slice(0, MAX_RUNS)) {
    const { known } = yield* knownIn(store, given, run, true);
    if (known.size > best.known.size) best = { known, run };
  }
  return best;
}

function* givenOf(items: readonly SplitItem[]): Steps<Given> {
  // One time of several messages is that of the call.
  const times = new Set(items.map(({ created_at }) => created_at ?? null));
  const isTimed = !times.has(null) && (times.size > 1 || items.length === 1);
  const keys: string[] = [];
  const ends: number[] = [];
  for (const { speaker = "", pieces, created_at } of items) {
    const at = isTimed ? parseInstant(created_at!) : undefined;
    for (const { text } of pieces) keys.push(JSON.stringify([speaker, statementOf(text), at]));
    ends.push(keys.length);
    yield;
  }
  // The longest name first: one may begin like another.
  const speakers = [...new Set(items.map(({ speaker = "" }) => speaker))].sort(
    (a, b) => b.length - a.length,
  );
  return { items, keys, ends, speakers, isTimed, user: items[0]!.user ?? null };
}

/** Returns a stored turn as messages are compared; undefined if none of their speakers said it. */
function keyOf({ speakers, isTimed }: Given, row: NodeRow): string | undefined {
  const { content_title: title, content_body: body } = row;
  const speaker = speakers.find((name) => title?.startsWith(`${name}: `));
  if (speaker === undefined) return undefined;
  const said = body ?? title.slice(speaker.length + 2);
  return JSON.stringify([speaker, statementOf(said), isTimed ? createdAtOf(row) : undefined]);
}

function* knownIn(
  store: RememberingStore,
  given: Given,
  run: string,
  isFromStart: boolean,
): Steps<KnownTurns> {
  const { items, keys, ends, isTimed, user } = given;
  const known: KnownTurns["known"] = new Map();
  if (isTimed) {
    const times = items.map(({ created_at }) => created_at!).sort();
    const limit = keys.length + MORE_TURNS;
    const between = { from: times[0], to: times.at(-1) };
    const ids = new Map<string, string[]>();
    for (const row of store.turns(run, { user, end: "last", limit, ...between })) {
      const key = keyOf(given, row);
      if (key !== undefined) ids.set(key, [...(ids.get(key) ?? []), row.id]);
    }
    yield;
    for (const [place, item] of items.entries()) {
      const own = keys.slice(ends[place - 1] ?? 0, ends[place]);
      if (!own.every((key) => (ids.get(key)?.length ?? 0) > 0)) continue;
      known.set(
        item,
        own.map((key) => ids.get(key)!.shift()!),
      );
    }
    return { known };
  }
  const last = store.turns(run, { user, end: "last", limit: keys.length + 1 });
  yield;
  const first =
    last.length <= keys.length
      ? last
      : store.turns(run, { user, end: "first", limit: keys.length });
  yield;
  const { count, rows } = sentAgain(given, first, last, isFromStart);
  for (const [place, item] of items.slice(0, count).entries())
    known.set(
      item,
      rows.slice(ends[place - 1] ?? 0, ends[place]).map(({ id }) => id),
    );
  return { known };
}

/** Returns how many messages at the beginning are stored, and the memories of their pieces. */
function sentAgain(
  given: Given,
  first: readonly NodeRow[],
  last: readonly NodeRow[],
  isFromStart: boolean,
): { count: number; rows: readonly NodeRow[] } {
  const { items, keys, ends } = given;
  const none = { count: 0, rows: [] };
  if (items.length < 2) return none;
  const stored = first.map((row) => keyOf(given, row));
  const differs = keys.findIndex((key, place) => key !== stored[place]);
  const same = differs < 0 ? keys.length : differs;
  const count = ends.filter((end) => end <= same).length;
  const isAll = last.length === first.length && ends[count - 1] === last.length;
  const fewest = !isAll ? FEWEST_FIRST : isFromStart ? FEWEST_LAST : 1;
  const ofStart = count >= fewest ? { count, rows: first } : none;
  if (isFromStart) return ofStart;
  const length = lastInCommon(
    keys,
    last.map((row) => keyOf(given, row)),
    (pieces) => {
      const messages = ends.indexOf(pieces) + 1;
      return messages >= FEWEST_LAST && messages < items.length;
    },
  );
  const ofEnd = ends.indexOf(length) + 1;
  return ofEnd > ofStart.count ? { count: ofEnd, rows: last.slice(-length) } : ofStart;
}

/**
 * Returns the length of the longest beginning of `keys` that is an end of `stored` and that `isAllowed`
 * allows; 0 if there is none. It takes linear time: by the lengths of the beginnings of `keys` that end
 * at each place (Knuth, Morris and Pratt).
 */
function lastInCommon(
  keys: readonly string[],
  stored: readonly (string | undefined)[],
  isAllowed: (length: number) => boolean,
): number {
  const whole = [...keys, undefined, ...stored.slice(-keys.length)];
  const lengths: number[] = [0];
  for (let place = 1; place < whole.length; place += 1) {
    const own = whole[place];
    let length = lengths[place - 1]!;
    while (length > 0 && whole[length] !== own) length = lengths[length - 1]!;
    lengths.push(own !== undefined && whole[length] === own ? length + 1 : 0);
  }
  let length = lengths.at(-1)!;
  while (length > 0 && !isAllowed(length)) length = lengths[length - 1]!;
  return length;
}
