// Rule: whether the newer of two memories replaces the older one, whether a word says so or not.
//
// # Idea
//
// A weighted sum of the features of the pair, as a probability. The weights were fitted by logistic
// regression on labelled pairs and on the writes of whole memories: `npm run fit -- changes`. Where
// someone lives and works is read by patterns besides (`attributes.ts`): "I live in Graz" and "I moved
// to Salzburg" share too little for the sum.
//
// Features see words, and "Standup is at 9:30" shares none with "We pushed the daily to 10". A sentence
// transformer that was trained on such pairs *reads* the two together. It takes a while, so it reads the
// few pairs that the features leave open, and its log-odds join theirs. A new memory has one thing
// to say: the more older ones it seems to replace, as they were read (*rivals*), the less each is.
//
// # Invariants
//
// - What happened stays true: memories of EPISODIC and SIGNALS are not replaced.
// - Messages of conversations neither replace nor are replaced; nor do questions, with a mark or not.
// - Members of a series that numbers tell apart do not replace each other.
// - A memory whose words are all in the older one replaces nothing: it says nothing else. Neither
//   does one that confirms the older one in its words, nor hearsay.
// - Without a reading the features decide alone: no guess waits for a model.
// - The rule proposes. *Likely* changes an order, *possible* that of equal answers, *faint* only what a
//   prompt shows beside the older one. Nothing is hidden or deleted.
//
// # Soundness
//
// The probability of two statements depends on the two, on how many others are as near, on their rivals,
// and on the offset that an agent learned. Other memories make one less likely, and never more: where
// all are alike, as the days of a diary, nearness says little. Several that would be likely alone look like a
// list, and are possible only.
//
// # Cost
//
// One question, and at most twenty comparisons for each new memory: 3 ms for twenty statements, on two
// busy cores. At most six pairs are read, three on average.

import type { MemorySection } from "nous-wasm";
import { isQuestion } from "../../asks.ts";
import { EPISODE } from "../../idle.ts";
import { logistic } from "../../odds.ts";
import type { GradeOfGuess } from "../../replacing-edges.ts";
import { hasMovedOn } from "./attributes.ts";
import {
  type ComparedTexts,
  FEATURES,
  type Features,
  featuresOf,
  isOfSeries,
  MAX_REST,
  wholeOf,
} from "./features.ts";
import { keysIn } from "./reading.ts";
import { READING_WEIGHTS, REPLACING_WEIGHTS } from "./weights.ts";
import { ASKS, PHRASES } from "./words.ts";

/** How sure the rule is of what it tells. */
export type Grade = Exclude<GradeOfGuess, "faint">;

/** The least probability with which a memory is likely replaced. */
export const MIN_LIKELY = 0.5;
/** The least probability with which a memory is possibly replaced. */
export const MIN_POSSIBLE = 0.3;
/** The least probability of a guess that is kept and not told. */
const MIN_FAINT = 0.05;
/** The log-odds of an attribute that has one value at a time, if the newer one names another. */
const MOVED_ON = 1.1;
/** The answers that are compared with a new memory. */
export const MAX_REPLACED_ANSWERS = 20;
/** The most memories that one new memory is said to replace. */
export const MAX_REPLACED = 2;
/** The most guesses about one new memory, faint ones among them. */
const MAX_GUESSES = 3;
/** The least probability by the features of a pair that is read. */
const MIN_READ = 0.01;
/** The most pairs of one new memory that are read. */
const MAX_READ = 6;
/** UTF-16 units of a memory that is read: the model sees 44 word pieces, and knows no more. */
const MAX_READABLE = 160;

/** Sections whose memories hold until something newer. Those of the others tell what happened. */
const LASTING: ReadonlySet<MemorySection> = new Set(["KNOWLEDGE", "PROCEDURAL"]);

/** The weights of the features, and the offset; a missing one is 0. */
export type ReplacingWeights = Readonly<Record<string, number>>;

/** A memory, as far as the rule compares it. */
export interface ComparedMemory extends ComparedTexts {
  readonly section: MemorySection;
  /** Milliseconds since 1970. */
  readonly created_at: number;
}

/** An older memory that answers the text of the new one. */
export interface ReplacingCandidate extends ComparedMemory {
  /** The evidence of the answer, by name. */
  readonly evidence: Readonly<Record<string, number>>;
  /** Whether another candidate is likely to replace it, so that it is as near as that one. */
  readonly isReplaced?: boolean;
}

/** A candidate that can be replaced, as its features tell. */
export interface ComparedCandidate {
  /** The place among the candidates, from 0. */
  readonly place: number;
  readonly features: Features;
  /** The probability that the new memory replaces it, without a reading. */
  readonly probability: number;
  /** Whether both are so short that the model sees all of them. */
  readonly isReadable: boolean;
}

/** A memory that the new one may replace. */
export interface ReplacedCandidate {
  /** The place among the candidates, from 0. */
  readonly place: number;
  /** The probability that the new memory replaces it. */
  readonly probability: number;
  /** Undefined if the probability is too low to be told. */
  readonly grade: Grade | undefined;
  /** Whether it would be likely if no other memory were as near. */
  readonly isLikelyAlone: boolean;
}

