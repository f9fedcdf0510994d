// The features of a pair of memories, by which the rule of replacing weighs whether the newer one
// replaces the older one.
//
// # Idea
//
// A statement that replaces another one says the same of one thing with another value: both share
// their words, and differ in one slot. Words that differ in the subject name another thing. Words
// of change speak for it, words of addition against it. Longer memories are read less closely: by the
// shares of their words, and by the two sentences that share most.
//
// # Invariants
//
// - Only the two memories and their circumstances are read: no clock, and no other memory but for
//   the rarity of words.
// - Each feature is finite and small. Those of statements are 0 for longer memories, and the other
//   way round.
//
// # Cost
//
// At most twelve sentences of forty words each are compared with as many, and two of them aligned.

import { keysIn, type Sentence, sentencesOf, type Word } from "./reading.ts";
import {
  ADDING,
  ADDRESSES,
  DENIES,
  FIELDS,
  FUNCTION_WORDS,
  MONTHS,
  NUMBERED,
  OPPOSITES,
  PERSONS,
  PHRASES,
  SAYS_WHICH,
  SCOPES,
  TALK,
  TELLS_OF,
  UNITS,
  WEEKDAYS,
} from "./words.ts";

/** A memory as the rule compares it. */
export interface ComparedTexts {
  readonly title: string;
  /** Summary and body. */
  readonly text: string;
  readonly subtype: string | null;
}

/** The names of the features, in the order of the weights. */
export const FEATURES = [
  // Of two statements.
  "nearness",
  "same_subtype",
  "event",
  "shared_old",
  "shared_new",
  "shared_words",
  "rest_old",
  "rest_new",
  "entailed",
  "one_slot",
  "slot_which",
  "slot_definite",
  "same_subject",
  "subject_taken",
  "other_subject",
  "other_subject_only",
  "other_subject_changed",
  "other_person",
  "other_bare",
  "value_number",
  "value_calendar",
  "value_name",
  "value_lost",
  "value_lost_changed",
  "value_kept",
  "other_names",
  "speaker_both",
  "speaker_one",
  "speaker_one_changed",
  "speaker_new",
  "now",
  "ended",
  "became",
  "again",
  "corrects",
  "added",
  "aside",
  "once",
  "adds_up",
  "apart",
  "confirms",
  "happened",
  "happened_old",
  "talk",
  "addressed",
  "denied",
  "opposite",
  "changed",
  "soft",
  "field",
  "field_same",
  "field_changed",
  "field_changed_same",
  "changed_slot",
  "changed_shared",
  "unchanged_kept",
  "unchanged_unlike",
  "length",
  "alike",
  // Of two memories of which one is longer than a statement.
  "long",
  "long_nearness",
  "long_place",
  "long_words",
  "long_taken",
  "long_titles",
  "long_subtype",
  "long_newer_event",
  "long_change",
  "long_age",
  "long_old",
  "long_new",
  "long_sentence",
  "long_sentence_changed",
  "long_number",
  "long_calendar",
  "long_names",
  "long_event",
  "long_ended",
  "long_talk",
  "long_addressed",
] as const;

/** The name of a feature. */
export type Feature = (typeof FEATURES)[number];
/** The features of a pair. */
export type Features = Readonly<Record<Feature, number>>;

/** What is known of a pair beside its texts. */
export interface Around {
  /** The cosine of their embeddings; undefined without them. */
  readonly cosine?: number | undefined;
  /** Their nearness by word vectors; 0 without them. */
  readonly sem: number;
  /** The place of the older one among the answers to the newer one, from 0. */
  readonly place: number;
  /** BM25 with neighbours, over that of the best of the answers. */
  readonly words: number;
  /** How much of the newer one is in the older one, by words and their neighbours. */
  readonly soft: number;
  /** Whether the newer one tells what happened, by its section. */
  readonly isEvent: boolean;
  /** Days between the two. */
  readonly days: number;
  /** How many of the other answers have as high a cosine; 0 without embeddings. */
  readonly alike: number;
  /** How rare a word is among the answers. */
  readonly rarity: (key: string) => number;
}

/** Phrases by which a memory says that something changed. */
const { now, ended, became, again, corrects } = PHRASES;
const CHANGES = [now, ended, became, again, corrects];

/** No feature. */
const NONE = Object.fromEntries(FEATURES.map((name) => [name, 0])) as Features;
const some = (is: boolean): number => Number(is);

