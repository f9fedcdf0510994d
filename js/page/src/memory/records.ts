// What the views know of memories and answers. Plain data: it crosses from the worker to the page.

import type { MemorySection, TimeExpression, Why } from "nous-wasm";

/** A memory as a list shows it. Instants are milliseconds since 1970. */
export interface Card {
  id: string;
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
export interface Reasons extends Omit<Why, "passage" | "superseded_by" | "similar_to"> {
  /** The matched words in title and text, in order, without overlaps. */
  marks: Mark[];
  /** The best passage, in title and text. */
  passage: Mark[];
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

/** What the engine understood of a question. */
export interface Understood {
  times: TimeExpression[];
  parts: string[];
  intents: MemorySection[];
  /** The words that count, with the rarest first. */
  words: string[];
  isLookup: boolean;
}

/** The answers to a question. */
export interface Answered {
  question: string;
  answers: Shown[];
  /** Whether the first answer reaches the score from which on an answer counts as one. */
  isAnswerable: boolean;
  understood: Understood;
  /** How long the engine took to rank all memories, in milliseconds. */
  milliseconds: number;
  /** How many memories were ranked. */
  among: number;
}

/** What the page shows of the memory that is open. */
export interface Summary {
  /** Name of the memory, as the header shows it. */
  name: string;
  /** Whose fitted weights rank it. */
  preset: "general" | "trading";
  memories: number;
  edges: number;
  runs: number;
  bySection: Record<MemorySection, number>;
  first: number;
  last: number;
  /** The present of the memory, in milliseconds since 1970; a sample has one of its own. */
  now: number;
  /** Lines that could not be read, the first hundred. */
  wrong: WrongLine[];
  /** How many lines could not be read. */
  wrongCount: number;
  /** Whether words have vectors, so that memories in other words are found. */
  hasVectors: boolean;
}

/** A line that could not be read. */
export interface WrongLine {
  file: string;
  line: number;
  why: string;
}
