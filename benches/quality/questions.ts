// A labelled question: its words, its kind, and its graded answers.

import type { Known } from "./facts.ts";

/**
 * The kinds of questions. `single` asks for one subject, `compound` for two. `vague` names hardly
 * more than a subject. `misleading` contains a word of a section that does not hold the answer.
 */
export const KINDS = ["single", "compound", "vague", "misleading"] as const;
export type Kind = (typeof KINDS)[number];

/** Grades: an exact answer, or a related memory. */
export const GRADE = { exact: 2, related: 1 } as const;
export type Grade = (typeof GRADE)[keyof typeof GRADE];

/** A question with its answers. */
export interface Labelled {
  text: string;
  kind: Kind;
  /** Grades by id. Other memories are no answers. At least one is exact. */
  grades: ReadonlyMap<string, Grade>;
}

/**
 * Creates a question. A memory that is exact is not related as well.
 *
 * @throws {RangeError} If there is no exact answer.
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