/** Returns the features of two memories. */
export function featuresOf(older: ComparedTexts, newer: ComparedTexts, around: Around): Features {
  const [olds, news] = [sentencesOf(wholeOf(older)), sentencesOf(wholeOf(newer))];
  const same_subtype = some(older.subtype === newer.subtype);
  const nearness = around.cosine ?? around.sem;
  const isLong = olds.length > MAX_STATEMENT || news.length > MAX_STATEMENT;
  const own = isLong
    ? longFeatures({ older, newer, olds, news }, around)
    : {
        nearness,
        same_subtype,
        event: some(around.isEvent),
        soft: around.soft,
        alike: Math.log(1 + around.alike),
        ...statementFeatures(olds[0] ?? NOTHING, news[0] ?? NOTHING),
      };
  return { ...NONE, ...own };
}

/** Words of an older statement that are not in the newer one; more count as so many. */
export const MAX_REST = 5;
/** A text of more sentences is no statement. */
const MAX_STATEMENT = 1;

/** Returns the features of two statements. */
function statementFeatures(old: Sentence, fresh: Sentence): Partial<Features> {
  const [shared_old, shared_new] = [shareIn(old, fresh), shareIn(fresh, old)];
  const runs = differingRuns(old.words, fresh.words);
  const swapped = runs.filter(({ lost, won }) => isContent(lost) && isContent(won));
  const [lost, won] = [restOf(old, fresh), restOf(fresh, old)];
  const isTaken = holds(fresh, old.subject);
  const isOther = old.subject !== fresh.subject && !isTaken && !holds(old, fresh.subject);
  const both = (...kinds: Word["kind"][]) =>
    [lost, won].every((words) => words.some(({ kind }) => kinds.includes(kind)));
  const hasNumber = (words: readonly Word[]) => words.some(({ kind }) => kind === "number");
  // An amount has another amount in its place, or "doubled"; a name does not replace it.
  const isLost = hasNumber(lost) && !hasNumber(won) && won.some(({ kind }) => kind === "name");
  const isAdded = isNewIn(fresh, old, PHRASES.added);
  const isUnchanged = isNewIn(fresh, old, PHRASES.unchanged);
  const says = (phrase: RegExp) => !isAdded && !isUnchanged && isNewIn(fresh, old, phrase);
  const change = {
    now: says(now),
    ended: says(ended),
    became: says(became),
    again: says(again),
    corrects: says(corrects),
  };
  const changed = Object.values(change).some(Boolean);
  const isKept = holds(fresh, old.content.at(-1)?.key);
  const isOneSlot = swapped.length === 1 && !isOther;
  const isWhich = old.words.some(({ key }) => SAYS_WHICH.has(key) && holdsWord(fresh, key));
  const isOpposite = OPPOSITES.some(
    ([one, other]) =>
      (hasWord(old, one) && hasWord(fresh, other)) || (hasWord(old, other) && hasWord(fresh, one)),
  );
  const isDenied = hasAny(old.text, DENIES) !== hasAny(fresh.text, DENIES);
  const isField = FIELDS.some((field) => hasWord(old, field) && hasWord(fresh, field));
  const isOfPerson = isPerson(old.subject) || isPerson(fresh.subject);
  const isOfSpeaker = old.isSpeaker && fresh.isSpeaker && !isOfPerson;
  const isSame = old.subject === fresh.subject || isTaken || isOfSpeaker;
  const isSpeakerOne = old.isSpeaker !== fresh.isSpeaker;
  return {
    shared_old,
    shared_new,
    shared_words: Math.min(old.content.length - lost.length, 5) / 5,
    rest_old: Math.min(lost.length, MAX_REST) / MAX_REST,
    rest_new: Math.min(won.length, 8) / 8,
    entailed: some(lost.length === 0 && !isOpposite && !isDenied),
    one_slot: some(isOneSlot),
    slot_which: some(isOneSlot && isWhich),
    slot_definite: some(isOneSlot && isWhich && old.isDefinite && fresh.isDefinite),
    same_subject: some(old.subject === fresh.subject),
    subject_taken: some(isTaken),
    other_subject: some(isOther),
    other_subject_only: some(isOther && swapped.length === 1),
    other_subject_changed: some(isOther && changed),
    other_person: some(isOther && isOfPerson),
    other_bare: some(isOther && old.isBare && fresh.isBare),
    value_number: some(both("number")),
    value_calendar: some(both("day") || both("month") || both("time")),
    value_name: some(both("name")),
    value_lost: some(isLost),
    value_lost_changed: some(isLost && changed),
    value_kept: some(isKept),
    other_names: some(isOther && both("name")),
    speaker_both: some(old.isSpeaker && fresh.isSpeaker),
    speaker_one: some(isSpeakerOne),
    speaker_one_changed: some(isSpeakerOne && changed),
    speaker_new: some(isSpeakerOne && !holds(old, fresh.subject)),
    now: some(change.now),
    ended: some(change.ended),
    became: some(change.became),
    again: some(change.again),
    corrects: some(change.corrects),
    added: some(isAdded),
    aside: some(isNewIn(fresh, old, PHRASES.aside)),
    once: some(isNewIn(fresh, old, PHRASES.once)),
    adds_up: some(!changed && hasWord(old, ADDING) && hasWord(fresh, ADDING)),
    apart: some(!changed && isApart(old, fresh)),
    confirms: some(!changed && (isUnchanged || isNewIn(fresh, old, PHRASES.confirms))),
    happened: some(hasAny(fresh.text, PHRASES.happened)),
    happened_old: some(hasAny(old.text, PHRASES.happened)),
    ...talkIn(old.text, fresh.text),
    denied: some(isDenied),
    opposite: some(isOpposite),
    changed: some(changed),
    field: some(isField),
    field_same: some(isField && isSame),
    field_changed: some(isField && changed),
    field_changed_same: some(isField && changed && isSame),
    changed_slot: some(changed && isOneSlot),
    changed_shared: changed ? shared_old : 0,
    unchanged_kept: some(!changed && !isOpposite && !isDenied && isKept),
    unchanged_unlike: changed ? 0 : 1 - shared_old,
    length: Math.log(1 + old.words.length + fresh.words.length) / 5,
  };
}