/** The types of messages. */
const MESSAGES: ReadonlySet<string | null> = new Set([EPISODE, "custom:turn"]);

/** Whether a memory can replace another one. */
export const canReplace = ({ subtype }: Pick<ComparedMemory, "subtype">): boolean =>
  !MESSAGES.has(subtype);

/** Returns the answers that are compared with a new memory, in their order. */
export const replacingCandidates = <Answer extends ReplacingCandidate>(
  newer: ComparedMemory,
  answers: readonly Answer[],
): Answer[] => (canReplace(newer) ? answers.filter(({ section }) => LASTING.has(section)) : []);

const DAY = 86_400_000;

/**
 * Returns the features of the candidates, in order; undefined for one that cannot be replaced.
 * `isEmbedded`: the question had an embedding, so that their evidence has its cosine.
 */
export function replacingFeatures(
  newer: ComparedMemory,
  candidates: readonly ReplacingCandidate[],
  isEmbedded: boolean,
): (Features | undefined)[] {
  if (asks(newer) || isHearsay(newer)) return candidates.map(() => undefined);
  const rarity = rarityAmong(candidates);
  const others = candidates.filter(({ isReplaced }) => isReplaced !== true);
  return candidates.map((older, place) => {
    if (asks(older) || isOfSeries(older, newer) || saysAll(older, newer)) return undefined;
    const { sem = 0, sbm = 0, emb = 0, p_softcov: soft = 0 } = older.evidence;
    const features = featuresOf(older, newer, {
      ...{ cosine: isEmbedded ? emb : undefined, sem, soft, place, words: sbm, rarity },
      alike: isEmbedded ? asNear(emb, cosines(others.filter((other) => other !== older))) : 0,
      isEvent: !LASTING.has(newer.section),
      days: (newer.created_at - older.created_at) / DAY,
    });
    return isConfirmed(features) ? undefined : features;
  });
}

/** Whether a memory says of itself that it is not known to be true. */
const isHearsay = (memory: ComparedTexts): boolean => wholeOf(memory).search(PHRASES.hearsay) >= 0;

/**
 * Whether the newer memory says that the older one still holds, and has all its words but one, its value
 * among them. "Confirmed: the fee is 15 euros" does not confirm 12.
 */
const isConfirmed = (its: Features): boolean =>
  its.confirms > 0 &&
  its.long === 0 &&
  its.rest_old <= 1 / MAX_REST &&
  its.value_kept > 0 &&
  its.value_number + its.value_calendar + its.value_name + its.opposite + its.denied === 0;

/** A cosine that is less by this much counts for 1/e. */
const NEAR = 0.05;

const cosines = (candidates: readonly ReplacingCandidate[]): number[] =>
  candidates.map(({ evidence }) => evidence.emb ?? 0);

/** Returns how many others are as near as a memory. */
const asNear = (nearness: number, others: readonly number[]): number =>
  others.reduce((sum, other) => sum + Math.exp(Math.min(0, other - nearness) / NEAR), 0);

/** Whether a memory only asks, with a mark at its end or without one. */
function asks(memory: ComparedTexts): boolean {
  const text = wholeOf(memory);
  return isQuestion(text) || ASKS.test(text);
}

/** Returns the candidates that a new memory can replace, in order. */
export function comparedAmong(
  newer: ComparedMemory,
  candidates: readonly ReplacingCandidate[],
  isEmbedded: boolean,
): ComparedCandidate[] {
  const weights = REPLACING_WEIGHTS[isEmbedded ? "embedded" : "plain"];
  const isShort = (memory: ComparedTexts) => wholeOf(memory).length <= MAX_READABLE;
  return replacingFeatures(newer, candidates, isEmbedded).flatMap((features, place) => {
    if (features === undefined) return [];
    const probability = probabilityOf(features, weights);
    const isReadable = isShort(newer) && isShort(candidates[place]!);
    return { place, features, probability, isReadable };
  });
}

/**
 * Returns those of the candidates that are worth a reading, the most probable first. Of longer
 * memories the model would see the beginning alone.
 */
export function readAmong(compared: readonly ComparedCandidate[]): ComparedCandidate[] {
  return compared
    .filter(({ probability, isReadable }) => probability >= MIN_READ && isReadable)
    .sort((a, b) => b.probability - a.probability)
    .slice(0, MAX_READ);
}

/** What a model read of a pair. */
export interface Reading {
  /** The log-odds that the newer memory replaces the older one. */
  readonly logOdds: number;
  /** How many others the newer one replaces, as read: log(1 + the sum of probabilities). */
  readonly rivals: number;
}

/**
 * Returns the readings of pairs with their rivals. Candidates that others replace are no rivals.
 *
 * @param read - The pairs of one new memory that were read.
 * @param logOdds - What the model gave for each of them.
 */
