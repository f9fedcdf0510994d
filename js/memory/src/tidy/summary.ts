// Rule: the words of a summary. A summary quotes: of each episode the sentence that says most of what
// the group is about, in the order of time. No model writes, so that nothing is said that no episode
// says.

import { comparedWords } from "../statement.ts";
import { sentencesOf } from "../write/split.ts";
import { raritiesOf } from "./groups.ts";
import { tellingWords } from "./telling-words.ts";

/** An episode of a group. */
export interface Told {
  readonly text: string;
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  readonly words: ReadonlyMap<string, string>;
}

/** A summary of some episodes. */
export interface Summary {
  title: string;
  body: string;
}

/** The most sentences of a summary, and UTF-16 units of a sentence. */
const MAX_SENTENCES = 8;
const MAX_OF_A_SENTENCE = 200;
/** Words in the title. */
const TITLE_WORDS = 3;
/** UTF-16 units of an episode that are read. */
const MAX_READ = 10_000;
/** The share of words from which a sentence repeats another one. */
const REPEATED = 0.8;

/** Returns the summary of some episodes, which are in the order of time. */
export function summaryOf(told: readonly Told[]): Summary {
  const weights = weightsOf(told);
  const kept: { line: string; words: ReadonlySet<string>; weight: number; at: number }[] = [];
  const best = told
    .map(({ text, at }) => ({ ...bestSentence(text, weights), at }))
    .filter(({ sentence }) => sentence !== "")
    .sort((a, b) => b.weight - a.weight || a.at - b.at);
  for (const { sentence, weight, at } of best) {
    if (kept.length === MAX_SENTENCES) break;
    const words = new Set(comparedWords(sentence));
    if (kept.some((other) => shareIn(words, other.words) >= REPEATED)) continue;
    kept.push({ line: `${dayOf(at)}: ${sentence}`, words, weight, at });
  }
  kept.sort((a, b) => a.at - b.at);
  const [first, last] = [dayOf(told[0]!.at), dayOf(told.at(-1)!.at)];
  const days = first === last ? first : `${first} to ${last}`;
  const topic = [...weights.values()]
    .sort((a, b) => b.weight - a.weight)
    .slice(0, TITLE_WORDS)
    .map(({ word }) => word)
    .join(", ");
  return {
    title: `${topic} (${told.length} memories, ${days})`,
    body: kept.map(({ line }) => line).join("\n"),
  };
}

/** Returns how much each word stands for the group: it is common in it. */
function weightsOf(told: readonly Told[]): Map<string, { word: string; weight: number }> {
  const rarity = raritiesOf(told);
  const counts = new Map<string, { word: string; count: number }>();
  for (const { words } of told) {
    for (const [key, word] of words)
      counts.set(key, { word, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return new Map(
    [...counts]
      .filter(([, { count }]) => count > 1)
      .map(([key, { word, count }]) => [key, { word, weight: count / rarity.get(key)! }]),
  );
}

function bestSentence(
  text: string,
  weights: ReadonlyMap<string, { weight: number }>,
): { sentence: string; weight: number } {
  let best = { sentence: "", weight: Number.NEGATIVE_INFINITY };
  for (const one of sentencesOf(text.slice(0, MAX_READ))) {
    const words = tellingWords(one);
    let weight = 0;
    for (const key of words.keys()) weight += weights.get(key)?.weight ?? 0;
    if (weight > best.weight) best = { sentence: cut(one), weight };
  }
  return best;
}

function cut(sentence: string): string {
  const line = sentence.replaceAll(/\s+/g, " ");
  if (line.length <= MAX_OF_A_SENTENCE) return line;
  const start = line.slice(0, MAX_OF_A_SENTENCE);
  return `${start.slice(0, Math.max(start.lastIndexOf(" "), MAX_OF_A_SENTENCE / 2)).trimEnd()}…`;
}

const shareIn = (words: ReadonlySet<string>, others: ReadonlySet<string>): number =>
  words.size === 0 ? 1 : [...words].filter((word) => others.has(word)).length / words.size;

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, "2026-01-01".length);
