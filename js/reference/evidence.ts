// Ranking by evidence: the words of a question and the words near them, passages, runs of memories,
// the evidence of every memory, its sum and probability, and the reasons for a place. The rules, in
// full. Plain on purpose: this is the yardstick of the parity tests.
//
// Every sum is added in the order of the crate, since results are compared to the bit.

import type {
  Answer,
  EmbeddingScale,
  Learned,
  TimeExpression,
  Trait,
  Why,
  WordVectors,
} from "nous-wasm";
import { stem } from "porter2";
import { findTimes, holdsTime } from "./found-times.ts";
import { functionWords } from "./function-words.ts";
import {
  BARE,
  type Kind as HeldKind,
  heldIn,
  isFunctionPair,
  PART,
  prefixOf,
  STEM,
  shown,
} from "./reading.ts";
import { WORD } from "./search.ts";
import type { MemorySection } from "./sections.ts";
import { STOP_WORDS } from "./stop-words.ts";
import {
  capitals,
  type Era,
  era,
  holdsName,
  holdsNumber,
  sought,
  type Token,
  tokensOf,
} from "./times.ts";
import { endsAsQuestion } from "./turn.ts";

/** What a memory is like, whatever the question. */
export const TRAITS = ["qm", "prevq", "len", "num", "cap", "pos"] as const satisfies Trait[];

/** The kinds of evidence, in order. */
export const EVIDENCE = [
  ...(["bm", "sbm", "sem", "cov", "p_soft", "p_softcov", "p_sem", "p_sbm"] as const),
  ...(["nb", "win", "ses", "sesb", "date", "told", "p_temp", "p_numq", "p_where"] as const),
  ...(["titlecov", "graph", "affinity", "recency_episodic", "recency_signals"] as const),
  ...(["recency_knowledge", "recency_procedural", "lastrec", "vaguerec", "intent"] as const),
  ...(["section_episodic", "section_signals", "section_procedural"] as const),
  ...(["emb", "nb_emb", "ses_emb", "emb_unheld", "emb_rank", "emb_unlike", "ses_unheld"] as const),
  "soft_unheld" as const,
  ...TRAITS,
];
export type Kind = (typeof EVIDENCE)[number];
export type Values = Record<Kind, number>;

/** Weights, and how a sum becomes a probability. */
export interface Fit {
  weights: Values;
  scale: number;
  of_best: number;
  of_gap: number;
  of_spread: number;
  of_unheld: number;
  offset: number;
}

/** The fits for questions without an embedding, and with one. */
export interface Fits {
  plain: Fit;
  embedded: Fit;
}

/** How a sum becomes a probability for one question. */
export interface Odds {
  scale: number;
  offset: number;
}

// ---- words --------------------------------------------------------------------------------------

/** The words of a text: one for each place. */
export const wordsOf = (text: string): string[] =>
  heldIn(text).flatMap(({ name, kind }) => (kind === "word" ? [name] : []));

/** Whether a name has no signs. Others have no vector, and are no neighbours. */
const isPlain = (name: string): boolean => !/[^a-z0-9\u{80}-\u{10ffff}]/u.test(name);

/** What is left of contractions such as "don't". */
const RESTS = new Set(["s", "t", "d", "m", "ll", "re", "ve", "don"]);
const isContent = (word: string): boolean => !STOP_WORDS.has(word) && !RESTS.has(word);

// ---- passages -----------------------------------------------------------------------------------

const ENOUGH_WORDS = 40;
const MAX_WORDS_OF_PASSAGE = 60;
const FEW_WORDS = 10;