/** Returns how many of two texts are turns of talk, and how many address somebody, as shares. */
function talkIn(...texts: readonly [string, string]): Pick<Features, "talk" | "addressed"> {
  const share = (is: (text: string) => boolean) => texts.filter(is).length / 2;
  return {
    talk: share((text) => text.includes("!") || hasAny(text, TALK)),
    addressed: share((text) => hasAny(text, ADDRESSES)),
  };
}

/** Two memories and their sentences. */
interface LongPair {
  older: ComparedTexts;
  newer: ComparedTexts;
  olds: readonly Sentence[];
  news: readonly Sentence[];
}

/** Returns the two sentences that share most of their words. */
function nearestOf(olds: readonly Sentence[], news: readonly Sentence[]) {
  let best = { old: olds[0] ?? NOTHING, fresh: news[0] ?? NOTHING };
  let most = 0;
  for (const old of olds)
    for (const fresh of news) {
      const shared = shareIn(old, fresh) + shareIn(fresh, old);
      if (shared > most) [best, most] = [{ old, fresh }, shared];
    }
  return best;
}

/** Returns the features of memories of which one is longer: shares of words, and no alignment. */
function longFeatures({ older, newer, olds, news }: LongPair, around: Around): Partial<Features> {
  const [old, fresh] = [keysIn(wholeOf(older)), keysIn(wholeOf(newer))];
  const share = (keys: readonly string[], others: readonly string[]) => {
    const there = new Set(others);
    let [shared, all] = [0, 0];
    for (const key of new Set(keys)) {
      const weight = around.rarity(key);
      all += weight;
      if (there.has(key)) shared += weight;
    }
    return all === 0 ? 0 : shared / all;
  };
  const near = nearestOf(olds, news);
  const its = statementFeatures(near.old, near.fresh);
  const { talk, addressed } = talkIn(wholeOf(older), wholeOf(newer));
  const changes = CHANGES.filter((phrase) => hasAny(wholeOf(newer), phrase));
  return {
    long: 1,
    long_nearness: around.sem,
    long_place: Math.log(1 + around.place) / 2,
    long_words: around.words,
    long_taken: share(old, fresh),
    long_titles: share(keysIn(older.title), keysIn(newer.title)),
    long_subtype: some(older.subtype === newer.subtype),
    long_newer_event: some(around.isEvent),
    long_change: Math.min(changes.length, 3) / 3,
    long_age: Math.log(1 + Math.max(around.days, 0)) / 6,
    long_old: Math.log(1 + old.length) / 6,
    long_new: Math.log(1 + fresh.length) / 6,
    long_sentence: its.shared_old! + its.shared_new!,
    long_sentence_changed: its.changed ? its.shared_old! : 0,
    long_number: its.value_number!,
    long_calendar: its.value_calendar!,
    long_names: its.value_name!,
    long_event: its.happened!,
    long_ended: its.ended!,
    long_talk: talk,
    long_addressed: addressed,
  };
}

