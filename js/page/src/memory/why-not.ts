// Why a memory is not the first answer to a question: its rank, the evidence that it lacks against
// the first answer, and questions that find it.

import { reasonsOf, shownOf, standsBehind } from "./ask.ts";
import type { Held } from "./held.ts";
import type { Card, Difference, Finder, Reasons, WhyNot, WordLack } from "./records.ts";

/** The most memories that a search by words lists. */
const MAX_FOUND = 8;
/** Contributions closer than this look alike with two digits. */
const ALIKE = 0.005;
/** The most words of a memory whose rarity is looked up. */
const MAX_WORDS = 80;
/** The most rare words that are added to a question. */
const MAX_ADDED = 3;
/** The shortest word that is added. */
const SHORTEST = 4;
/** The most questions that are shown. */
const MAX_FINDERS = 4;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const MONTH = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });
const DAY = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** A memory and a question. */
export interface Place {
  id: string;
  question: string;
}

export interface FindRequest {
  /** Words, or beginnings of words, of titles and texts. */
  text: string;
  /** Without text, the answers after the first one are found. */
  question: string;
}

/** Returns memories by words of title and text, best first. */
export function find(held: Held, { text, question }: FindRequest): Card[] {
  const words = wordsIn(text);
  const found =
    words.length === 0
      ? held.index.ask(question, { ...held.asking(question), limit: MAX_FOUND + 1 }).slice(1)
      : held.texts.search(words, { limit: MAX_FOUND });
  return found.map(({ id }) => held.card(id));
}

/** Returns where a memory stands beside the first answer; undefined if there is no such memory. */
export function whyNot(held: Held, { id, question }: Place): WhyNot | undefined {
  if (held.row(id) === undefined) return undefined;
  const reasons = reasonsOf(held, id, question);
  const [best] = held.index.ask(question, { ...held.asking(question), limit: 1 });
  const first = best === undefined ? undefined : shownOf(held, question, best, 0);
  return {
    card: held.card(id),
    reasons,
    ...(first === undefined ? {} : { first }),
    words: lacks(reasons, first?.reasons),
    differences: first?.reasons === undefined ? [] : differences(reasons, first.reasons),
    among: held.index.textCount,
    awaited: held.awaited,
    ...standsBehind(held, held.index.why(id, question, held.asking(question))),
  };
}

function lacks(own: Reasons, first: Reasons | undefined): WordLack[] {
  return own.words.map(({ asked, found, nearness }, place) => {
    const other = first?.words[place];
    return {
      asked,
      found,
      nearness,
      firstFound: other?.found ?? null,
      firstNearness: other?.nearness ?? 0,
    };
  });
}

function differences(own: Reasons, first: Reasons): Difference[] {
  const of = ({ evidence }: Reasons) =>
    new Map(evidence.map(({ name, contribution }) => [name, contribution]));
  const [mine, theirs] = [of(own), of(first)];
  return [...new Set([...theirs.keys(), ...mine.keys()])]
    .map((name) => ({ name, own: mine.get(name) ?? 0, first: theirs.get(name) ?? 0 }))
    .filter((one) => Math.abs(one.own - one.first) >= ALIKE)
    .sort((a, b) => Math.abs(b.own - b.first) - Math.abs(a.own - a.first));
}

/**
 * Returns questions that find a memory better than the given one. Each was asked. Those that put it
 * first stand first; the given question's wording comes before others.
 */
export async function findersOf(held: Held, { id, question }: Place): Promise<Finder[]> {
  if (held.row(id) === undefined) return [];
  const others = candidates(held, id, question);
  await held.hear([question, ...others.map((one) => one.question)]);
  const now = placeOf(held, id, question);
  const better = others
    .map((one) => ({ ...one, ...placeOf(held, id, one.question) }))
    .filter(({ rank }) => rank !== null && rank < (now.rank ?? Infinity));
  const firsts = better.filter(({ rank }) => rank === 1);
  const some = firsts.length > 0 ? firsts : better.sort((a, b) => a.rank! - b.rank!);
  // Of questions that change alike the first is enough: it has the fewest words.
  const kinds = new Set<string>();
  return some.filter(({ how }) => !kinds.has(how) && kinds.add(how)).slice(0, MAX_FINDERS);
}

function placeOf(held: Held, id: string, question: string): Pick<Finder, "rank" | "score"> {
  const { rank, score } = held.index.why(id, question, held.asking(question));
  return { rank, score };
}

/** Returns questions that may find a memory, those nearest to the given one first. */
function candidates(held: Held, id: string, question: string): Omit<Finder, "rank" | "score">[] {
  const { title, created, event } = held.card(id);
  const [, stem = "", end = ""] = /^(.*?)([\s?!.]*)$/su.exec(question) ?? [];
  const made: Omit<Finder, "rank" | "score">[] = [];
  const rare = rareWords(held, id, question);
  for (let many = 1; many <= rare.length; many++) {
    const words = rare.slice(0, many);
    made.push({ question: `${stem}, ${words.join(", ")}${end}`, how: "with its rarest words" });
  }
  if ((held.engine.understand(question, { now: held.now }).times ?? []).length === 0) {
    const at = event ?? created;
    made.push({ question: `${stem} in ${MONTH.format(at)}${end}`, how: "with its month" });
    made.push({ question: `${stem} on ${DAY.format(at)}${end}`, how: "with its day" });
  }
  if (title !== "") made.push({ question: title, how: "by its title" });
  return made;
}

/**
 * Returns the words of a memory that the fewest memories hold, without those of the question and
 * without words that begin like an earlier one.
 */
function rareWords(held: Held, id: string, question: string): string[] {
  const { title, text } = held.card(id);
  const asked = wordsIn(question).map(stemOf);
  const names = new Map<string, string>();
  for (const word of `${title} ${text}`.match(WORD) ?? []) {
    const key = word.toLowerCase();
    if (key.length < SHORTEST || !/\p{L}/u.test(key) || names.has(key)) continue;
    if (names.size === MAX_WORDS) break;
    names.set(key, word);
  }
  const rarest = [...names.entries()]
    .filter(([key]) => !asked.includes(stemOf(key)))
    .map(([key, word]) => ({ key, word, count: held.texts.search([key], COUNTED).length }))
    .sort((a, b) => a.count - b.count || b.key.length - a.key.length);
  const kept: string[] = [];
  for (const { word } of rarest) {
    if (kept.length === MAX_ADDED) break;
    if (!kept.some((other) => stemOf(other) === stemOf(word))) kept.push(word);
  }
  return kept;
}

/** Words that more memories hold are all alike: none of them is rare. */
const COUNTED = { limit: 1_000 };
const wordsIn = (text: string): string[] => text.toLowerCase().match(WORD) ?? [];
/** Forms of a word mostly begin alike. */
const stemOf = (word: string): string => word.toLowerCase().slice(0, 5);
