// Reads a statement as the rule of replacing compares it: words with their keys and kinds.

import { SPEAKER } from "../../speaker.ts";
import {
  DEFINITE,
  FUNCTION_WORDS,
  keyOf,
  MONTHS,
  NUMBERS,
  PHRASES,
  SPEAKER_VERBS,
  WEEKDAYS,
} from "./words.ts";

/** A word of a statement. */
export interface Word {
  /** As it is compared: lower case, without an end. */
  readonly key: string;
  /** What it may be the value of. */
  readonly kind: "number" | "time" | "day" | "month" | "name" | "word" | "function";
}

/** A sentence, as it is compared. */
export interface Sentence {
  readonly text: string;
  readonly words: readonly Word[];
  /** Those that say something. */
  readonly content: readonly Word[];
  /** Whether the speaker tells of themselves. */
  readonly isSpeaker: boolean;
  /** The key of what it is about: its first noun; "" for the speaker. Undefined without a word. */
  readonly subject: string | undefined;
  /** Whether it begins with a description of one thing: "the", "my". */
  readonly isDefinite: boolean;
  /** Whether it begins with its subject: a name, mostly. */
  readonly isBare: boolean;
}

const WORD = /[\p{L}\p{N}]+(?:(?:['’._:/@+-]|:\/\/)[\p{L}\p{N}]+)*/gu;
/** What names one thing: an address, a host, a password. */
const IDENTIFIER = /@|:\/\/|\p{L}[._/-]?\p{N}|\p{L}[._]\p{L}/u;
/** Ends of sentences: a mark and a space, or a line. */
const END = /(?<=[.!?;。！？])\s+|\n+/u;
/** More sentences and words of a memory are not compared. */
const MAX_SENTENCES = 12;
const MAX_WORDS = 40;

/** Returns the sentences of a memory. */
export function sentencesOf(text: string): Sentence[] {
  return text
    .split(END)
    .filter((part) => /[\p{L}\p{N}]/u.test(part))
    .slice(0, MAX_SENTENCES)
    .map(sentenceOf);
}

function sentenceOf(text: string): Sentence {
  const said = text.trim();
  // Phrases of change and addition are evidence of their own, and no value.
  const bare = [PHRASES.now, PHRASES.ended, PHRASES.again, PHRASES.corrects, PHRASES.added].reduce(
    (text, phrase) => text.replace(phrase, " "),
    said,
  );
  const written = (bare.match(WORD) ?? []).slice(0, MAX_WORDS);
  const words = written.map((word, place) => wordOf(word, place === 0));
  const lower = (said.match(WORD) ?? []).map((word) => word.toLowerCase().replace("’", "'"));
  const content = words.filter(({ kind }) => kind !== "function");
  const start = lower[0] ?? "";
  const isDefinite = DEFINITE.has(start);
  const isOfSpeaker = (SPEAKER.has(start) && !isDefinite) || SPEAKER_VERBS.has(start);
  return {
    text: said,
    words,
    content,
    isSpeaker: lower.some((word) => SPEAKER.has(word) || SPEAKER_VERBS.has(word)),
    subject: isOfSpeaker ? "" : (content.find(isThing) ?? content[0])?.key,
    isDefinite,
    isBare: words[0] !== undefined && words[0] === content[0],
  };
}

/** Whether a word can be what a sentence is about: "Since Monday Jonas …" is about Jonas. */
const isThing = ({ kind }: Word): boolean => kind === "name" || kind === "word";

/** Returns the keys of the words of a text that say something. */
export const keysIn = (text: string): string[] =>
  (text.match(WORD) ?? []).flatMap((word) => {
    const { key, kind } = wordOf(word, true);
    return kind === "function" ? [] : [key];
  });

function wordOf(written: string, isFirst: boolean): Word {
  const lower = written.toLowerCase().replaceAll("’", "'").replace(/'s$/, "");
  if (FUNCTION_WORDS.has(lower)) return { key: lower, kind: "function" };
  if (/^\d{1,2}:\d\d$/.test(lower)) return { key: lower, kind: "time" };
  const number = NUMBERS.get(lower);
  if (number !== undefined) return { key: number, kind: "number" };
  if (/^\p{N}/u.test(lower)) return { key: lower, kind: "number" };
  if (WEEKDAYS.has(lower)) return { key: lower.replace(/s$/, ""), kind: "day" };
  if (MONTHS.has(lower) && (lower !== "may" || written === "May"))
    return { key: lower, kind: "month" };
  const isName = (!isFirst && /^\p{Lu}/u.test(written)) || IDENTIFIER.test(lower);
  return { key: keyOf(lower), kind: isName ? "name" : "word" };
}
