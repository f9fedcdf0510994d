// Similarity of two texts by their words, and an estimate of their tokens.

import { listOf, requireText } from "../arguments.ts";
import { defaultContext } from "../engine-context.ts";
import { invalid, show } from "../errors.ts";
import { SHARED, SHARED_IS_ENOUGH, SHARED_SIMILARITY } from "../generated/layout.ts";
import type { EnginePool } from "../runtime.ts";
import { withText } from "../text.ts";
import { answerOf, Batch } from "./batch.ts";
import { type ContextOptions, isSeedCompatible } from "./turn.ts";

/** The similarity of a text with others. @internal */
export interface Similarity {
  similarity: number;
  /** Whether the similarity is high enough to say the same. */
  isSame: boolean;
}

/**
 * Returns the overlap of two texts: the number of common words, divided by the number of words of
 * the text that has fewer, in [0, 1]; 0 if one has no words. Words are runs of at least three
 * letters, digits and underscores of any script, compared without regard to case. The default mode
 * ignores stop words such as "the".
 *
 * @throws {NousError} `invalid_argument` for a text that is no string, or a wrong mode.
 *
 * @example
 * ```ts
 * overlap("BTC funding is paid every 8 hours", "Funding is paid every eight hours."); // 0.8
 * ```
 */
export function overlap(context: string, response: string, options: ContextOptions = {}): number {
  const isSeed = isSeedCompatible(options);
  requireText("context", context);
  requireText("response", response);
  return similaritiesByWords(defaultContext.pool, [context], [response], isSeed)[0]!.similarity;
}

/**
 * Returns the overlap of each text with one answer, as `overlap` computes it. The words of the
 * answer are read once, so many short texts with one long answer cost little more than one.
 *
 * @throws {NousError} `invalid_argument` for a text that is no string, or a wrong mode.
 *
 * @example
 * ```ts
 * const shares = overlaps(memories.map(({ text }) => text), answer);
 * ```
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

/**
 * Returns an estimate of the tokens of a text: one per four code points, and at least one.
 *
 * @throws {NousError} `invalid_argument` for a text that is no string.
 *
 * @example
 * ```ts
 * estimateTokens("BTC funding"); // 2
 * ```
 */
export function estimateTokens(text: string): number {
  requireText("text", text);
  return withText(defaultContext.pool, text, 0, ({ engine }, length) =>
    engine.estimate_tokens(length),
  );
}

/** Returns for each text its highest similarity with one of the others. @internal */
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

/** Reads the module's answer. @internal */
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
