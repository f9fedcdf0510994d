// The labelled questions over the sample memory, in three sets that are reported apart.

import { createHash } from "node:crypto";
import type { Sample } from "../../js/demo/sample/index.ts";
import { factsOf } from "./facts.ts";
import { generated } from "./generated.ts";
import { handwritten } from "./handwritten.ts";
import type { Labelled } from "./questions.ts";

/**
 * `dev` may be looked at when something is chosen; by `test` and `handwritten` nothing is chosen.
 */
export const SETS = ["test", "handwritten", "dev"] as const;
export type SetName = (typeof SETS)[number];

/** About this share of the generated questions is set aside as test set. */
const TEST_SHARE = 0.4;

/**
 * Whether a generated question is of the test set. Its words alone decide, so that other questions
 * do not move it.
 */
export function isTest(text: string): boolean {
  return createHash("sha256").update(text).digest().readUInt32BE() < TEST_SHARE * 2 ** 32;
}

export function labelledSet(sample: Sample): Record<SetName, readonly Labelled[]> {
  const facts = factsOf(sample);
  const all = generated(facts);
  return {
    test: all.filter(({ text }) => isTest(text)),
    handwritten: handwritten(facts),
    dev: all.filter(({ text }) => !isTest(text)),
  };
}
