// A set of questions with known answers over one memory: the form that own sets and sets from files
// share.

import { createHash } from "node:crypto";

/** A memory of a set. */
export interface SetMemory {
  readonly id: string;
  readonly text: string;
  /** The instant of its making, ISO 8601. */
  readonly created_at: string;
  /** The conversation, session, day or project in which it was made. */
  readonly cluster?: string;
  readonly title?: string;
  /** The kind of memory, for example `custom:appointment`. */
  readonly subtype?: string;
  /** The speaker of a turn, or the source of a record. */
  readonly speaker?: string;
  /** The language of the text, ISO 639-1. */
  readonly language?: string;
  /** The instant of the event that it announces, ISO 8601. */
  readonly event_time?: string;
}

/** Returns the clusters of a memory as the engine takes them: one at most. */
export const clustersOf = ({ cluster }: Pick<SetMemory, "cluster">): string[] =>
  cluster === undefined ? [] : [cluster];

/** The halves of a set. Weights are fitted on `dev` and never see `test`. */
export const PARTS = ["dev", "test"] as const;
/** A half of a set. */
export type Part = (typeof PARTS)[number];

/** A question with its answers. */
export interface SetQuestion {
  readonly text: string;
  /** The ids of all memories that answer. None if the memory cannot answer. */
  readonly answers: readonly string[];
  readonly kind: string;
  readonly part: Part;
  /** The instant at which the question is asked, ISO 8601. Later memories are in the set, too. */
  readonly now?: string;
  /**
   * The ids of memories that must not come before an answer: one of `answers` replaced them, or they
   * were deleted, or they belong to another scope.
   */
  readonly outdated?: readonly string[];
  /** The language of the question, ISO 639-1. */
  readonly language?: string;
}

/** A memory with questions about it. */
export interface QuestionSet {
  readonly name: string;
  readonly memories: readonly SetMemory[];
  readonly questions: readonly SetQuestion[];
}

/**
 * Enters the hash, so that the halves of every kind of question have about the same size. Of the
 * numbers below 400 it divides the kinds most evenly; no measurement took part in the choice.
 */
const SALT = 287;

/**
 * Returns the half that a question belongs to. Only its words decide, so that a change to other
 * questions does not move it.
 *
 * @example
 * ```ts
 * partOf("Who has our spare key?"); // the same half on every machine
 * ```
 */
export function partOf(text: string): Part {
  return createHash("sha256").update(`${SALT} ${text}`).digest().readUInt8() < 128 ? "test" : "dev";
}
