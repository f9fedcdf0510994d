// Intents: the sections that a question asks for.

import type { IntentMatcher } from "./config.ts";
import { MEMORY_SECTIONS } from "./constants.ts";
import type { EngineContext } from "./engine-context.ts";
import { invalid, show } from "./errors.ts";
import { moduleConstants } from "./generated/constants.ts";
import { withText } from "./text.ts";
import type { MemorySection } from "./types.ts";

/** Options of `classifyIntent`. */
export interface IntentOptions {
  /**
   * How strings are found in the question. Default: the configuration's `intent.matcher`,
   * `substring`.
   */
  matcher?: IntentMatcher | undefined;
  /** Whether the result holds the strings that were found. Default false. */
  explain?: boolean | undefined;
}

/** The evidence for one section. */
export interface IntentEvidence {
  /** The section that the question asks for. */
  section: MemorySection;
  /** Number of occurrences of all its strings together, overlapping ones included. */
  evidence: number;
  /**
   * The strings that were found, in the order of the table, with the number of occurrences of each.
   */
  strings: {
    /** The string. */
    string: string;
    /** Number of its occurrences, overlapping ones included. */
    count: number;
  }[];
}

/** @internal */
export function classifyIntent(
  context: EngineContext,
  query: string,
  options?: IntentOptions,
): MemorySection[] | IntentEvidence[] {
  const words = wantsWords(context, options?.matcher);
  if (typeof query !== "string") throw invalid("query", `must be a string, found ${show(query)}`);
  return withText(context.pool, query, 0, (lease, length) =>
    options?.explain === true
      ? (lease.engine.explain_intent(length, words) as IntentEvidence[])
      : sectionsOf(lease.engine.classify_intent(length, words)),
  );
}

/** The intents of a question as bits, one per section code. @internal */
export function intentBits(context: EngineContext, query: string): number {
  return withText(context.pool, query, 0, ({ engine }, length) =>
    engine.classify_intent(length, context.wordsByDefault),
  );
}

/** The sections of a set of bits, one per section code, in the order of intents. @internal */
export function sectionsOf(bits: number): MemorySection[] {
  if (bits === 0) return [];
  return moduleConstants.intent_order.filter(
    (section) => bits & (1 << MEMORY_SECTIONS.indexOf(section)),
  );
}

/** @internal */
export function wantsWords(context: EngineContext, matcher: IntentMatcher | undefined): boolean {
  if (matcher === undefined) return context.wordsByDefault;
  if (matcher !== "substring" && matcher !== "words") {
    throw invalid("matcher", `must be "substring" or "words", found ${show(matcher)}`);
  }
  return matcher === "words";
}