/** A sentence ends with its line, or with a mark before white space. */
const SENTENCE = /.*?(?:[\n。！？]|[.!?…]["')\]”’]*(?=[ \t\r])|$)/gsu;

interface Occurrence {
  word: string;
  inTitle: boolean;
  /** What else the text holds at the place. */
  others: string[];
}

/** The words of a part of a text, each with what else its place holds. */
function occurrencesOf(text: string, inTitle: boolean): Occurrence[] {
  const all: Occurrence[] = [];
  for (const { name, kind } of heldIn(text)) {
    if (kind === "word") all.push({ word: name, inTitle, others: [] });
    else all.at(-1)!.others.push(name);
  }
  return all;
}

/** Runs of sentences of about forty words. The title belongs to the first. */
export function passagesOf(title: string, body: string): Occurrence[][] {
  const passages: Occurrence[][] = [];
  let open: Occurrence[] = occurrencesOf(title, true);
  const close = () => {
    passages.push(open);
    open = [];
  };
  for (const [sentence] of body.matchAll(SENTENCE)) {
    const words = occurrencesOf(sentence, false);
    if (open.length > 0 && open.length + words.length > MAX_WORDS_OF_PASSAGE) close();
    open.push(...words);
    while (open.length > MAX_WORDS_OF_PASSAGE) passages.push(open.splice(0, ENOUGH_WORDS));
    if (open.length >= ENOUGH_WORDS) close();
  }
  if (open.length === 0) return passages;
  if (open.length < FEW_WORDS && passages.length > 0) passages.at(-1)!.push(...open);
  else close();
  return passages;
}

// ---- vectors ------------------------------------------------------------------------------------

const MAX_CODE = 127;
const LANES = 16;

/** Whole numbers from −127 to 127, times the step. Step and length are f32. */
interface Coded {
  codes: number[];
  step: number;
  length: number;
}

/** Finer whole numbers, times the step; together of length 1. */
interface CodedQuestion {
  codes: number[];
  step: number;
}

/** Rounds half away from 0. */
function round(x: number): number {
  const whole = Math.trunc(x);
  return Math.abs(x - whole) >= 0.5 ? whole + Math.sign(x) : whole;
}

/** The size of the largest component, 0 if a component is not finite. */
const largestOf = (vector: Float32Array): number =>
  vector.every(Number.isFinite)
    ? vector.reduce((max, component) => Math.max(max, Math.abs(component)), 0)
    : 0;

const squaresOf = (codes: readonly number[]): number =>
  codes.reduce((sum, code) => sum + code * code, 0);

export function coded(vector: Float32Array): Coded {
  const largest = largestOf(vector);
  if (largest === 0) return { codes: Array.from(vector, () => 0), step: 0, length: 0 };
  const step = Math.fround(largest / MAX_CODE);
  const codes = Array.from(vector, (component) =>
    Math.min(Math.max(round(component / step), -MAX_CODE), MAX_CODE),
  );
  return { codes, step, length: Math.fround(Math.sqrt(squaresOf(codes)) * step) };
}

/** Undefined for a vector of zeros. The largest code keeps all products below 2³¹. */
export function codedQuestion(vector: Float32Array): CodedQuestion | undefined {
  const largest = largestOf(vector);
  if (largest === 0) return undefined;
  const padded = Math.ceil(vector.length / LANES) * LANES;
  const max = Math.min(Math.floor((2 ** 31 - 1) / (MAX_CODE * padded)), 2 ** 15 - 1);
  const codes = Array.from(vector, (component) => round(component / (largest / max)));
  return { codes, step: 1 / Math.sqrt(squaresOf(codes)) };
}

/** The product with a question of length 1. */
const product = (question: CodedQuestion, { codes, step }: Coded): number =>
  codes.reduce((sum, code, place) => sum + code * question.codes[place]!, 0) * question.step * step;

/** Adds a coded vector to a sum of f32. */
function add({ codes, step }: Coded, sum: Float32Array): void {
  codes.forEach((code, place) => {
    sum[place]! += Math.fround(code * step);
  });
}

// ---- the index of texts -------------------------------------------------------------------------

/** Removed passages are dropped, with their words, if they exceed half of the others by this. */
const FOLD_AT_LEAST = 256;

/** A word of the vocabulary. */
interface Word {
  text: string;
  stem: string;
  vector: Coded;
}

interface Passage {
  length: number;
  vector: Coded;
  /** Occurrences by word. */
  counts: Map<string, number>;
  ofTitle: Set<string>;
}

/** A stretch of time in milliseconds since 1970; the end is the instant after it. */
interface Stretch {
  start: number;
  end: number;
}

/** A text of a batch. Times in it are relative to the creation of its memory. */
export interface GivenText {
  id: string;
  title: string;
  body: string;
  event: number | undefined;
  /** Milliseconds before UTC of the clock by which its day is told. */
  utc_offset: number;
  created_at: number;
}

/** A text as the index keeps it. */
export interface TextOfMemory {
  event: number | undefined;
  utc_offset: number;
  /** The times that it names, by its clock. */
  told: Stretch[];
  passages: Passage[];
  words: number;
  /** The stems of its words. */
  stems: ReadonlySet<string>;
  /** Length of the sum of its vectors, as f32. */
  length: number;
  holds: { time: boolean; number: boolean; name: boolean };
  isQuestion: boolean;
  /** The share of words that begin with a capital letter, as f32. */
  capitals: number;
}

/** A word of the vocabulary that a word of a question stands for. */
interface Match {
  word: Word;
  nearness: number;
  isForm: boolean;
}

interface AskedWord {
  text: string;
  matches: Match[];
  /** Whether it is one of the words by which things are told apart. */
  isIdentifying: boolean;
}

/** A word or identifier of a question. */
interface ReadWord {
  text: string;
  isIdentifier: boolean;
  parts: { name: string; kind: HeldKind }[];
}

/** The words and identifiers of a question, in its order. */
export function readWords(text: string): ReadWord[] {
  const words: ReadWord[] = [];
  for (const { name, kind } of heldIn(text)) {
    if (kind === "word" || kind === "identifier")
      words.push({ text: name, isIdentifier: kind === "identifier", parts: [] });
    else words.at(-1)!.parts.push({ name: name.slice(1), kind });
  }
  return words.slice(0, MAX_READ);
}

const MAX_NEIGHBOURS = 8;
const MIN_COSINE = 0.3;
const NEARNESS_OF_PREFIX = 0.8;
const NEARNESS_OF_LAST = 0.7;
const FEWEST_BEFORE = 3;
const MOST_BEHIND = 2;
const NEARNESS_OF_STEM = 0.95;
const NEARNESS_OF_PART = 0.8;
const NEARNESS_OF_IDEOGRAPH = 0.5;
const NEARNESS_OF_OTHER_SIGNS = 0.5;
/** The most memories that hold a rare identifier, and what its rarity is multiplied by. */
const RARE = 2;
const WEIGHT_OF_RARE_IDENTIFIER = 2;
const NEARNESS_OF_CHANGES = [1, 0.85, 0.7];
const FEWEST_LETTERS = 4;
const LONG_WORD = 8;
const MAX_TOLD = 8;
const LONGEST_TOLD_DAYS = 32;
const MAX_ASKED = 32;
const MAX_READ = 1024;

/** Letters to insert, delete, replace, or swap with the next one; each letter is changed once. */
export function changesBetween(one: readonly string[], other: readonly string[]): number {
  const table = Array.from({ length: one.length + 1 }, (_, row) =>
    Array.from({ length: other.length + 1 }, (_, place) => (row === 0 ? place : row)),
  );
  for (let row = 1; row <= one.length; row++) {
    for (let place = 1; place <= other.length; place++) {
      const isSame = one[row - 1] === other[place - 1];
      let min = Math.min(
        table[row - 1]![place]! + 1,
        table[row]![place - 1]! + 1,
        table[row - 1]![place - 1]! + (isSame ? 0 : 1),
      );
      const isSwap =
        row > 1 &&
        place > 1 &&
        one[row - 1] === other[place - 2] &&
        one[row - 2] === other[place - 1];
      if (isSwap) min = Math.min(min, table[row - 2]![place - 2]! + 1);
      table[row]![place] = min;
    }
  }
  return table[one.length]![other.length]!;
}

export interface TextOptions {
  embedder?: WordVectors | undefined;
  stemming?: "english" | "none" | undefined;
}

/** The texts of memories, by the ids of the memories. */
export class EvidenceTexts {
  readonly #embedder: WordVectors | undefined;
  readonly #stems: boolean;
  /** In the order in which they came. A word stays until passages are dropped. */
  #vocabulary: Word[] = [];
  readonly #texts = new Map<string, TextOfMemory>();
  #removed: Passage[] = [];

  constructor({ embedder, stemming = "english" }: TextOptions) {
    this.#embedder = embedder;
    this.#stems = stemming === "english";
  }

  get size(): number {
    return this.#texts.size;
  }

  get(id: string): TextOfMemory | undefined {
    return this.#texts.get(id);
  }

  /** Passages of all memories. */
  get #passages(): Passage[] {
    return [...this.#texts.values()].flatMap(({ passages }) => passages);
  }

  /** Stores texts of a batch. An empty one removes the text of its memory. */
  upsert(batch: readonly GivenText[]): void {
    const parsed = batch.map((text) => ({ ...text, split: passagesOf(text.title, text.body) }));
    for (const { split } of parsed) {
      for (const { word, others } of split.flat())
        for (const name of [word, ...others]) this.#learn(name);
    }
    for (const { split, ...text } of parsed) {
      this.#drop(text.id);
      if (split.length > 0) this.#texts.set(text.id, this.#textOf(text, split));
    }
    this.#fold();
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) this.#drop(id);
    this.#fold();
  }

  #drop(id: string): void {
    this.#removed.push(...(this.#texts.get(id)?.passages ?? []));
    this.#texts.delete(id);
  }

  #fold(): void {
    const there = this.#passages;
    if (this.#removed.length <= Math.floor(there.length / 2) + FOLD_AT_LEAST) return;
    this.#removed = [];
    const held = new Set(there.flatMap(({ counts }) => [...counts.keys()]));
    this.#vocabulary = this.#vocabulary.filter(({ text }) => held.has(text));
  }

  #stem(word: string): string {
    const within = prefixOf(word);
    const own = word.slice(within.length);
    return within + (this.#stems && /^[a-z]+$/.test(own) ? stem(own) : own);
  }

  #find(word: string): Word | undefined {
    return this.#vocabulary.find(({ text }) => text === word);
  }

  #learn(word: string): void {
    if (this.#find(word) !== undefined) return;
    this.#vocabulary.push({ text: word, stem: this.#stem(word), vector: coded(this.#raw(word)) });
  }

  /** The vector of a word from its source; zeros if it has none. */
  #raw(word: string): Float32Array {
    const sum = this.#zeros();
    const has =
      (isPlain(word) && this.#embedder?.addWord(new TextEncoder().encode(word), sum)) ?? false;
    return has ? sum : this.#zeros();
  }

  #zeros(): Float32Array {
    return new Float32Array(this.#embedder?.dimensions ?? 0);
  }

  #textOf(
    { title, body, event, utc_offset, created_at }: GivenText,
    split: readonly Occurrence[][],
  ): TextOfMemory {
    const whole = this.#zeros();
    const passages = split.map((words): Passage => {
      const sum = this.#zeros();
      const counts = new Map<string, number>();
      for (const { word } of words) {
        add(this.#find(word)!.vector, sum);
      }
      const names = (of: (one: Occurrence) => boolean) =>
        words.filter(of).flatMap(({ word, others }) => [word, ...others]);
      for (const name of names(() => true)) counts.set(name, (counts.get(name) ?? 0) + 1);
      sum.forEach((part, place) => {
        whole[place]! += part;
      });
      const ofTitle = new Set(names(({ inTitle }) => inTitle));
      return { length: words.length, vector: coded(sum), counts, ofTitle };
    });
    const squares = whole.reduce((sum, part) => sum + part * part, 0);
    const either = (holds: (text: string) => boolean) => holds(title) || holds(body);
    const ofWords = [title, body].map(capitals);
    const total = (of: "capitals" | "words") => ofWords.reduce((all, one) => all + one[of], 0);
    const namedAt = (now: number) =>
      [title, body].flatMap((part) => findTimes(part, now + utc_offset));
    // What an event's text names counts if it does not depend on when it was told.
    const ofEvent = event === undefined ? undefined : namedAt(event);
    const named = namedAt(created_at)
      .filter(
        ({ start, end }) =>
          ofEvent?.some((other) => other.start === start && other.end === end) ?? true,
      )
      .filter(({ start, end }) => end - start <= LONGEST_TOLD_DAYS * DAY_MS);
    return {
      ...{ event, utc_offset },
      told: named.slice(0, MAX_TOLD),
      passages,
      words: split.flat().length,
      stems: new Set(
        split
          .flat()
          .flatMap(({ word, others }) => [word, ...others].map((name) => this.#stem(name))),
      ),
      length: Math.fround(Math.sqrt(squares)),
      holds: { time: either(holdsTime), number: either(holdsNumber), name: either(holdsName) },
      isQuestion: either(endsAsQuestion),
      capitals: Math.fround(shareOf(total("capitals"), total("words"))),
    };
  }

  // ---- reading a question ----

  /** The words of a question that count, in its order. */
  asked(all: readonly ReadWord[]): { words: AskedWord[]; isVague: boolean } {
    const tells = tellsIn(all);
    const telling = all.some(tells) ? all.filter(tells) : all;
    const stems = telling.map(({ text }) => this.#stem(text));
    const each = telling.filter((_, place) => stems.indexOf(stems[place]!) === place);
    const words = each.flatMap((word): AskedWord[] => {
      const isHeld = ({ word: { text } }: Match) =>
        this.#passages.some(({ counts }) => counts.has(text));
      const forms = () => this.#forms(word.text).filter(isHeld);
      const matches = word.isIdentifier ? forms() : this.#matches(word);
      // An identifier that no text holds says no more than its words.
      if (word.isIdentifier && matches.length === 0) return [];
      const isIdentifying =
        !isPlain(word.text) || (/\d/.test(word.text) && /[a-z]/.test(word.text));
      return [{ text: word.text, matches, isIdentifying }];
    });
    const isVague = each.filter(({ isIdentifier }) => !isIdentifier).length <= VAGUE;
    return { words: this.#rarest(words), isVague };
  }

  /** The 32 words that the fewest passages hold. Words that occur nowhere go first. */
  #rarest(words: AskedWord[]): AskedWord[] {
    if (words.length <= MAX_ASKED) return words;
    const all = this.#passages;
    const frequency = ({ matches }: AskedWord) =>
      matches
        .filter(({ isForm }) => isForm)
        .map(({ word }) => all.filter(({ counts }) => counts.has(word.text)).length)
        .reduce((sum, count) => sum + count, 0);
    const kept = words
      .map((word, place) => ({ place, frequency: frequency(word) || Number.MAX_VALUE }))
      .sort((a, b) => a.frequency - b.frequency || a.place - b.place)
      .slice(0, MAX_ASKED)
      .map(({ place }) => place);
    return words.filter((_, place) => kept.includes(place));
  }

  #forms(asked: string): Match[] {
    const ownStem = this.#stem(asked);
    return this.#vocabulary
      .filter((word) => word.stem === ownStem)
      .map((word): Match => ({ word, nearness: 1, isForm: true }));
  }

  /** The words that a word stands for, the nearest first. */
  #matches({ text: asked, parts }: ReadWord): Match[] {
    const matches = this.#forms(asked);
    const isHeld = matches.length > 0;
    // Numbers that are near are other numbers, and so are signs.
    if (isPlain(asked) && !/[0-9]/.test(asked))
      matches.push(...this.#near(asked, this.#stem(asked)));
    const add = (word: Word, nearness: number, isForm: boolean) => {
      const found = matches.find((match) => match.word === word);
      if (found === undefined) matches.push({ word, nearness, isForm });
      else {
        found.nearness = Math.max(found.nearness, nearness);
        found.isForm ||= isForm;
      }
    };
    const addForms = (name: string, nearness: number, isForm: boolean) => {
      for (const { word } of this.#forms(name)) add(word, nearness, isForm);
    };
    addForms(STEM + asked, NEARNESS_OF_STEM, true);
    addForms(PART + asked, NEARNESS_OF_PART, false);
    addForms(BARE + asked, isHeld ? NEARNESS_OF_OTHER_SIGNS : NEARNESS_OF_PART, false);
    for (const { name, kind } of parts) {
      const isStem = kind === "stem";
      if (isHeld && !isStem) continue;
      const ofOthers = kind === "ideograph" ? NEARNESS_OF_IDEOGRAPH : NEARNESS_OF_PART;
      const nearness = isStem ? NEARNESS_OF_STEM : ofOthers;
      addForms(name, nearness, isStem);
      addForms(STEM + name, nearness * NEARNESS_OF_STEM, isStem);
      addForms(PART + name, nearness * NEARNESS_OF_PART, false);
      addForms(BARE + name, nearness * NEARNESS_OF_OTHER_SIGNS, false);
    }
    if (!isHeld) {
      for (const word of this.#vocabulary) {
        const alike = nearnessOfLetters(asked, word.text);
        if (alike > 0) add(word, alike, false);
      }
    }
    return matches.sort((a, b) => b.nearness - a.nearness);
  }

  /** The neighbours of a word by their vectors. */
  #near(asked: string, ownStem: string): Match[] {
    const own = codedQuestion(this.#raw(asked));
    if (own === undefined) return [];
    const near: Match[] = [];
    for (const word of this.#vocabulary) {
      const { length } = word.vector;
      const dot = product(own, word.vector);
      if (length === 0 || dot < MIN_COSINE * length) continue;
      if (!isPlain(word.text) || !isContent(word.text) || word.stem === ownStem) continue;
      near.push({ word, nearness: Math.min(dot / length, 1), isForm: false });
    }
    return near.sort((a, b) => b.nearness - a.nearness).slice(0, MAX_NEIGHBOURS);
  }

  /** The sum of the vectors of a question's words. */
  vectorOf(all: readonly string[]): CodedQuestion | undefined {
    const sum = this.#zeros();
    for (const word of all) add(this.#find(word)?.vector ?? coded(this.#raw(word)), sum);
    return codedQuestion(sum);
  }

  /** The averages of words: by memory, by passage. */
  get averages(): [memory: number, passage: number] {
    const all = [...this.#texts.values()].reduce((sum, { words }) => sum + words, 0);
    return [all / this.size, all / this.#passages.length];
  }
}

/** How near a word of the vocabulary is by its letters; 0 if it is not. */
function nearnessOfLetters(asked: string, word: string): number {
  const letters = [...asked];
  if (letters.length < FEWEST_LETTERS || /[0-9]/.test(asked)) return 0;
  if (!isPlain(word) || !isContent(word)) return 0;
  if (word.startsWith(asked)) return NEARNESS_OF_PREFIX;
  const isLast = Array.from({ length: MOST_BEHIND + 1 }, (_, behind) => {
    const rest = [...word].slice(0, [...word].length - behind).join("");
    return rest.endsWith(asked) && [...rest].length - letters.length >= FEWEST_BEFORE;
  }).includes(true);
  if (isLast) return NEARNESS_OF_LAST;
  if ([...word][0] !== letters[0]) return 0;
  const changes = changesBetween(letters, [...word]);
  return changes <= (letters.length >= LONG_WORD ? 2 : 1) ? NEARNESS_OF_CHANGES[changes]! : 0;
}

// ---- the evidence -------------------------------------------------------------------------------

const K1 = 1.2;
const B = 0.75;
const HELD = 0.55;
const MEANING = 0.7;
const REACH = 3;
/** The memories before and after that count for the best of a run. */
const NEARBY = 12;
/** The memories before and after that belong to a window. */
const AROUND = 5;
const SPREAD_UNITS = 65_536;
/** Longer texts profit less from the memories around them. */
const SHORT_WORDS = 80;
const INTENT = 0.4;
/** The shares of a question that no memory holds at which words begin to fail it, and fail it. */
const FAILING = [0.55, 0.75] as const;
/** Where words fail: the memories whose place by their cosine counts, and the places by which it halves. */
const NEAREST = 50;
const HALVING = 5;
const DAY_MS = 86_400_000;
const RUN_GAP_MS = 3_600_000;
/** Milliseconds between two memories below which they were stored at once. */
const AT_ONCE_MS = 1_000;
/** The most memories that talk stores at once. More were loaded together. */
const MAX_OF_TALK = 3;
const VAGUE = 2;
const MIDDLE_WORDS = 20;
const LONGEST = 1.5;
const LATEST = new Set(
  "current currently last lately latest new newest now recent recently still today".split(" "),
);

/** What evidence needs to know of a memory beside its text. */
export interface AskedMemory {
  id: string;
  section: MemorySection;
  /** The id of its first cluster. */
  cluster: string | undefined;
  created_at: number;
  /** exp(−days / 30) since its last access, at most 1. */
  recency: number;
  affinity: number;
  /** Whether it passes the filters. */
  passes: boolean;
  /** Whether the filters exclude it by its id: then it says nothing of others either. */
  isExcluded: boolean;
}

export interface AskedQuestion {
  text: string;
  /** The present by the clock of the caller; undefined if its times are not understood. */
  local: number | undefined;
  /** The sections that it asks for. */
  sections: readonly MemorySection[];
  /** Undefined for a question without an embedding. By id, for memories that have one. */
  cosines: ReadonlyMap<string, number> | undefined;
}

/** What memories are like, by their ids. */
function traitsOf(
  texts: EvidenceTexts,
  asking: readonly AskedMemory[],
): Map<string, Record<Trait, number>> {
  const found = new Map<string, Record<Trait, number>>();
  for (const run of runsOf(asking)) {
    run.forEach(({ id }, place) => {
      const { isQuestion, words, holds, capitals } = texts.get(id)!;
      const before = run[place - 1];
      const length = Math.log((1 + words) / (1 + MIDDLE_WORDS)) / 2;
      found.set(id, {
        qm: Number(isQuestion),
        prevq: Number(before !== undefined && texts.get(before.id)!.isQuestion),
        len: Math.min(Math.max(length, -LONGEST), LONGEST),
        num: Number(holds.number),
        cap: capitals,
        pos: place === 0 ? 0 : place / (run.length - 1),
      });
    });
  }
  return found;
}

/** The evidence of a memory, and what its reasons need. */
interface Held {
  memory: AskedMemory;
  text: TextOfMemory;
  values: Values;
  /** The squared nearness of words, by passage. */
  soft: number[];
}

export interface CollectedEvidence {
  words: AskedWord[];
  /** By id, in the order of the memories. */
  held: Map<string, Held>;
  /** By id: 0.7 · sem + 0.3 · bm. */
  nearness: Map<string, number>;
  /** The standard deviation of `sesb` over the memories that pass the filters. */
  spread: number;
  /** The share of the question that no memory holds. */
  unheld: number;
  /** How much meaning counts; undefined if the question has no embedding. */
  gates:
    | {
        isEstimated: (id: string) => boolean;
        unheld: number;
        unlike: number;
      }
    | undefined;
  /** Whether the question asks for what holds, or for the past. */
  era: Era;
}

const shareOf = (value: number, all: number): number => (all > 0 ? value / all : 0);

const saturated = (occurrences: number, length: number, average: number): number =>
  (occurrences * (K1 + 1)) / (occurrences + K1 * (1 - B + (B * length) / average));

const AROUND_WORDS = new RegExp(`^[^${WORD}]+|[^${WORD}]+$`, "gu");
const PREPOSITIONS = ["", "am", "at", "during", "im", "in", "in the", "on"];
/** Whether a text holds no word but those of its times, and a preposition in front. */
function isExpression(text: string, times: readonly TimeExpression[]): boolean {
  if (times.length === 0) return false;
  const rests = [...times.keys(), times.length].map((place) => {
    const before = times[place - 1];
    const from = before === undefined ? 0 : before.index + before.text.length;
    return text.slice(from, times[place]?.index ?? text.length);
  });
  const [opening = "", ...others] = rests.map((rest) => rest.replace(AROUND_WORDS, ""));
  const lead = opening.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return PREPOSITIONS.includes(lead) && others.every((rest) => rest === "");
}

/** A question without its times; `kept` returns what stays of an expression. */
function withoutTimes(
  text: string,
  times: readonly TimeExpression[],
  kept: (expression: string) => string,
): string {
  let [rest, at] = ["", 0];
  for (const time of times) {
    rest += `${text.slice(at, time.index)}${kept(time.text)} `;
    at = time.index + time.text.length;
  }
  return rest + text.slice(at);
}

/**
 * The words of an expression that texts write, too: names, units, the numbers of dates, and the marks
 * that join them.
 */
function namesIn(expression: string): string {
  const tokens = tokensOf(expression);
  const ofDate = ({ word: { is, m, letter } }: Token) =>
    ["month", "season", "year_mark", "month_mark"].includes(is) ||
    (is === "number" && m === 4) ||
    (is === "letter" && ["q", "h"].includes(letter!));
  const joins = (at: number) =>
    tokens[at]?.word.is === "mark" && tokens[at].attached && (tokens[at + 1]?.attached ?? false);
  const isNumber = (at: number) => tokens[at]?.word.is === "number";
  const isNumeric = tokens.some(
    (_, at) => [at, at + 2, at + 4].every(isNumber) && [at + 1, at + 3].every(joins),
  );
  const isDate = isNumeric || tokens.some(ofDate);
  const isName = (token: Token | undefined) =>
    token !== undefined &&
    (ofDate(token) ||
      ["weekday", "unit", "part"].includes(token.word.is) ||
      (isDate && /^[0-9]/.test(token.text)));
  let [names, at] = ["", 0];
  for (const [place, token] of tokens.entries()) {
    const isMark = joins(place) && isName(tokens[place - 1]) && isName(tokens[place + 1]);
    if (!isName(token) && !isMark) continue;
    names += `${token.start > at ? " " : ""}${token.text}`;
    at = token.end;
  }
  return names;
}

/** Whether a word tells something, in a question of these words. */
function tellsIn(all: readonly ReadWord[]): (word: ReadWord) => boolean {
  const own = all.filter(({ isIdentifier }) => !isIdentifier).map(({ text }) => text);
  const english = own.filter((word) => !isContent(word)).length;
  const leftOut = functionWords(own, english);
  return ({ text }) => isContent(text) && !isFunctionPair(text) && !leftOut.has(text);
}

/** Whether a memory of a line of time was loaded together with others, as no talk does it. */
function isLoaded(line: readonly AskedMemory[], place: number): boolean {
  const isAtOnce = (later: number) =>
    later > 0 &&
    later < line.length &&
    line[later]!.created_at - line[later - 1]!.created_at < AT_ONCE_MS;
  let [from, to] = [place, place];
  while (isAtOnce(from)) from -= 1;
  while (isAtOnce(to + 1)) to += 1;
  return to - from + 1 > MAX_OF_TALK;
}

/**
 * The runs of memories: those of one cluster, and of the others those that talk may have made, without
 * a gap between.
 */
export function runsOf(memories: readonly AskedMemory[]): AskedMemory[][] {
  const sorted = memories
    .map((memory, place) => ({ memory, place }))
    .sort((a, b) => a.memory.created_at - b.memory.created_at || a.place - b.place)
    .map(({ memory }) => memory);
  const found: AskedMemory[][] = [];
  const clusters = new Map<string, AskedMemory[]>();
  for (const memory of sorted.filter(({ cluster }) => cluster !== undefined)) {
    const run = clusters.get(memory.cluster!) ?? [];
    if (run.length === 0) found.push(run);
    clusters.set(memory.cluster!, run);
    run.push(memory);
  }
  const line = sorted.filter(({ cluster }) => cluster === undefined);
  let run: AskedMemory[] = [];
  const end = () => {
    if (run.length > 0) found.push(run);
    run = [];
  };
  let before = Number.NEGATIVE_INFINITY;
  for (const [place, memory] of line.entries()) {
    const { created_at } = memory;
    if (isLoaded(line, place) || created_at - before >= RUN_GAP_MS) end();
    run.push(memory);
    if (isLoaded(line, place)) end();
    before = created_at;
  }
  end();
  return found;
}

/**
 * The evidence of all memories with a text, which are in order of sequence. `activation` is called
 * when the nearness of all memories is known. Without `readsTraits` no memory has traits.
 */
export function collectEvidence(
  texts: EvidenceTexts,
  question: AskedQuestion,
  memories: readonly AskedMemory[],
  activation: (nearness: ReadonlyMap<string, number>) => ReadonlyMap<string, number>,
  readsTraits: boolean,
): CollectedEvidence {
  const { local } = question;
  const times = local === undefined ? [] : findTimes(question.text, local);
  const isAlone = isExpression(question.text, times);
  const read = readWords(isAlone ? question.text : withoutTimes(question.text, times, namesIn));
  const bare = readWords(withoutTimes(question.text, times, () => ""));
  const isOfTime = times.length > 0 && !isAlone && !bare.some(tellsIn(read));
  const all = read.filter(({ isIdentifier }) => !isIdentifier).map(({ text }) => text);
  const { words, isVague } = isOfTime ? { words: [], isVague: true } : texts.asked(read);
  const vector = isOfTime ? undefined : texts.vectorOf(all);
  const asking = memories.filter(({ id }) => texts.get(id) !== undefined);
  const sums = asking.map(({ id }) => {
    const { passages } = texts.get(id)!;
    return {
      ...{ bm: 0, sbm: 0, cov: 0, titlecov: 0 },
      soft: passages.map(() => 0),
      held: passages.map(() => 0),
      psbm: passages.map(() => 0),
      /** By word of the question: the squared nearness of the nearest word. */
      nearest: [] as number[],
    };
  });
  const rarities: number[] = [];

  // ---- words ----
  const [averageWords, averageOfPassage] = texts.averages;
  let allRarity = 0;
  for (const { matches, isIdentifying } of words) {
    const found = asking.map(({ id, isExcluded }) =>
      texts.get(id)!.passages.map(({ counts, ofTitle }) => {
        const held = isExcluded ? [] : matches.filter(({ word }) => counts.has(word.text));
        const forms = held.filter(({ isForm }) => isForm);
        const count = ({ word }: Match) => counts.get(word.text)!;
        return {
          first: held.length > 0 ? matches.indexOf(held[0]!) : undefined,
          nearest: held[0]?.nearness ?? 0,
          weighted: held.reduce((sum, match) => {
            const square = match.nearness * match.nearness;
            return sum + count(match) * (square * square);
          }, 0),
          forms: forms.reduce((sum, match) => sum + count(match), 0),
          inTitle: forms.some(({ word }) => ofTitle.has(word.text)),
        };
      }),
    );
    const frequency = found.filter((passages) => passages.some(({ forms }) => forms > 0)).length;
    const weight = isIdentifying && frequency <= RARE ? WEIGHT_OF_RARE_IDENTIFIER : 1;
    const rarity = weight * Math.log(1 + texts.size / (1 + frequency));
    const bmRarity = weight * Math.log(1 + (texts.size - frequency + 0.5) / (frequency + 0.5));
    allRarity += rarity;
    rarities.push(rarity);
    found.forEach((passages, place) => {
      const sum = sums[place]!;
      const nearest = passages.reduce((max, passage) => Math.max(max, passage.nearest), 0);
      sum.nearest.push(nearest * nearest);
      const text = texts.get(asking[place]!.id)!;
      passages.forEach(({ first, nearest, weighted }, passage) => {
        if (first === undefined) return;
        const { length } = text.passages[passage]!;
        sum.soft[passage]! += rarity * (nearest * nearest);
        if (nearest > HELD) sum.held[passage]! += rarity;
        sum.psbm[passage]! += bmRarity * saturated(weighted, length, averageOfPassage);
      });
      // Passages are added in the order in which their first match comes.
      const held = passages
        .filter(({ first }) => first !== undefined)
        .sort((a, b) => a.first! - b.first!);
      if (held.length === 0) return;
      const weighted = held.reduce((all, passage) => all + passage.weighted, 0);
      const forms = held.reduce((all, passage) => all + passage.forms, 0);
      sum.sbm += bmRarity * saturated(weighted, text.words, averageWords);
      if (forms > 0) {
        sum.bm += bmRarity * saturated(forms, text.words, averageWords);
        sum.cov += rarity;
      }
      if (held.some(({ inTitle }) => inTitle)) sum.titlecov += rarity;
    });
  }

  const max = (numbers: readonly number[]) => numbers.reduce((a, b) => Math.max(a, b), 0);
  const best = (of: (place: number) => number) =>
    max(asking.flatMap(({ passes }, place) => (passes ? [of(place)] : [])));
  const bestBm = best((place) => sums[place]!.bm);
  const bestSbm = best((place) => sums[place]!.sbm);
  const bestPSbm = best((place) => max(sums[place]!.psbm));
  /** The shares of the question that no memory holds, and to which no passage is near. */
  const unheld =
    1 -
    shareOf(
      best((place) => sums[place]!.cov),
      allRarity,
    );
  /** How far words fail the question. */
  const failing = Math.min(Math.max((unheld - FAILING[0]) / (FAILING[1] - FAILING[0]), 0), 1);
  const unlike =
    1 -
    shareOf(
      best((place) => max(sums[place]!.held)),
      allRarity,
    );

  // ---- meaning ----
  const meaning = asking.map(({ id, isExcluded }) => {
    const { passages, length } = texts.get(id)!;
    if (vector === undefined || isExcluded) return { sem: 0, pSem: 0 };
    const products = passages.map((passage) => product(vector, passage.vector));
    const cosines = passages.map(({ vector: { length: own } }, place) =>
      own > 0 ? products[place]! / own : 0,
    );
    const sum = products.reduce((all, one) => all + one, 0);
    return { sem: length > 0 ? sum / length : 0, pSem: max(cosines) };
  });

  // ---- runs ----
  const bm = new Map(
    asking.map(({ id }, place) => [id, Math.min(shareOf(sums[place]!.bm, bestBm), 1)]),
  );
  const soft = new Map(
    asking.map(({ id }, place) => [id, shareOf(max(sums[place]!.soft), allRarity)]),
  );
  const nearness = new Map(
    asking.map(({ id }, place) => [
      id,
      MEANING * meaning[place]!.sem + (1 - MEANING) * bm.get(id)!,
    ]),
  );
  // ---- embeddings ----
  const { cosines } = question;
  const isEmbedded = cosines !== undefined && cosines.size > 0;
  const emb = new Map(
    asking.map(({ id, isExcluded }, place) => {
      if (isExcluded) return [id, 0];
      const estimate =
        ESTIMATE.least + ESTIMATE.by_sem * meaning[place]!.sem + ESTIMATE.by_soft * soft.get(id)!;
      return [id, cosines?.get(id) ?? estimate];
    }),
  );
  const nearest = asking
    .flatMap(({ id, passes }) => (passes ? [emb.get(id)!] : []))
    .sort((a, b) => b - a)
    .slice(0, NEAREST);
  /** 1 for the largest cosine, less with the number of larger ones. */
  const rankOf = (cosine: number) => {
    const place = nearest.filter((other) => other > cosine).length;
    return place < nearest.length ? HALVING / (HALVING + place) : 0;
  };
  const ofEmbeddings = new Map<string, { nb: number; ses: number }>();
  for (const run of isEmbedded ? runsOf(asking) : []) {
    run.forEach(({ id }, place) => {
      let nb = 0;
      for (let other = place - REACH; other <= place + REACH; other++)
        if (other !== place && run[other] !== undefined)
          nb += emb.get(run[other]!.id)! / Math.abs(other - place);
      const window = run.slice(Math.max(place - NEARBY, 0), place + NEARBY + 1);
      const ses = max(window.map((memory) => emb.get(memory.id)!));
      ofEmbeddings.set(id, { nb: nb * Math.min(SHORT_WORDS / texts.get(id)!.words, 1), ses });
    });
  }

  const nearestOf = new Map(asking.map(({ id }, place) => [id, sums[place]!.nearest]));
  const ofRun = new Map<string, { nb: number; win: number; ses: number; sesb: number }>();
  let [count, total, squares] = [0, 0, 0];
  for (const run of runsOf(asking)) {
    const near = (place: number) => {
      let sum = 0;
      for (let other = place - REACH; other <= place + REACH; other++) {
        const memory = run[other];
        if (other === place || memory === undefined) continue;
        sum += bm.get(memory.id)! / Math.abs(other - place);
      }
      return sum;
    };
    /** The share of the question that a memory and those around it hold together. */
    const around = (place: number) => {
      if (run.length === 1) return 0;
      const window = run.slice(Math.max(place - AROUND, 0), place + AROUND + 1);
      const sum = rarities.reduce(
        (all, rarity, word) =>
          all + rarity * max(window.map(({ id }) => nearestOf.get(id)![word]!)),
        0,
      );
      return shareOf(sum, allRarity);
    };
    const bestAround = (place: number) => {
      const window = run.slice(Math.max(place - NEARBY, 0), place + NEARBY + 1);
      return max(window.map(({ id }) => nearness.get(id)!));
    };
    const ranked = run.map(({ id }) => bm.get(id)!).sort((a, b) => b - a);
    const [one = 0, two = 0, three = 0] = ranked;
    const sesb = (one + two + three) / 3;
    // Whole numbers: their sums do not depend on the order of the runs.
    const units = Math.round(sesb * SPREAD_UNITS);
    const passing = run.filter(({ passes }) => passes).length;
    count += passing;
    total += units * passing;
    squares += units * units * passing;
    run.forEach(({ id }, place) => {
      const brevity = Math.min(SHORT_WORDS / texts.get(id)!.words, 1);
      const win = Math.max(around(place) - soft.get(id)!, 0) * brevity;
      ofRun.set(id, { nb: near(place) * brevity, win, ses: bestAround(place), sesb });
    });
  }

  const mean = total / Math.max(count, 1);
  const variance = Math.max(squares / Math.max(count, 1) - mean * mean, 0);
  const spread = Math.sqrt(variance) / SPREAD_UNITS;

  // ---- what the question asks for ----
  const seeks = sought(question.text);
  const asksLatest = all.some((word) => LATEST.has(word));
  const active = activation(nearness);
  const traits = readsTraits ? traitsOf(texts, asking) : new Map<string, never>();
  const held = new Map<string, Held>();
  asking.forEach((memory, place) => {
    const { id, section, recency } = memory;
    const [text, sum] = [texts.get(id)!, sums[place]!];
    const at = (text.event ?? memory.created_at) + text.utc_offset;
    /** 2 if a stretch meets a day that the question names, 1 if it meets a longer time. */
    const dateOf = (stretches: readonly Stretch[]) =>
      max(
        times
          .filter((time) =>
            stretches.some(({ start, end }) => start < time.end && time.start < end),
          )
          .map(({ start, end }) => (end - start <= DAY_MS ? 2 : 1)),
      );
    const date = dateOf([{ start: at, end: at + 1 }]);
    const told = Math.max(dateOf(text.told) - date, 0);
    /** A share of a question that asks for nothing but a time: all of it, or nothing. */
    const ofAll = (share: number) => (isOfTime && date + told > 0 ? 1 : share);
    const inSection = (wanted: MemorySection, value: number) => (section === wanted ? value : 0);
    const valuesOfEmbeddings = (id: string) => {
      const { nb, ses } = ofEmbeddings.get(id) ?? { nb: 0, ses: 0 };
      const own = isEmbedded ? emb.get(id)! : 0;
      return {
        ...{ emb: own, nb_emb: nb, ses_emb: ses },
        ...{
          emb_unheld: own * unheld,
          emb_rank: isEmbedded ? rankOf(own) * failing : 0,
          emb_unlike: own * unlike,
          ses_unheld: ses * unheld,
        },
      };
    };
    const values: Values = {
      bm: bm.get(id)!,
      sbm: shareOf(sum.sbm, bestSbm),
      sem: meaning[place]!.sem,
      cov: ofAll(shareOf(sum.cov, allRarity)),
      p_soft: ofAll(soft.get(id)!),
      p_softcov: ofAll(shareOf(max(sum.held), allRarity)),
      p_sem: meaning[place]!.pSem,
      p_sbm: shareOf(max(sum.psbm), bestPSbm),
      ...ofRun.get(id)!,
      date,
      told,
      p_temp: Number(seeks.time && text.holds.time),
      p_numq: Number(seeks.number && text.holds.number),
      p_where: Number(seeks.place && text.holds.name),
      titlecov: shareOf(sum.titlecov, allRarity),
      graph: active.get(id) ?? 0,
      affinity: memory.affinity,
      recency_episodic: inSection("EPISODIC", recency),
      recency_signals: inSection("SIGNALS", recency),
      recency_knowledge: inSection("KNOWLEDGE", recency),
      recency_procedural: inSection("PROCEDURAL", recency),
      lastrec: asksLatest ? recency : 0,
      vaguerec: isVague ? recency : 0,
      intent: question.sections.includes(section) ? INTENT : 0,
      section_episodic: inSection("EPISODIC", 1),
      section_signals: inSection("SIGNALS", 1),
      section_procedural: inSection("PROCEDURAL", 1),
      ...valuesOfEmbeddings(id),
      soft_unheld: soft.get(id)! * unheld,
      ...(traits.get(id) ?? NO_TRAITS),
    };
    held.set(id, { memory, text, values, soft: sum.soft });
  });
  const isEstimated = (id: string) => cosines?.get(id) === undefined;
  const gates = isEmbedded ? { isEstimated, unheld, unlike } : undefined;
  return {
    words,
    held,
    nearness,
    spread,
    unheld,
    gates,
    era: era(question.text, times, local ?? 0),
  };
}

// ---- learning from use --------------------------------------------------------------------------

const RATE = 0.2;
const DECAY = 0.02;
const MAX_LEARNED = 2;
const MIN_SHARE = 0.05;

const traitsFrom = (of: (trait: Trait) => number): Record<Trait, number> =>
  Object.fromEntries(TRAITS.map((trait) => [trait, of(trait)])) as Record<Trait, number>;
const NO_TRAITS = traitsFrom(() => 0);

export const NOTHING_LEARNED: Learned = { steps: 0, shifts: NO_TRAITS, means: NO_TRAITS };

/** The fit of a configuration with what was learned. */
export function fitWith(fit: Fit, { shifts, means }: Learned): Fit {
  const weights = { ...fit.weights };
  for (const trait of TRAITS) weights[trait] += shifts[trait];
  const byDefault = TRAITS.reduce((sum, trait) => sum + shifts[trait] * means[trait], 0);
  return { ...fit, weights, offset: fit.offset - (fit.scale + fit.of_best) * byDefault };
}

/** Whether any trait weighs. */
export const weighsTraits = ({ weights }: Fit): boolean =>
  TRAITS.some((trait) => weights[trait] !== 0);

/** A memory that was shown. */
export interface Shown {
  values: Values;
  isUsed: boolean;
}

/** One step; undefined if nothing can be told apart. */
export function learn(
  learned: Learned,
  shown: readonly Shown[],
  weights: Values,
): Learned | undefined {
  const used = shown.filter(({ isUsed }) => isUsed).length;
  if (used === 0 || used === shown.length) return undefined;
  const sums = shown.map(({ values }) => sumOf(values, weights));
  const best = Math.max(...sums);
  const mass = sums.reduce((all, sum) => all + Math.exp(sum - best), 0);
  const over = shown.map(
    ({ isUsed }, place) => Math.exp(sums[place]! - best) / mass - (isUsed ? 1 / used : 0),
  );
  const steps = Math.min(learned.steps + 1, 2 ** 32 - 1);
  const share = Math.max(1 / steps, MIN_SHARE);
  return {
    steps,
    shifts: traitsFrom((trait) => {
      const shift = learned.shifts[trait];
      const gradient = shown.reduce(
        (all, { values }, place) => all + over[place]! * values[trait],
        0,
      );
      const moved = shift - RATE * (gradient + DECAY * shift);
      return Math.min(Math.max(moved, -MAX_LEARNED), MAX_LEARNED);
    }),
    means: traitsFrom((trait) => {
      const mean = learned.means[trait];
      const ofShown = shown.reduce((all, { values }) => all + values[trait] / shown.length, 0);
      return mean + share * (ofShown - mean);
    }),
  };
}

// ---- sum, probability, reasons ------------------------------------------------------------------

/** The weighted sum: four lanes, each of every fourth kind. */
export function sumOf(values: Values, weights: Values): number {
  const lanes = [0, 1, 2, 3].map((lane) =>
    EVIDENCE.filter((_, place) => place % 4 === lane).reduce(
      (sum, kind) => sum + values[kind] * weights[kind],
      0,
    ),
  );
  return lanes[0]! + lanes[1]! + (lanes[2]! + lanes[3]!);
}

/** The scale of the model with whose cosines the weights are fitted. */
const FITTED_SCALE: EmbeddingScale = { of_unrelated: 0.058, of_related: 0.435 };

/** The cosine of that model which lies in the same place between unrelated and related texts. */
export function fittedCosine(cosine: number, { of_unrelated, of_related }: EmbeddingScale): number {
  const { of_unrelated: low, of_related: high } = FITTED_SCALE;
  const fitted = low + (cosine - of_unrelated) * ((high - low) / (of_related - of_unrelated));
  return Math.min(Math.max(fitted, -1), 1);
}

/** The estimate of a cosine for a memory without an embedding. */
const ESTIMATE = { least: 0.02, by_sem: 0.48, by_soft: 0.4 };

/** The best memories among which the second is looked for. */
const POOL = 64;

/** The odds of a question whose memories have these sums, the best first. */
export function oddsOf(
  fit: Fit,
  { spread, unheld }: Pick<CollectedEvidence, "spread" | "unheld">,
  order: readonly Pick<Ranked, "sum" | "behind">[],
): Odds {
  const best = order[0]?.sum ?? 0;
  const behind = order.slice(1, POOL).find((other) => other.behind === undefined);
  const ofSums = fit.of_best * best + fit.of_gap * (best - (behind?.sum ?? 0));
  const ofWords = fit.of_spread * spread + fit.of_unheld * unheld;
  return { scale: fit.scale, offset: fit.offset + ofSums + ofWords };
}

export const probability = ({ scale, offset }: Odds, sum: number): number =>
  1 / (1 + Math.exp(-(scale * sum + offset)));

/** The least cosine that connects a memory with the question. */
const NEAR = 0.3;
const NEAR_BY_EMBEDDING = 0.2;

/** Whether anything connects a memory with the question. */
function speaks(values: Values, { weights }: Fit): boolean {
  if ([values.p_soft, values.nb, values.date, values.told].some((value) => value !== 0))
    return true;
  if (values.sem >= NEAR || values.ses >= NEAR) return true;
  if (values.emb >= NEAR_BY_EMBEDDING) return true;
  return (["graph", "lastrec", "intent"] as const).some(
    (kind) => values[kind] * weights[kind] !== 0,
  );
}

/** An edge from a memory to the one that it supersedes; with a probability, if that is a guess. */
export interface Supersession {
  newer: string;
  older: string;
  probability?: number | undefined;
  /** Whether the guess is of less than even odds: it is not told. */
  isPossible?: boolean | undefined;
}

const STEP_BEHIND = 1;
const STEP_OF_GUESS = 0.25;
/** By how much the second of two memories may answer better, if the pair is only possible. */
const REACH_OF_POSSIBLE = 0.6;

/** What edges lead to from a memory, itself first, nearest first. */
function reached(
  from: string,
  pairs: readonly Supersession[],
  isWanted: (id: string) => boolean = () => true,
): string[] {
  const ids = [from];
  for (const id of ids)
    for (const { newer, older } of pairs)
      if (newer === id && isWanted(older) && !ids.includes(older)) ids.push(older);
  return ids;
}

/**
 * The edges that count. Where edges go round in a circle, the newer end of the last one holds. The others
 * stand behind it in the order in which its edges reach them, and edges against that order do not count.
 */
export function withoutCircles(supersessions: readonly Supersession[]): Supersession[] {
  const pairs = supersessions.filter(({ newer, older }) => newer !== older);
  const circleOf = (id: string) =>
    reached(id, pairs).filter((other) => reached(other, pairs).includes(id));
  return pairs.filter(({ newer, older }) => {
    const circle = circleOf(newer);
    if (!circle.includes(older)) return true;
    const within = pairs.filter((pair) =>
      [pair.newer, pair.older].every((id) => circle.includes(id)),
    );
    const order = reached(within.at(-1)!.newer, pairs, (id) => circle.includes(id));
    return order.indexOf(newer) < order.indexOf(older);
  });
}

/**
 * The edges that count of all grades, in their order. A guess does not count if its older memory is
 * superseded, or if it goes round in a circle with what is surer.
 */
export function linesOf(supersessions: readonly Supersession[]): Supersession[] {
  const isSure = ({ probability }: Supersession) => probability === undefined;
  const sure = withoutCircles(supersessions.filter(isSure));
  const kept = [...sure];
  for (const isPossible of [false, true]) {
    const guesses = withoutCircles(
      supersessions.filter(
        (pair) =>
          !isSure(pair) &&
          (pair.isPossible ?? false) === isPossible &&
          !sure.some(({ older }) => older === pair.older),
      ),
    );
    const all = [...kept, ...guesses];
    kept.push(...guesses.filter((pair) => !reached(pair.older, all).includes(pair.newer)));
  }
  return supersessions.filter((pair) => kept.includes(pair));
}

export interface Ranked {
  id: string;
  score: number;
  sum: number;
  values: Values;
  /** The memory that it stands behind, of its line. */
  behind: string | undefined;
}

/** What the edges tell of a memory. */
export type Replacements = Pick<Answer, "superseded_by" | "replaced_by" | "replaces">;

/** What edges tell of memories that pass the filters, by id. */
export function replacementsOf(
  { held }: CollectedEvidence,
  supersessions: readonly Supersession[],
): Map<string, Replacements> {
  const told = new Map<string, Replacements>();
  const tell = (id: string, more: Replacements) => told.set(id, { ...told.get(id), ...more });
  for (const { newer, older, probability, isPossible } of linesOf(supersessions)) {
    if (isPossible || ![newer, older].every((id) => held.get(id)?.memory.passes)) continue;
    if (probability === undefined) tell(older, { superseded_by: newer });
    else {
      tell(older, { replaced_by: { id: newer, probability } });
      tell(newer, { replaces: { id: older, probability } });
    }
  }
  return told;
}

/**
 * Memories that pass the filters and are connected with the question, best first; equal ones keep
 * their order. A memory takes the sum of one that it supersedes, if that is higher, and the older
 * one loses a step. A guess lets the older one stand directly behind; if it is only possible, this is
 * so if the newer one answers about as well. For the past, the older memory of a pair comes first.
 */
export function ranked(
  collected: CollectedEvidence,
  fit: Fit,
  supersessions: readonly Supersession[],
): Ranked[] {
  const { held, era } = collected;
  const passing = [...held.values()].filter(({ memory }) => memory.passes);
  const sums = new Map(
    passing
      .filter(({ values }) => speaks(values, fit))
      .map(({ memory, values }) => [memory.id, sumOf(values, fit.weights)]),
  );
  const read = linesOf(supersessions).filter(({ newer, older }) =>
    [newer, older].every((id) => held.get(id)?.memory.passes),
  );
  const isTurned = ({ newer }: Supersession): boolean => {
    if (era === "present") return false;
    if (era === "course") return true;
    if (era === "before") return read.every(({ older }) => older !== newer);
    const { text, memory } = held.get(newer)!;
    return (text.event ?? memory.created_at) + text.utc_offset >= era.until;
  };
  const kept = read.filter((pair) => !isTurned(pair));
  const turned = read.filter(isTurned).reverse();
  const behind = new Map<string, string>();
  const put: { first: string; second: string; step: number }[] = [];
  for (const { first, second, pair } of [
    ...kept.map((pair) => ({ first: pair.newer, second: pair.older, pair })),
    ...turned.map((pair) => ({ first: pair.older, second: pair.newer, pair })),
  ]) {
    const ofSecond = sums.get(second);
    if (ofSecond === undefined) continue;
    const own = sums.get(first);
    const isFar = own === undefined || ofSecond - own > REACH_OF_POSSIBLE;
    if (pair.isPossible && isFar) continue;
    const isSure = pair.probability === undefined;
    sums.set(first, Math.max(own ?? ofSecond, ofSecond));
    sums.set(second, ofSecond - (isSure ? STEP_BEHIND : 0));
    if (!pair.isPossible) behind.set(second, first);
    put.unshift({ first, second, step: isSure ? STEP_BEHIND : STEP_OF_GUESS });
  }
  // Each of a chain stands behind its own.
  for (const { first, second, step } of put)
    sums.set(second, Math.min(sums.get(second)!, sums.get(first)! - step));
  const order = passing
    .filter(({ memory }) => sums.has(memory.id))
    .map(({ memory: { id }, values }) => {
      return { id, sum: sums.get(id)!, values, behind: behind.get(id) };
    })
    .sort((a, b) => b.sum - a.sum);
  const odds = oddsOf(fit, collected, order);
  return order.map((one) => ({ ...one, score: probability(odds, one.sum) }));
}

/** An answer at its place. */
export type Placed = Ranked & {
  /** A memory before it that it is like, if it was moved for that reason. */
  similar_to: string | undefined;
};

/** The reasons for the place of a memory among answers in this order. */
export function reasons(
  collected: CollectedEvidence,
  id: string,
  fit: Fit,
  order: readonly Placed[],
  replacements: Replacements = {},
): Why {
  const place = order.findIndex((answer) => answer.id === id);
  const { text, values, soft } = collected.held.get(id)!;
  const byEvidence = sumOf(values, fit.weights);
  const { sum = byEvidence, similar_to } = order[place] ?? {};
  const odds = oddsOf(
    fit,
    collected,
    [...order].sort((a, b) => b.sum - a.sum),
  );
  const evidence = EVIDENCE.filter((name) => values[name] !== 0).map((name) => {
    const [value, weight] = [values[name], fit.weights[name]];
    return { name: name as string, value, weight, contribution: value * weight };
  });
  if (sum !== byEvidence) {
    const value = sum - byEvidence;
    evidence.push({ name: "supersession", value, weight: 1, contribution: value });
  }
  const index = soft.indexOf(Math.max(...soft));
  const before = text.passages.slice(0, index).map(({ length }) => length);
  const passage = text.passages[index]!;
  const { gates } = collected;
  const least_weight = fit.weights.emb;
  return {
    rank: place < 0 ? null : place + 1,
    score: probability(odds, sum),
    sum,
    scale: odds.scale,
    offset: odds.offset,
    evidence: evidence.sort((a, b) => b.contribution - a.contribution),
    words: collected.words.map(({ text: asked, matches }) => {
      const found = matches.find(({ word }) =>
        text.passages.some(({ counts }) => counts.has(word.text)),
      );
      return {
        asked,
        found: found === undefined ? null : shown(found.word.text),
        nearness: found?.nearness ?? 0,
        in_passage: found !== undefined && passage.counts.has(found.word.text),
      };
    }),
    passage: {
      index,
      first_word: before.reduce((all, words) => all + words, 0),
      words: passage.length,
    },
    ...(gates === undefined
      ? {}
      : {
          meaning: {
            is_estimated: gates.isEstimated(id),
            ...{ unheld: gates.unheld, unlike: gates.unlike, least_weight },
            weight:
              least_weight +
              fit.weights.emb_unheld * gates.unheld +
              fit.weights.emb_unlike * gates.unlike,
          },
        }),
    ...replacements,
    ...(similar_to === undefined ? {} : { similar_to }),
  };
}
