// The labelled questions over the sample memory, in three sets that are reported separately.

import { createHash } from "node:crypto";
import type { Sample } from "../../js/sample/trader/index.ts";
import { factsOf } from "./facts.ts";
import { generated } from "./generated.ts";
import { handwritten } from "./handwritten.ts";
import type { Labelled } from "./questions.ts";

/** Parameters may be tuned on `dev`, never on `test` or `handwritten`. */
export const SETS = ["test", "handwritten", "dev"] as const;
export type SetName = (typeof SETS)[number];

/** The approximate share of generated questions in the test set. */
const TEST_SHARE = 0.4;

/**
 * Returns whether a generated question belongs to the test set. Only its words decide, so that a
 * change to other questions does not move it.
 */
export function isTest(text: string): boolean {
  return createHash("sha256").update(text).digest().readUInt32BE() < TEST_SHARE * 2 ** 32;
}

/** Returns the questions of each set. */
export function labelledSet(sample: Sample): Record<SetName, readonly Labelled[]> {
  const facts = factsOf(sample);
  const all = generated(facts);
  return {
    test: all.filter(({ text }) => isTest(text)),
    handwritten: handwritten(facts),
    dev: all.filter(({ text }) => !isTest(text)),
  };
}