export function readingsOf(
  read: readonly ComparedCandidate[],
  logOdds: ArrayLike<number>,
  candidates: readonly ReplacingCandidate[],
): Map<ComparedCandidate, Reading> {
  const probabilities = read.map(({ place }, pair) =>
    candidates[place]?.isReplaced === true ? 0 : logistic(logOdds[pair]!),
  );
  const all = probabilities.reduce((sum, one) => sum + one, 0);
  return new Map(
    read.map((one, pair) => {
      const rivals = Math.log1p(Math.max(all - probabilities[pair]!, 0));
      return [one, { logOdds: logOdds[pair]!, rivals }];
    }),
  );
}

/** What is known of pairs beside their features. */
export interface GradingOptions {
  /** Whether the evidence has cosines of embeddings. */
  readonly isEmbedded: boolean;
  /** What the agent learned, in log-odds. Default 0. */
  readonly offset?: number | undefined;
  /** The readings of candidates. Default: none was read. */
  readonly readings?: ReadonlyMap<ComparedCandidate, Reading> | undefined;
}

/** Returns the memories that a new memory may replace, the most probable first. */
export function replacedAmong(
  newer: ComparedMemory,
  candidates: readonly ReplacingCandidate[],
  compared: readonly ComparedCandidate[],
  { isEmbedded, offset = 0, readings }: GradingOptions,
): ReplacedCandidate[] {
  const weights = REPLACING_WEIGHTS[isEmbedded ? "embedded" : "plain"];
  const found = compared.map((one) => {
    const { place, features } = one;
    const fitted = gradedPair(features, weights, { offset, reading: readings?.get(one) });
    const isOther = hasMovedOn(wholeOf(candidates[place]!), wholeOf(newer));
    const probability = isOther
      ? Math.max(fitted.probability, logistic(MOVED_ON + offset))
      : fitted.probability;
    return { place, ...fitted, probability, grade: gradeOf(probability) };
  });
  return found.sort((a, b) => b.probability - a.probability);
}

/** The grade of what looks like a list, and its probability. */
const OF_LIST = { grade: "possible", probability: MIN_LIKELY - 0.05 } as const;

/**
 * Returns the guesses about a new memory, of what it may replace, the most probable first. More likely
 * ones than are told are a list, of which a new line replaces none for sure.
 */
export function guessesAmong<Found extends Omit<ReplacedCandidate, "place">>(
  found: readonly Found[],
): (Omit<Found, "grade"> & { grade: GradeOfGuess })[] {
  const isList = found.filter(({ isLikelyAlone }) => isLikelyAlone).length > MAX_REPLACED;
  const kept = found.filter(({ probability }) => probability >= MIN_FAINT).slice(0, MAX_GUESSES);
  return kept.map((one, place) => {
    const { grade } = one;
    if (grade === undefined || place >= MAX_REPLACED) return { ...one, grade: "faint" };
    return { ...one, grade, ...(isList ? OF_LIST : {}) };
  });
}

/** What joins the features of a pair, in log-odds. */
export interface PairContext {
  /** What the agent learned. Default 0. */
  readonly offset?: number | undefined;
  /** What the model read; undefined if it did not. */
  readonly reading?: Reading | undefined;
}

/** Returns what the weights say of a pair. */
export function gradedPair(
  features: Features,
  weights: ReplacingWeights,
  context: PairContext = {},
): Omit<ReplacedCandidate, "place"> {
  const probability = probabilityOf(features, weights, context);
  const alone = probabilityOf({ ...features, alike: 0 }, weights, context);
  const isLikelyAlone = alone >= MIN_LIKELY;
  return { probability, grade: gradeOf(probability), isLikelyAlone };
}

/** Returns the probability that a new memory with these features replaces the older one. */
export function probabilityOf(
  features: Features,
  weights: ReplacingWeights,
  { offset = 0, reading }: PairContext = {},
): number {
  let sum = weights.offset ?? 0;
  for (const name of FEATURES) sum += features[name] * (weights[name] ?? 0);
  if (reading === undefined) return logistic(sum + offset);
  const read = READING_WEIGHTS;
  const of = read.features * sum + read.reading * reading.logOdds + read.rivals * reading.rivals;
  return logistic(read.offset + of + offset);
}

/** Returns the grade of a probability; undefined if it is too low to be told. */
export const gradeOf = (probability: number): Grade | undefined =>
  probability >= MIN_LIKELY ? "likely" : probability >= MIN_POSSIBLE ? "possible" : undefined;

const WORD = /[\p{L}\p{N}]+/gu;

/** Whether every word of the newer memory is in the older one. */
function saysAll(older: ComparedTexts, newer: ComparedTexts): boolean {
  const wordsOf = (texts: ComparedTexts) => wholeOf(texts).toLowerCase().match(WORD) ?? [];
  const held = new Set(wordsOf(older));
  return wordsOf(newer).every((word) => held.has(word));
}

/** Returns how rare words are among memories. */
function rarityAmong(memories: readonly ComparedTexts[]): (key: string) => number {
  const frequency = new Map<string, number>();
  for (const memory of memories)
    for (const key of new Set(keysIn(wholeOf(memory))))
      frequency.set(key, (frequency.get(key) ?? 0) + 1);
  return (key) => Math.log(1 + memories.length / (1 + (frequency.get(key) ?? 0)));
}