const hasAny = (text: string, phrase: RegExp): boolean => text.search(phrase) >= 0;
/** Whether a phrase is in one sentence, and not the same words in another one. */
function isNewIn(one: Sentence, other: Sentence, phrase: RegExp): boolean {
  const said = (sentence: Sentence) => sentence.text.toLowerCase().match(phrase) ?? [];
  const before = new Set(said(other));
  return said(one).some((words) => !before.has(words));
}
/** Whether a sentence is about something, or says it. "My wife …" does not tell of the speaker. */
const holds = ({ content, isSpeaker, subject }: Sentence, key: string | undefined): boolean =>
  key === "" ? isSpeaker && !isPerson(subject) : content.some((word) => word.key === key);
const isPerson = (subject: string | undefined): boolean => PERSONS.has(subject ?? "");
const holdsWord = ({ words }: Sentence, key: string): boolean =>
  words.some((word) => word.key === key);
const restOf = (from: Sentence, other: Sentence): Word[] =>
  from.content.filter(({ key }) => !holdsWord(other, key));

/** Returns title and text of a memory; a text that begins with its title once. */
export const wholeOf = ({ title, text }: Pick<ComparedTexts, "title" | "text">): string =>
  (text.startsWith(title.replace(/…$/, "")) ? text : `${title}\n${text}`).slice(0, MAX_READ).trim();

/** UTF-16 units of a memory that are compared. */
export const MAX_READ = 2_000;

/**
 * Whether two memories are of one series, which a number tells apart ("ticket 12", "ticket 13"), or
 * tell of two times ("On Monday …", "On Tuesday …").
 */
export function isOfSeries(older: ComparedTexts, newer: ComparedTexts): boolean {
  const [old, fresh] = [labelsOf(wholeOf(older)), labelsOf(wholeOf(newer))];
  for (const [label, number] of old) if ((fresh.get(label) ?? number) !== number) return true;
  return false;
}

