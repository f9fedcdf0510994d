// The explanation of a rank as a model reads it: a sentence, then lines, the most telling first.

import { meaningInWords, shortDay } from "nous-memory";
import type { ExplainAnswer, Explanation } from "../api/explain.ts";

/** The most kinds of evidence that are shown; the others are told as one sum. */
const MAX_SHOWN = 12;
/** Smaller contributions look like 0 with two digits. */
const MIN_SHOWN = 0.005;
/** The most UTF-16 units of a passage. */
const LONGEST_PASSAGE = 200;

const WHY_ABSENT: Record<NonNullable<Explanation["absent"]>, string> = {
  filtered: "is not among the memories of this user, session or tags",
  not_connected: "is not found: nothing connects it with the question",
  no_words: "is not found: it has no words",
};

/** Returns the explanation of the first memory of an answer: a sentence, lines, and data. */
export function explanationFor(
  { data, threshold }: ExplainAnswer,
  zone: string,
): {
  head: string;
  lines: string[];
  data: Record<string, unknown>;
} {
  const [one] = data as [Explanation];
  const { id, rank, absent, score, sum, superseded_by, replaced_by, replaces, similar_to } = one;
  const place =
    rank === null
      ? WHY_ABSENT[absent ?? "not_connected"]
      : `is number ${rank} with ${percent(score)}, ${score < threshold ? "below" : "at or above"} the ${percent(threshold)} of an answer`;
  const behind = [
    superseded_by === undefined ? "" : ` [${superseded_by}] supersedes it.`,
    replaced_by === undefined ? "" : ` Probably replaced by ${inWords(replaced_by, zone)}.`,
    replaces === undefined ? "" : ` It probably replaces ${inWords(replaces, zone)}.`,
    similar_to === undefined ? "" : ` It stands back because it is like [${similar_to}].`,
  ].join("");
  const telling = one.evidence.filter(({ contribution }) => Math.abs(contribution) >= MIN_SHOWN);
  const shown = telling.slice(0, MAX_SHOWN);
  const rest = sum - shown.reduce((all, { contribution }) => all + contribution, 0);
  const lines = [
    ...wordLines(one),
    ...(one.meaning === undefined ? [] : meaningInWords(one.meaning, one.meaning.model)),
    ...(one.passage === null ? [] : [`Passage: ${shortened(one.passage)}`]),
    ...(shown.length === 0 ? [] : ["Evidence, as value · weight = contribution:"]),
    ...shown.map(
      ({ name, value, weight, contribution }) =>
        `${name} ${plain(value)} · ${plain(weight)} = ${signed(contribution)}`,
    ),
    ...(shown.length === 0 ? [] : [`All others ${signed(rest)}. Sum ${signed(sum)}.`]),
  ];
  const evidence = shown.map(({ name, ...numbers }) => ({
    name,
    ...Object.fromEntries(Object.entries(numbers).map(([key, it]) => [key, rounded(it)])),
  }));
  return {
    head: `[${id}] ${one.content_title} ${place}.${behind}`,
    lines,
    data: { rank, ...(absent && { absent }), probability: rounded(score), evidence },
  };
}

/** Returns the other memory of a guess with its probability, and the day since which the newer holds. */
function inWords(
  { id, probability, since }: NonNullable<Explanation["replaced_by"]>,
  zone: string,
): string {
  const day = shortDay(Date.parse(since), Date.now(), zone);
  return `[${id}] (p ${probability.toFixed(2).replace(/^0/, "")}) since ${day}`;
}

/** Returns the words that matched, and those that did not. */
function wordLines({ words }: Explanation): string[] {
  const near = words.filter(({ found }) => found !== null);
  const far = words.filter(({ found }) => found === null);
  const pairs = near.map(({ asked, found, nearness }) =>
    nearness === 1 && asked === found ? asked : `${asked} ~ ${found} ${nearness.toFixed(2)}`,
  );
  return [
    ...(pairs.length === 0 ? [] : [`Words: ${pairs.join(", ")}.`]),
    ...(far.length === 0 ? [] : [`No word like: ${far.map(({ asked }) => asked).join(", ")}.`]),
  ];
}

const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, " ");
  return line.length <= LONGEST_PASSAGE ? line : `${line.slice(0, LONGEST_PASSAGE)}…`;
};

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;
const plain = (value: number): string => String(Math.round(value * 100) / 100);
const signed = (value: number): string => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;

/** Returns a share in percent. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`;
