// How much two texts have in common, and about how long one is.

import { listOf, requireText } from "../arguments.ts";
import { defaultContext } from "../engine-context.ts";
import { invalid, show } from "../errors.ts";
import { SHARED, SHARED_IS_ENOUGH, SHARED_SIMILARITY } from "../generated/layout.ts";
import type { EnginePool } from "../runtime.ts";
import { withText } from "../text.ts";
import { answerOf, Batch } from "./batch.ts";
import { type ContextOptions, isSeedCompatible } from "./turn.ts";

/** What a text has in common with others. @internal */
export interface Similarity {
  similarity: number;
  /** Whether that is enough to say the same. */
  isSame: boolean;
}

/**
 * How much of a text stands in an answer, or the other way round: the words that both have, as a
 * share of the words of whichever has fewer, in [0, 1]; 0 where one has none. Words are runs of at
 * least three letters, digits and underscores of any script, whatever their case; in the default
 * mode stop words such as "the" are none.
 */
export function overlap(context: string, response: string, options: ContextOptions = {}): number {
  const isSeed = isSeedCompatible(options);
  requireText("context", context);
  requireText("response", response);
  return similaritiesByWords(defaultContext.pool, [context], [response], isSeed)[0]!.similarity;
}

/**
 * The overlap of each of some texts with one answer, as `overlap` tells it of one. The answer's
 * words are read once, so that many short texts beside a long answer cost little more than one.
 */
export function overlaps(
  contexts: readonly string[],
  response: string,
  options: ContextOptions = {},
): number[] {
  const isSeed = isSeedCompatible(options);
  requireText("response", response);
  const count = listOf("contexts", contexts).length;
  const texts = Array.from({ length: count }, (_, place) => {
    const text: unknown = contexts[place];
    if (typeof text === "string") return text;
    throw invalid("contexts", `must hold strings, found ${show(text)} at ${place}`);
  });
  return similaritiesByWords(defaultContext.pool, texts, [response], isSeed).map(
    ({ similarity }) => similarity,
  );
}

/** About how many tokens a text has: one for four code points, and at least one. */
export function estimateTokens(text: string): number {
  requireText("text", text);
  return withText(defaultContext.pool, text, 0, ({ engine }, length) =>
    engine.estimate_tokens(length),
  );
}

/** For each text the most that it has in common with one of the others. @internal */
export function similaritiesByWords(
  pool: EnginePool,
  texts: readonly string[],
  others: readonly string[],
  isSeed: boolean,
): Similarity[] {
  const batch = new Batch();
  for (const text of texts) batch.text(text);
  for (const text of others) batch.text(text);
  return batch.ask(pool, SHARED * texts.length, (lease) => {
    lease.engine.similarities(texts.length, others.length, isSeed);
    return similaritiesIn(answerOf(lease, SHARED * texts.length));
  });
}

/** Pairs of numbers as similarities. @internal */
export function similaritiesIn(answer: Float64Array): Similarity[] {
  const similarities: Similarity[] = [];
  for (let at = 0; at < answer.length; at += SHARED) {
    similarities.push({
      similarity: answer[at + SHARED_SIMILARITY]!,
      isSame: answer[at + SHARED_IS_ENOUGH] === 1,
    });
  }
  return similarities;
}
