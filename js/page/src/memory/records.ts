// Memories and answers as the views get them: plain data, which crosses from the worker to the
// page.

import type { MemorySection, TimeExpression, Why } from "nous-wasm";

/** A memory as the visitor saw it: what is done to a later version is refused. */
export interface Seen {
  id: string;
  version: number | null;
}

/** Returns the part of a memory that tells which version was seen. */
export const seenOf = ({ id, version }: Seen): Seen => ({ id, version });

/** Returns the beginning of a text that is too long, up to a blank if one is near. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const blank = text.lastIndexOf(" ", most);
  const cut = text.slice(0, blank > most / 2 ? blank : most);
  // No character is cut in two.
  return `${cut.replace(/[\uD800-\uDBFF]$/, "")} …`;
}

/** The most characters of a text that stand for a title. */
const MAX_TITLE = 60;

/** Returns the title of a memory, or the beginning of its text. */
export const titleOf = ({ title, text }: Pick<Card, "title" | "text">, most = MAX_TITLE): string =>
  title === "" ? shortened(text, most) : title;

/** A memory as a list shows it. Instants are milliseconds since 1970. */
export interface Card extends Seen {
  /** Its own title; empty if it has none. */
  title: string;
  /** Summary and body. */
  text: string;
  /** Its kind in words, for example "trade entry"; empty if it has none. */
  kind: string;
  tags: string[];
  section: MemorySection;
  created: number;
  /** When the event happened that it tells of; null if it is not known. */
  event: number | null;
  /** Names of the conversations, journeys or projects that it belongs to. */
  runs: string[];
  /** The values that its fact had, in the order of time, at most 20; missing if there is no other. */
  history?: Value[];
  /** How many values came before these, and how many after them. */
  values_before?: number;
  values_after?: number;
  /** The memory beside which it holds, if that was decided in this visit. */
  held_beside?: Named & {
    /** The two, by age. */
    older: Seen;
    newer: Seen;
  };
}

/** What would become of files on a server. */
export interface Plan {
  /** Memories that are new, and those that are there already. */
  memories: number;
  there: number;
  /** Parts that cannot be read, the first of them with their reasons. */
  wrong: WrongLine[];
  wrongCount: number;
  /** What rules leave out, and how often. */
  left: Counted[];
}

/** What became of files on a server. */
export interface Sent {
  added: number;
  /** Memories and links that the server refused, the first of them with its reasons. */
  refused: { id: string; why: string }[];
  refusedCount: number;
}

/** What others wrote to the memory that is open: how many memories, and the last one's title. */
export interface News {
  stored: number;
  changed: number;
  deleted: number;
  /** Links that came or went, without faint guesses, which nobody is told of. */
  links: number;
  title: string;
  /** Whether so much was written that the memory has to be read anew. */
  isTooMuch: boolean;
}

/** A value that a fact had: a memory of its line. */
export interface Value extends Named, Seen {
  since: number;
  /** Missing if it holds. */
  until?: number;
  /** What replaced it: `likely` is a guess. Missing if it holds. */
  replaced_by?: Named & Seen & { since: number; grade: "sure" | "likely"; probability: number };
  /** Whether it was decided in this visit that another value replaced it. */
  isDecided?: true;
}

/** A stretch of a card's title or text that matters for a question. */
export interface Mark {
  field: "title" | "text";
  start: number;
  end: number;
  /** The word of the question that is meant; missing for a passage. */
  asked?: string;
  /** The word of the memory. */
  found?: string;
  /** How near the two words are, from 0 to 1; 1 for forms of one word. */
  nearness?: number;
}

/** Why a memory has its place. */
export interface Reasons
  extends Omit<
    Why,
    "passage" | "meaning" | "superseded_by" | "replaced_by" | "replaces" | "similar_to"
  > {
  /** The matched words in title and text, in order, without overlaps. */
  marks: Mark[];
  /** The best passage, in title and text. */
  passage: Mark[];
  /** How much meaning counts, and why, in a sentence or two; empty if the question has no vector. */
  meaning: string;
}

/** A memory that another one stands for. */
export interface Named {
  id: string;
  title: string;
}

/** An answer of a list. */
export interface Shown {
  card: Card;
  /** Its place, from 1. */
  rank: number;
  /** The probability that it answers, or the score of another ranking. */
  score: number;
  /** By evidence alone. */
  reasons?: Reasons;
  superseded_by?: Named;
  similar_to?: Named;
}

/** The engine's reading of a question. */
export interface Understood {
  times: TimeExpression[];
  parts: string[];
  intents: MemorySection[];
  /** The words that count, as the question has them: without stop words, and words such as "should". */
  words: string[];
  isLookup: boolean;
}

/** The answers to a question. */
export interface Answered {
  question: string;
  answers: Shown[];
  /** The probability that the memory knows the answer, from 0 to 1. */
  probability: number;
  /** The probability from which on an answer counts as one, and whether that is reached. */
  threshold: number;
  isAnswerable: boolean;
  understood: Understood;
  /** How long the engine took to rank all memories, in milliseconds. */
  milliseconds: number;
  /** How many memories were ranked, and how many were still to come. */
  among: number;
  awaited: number;
  /** Whether meaning was compared, and not words alone. */
  isByMeaning: boolean;
}

/** A ranking that the page compares with evidence. */
export type Rival = "bm25" | "signals" | "sections" | "intent";

/** An answer of another ranking. Its scores are not probabilities. */
export interface Compared {
  question: string;
  ranking: Rival;
  answers: Shown[];
  /** The sections whose memories it raised, because the question asks for them. */
  raised: MemorySection[];
  milliseconds: number;
}

