// Vectors of another model: made beside those in use, which are used until the last of the new ones
// is there.

import type { Logger } from "../log.ts";
import { ProviderError } from "../providers/error.ts";
import type { Storage } from "../storage/storage.ts";
import type { LackingMemory } from "../storage/tables/embeddings.ts";
import type { Embedder } from "./embedder.ts";
import { bytesOf } from "./tasks.ts";
import { embeddingText } from "./text.ts";

export interface Reembedded {
  /** Vectors that were made now. */
  embedded: number;
  /** Memories whose text the model does not take: they are without a vector until it changes. */
  rejected: number;
}

/**
 * Makes a vector of the embedder's model for every memory that has one, and then puts all of them
 * in use at once. It goes on where an earlier run for the same model stopped. Memories that are
 * written meanwhile are seen to, too.
 *
 * @throws {ProviderError} and what else ends it; what was made is kept.
 */
export async function reembed(
  storage: Storage,
  embedder: Embedder,
  log: Logger,
  signal: AbortSignal,
  progress: (made: number) => void = () => {},
): Promise<Reembedded> {
  const { embeddings } = storage;
  const next = JSON.stringify(embedder.model);
  storage.transaction(() => {
    if (storage.meta("next_embedding_model") === next) return;
    embeddings.forgetNext();
    storage.setMeta("next_embedding_model", next);
  });
  const rejected = new Set<string>();
  let embedded = 0;
  for (;;) {
    let after = "";
    for (;;) {
      const batch = embeddings.lacking(after, embedder.batch);
      after = batch.at(-1)?.id ?? "";
      if (after === "") break;
      embedded += await embedAll(
        storage,
        batch.filter(({ id }) => !rejected.has(id)),
        embedder,
        rejected,
        signal,
      );
      progress(embeddings.nextCount());
    }
    if (takeOver(storage, next, embedder, rejected)) break;
  }
  if (rejected.size > 0)
    log.warn(
      { texts: rejected.size },
      "The model does not take some texts, which have no vector now",
    );
  return { embedded, rejected: rejected.size };
}

/** What is rejected in company is tried again alone, and remembered if that does not help. */
async function embedAll(
  storage: Storage,
  batch: readonly LackingMemory[],
  embedder: Embedder,
  rejected: Set<string>,
  signal: AbortSignal,
): Promise<number> {
  if (batch.length === 0) return 0;
  const texts = batch.map(embeddingText);
  let vectors: Float32Array[];
  try {
    vectors = await embedder.texts(texts, embedder.model, signal);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.failure !== "rejected") throw error;
    if (batch.length === 1) {
      rejected.add(batch[0]!.id);
      return 0;
    }
    let embedded = 0;
    for (const memory of batch)
      embedded += await embedAll(storage, [memory], embedder, rejected, signal);
    return embedded;
  }
  return storage.transaction(() => {
    const { embeddings } = storage;
    // What an earlier run made is of another length: it is met again, too.
    if (embeddings.nextDimensions() !== vectors[0]!.length) embeddings.forgetNext();
    let embedded = 0;
    for (const [place, { id }] of batch.entries()) {
      const now = embeddings.texts(id);
      // Changed meanwhile: it is met again.
      if (now === undefined || embeddingText(now) !== texts[place]) continue;
      embeddings.putNext(id, bytesOf(vectors[place]!));
      embedded += 1;
    }
    return embedded;
  });
}

/** Puts the new vectors in use if none is lacking any more; whether it did. */
function takeOver(
  storage: Storage,
  next: string,
  embedder: Embedder,
  rejected: ReadonlySet<string>,
): boolean {
  return storage.transaction(() => {
    const { embeddings } = storage;
    // Somebody else has taken over, or begun with another model.
    if (storage.meta("next_embedding_model") !== next)
      throw new Error("another run has changed the next model meanwhile");
    const lacking = embeddings.lacking("", rejected.size + 1).filter(({ id }) => !rejected.has(id));
    if (lacking.length > 0) return false;
    const dimensions = embeddings.nextDimensions();
    if (dimensions !== 0) storage.setMeta("dimensions", String(dimensions));
    embeddings.takeNext(embedder.model.name);
    storage.setMeta("embedding_model", next);
    storage.setMeta("next_embedding_model", "");
    // Whoever follows the log loads everything anew, since vectors may be of another length now.
    storage.changeLog.trim(storage.changeLog.range().last);
    return true;
  });
}
