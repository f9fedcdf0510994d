// Rule: the memories that a new memory may replace, without a word that says so. "Skerry now goes
// out on Tuesdays" replaces "Skerry is deployed on Thursdays".
//
// # Idea
//
// The text of the new memory is asked as a question. A memory that it replaces is about the same
// thing, so that it is among the first answers: of 122 pairs 109 are among the first ten. For each
// of these a few signals are weighed: its place, the words and the meaning that both have in common,
// the words of the old memory that the new one takes up, titles, kinds, lengths, the time between
// them, and words of change. Words of change are one signal of ten: half of the pairs have none.
//
// The weights were fitted by logistic regression on half of the labelled pairs, against all other
// memories among the first ten: `npm run quality -- corrections` fits them, and measures on the
// other half.
//
// # Invariants
//
// - The rule proposes and never decides: a conflict waits in the queue for an agent, and nothing is
//   superseded by itself. One false conflict costs a look; one false supersession costs a memory.
// - Memories of EPISODIC and SIGNALS are never proposed. What happened stays true.
// - A memory that has every number and longer word of the new one is never proposed: the new one
//   says nothing else.
//
// # Cost
//
// One question and eleven short texts for each new memory.

import type { MemorySection } from "nous-wasm";

/** The answers among which memories to compare are looked for, and the most that are compared. */
export const MAX_CONFLICT_ANSWERS = 20;
const MAX_COMPARED = 10;
/** The most memories that one new memory is queued with. */
export const MAX_CONFLICTS = 2;
/** The least probability of a conflict that is queued. */
export const MIN_CONFLICT_PROBABILITY = 0.3;
/** UTF-16 units of a text that are asked and compared. */
export const MAX_READ = 2_000;

/** A memory, as far as the rule compares it. */
export interface ComparedMemory {
  readonly title: string;
  /** Summary and body. */
  readonly text: string;
  readonly subtype: string | null;
  /** Milliseconds since 1970. */
  readonly created_at: number;
}

/** An older memory that answers the text of the new one. */
export interface ConflictCandidate extends ComparedMemory {
  /** The evidence of the answer, by name. */
  readonly evidence: Readonly<Record<string, number>>;
}

/** The signals of a candidate, in the order of the weights. */
export type ConflictSignals = Readonly<Record<ConflictSignal, number>>;
/** The name of a signal. */
export type ConflictSignal = keyof typeof CONFLICT_WEIGHTS;

/** A memory that the new one may replace. */
export interface PossibleConflict {
  /** The place among the candidates, from 0. */
  readonly place: number;
  /** The probability that the new memory replaces it. */
  readonly probability: number;
}

/** Fitted by `npm run quality -- corrections`. */
export const CONFLICT_WEIGHTS = {
  /** 1 for every candidate. */
  offset: -8.86,
  /** ln(1 + place among the answers). */
  place: -1.18,
  /** The cosine of the two texts. */
  sem: 4.61,
  /** BM25 with neighbours, over the best of the answers. */
  sbm: 3.79,
  /** The share of the old memory's words in the new one, weighted by their rarity. */
  taken: 4.75,
  /** The share of the old title's words in the new title, weighted by their rarity. */
  titles: 1.55,
  /** Whether both are of one subtype. */
  subtype: 1.21,
  /** Phrases of change in the new memory, three at most, / 3. */
  change: 2.9,
  /** ln(1 + days between the two) / 5. */
  age: 3.53,
  /** ln(1 + words of the old memory) / 4. */
  old_length: -3.78,
  /** ln(1 + words of the new memory) / 4. */
  new_length: -2.71,
};

/** The names of the signals, in order. */
export const CONFLICT_SIGNALS = Object.keys(CONFLICT_WEIGHTS) as readonly ConflictSignal[];

const DAY = 86_400_000;
/** The sections whose memories may be replaced. Those of the others tell what happened. */
const LASTING: ReadonlySet<MemorySection> = new Set(["KNOWLEDGE", "PROCEDURAL"]);

