// Re-embedding: makes the embeddings of another model beside those in use, and switches when the
// last one is stored.

import type { Logger } from "../log.ts";
import { ProviderError } from "../providers/error.ts";
import type { EmbeddedTexts } from "../storage/rows.ts";
import type { Storage } from "../storage/storage.ts";
import type { LackingMemory } from "../storage/tables/embeddings.ts";
import type { Embedder } from "./embedder.ts";
import type { MaybeVector } from "./provider.ts";
import { bytesOf } from "./tasks.ts";
import { textFor } from "./text.ts";

/** The result of a re-embedding. */
export interface Reembedded {
  /** Embeddings made by this run. */
  embedded: number;
  /**
   * Memories whose text the model rejected, or has nothing that it reads. They have no embedding until
   * their text changes.
   */
  rejected: number;
}

/**
 * Makes an embedding of the embedder's model for every memory that has one, then replaces all of
 * them at once. Continues an interrupted run for the same model. Includes memories that are written
 * meanwhile.
 *
 * @throws {ProviderError} Also other errors that end the run. Embeddings that were made are kept.
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
      "The model has no embeddings for some texts: their memories have none now",
    );
  return { embedded, rejected: rejected.size };
}

/** Retries the texts of a rejected batch one by one, and records those that are rejected alone. */
async function embedAll(
  storage: Storage,
  batch: readonly LackingMemory[],
  embedder: Embedder,
  rejected: Set<string>,
  signal: AbortSignal,
): Promise<number> {
  if (batch.length === 0) return 0;
  const textOf = (memory: EmbeddedTexts) => textFor(embedder.model, memory);
  const texts = batch.map(textOf);
  let vectors: MaybeVector[];
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
    const some = vectors.find((vector) => vector !== undefined);
    // An earlier run made embeddings of another length: they are made again.
    if (some !== undefined && embeddings.nextDimensions() !== some.length) embeddings.forgetNext();
    let embedded = 0;
    for (const [place, { id }] of batch.entries()) {
      const now = embeddings.texts(id);
      // The text changed meanwhile, and is embedded again.
      if (now === undefined || textOf(now) !== texts[place]) continue;
      const vector = vectors[place];
      if (vector === undefined) {
        rejected.add(id);
        continue;
      }
      embeddings.putNext(id, bytesOf(vector));
      embedded += 1;
    }
    return embedded;
  });
}

/** Switches to the new embeddings if none is missing. Returns whether it did. */
function takeOver(
  storage: Storage,
  next: string,
  embedder: Embedder,
  rejected: ReadonlySet<string>,
): boolean {
  return storage.transaction(() => {
    const { embeddings } = storage;
    // Another process has switched, or begun with another model.
    if (storage.meta("next_embedding_model") !== next)
      throw new Error("another run has changed the next model meanwhile");
    const lacking = embeddings.lacking("", rejected.size + 1).filter(({ id }) => !rejected.has(id));
    if (lacking.length > 0) return false;
    const dimensions = embeddings.nextDimensions();
    if (dimensions !== 0) storage.setMeta("dimensions", String(dimensions));
    embeddings.takeNext(embedder.model.name);
    storage.setMeta("embedding_model", next);
    storage.setMeta("next_embedding_model", "");
    // Makes replicas reload everything: embeddings may have another length now.
    storage.changeLog.trim(storage.changeLog.range().last);
    return true;
  });
}
