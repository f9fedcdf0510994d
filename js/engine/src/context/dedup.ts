// What the conversation says already need not be said again: memories compared with its messages.

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

/** One embedding for each text, in their order; all of one length. */
export type Embed = (
  texts: readonly string[],
  options: SeamOptions,
) => readonly ArrayLike<number>[] | PromiseLike<readonly ArrayLike<number>[]>;

/** How a memory compares with the messages of a conversation. */
export interface DeduplicationResult {
  memory_id: string;
  content: string;
  /**
   * The most that it has in common with a message: their cosine, or the share of words; 0 without
   * messages.
   */
  max_similarity: number;
  /** Whether the conversation says it already: above a cosine of 0.85, or half of the words. */
  is_redundant: boolean;
}

/** How to compare. */
export interface DeduplicateOptions {
  /**
   * Asked once, for all messages and contents together. Without it, and where it fails or is late,
   * words are compared.
   */
  embed?: Embed | null | undefined;
  /** Default `default`, in which stop words do not count. */
  mode?: ContextMode | undefined;
  /** Time for the embedder, in seconds. Default: as for retrieval, 3. */
  timeoutSeconds?: number | undefined;
  /** Ends the comparison. */
  signal?: CancelSignal | null | undefined;
}

const KEYS = new Set(["embed", "mode", "timeoutSeconds", "signal"]);

/**
 * How memories compare with messages, and why not by embeddings where these were to be had.
 * @internal
 */
export interface Comparison {
  similarities: Similarity[];
  failure?: string;
}

/**
 * Which memories the messages of a conversation say already: one result for each, in order. The
 * promise is rejected with `invalid_argument` for a wrong argument, and with the signal's reason
 * when that is aborted.
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
 * Compares by embeddings if there are any, else by words; without anything to compare with by
 * neither. @internal
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

/** So many embeddings, one after the other. */
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