/** Where a memory stands among the answers to a question, beside the first one. */
export interface WhyNot {
  card: Card;
  reasons: Reasons;
  /** The first answer; missing if nothing in the memory has to do with the question. */
  first?: Shown;
  /** The words of the question that count. */
  words: WordLack[];
  /** The kinds of evidence in which the two differ. */
  differences: Difference[];
  /** How many memories were ranked. */
  among: number;
  /** How many memories are not here yet. */
  awaited: number;
  /** The memories that it stands behind whatever the evidence says. */
  superseded_by?: Named;
  similar_to?: Named;
}

/** A word of the question, and its nearest words in the two memories. Null: no word is near. */
export interface WordLack {
  asked: string;
  found: string | null;
  nearness: number;
  /** The same of the first answer. */
  firstFound: string | null;
  firstNearness: number;
}

/** A kind of evidence that speaks more for one memory than for the other. */
export interface Difference {
  name: string;
  own: number;
  first: number;
}

/** A question that was asked to see whether it finds a memory. */
export interface Finder {
  question: string;
  /** The change to the question, in words. */
  how: string;
  /** The place of the memory; null if nothing connects the two. */
  rank: number | null;
  score: number;
}

/** The facts about the open memory that the page shows. */
export interface Summary {
  /** Name of the memory, as the header shows it. */
  name: string;
  /** Whose fitted weights rank it. */
  preset: "general" | "trading";
  memories: number;
  /** How many memories are still to come, about; 0 if all are here. */
  awaited: number;
  edges: number;
  runs: number;
  /** How often use has taught the agent. The page ranks without it. */
  learnedSteps: number;
  bySection: Record<MemorySection, number>;
  first: number;
  last: number;
  /** The present of the memory, in milliseconds since 1970. Each sample has its own. */
  now: number;
  /** Lines that could not be read, the first hundred. */
  wrong: WrongLine[];
  /** How many lines could not be read. */
  wrongCount: number;
  /** Where the memory comes from; `new`: the visitor writes it. */
  source: "sample" | "files" | "kept" | "server" | "new";
  /** Whether a server has it that ranks by six signals. */
  isBySignals: boolean;
  /** The kinds that a memory can be given, by name. */
  kindNames: string[];
  /** Whether the memory is kept in this browser. */
  isKept: boolean;
  /** Whether a deletion or an edit can be undone. */
  canUndo: boolean;
  /** Questions that late memories answer first; none for a sample, which has its own. */
  suggested: string[];
  /** Whether words have vectors, so that memories in other words are found. */
  hasVectors: boolean;
  /** Whether questions are compared by the meaning of whole sentences, too. */
  isByMeaning: boolean;
}

/** Whether a memory can be ranked by meaning. */
export interface MeaningOffer {
  isOffered: boolean;
  /** Whether the model need not be fetched. */
  isKept: boolean;
  /** How many memories have no vector. */
  waiting: number;
  /** Whether it is ranked by meaning already. */
  isOn: boolean;
}

/** How the ranking by meaning stands. `waiting`: so many of `all` memories have no vector yet. */
export type MeaningState =
  | { state: "loading"; share: number }
  | { state: "on"; waiting: number; all: number }
  | { state: "failed" };

/** A line that could not be read. */
export interface WrongLine {
  file: string;
  /** Its number, from 1; null if the file as a whole could not be read. */
  line: number | null;
  /** The unit of the number, if it does not count lines. */
  of?: "line" | "conversation" | "entry";
  why: string;
}

/** Memories of a list, a page of them. */
export interface Listed {
  cards: Card[];
  /** The page, from 0. */
  page: number;
  /** How many memories pass the filters. */
  total: number;
  /** Kinds and tags of the whole memory with their counts, the most frequent first. */
  kinds: Counted[];
  tags: Counted[];
}

export interface Counted {
  name: string;
  count: number;
}

/** The texts of a memory that can be edited. */
export interface Texts {
  title: string;
  /** Null if it has none; the page adds none. */
  summary: string | null;
  text: string;
  tags: string[];
  /** The subtype; empty if it has none. A change without it leaves the kind. */
  kind?: string;
  /**
   * The version that was read: a server refuses to change a later one. A change without it is one of
   * the memory as it is.
   */
  version?: number | null;
}

/** What became of a text that was to be remembered, piece by piece. */
export interface Stored {
  pieces: StoredPiece[];
}

/** A memory that holds a piece of a text. */
export interface StoredPiece {
  card: Card;
  /** Whether it is new; else it said the same already. */
  isNew: boolean;
  /** Older memories that it seems to replace, the most probable first. */
  replaces: { card: Card; probability: number }[];
}

/** Two texts that may contradict each other. */
export interface Conflict {
  id: string;
  older: Card;
  /** Missing if no memory holds the newer text. */
  newer?: Card;
  newText: string;
  /** How sure the detection is, from 0 to 1. */
  sureness: number | null;
}

/** How a guess is decided: the newer memory replaces the older one, or both hold. */
export type Decision = "new_is_current" | "keep_both";

/** How a conflict is resolved, in the words of the server. */
export type Resolution = "new_is_current" | "keep_both" | "old_is_current";

/** How a server is. */
export interface ServerState {
  url: string;
  agent: string;
  isReady: boolean;
  /** Why it is not ready, or why its figures cannot be read. */
  why?: string;
  memories?: number;
  edges?: number;
  lifecycle?: Readonly<Partial<Record<string, number>>>;
  metrics?: Metric[];
  /** Why there are no metrics. */
  metricsWhy?: string;
}

export interface Metric {
  name: string;
  value: string;
}