/** A token of letters and digits: `lane0base0i1`, `w7-31`, `#12`. */
const CODE = /(?=[^\s]*\p{L})(?=[^\s]*\p{N})[\p{L}\p{N}_.:/#-]+/gu;
/** A word, a number, or both, and the mark behind it. */
const TOKEN = /#?[\p{L}\p{N}]+(?:['’._/#:-]+[\p{L}\p{N}]+)*[:.)\]]?/gu;
/** The words at the beginning in which a series has its number, if a colon follows. */
const LABEL_WORDS = 5;
/** The units of text in which names stand. */
const MAX_LABELLED = 300;

/** Returns the numbers and letters that are part of names, by the name without them. */
function labelsOf(text: string): Map<string, string> {
  const labels = new Map<string, string>();
  const said = text.slice(0, MAX_LABELLED).toLowerCase();
  const tokens = said.match(TOKEN) ?? [];
  const bare = tokens.map((token) => token.replace(/[:.)\]]$/, ""));
  const first = bare[0] === "the" ? 1 : 0;
  const isNumber = (token: string | undefined) => token !== undefined && /\p{N}/u.test(token);
  const skeleton = (words: readonly string[]) => words.join(" ").replace(/\p{N}+/gu, "0");
  // "Widget 12 …", "server B …", "12. …": a number or letter that is no value.
  const [noun, mark, next] = [bare[first], bare[first + 1], bare[first + 2]];
  if (isNumber(noun)) labels.set("0", noun!);
  else if (
    noun !== undefined &&
    mark !== undefined &&
    !FUNCTION_WORDS.has(noun) &&
    ((isNumber(mark) && !noun.endsWith("s") && !UNITS.has(next ?? "") && !/[%€$]/.test(said)) ||
      (/^\p{L}$/u.test(mark) && !/^[iyoé]$/.test(mark) && tokens[first] === noun))
  )
    labels.set(skeleton([noun, isNumber(mark) ? mark : "0"]), mark);
  // "Bug in sprint 12: …": a number before a colon.
  const colon = tokens.slice(0, LABEL_WORDS).findIndex((token) => token.endsWith(":"));
  if (colon >= 0) {
    const head = bare.slice(0, colon + 1);
    if (head.some(isNumber)) labels.set(skeleton(head), head.join(" "));
  }
  // A number behind a noun that numbers tell apart, anywhere.
  for (const [, noun, number] of said.matchAll(/(\p{L}+)[\s#:.-]{1,3}(\p{N}[\p{N}.-]*)/gu))
    if (NUMBERED.has(noun!)) labels.set(noun!, number!);
  // "The ferry of pier 7 is late": a number of what the statement is about, and no value.
  for (const [, noun, number, verb] of said.matchAll(/(\p{L}+)\s+#?(\p{N}+)\s+(\p{L}+)/gu))
    if (TELLS_OF.has(verb!) && !FUNCTION_WORDS.has(noun!) && !MONTHS.has(noun!))
      labels.set(noun!, number!);
  // Codes with more than one number.
  for (const [code] of said.matchAll(CODE))
    if ((code.match(/\p{N}+/gu) ?? []).length > 1 && /\p{L}[.:/#_-]*\p{N}/u.test(code))
      labels.set(skeleton([code]), code);
  const time = LEAD.exec(said)?.[1];
  if (time !== undefined) labels.set("time", time);
  return labels;
}

/** A time at the beginning that is that of an event: "On Monday", "In March", "Q1". */
const TIMES = [...WEEKDAYS, ...MONTHS, "gestern", "heute", "yesterday", "today", "q[1-4]"];
const LEAD = new RegExp(
  `^(?:(?:on|in|last|this|am|im|el|en)\\s+)?(${TIMES.join("|")})(?![\\p{L}\\p{N}])`,
  "u",
);

const NOTHING: Sentence = {
  ...{ text: "", words: [], content: [] },
  ...{ isSpeaker: false, subject: undefined, isDefinite: false, isBare: false },
};
/** A value counts less than a word that says what it is the value of. */
const WEIGHTS: Readonly<Record<Word["kind"], number>> = {
  ...{ number: 0.5, time: 0.5, day: 0.5, month: 0.5 },
  ...{ name: 1, word: 1, function: 0 },
};

/** Returns the share of the words of one sentence that are in another one. */
function shareIn(one: Sentence, other: Sentence): number {
  const keys = new Set(other.content.map(({ key }) => key));
  let [shared, all] = [0, 0];
  for (const { key, kind } of one.content) {
    all += WEIGHTS[kind];
    if (keys.has(key)) shared += WEIGHTS[kind];
  }
  return all === 0 ? 0 : shared / all;
}

const isContent = (words: readonly Word[]): boolean =>
  words.some(({ kind }) => kind !== "function");
const hasWord = ({ text }: Sentence, wanted: ReadonlySet<string>): boolean =>
  (text.toLowerCase().match(/\p{L}+/gu) ?? []).some((word) => wanted.has(word));

/** Whether each of two sentences names another scope. */
const isApart = (one: Sentence, other: Sentence): boolean =>
  SCOPES.some((scopes) => {
    const [own, others] = [one, other].map((it) => scopes.findIndex((scope) => hasWord(it, scope)));
    return own !== others && own !== -1 && others !== -1;
  });

/** Words of the older sentence in whose place others stand in the newer one. */
interface Run {
  lost: Word[];
  won: Word[];
}

/** Aligns two sentences by their longest common words in order, and returns what differs. */
function differingRuns(old: readonly Word[], fresh: readonly Word[]): Run[] {
  const width = fresh.length + 1;
  const longest = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = fresh.length - 1; j >= 0; j--)
      longest[i * width + j] =
        old[i]!.key === fresh[j]!.key
          ? longest[(i + 1) * width + j + 1]! + 1
          : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
  const runs: Run[] = [];
  let [i, j] = [0, 0];
  let run: Run = { lost: [], won: [] };
  const close = () => {
    if (run.lost.length + run.won.length > 0) runs.push(run);
    run = { lost: [], won: [] };
  };
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i]!.key === fresh[j]!.key) {
      close();
      [i, j] = [i + 1, j + 1];
    } else if (
      j === fresh.length ||
      (i < old.length && longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!)
    )
      run.lost.push(old[i++]!);
    else run.won.push(fresh[j++]!);
  }
  close();
  return runs;
}
