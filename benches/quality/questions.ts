// What a labelled question is: its words, its kind, and the memories that answer it.

import type { Known } from "./facts.ts";

/**
 * `single` asks one thing, `compound` two; `vague` names hardly more than a subject; `misleading`
 * has a word that points to a section in which the answer is not.
 */
export const KINDS = ["single", "compound", "vague", "misleading"] as const;
export type Kind = (typeof KINDS)[number];

/** How well a memory answers: it is the answer, or it bears on it. */
export const GRADE = { exact: 2, related: 1 } as const;
export type Grade = (typeof GRADE)[keyof typeof GRADE];

/** A question with its answers. */
export interface Labelled {
  text: string;
  kind: Kind;
  /** By id; what is not in it is no answer. At least one is exact. */
  grades: ReadonlyMap<string, Grade>;
}

/**
 * A question with its answers. What is exact is not related as well.
 *
 * @throws {RangeError} where nothing answers it exactly.
 */
export function labelled(
  text: string,
  kind: Kind,
  exact: readonly Known[],
  related: readonly Known[] = [],
): Labelled {
  if (exact.length === 0) throw new RangeError(`nothing answers “${text}”`);
  const grades = new Map<string, Grade>();
  for (const { id } of related) grades.set(id, GRADE.related);
  for (const { id } of exact) grades.set(id, GRADE.exact);
  return { text, kind, grades };
}
