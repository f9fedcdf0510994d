// Deduplication: compares memories with the messages of a conversation, by embeddings or by words.

import { listOf, optionsOf } from "../arguments.ts";
import { CallerCalls, type SeamOptions } from "../caller-calls.ts";
import { signalOf, timeoutOf } from "../deadline.ts";
import { defaultContext } from "../engine-context.ts";
import { invalid, NousError, show } from "../errors.ts";
import { SHARED } from "../generated/layout.ts";
import type { EnginePool } from "../runtime.ts";
import type { CancelSignal } from "../types.ts";
import { answerOf } from "./batch.ts";
import { readTexts } from "./entries.ts";
import { type Similarity, similaritiesByWords, similaritiesIn } from "./overlap.ts";
import { type ContextMode, isSeedCompatible } from "./turn.ts";

/**
 * Returns one embedding per text, in order. All have the same length and finite components.
 *
 * @example
 * ```ts
 * const embed: Embed = async (texts, { signal }) => await provider.embed(texts, { signal });
 * ```
 */
export type Embed = (
  texts: readonly string[],
  options: SeamOptions,
) => readonly ArrayLike<number>[] | PromiseLike<readonly ArrayLike<number>[]>;

/** How much a memory repeats a conversation. */
export interface DeduplicationResult {
  /** Id of the memory. */
  memory_id: string;
  /** Text of the memory. */
  content: string;
  /**
   * The highest similarity with a message: the cosine, or the share of common words. 0 without
   * messages.
   */
  max_similarity: number;
  /**
   * Whether the conversation contains the memory: the cosine is above 0.85, or the share above 0.5.
   */
  is_redundant: boolean;
}

/**
 * Options of `deduplicate`.
 *
 * @example
 * ```ts
 * const results = await deduplicate(memories, messages, { embed, timeoutSeconds: 2 });
 * ```
 */
export interface DeduplicateOptions {
  /**
   * Returns the embeddings of all messages and contents, in one call. Without it, or if it fails or
   * exceeds the time limit, words are compared.
   */
  embed?: Embed | null | undefined;
  /** Rules to apply. Default `default`, in which stop words do not count. */
  mode?: ContextMode | undefined;
  /** Time limit of the embedder, in seconds: above 0. Default 3. */
  timeoutSeconds?: number | undefined;
  /** Aborts the comparison. */
  signal?: CancelSignal | null | undefined;
}

const KEYS = new Set(["embed", "mode", "timeoutSeconds", "signal"]);

/**
 * The similarities of memories with messages. `failure` is the reason why embeddings were not used.
 * @internal
 */
export interface Comparison {
  similarities: Similarity[];
  failure?: string;
}

/**
 * Returns for each memory whether the messages of a conversation contain it, in order.
 *
 * The promise is rejected with `invalid_argument` for a wrong argument, and with the signal's
 * reason if the signal is aborted.
 *
 * @example
 * ```ts
 * const results = await deduplicate([{ id: "m1", content: "BTC is up." }], ["BTC is up today."]);
 * const fresh = results.filter(({ is_redundant }) => !is_redundant);
 * ```
 */
export async function deduplicate(
  memories: readonly { id: string; content: string }[],
  messages: readonly string[],
  options?: DeduplicateOptions,
): Promise<DeduplicationResult[]> {
  const { embed, mode, timeoutSeconds, signal } = optionsOf("options", options, KEYS);
  const isSeed = isSeedCompatible({ mode });
  requireEmbed(embed);
  const timeout = timeoutOf(timeoutSeconds, defaultContext.orchestrator.timeout_seconds);
  const read = readTexts("memories", memories, ["id", "content"]);
  const said = readMessages(messages);
  const calls = new CallerCalls(timeout, signalOf(signal));
  try {
    calls.requireWanted();
    const contents = read.map(({ content }) => content);
    const { similarities } = await compare(
      defaultContext.pool,
      calls,
      contents,
      said,
      embed,
      isSeed,
    );
    return read.map(({ id, content }, place) => {
      const { similarity, isSame } = similarities[place]!;
      return { memory_id: id, content, max_similarity: similarity, is_redundant: isSame };
    });
  } finally {
    calls.close();
  }
}

/**
 * Compares by embeddings if there is an embedder, else by words. Without messages or contents every
 * similarity is 0. @internal
 */
export async function compare(
  pool: EnginePool,
  calls: CallerCalls,
  contents: readonly string[],
  messages: readonly string[],
  embed: Embed | null | undefined,
  isSeed: boolean,
): Promise<Comparison> {
  if (contents.length === 0 || messages.length === 0) {
    return { similarities: contents.map(() => ({ similarity: 0, isSame: false })) };
  }
  if (embed == null) return { similarities: similaritiesByWords(pool, contents, messages, isSeed) };
  const texts = [...contents, ...messages];
  const embedded = await calls.ask(
    (options) => embed(texts, options),
    (found) => readVectors(found, texts.length),
  );
  if (embedded.failure !== undefined) {
    return {
      similarities: similaritiesByWords(pool, contents, messages, isSeed),
      failure: embedded.failure,
    };
  }
  return {
    similarities: similaritiesByVectors(pool, contents.length, messages.length, embedded.answer),
  };
}

function similaritiesByVectors(
  pool: EnginePool,
  memories: number,
  messages: number,
  vectors: Float64Array,
): Similarity[] {
  const lease = pool.acquire();
  try {
    lease.reserve(Math.max(vectors.length, SHARED * memories), 0, 0);
    lease.numbers.set(vectors, lease.numbersAt);
    lease.engine.cosines(memories, messages, vectors.length / (memories + messages));
    return similaritiesIn(answerOf(lease, SHARED * memories));
  } finally {
    pool.release(lease);
  }
}

/** Reads `count` embeddings into one array. */
function readVectors(found: unknown, count: number): Float64Array {
  if (!Array.isArray(found))
    throw invalid("embed", `must give an array of embeddings, found ${show(found)}`);
  if (found.length !== count)
    throw invalid("embed", `must give ${count} embeddings, found ${found.length}`);
  let components: Float64Array | undefined;
  let dimensions = 0;
  for (let place = 0; place < count; place++) {
    const vector: ArrayLike<number> = found[place];
    const isList =
      Array.isArray(vector) || (ArrayBuffer.isView(vector) && !(vector instanceof DataView));
    if (!isList) throw invalid("embed", `must give lists of numbers, found ${show(vector)}`);
    if (components === undefined) {
      dimensions = vector.length;
      if (dimensions === 0) throw invalid("embed", "must give embeddings of at least one number");
      components = new Float64Array(count * dimensions);
    }
    if (vector.length !== dimensions) {
      throw invalid(
        "embed",
        `must give embeddings of one length, found ${dimensions} and ${vector.length}`,
      );
    }
    for (let at = 0; at < dimensions; at++) {
      const component: unknown = vector[at];
      if (!Number.isFinite(component))
        throw invalid("embed", `must give finite numbers, found ${show(component)}`);
      components[place * dimensions + at] = component as number;
    }
  }
  return components!;
}

/** @internal */
export function requireEmbed(embed: unknown): void {
  if (embed != null && typeof embed !== "function")
    throw invalid("embed", `must be a function, found ${show(embed)}`);
}

function readMessages(messages: readonly string[]): string[] {
  return Array.from(listOf("messages", messages), (message: unknown, index) => {
    if (typeof message === "string") return message;
    const problem = `messages[${index}] must be a string, found ${show(message)}`;
    throw new NousError("invalid_argument", problem, { field: "messages", index });
  });
}
