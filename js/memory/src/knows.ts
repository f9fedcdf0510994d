// Rule: whether a memory knows the answer to a question.
//
// # Idea
//
// The probability of the best memory compares it with all others. That alone misleads twice. A
// question about nothing stored finds a memory that shares a word with it. A question in other
// words than its answer shares none. How near the nearest memory is in meaning tells both apart.
// Among many memories one is near by chance, so their number counts as well. A memory that only
// asks knows nothing, however near it is. It counts where many of the first ones only ask: the
// agent then keeps a list of questions, by which it tells what a request is about.
//
// The sentence transformer knows English. For a question in another language the best memory alone
// decides, as it does where memories have no vectors of that transformer.
//
// # Where it ends
//
// A question about something that is stored, whose answer is not, is near to what is stored.
// Neither its words nor its cosines tell it from one that has an answer: most of these are
// affirmed.
//
// The weights are fitted by `npm run fit -- knows`.

import { ANSWERABLE } from "nous-wasm";
import { isQuestion } from "./asks.ts";
import { isOtherLanguage } from "./language.ts";
import { logistic, logOdds } from "./odds.ts";

/** Whether a memory knows an answer. */
export type Knows = (typeof KNOWS)[number];
/** All values, from certain to hardly possible. */
export const KNOWS = ["yes", "perhaps", "no"] as const;

/**
 * The least probability of an answer that a memory may know. Of the first memories that were right
 * in the development questions, at most one in twenty is below it, in stores of any size.
 */
export const MIN_PERHAPS = 0.1;

/**
 * Returns whether a memory knows an answer: `yes` from `ANSWERABLE` on, `perhaps` from
 * {@link MIN_PERHAPS} on, else `no`.
 *
 * @param probability What {@link probabilityKnown} returns.
 */
export const knowsOf = (probability: number): Knows =>
  probability >= ANSWERABLE ? "yes" : probability >= MIN_PERHAPS ? "perhaps" : "no";

/** So many answers are read, from the first on. */
export const MAX_JUDGED = 10;

/** From so many memories on that only ask, these are what is asked for. */
const MIN_LISTED = 5;

/** What the rule reads of an answer. */
export interface JudgedAnswer {
  /** The probability that it answers the question. */
  readonly score: number;
  /** The evidence for it, by name. */
  readonly evidence?: Readonly<Record<string, number>> | undefined;
  /** What it says. */
  readonly text: string;
}

/** What the rule knows of the memory that was asked. */
export interface JudgedMemory {
  /** How many memories were asked. */
  readonly among: number;
  /** Whether their vectors, if there are any, are those of the English sentence transformer. */
  readonly isByEnglish: boolean;
}

/** The weights of the logarithm of odds that a memory knows the answer. */
export const KNOWN = {
  /** Of the logarithm of the odds that the best memory answers. */
  best: 0.391,
  /** Of the largest cosine. */
  nearest: 4.244,
  /** Of the logarithm of the number of memories. */
  among: -0.116,
  offset: -1.805,
} as const;

/** What the rule reads of what a question found. */
export interface SignsOfKnowing {
  /** The probability of the best memory; 0 without one. */
  readonly best: number;
  /** The largest cosine; undefined if cosines tell nothing of the question. */
  readonly nearest: number | undefined;
}

/** Returns what the rule reads of the first answers to a question, the best first. */
export function signsOf(
  question: string,
  answers: readonly JudgedAnswer[],
  { isByEnglish }: Pick<JudgedMemory, "isByEnglish">,
): SignsOfKnowing {
  const first = answers.slice(0, MAX_JUDGED);
  const statements = first.filter(({ text }) => !isQuestion(text));
  const telling = first.length - statements.length < MIN_LISTED ? statements : first;
  const best = Math.max(0, ...telling.map(({ score }) => score));
  const cosines = telling.flatMap(({ evidence }) => evidence?.emb ?? []);
  const isByMeaning = isByEnglish && cosines.length > 0 && !isOtherLanguage(question);
  return { best, nearest: isByMeaning ? Math.max(...cosines) : undefined };
}

/**
 * Returns the probability that a memory knows the answer to a question, from 0 to 1; 0 if it found
 * nothing.
 *
 * @param question The question.
 * @param answers What was found for it, the best first. More than {@link MAX_JUDGED} change
 *   nothing.
 * @param memory The memory that was asked.
 *
 * @example
 * ```ts
 * const answers = [{ score: 0.15, evidence: { emb: 0.62 }, text: "Mira prefers tea." }];
 * const question = "Which beverage does Mira like?";
 * const probability = probabilityKnown(question, answers, { among: 60, isByEnglish: true });
 * knowsOf(probability); // "yes"
 * ```
 */
export function probabilityKnown(
  question: string,
  answers: readonly JudgedAnswer[],
  memory: JudgedMemory,
): number {
  const { best, nearest } = signsOf(question, answers, memory);
  if (best === 0 || nearest === undefined) return best;
  const sum =
    KNOWN.offset +
    KNOWN.best * logOdds(best) +
    KNOWN.nearest * nearest +
    KNOWN.among * Math.log(Math.max(1, memory.among));
  return logistic(sum);
}
