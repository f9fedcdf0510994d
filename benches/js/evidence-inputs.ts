// Inputs for the contests of evidence: memories in English words by Zipf's law, with sessions and
// links, and questions about them.

import type { MemoryEdge, MemoryNode } from "nous-wasm";
import { makeRandom, NOW, pick, SUBTYPES } from "../../js/reference/inputs.ts";
import { STOP_WORDS } from "../../js/reference/stop-words.ts";
import { lettersOf } from "./token-tables.ts";

/** Words of a memory, and of a question. */
export const WORDS = { memory: 40, question: 12 } as const;
/** The words of a title, which are part of the memory's words. */
const OF_TITLE = 5;
/** Memories of a session. */
const OF_SESSION = 20;
const LINKS_PER_MEMORY = 2;
const HOUR = 3_600_000;

/**
 * Returns the vocabulary: stop words first, then words of the table in an order that does not
 * depend on their rank. The nth word occurs n times as seldom as the first.
 */
export function vocabularyOf(table: Uint8Array): string[] {
  const random = makeRandom(1);
  const content = lettersOf(table).starts.filter((word) => !STOP_WORDS.has(word));
  for (let at = content.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [content[at], content[other]] = [content[other]!, content[at]!];
  }
  return [...[...STOP_WORDS].slice(0, 100), ...content];
}

/** Returns a generator of words by Zipf's law. */
function wordsBy(random: () => number, vocabulary: readonly string[]): () => string {
  const top = Math.log(vocabulary.length + 1);
  return () =>
    vocabulary[Math.min(vocabulary.length - 1, Math.floor(Math.exp(random() * top)) - 1)]!;
}

const sentence = (word: () => string, count: number) =>
  Array.from({ length: count }, word).join(" ");

/** A memory of the contests, with its text. */
export type TextMemory = MemoryNode & { title: string; text: string };

/** Returns memories in order of making, a session every two days. */
export function makeTextMemories(vocabulary: readonly string[], count: number): TextMemory[] {
  const random = makeRandom(2);
  const word = wordsBy(random, vocabulary);
  const end = NOW - 24 * HOUR;
  return Array.from({ length: count }, (_, place) => {
    const session = Math.floor(place / OF_SESSION);
    const ago = (Math.ceil(count / OF_SESSION) - session) * 48 * HOUR;
    return {
      id: `n_${place}`,
      subtype: pick(random, SUBTYPES) ?? null,
      created_at: end - ago + (place % OF_SESSION) * 60_000,
      clusters: [`session ${session}`],
      access_count: Math.floor(random() ** 3 * 60),
      title: sentence(word, OF_TITLE),
      text: `${sentence(word, WORDS.memory - OF_TITLE)}.`,
    };
  });
}

/** Returns edges from each memory to earlier ones. */
export function makeLinks(count: number): MemoryEdge[] {
  const random = makeRandom(3);
  return Array.from({ length: LINKS_PER_MEMORY * (count - 1) }, (_, place) => {
    const from = 1 + Math.floor(place / LINKS_PER_MEMORY);
    return {
      id: `e_${place}`,
      source_id: `n_${from}`,
      target_id: `n_${Math.floor(random() * from)}`,
      type: "relates_to",
    };
  });
}

/** Questions of words by Zipf's law: about half of them are stop words, as in talk. */
export function makeTextQuestions(vocabulary: readonly string[], count: number): string[] {
  const word = wordsBy(makeRandom(4), vocabulary);
  return Array.from({ length: count }, () => `${sentence(word, WORDS.question)}?`);
}

/** Questions of which no two share a word; none of their words is a stop word. */
export function makeNewQuestions(vocabulary: readonly string[]): string[] {
  const content = vocabulary.filter((word) => !STOP_WORDS.has(word));
  return Array.from({ length: Math.floor(content.length / WORDS.question) }, (_, place) => {
    const first = place * WORDS.question;
    return `${content.slice(first, first + WORDS.question).join(" ")}?`;
  });
}

/** Returns the question with other first words, so that it asks when and names a time. */
export const aboutTime = (question: string): string =>
  ["when", "last", "week", ...question.split(" ").slice(3)].join(" ");
