// Facts in the answer of a language model. The answer is untrusted text: a fact that is not of the
// form is dropped, and nothing but the fields named here is read.

import { comparedWords, parseInstant, statementOf } from "nous-memory";
import { z } from "zod";
import type { ExtractedFact } from "../api/operation.ts";
import { text } from "../api/parts.ts";

/** The most facts of an answer, and of a request. */
export const MAX_FACTS = 50;
export const MAX_OF_A_REQUEST = 200;
/** The most characters of a fact. */
export const MAX_FACT = 1_000;

const answer = z.object({ facts: z.array(z.unknown()) });

const number = z.union([
  z.int(),
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number),
]);

const fact = z.object({
  text: z
    .string()
    .transform((given) =>
      given
        .replaceAll(/\s+/g, " ")
        .replace(/^[#>*\-\s]+/, "")
        .trim(),
    )
    .pipe(text(MAX_FACT))
    .refine((given) => comparedWords(given).length > 0),
  type: z.string().optional().catch(undefined),
  messages: z.union([z.array(z.unknown()), z.unknown().transform((one) => [one])]),
  // As the model writes it: the agent's time zone decides the day of a time without one.
  event_time: z
    .string()
    .max(40)
    .refine((given) => parseInstant(given) !== undefined)
    .optional()
    .catch(undefined),
});

/** The facts of an answer, and how many it had that cannot be used. */
export interface Facts {
  facts: ExtractedFact[];
  dropped: number;
}

/**
 * Returns the facts of an answer; undefined if it is not of the form. A message that is not among
 * `numbers` is ignored, and a fact that names no other is dropped.
 */
export function factsIn(answered: string, numbers: ReadonlySet<number>): Facts | undefined {
  const parsed = answer.safeParse(jsonIn(answered)).data;
  if (parsed === undefined) return undefined;
  const facts: ExtractedFact[] = [];
  for (const given of parsed.facts.slice(0, MAX_FACTS)) {
    const { data } = fact.safeParse(given);
    const named = (data?.messages ?? []).map((one) => number.safeParse(one).data);
    const messages = [...new Set(named)].filter((one) => one !== undefined && numbers.has(one));
    if (data === undefined || messages.length === 0) continue;
    const { text, type, event_time } = data;
    facts.push({ text, type, messages: messages as number[], event_time });
  }
  return { facts, dropped: parsed.facts.length - facts.length };
}

/** Returns the JSON of an answer, which may stand in a code fence or between sentences. */
function jsonIn(answered: string): unknown {
  const fenced = /```(?:json)?\s*\n(.*?)\n\s*```/is.exec(answered)?.[1];
  const inBraces = answered.slice(answered.indexOf("{"), answered.lastIndexOf("}") + 1);
  for (const candidate of [answered, fenced, inBraces]) {
    try {
      if (candidate !== undefined) return JSON.parse(candidate);
    } catch {
      // The next candidate may be JSON.
    }
  }
  return undefined;
}

/** Joins facts that say the same: windows overlap, and people repeat themselves. */
export function joined(facts: readonly ExtractedFact[]): ExtractedFact[] {
  const kept = new Map<string, ExtractedFact>();
  for (const fact of facts) {
    const statement = JSON.stringify([statementOf(fact.text), fact.event_time ?? null]);
    const messages = [...(kept.get(statement)?.messages ?? []), ...fact.messages];
    kept.set(statement, { ...(kept.get(statement) ?? fact), messages: [...new Set(messages)] });
  }
  return [...kept.values()];
}