/** Phrases that tell of a change, in lower case. */
const CHANGES = {
  words: [
    ...["now", "no longer", "no more", "not any more", "not anymore", "instead", "new", "used to"],
    ...[
      "from now on",
      "in place of",
      "since",
      "until",
      "replaced",
      "switched",
      "changed",
      "change",
    ],
    ...["moved", "moves", "gave up", "given up", "stopped", "ended", "returned", "cancelled"],
    ...["from today", "starting", "has gone", "have gone", "went back"],
    ...["jetzt", "nun", "nicht mehr", "kein mehr", "keine mehr", "statt", "stattdessen", "seit"],
    ...[
      "ab sofort",
      "ab heute",
      "neu",
      "neue",
      "neuer",
      "neues",
      "neuen",
      "umgezogen",
      "gewechselt",
    ],
    ...["geändert", "wieder"],
    ...["maintenant", "désormais", "ne plus", "à la place", "au lieu de", "depuis", "nouveau"],
    ...["nouvelle", "changé", "déménagé", "dorénavant"],
    ...["ahora", "ya no", "en vez de", "en lugar de", "desde", "nuevo", "nueva", "cambió", "mudó"],
  ],
  /** Phrases of scripts without spaces between words. */
  parts: [
    "もう",
    "今は",
    "今度",
    "から",
    "になった",
    "に変",
    "変わ",
    "新しい",
    "やめ",
    "代わり",
    "移っ",
  ],
};
const MAX_CHANGES = 3;
const CHANGE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${CHANGES.words.join("|").replaceAll(" ", "\\s+")})(?![\\p{L}\\p{N}])|${CHANGES.parts.join("|")}`,
  "giu",
);

const WORD = /[\p{L}\p{N}]+/gu;
const DIGIT = /\p{N}/u;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** The letters by which words are compared, in place of stems of some languages. */
const COMPARED_LETTERS = 5;
/** Shorter words without a digit, such as "is", say nothing of their own. */
const FEWEST_LETTERS = 4;

/**
 * Returns the answers that are compared with a new memory, in their order: without memories that
 * tell what happened, and without those that say all that the new one says.
 */
export function conflictCandidates<Answer extends ConflictCandidate>(
  newer: ComparedMemory,
  answers: readonly Answer[],
  sectionOf: (subtype: string | null) => MemorySection,
): Answer[] {
  const telling = tellingOf(newer);
  return answers
    .filter(({ subtype }) => LASTING.has(sectionOf(subtype)))
    .filter((answer) => {
      const held = wordsOf(answer).all;
      return telling.some((word) => !held.has(word));
    })
    .slice(0, MAX_COMPARED);
}

/** Returns the memories that a new memory may replace, the most probable first. */
export function possibleConflicts(
  newer: ComparedMemory,
  candidates: readonly ConflictCandidate[],
  weights: ConflictSignals = CONFLICT_WEIGHTS,
): PossibleConflict[] {
  return conflictSignals(newer, candidates)
    .map((signals, place) => ({ place, probability: conflictProbability(signals, weights) }))
    .filter(({ probability }) => probability >= MIN_CONFLICT_PROBABILITY)
    .sort((a, b) => b.probability - a.probability)
    .slice(0, MAX_CONFLICTS);
}

/** Returns the probability that a new memory replaces a candidate with these signals. */
export function conflictProbability(
  signals: ConflictSignals,
  weights: ConflictSignals = CONFLICT_WEIGHTS,
): number {
  const sum = CONFLICT_SIGNALS.reduce((sum, name) => sum + signals[name] * weights[name], 0);
  return 1 / (1 + Math.exp(-sum));
}

/** Returns the signals of the candidates, in their order: that of the answers. */
export function conflictSignals(
  newer: ComparedMemory,
  candidates: readonly ConflictCandidate[],
): ConflictSignals[] {
  const read = candidates.map(wordsOf);
  const own = wordsOf(newer);
  const changes = new Set(
    Array.from(comparedText(newer).matchAll(CHANGE), ([phrase]) => phrase.toLowerCase()),
  );
  const change = Math.min(changes.size, MAX_CHANGES) / MAX_CHANGES;
  const shareIn = sharesAmong(read.map(({ all }) => all));
  return candidates.map(({ subtype, created_at, evidence }, place) => {
    const old = read[place]!;
    const days = Math.max(newer.created_at - created_at, 0) / DAY;
    return {
      offset: 1,
      place: Math.log(1 + place),
      sem: evidence.sem ?? 0,
      sbm: evidence.sbm ?? 0,
      taken: shareIn(old.all, own.all),
      titles: shareIn(old.title, own.title),
      subtype: Number(subtype === newer.subtype),
      change,
      age: Math.log(1 + days) / 5,
      old_length: Math.log(1 + old.count) / 4,
      new_length: Math.log(1 + own.count) / 4,
    };
  });
}

/** Returns the text of a memory that is asked and compared. */
export const comparedText = ({ title, text }: Pick<ComparedMemory, "title" | "text">): string =>
  `${title}\n${text}`.slice(0, MAX_READ);

/** Returns a function that measures which share of some words is among others. */
function sharesAmong(texts: readonly ReadonlySet<string>[]) {
  const frequency = new Map<string, number>();
  for (const word of texts.flatMap((words) => [...words]))
    frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const rarity = (word: string) => Math.log(1 + texts.length / (1 + (frequency.get(word) ?? 0)));
  return (words: ReadonlySet<string>, others: ReadonlySet<string>): number => {
    let [shared, all] = [0, 0];
    for (const word of words) {
      all += rarity(word);
      if (others.has(word)) shared += rarity(word);
    }
    return all === 0 ? 0 : shared / all;
  };
}

/** The beginnings of a memory's words, those of its title, and the number of its words. */
function wordsOf(memory: ComparedMemory) {
  const words = wordsIn(comparedText(memory));
  return {
    all: new Set(words.flatMap(keysOf)),
    title: new Set(wordsIn(memory.title.slice(0, MAX_READ)).flatMap(keysOf)),
    count: words.length,
  };
}

/** Returns the beginnings of numbers and longer words of a memory. */
const tellingOf = (memory: ComparedMemory): string[] =>
  wordsIn(comparedText(memory))
    .filter(
      (word) => word.length >= FEWEST_LETTERS || DIGIT.test(word) || WITHOUT_SPACES.test(word),
    )
    .flatMap(keysOf);

const wordsIn = (text: string): string[] => text.toLowerCase().match(WORD) ?? [];

/** Returns the beginning of a word, or the pairs of characters in scripts without spaces. */
function keysOf(word: string): string[] {
  if (WITHOUT_SPACES.test(word))
    return Array.from({ length: Math.max(1, word.length - 1) }, (_, at) => word.slice(at, at + 2));
  return [DIGIT.test(word) ? word : word.slice(0, COMPARED_LETTERS)];
}
