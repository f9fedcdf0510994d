// The database side of making embeddings, one transaction each: hands out waiting texts, and stores
// embeddings and failures.

import type { EmbeddingModel } from "../api/operation.ts";
import type { Storage } from "../storage/storage.ts";
import type { MaybeVector } from "./provider.ts";
import { isTransformer, textFor } from "./text.ts";

/**
 * The first delay of a text that failed alone, in milliseconds. It doubles with each further
 * failure.
 */
const FIRST_DELAY = 5_000;
const LONGEST_DELAY = 3_600_000;

/** A batch of texts that wait for an embedding. */
export interface EmbeddingWork {
  /** The model of the embeddings in use; the configured one if there are none. */
  model: EmbeddingModel;
  texts: { ticket: number; text: string }[];
  /** Whether a text of the batch has failed before. */
  isRetry: boolean;
  /** How many memories wait, those of the batch included. */
  waiting: number;
  /** Milliseconds until the next text is due; null if no text waits. */
  next_in: number | null;
}

/** Embeddings to store. */
export interface MadeEmbeddings {
  model: EmbeddingModel;
  vectors: readonly { ticket: number; vector: MaybeVector }[];
}

/**
 * The result of storing. `expected` is set if nothing was stored: the number of components of the
 * embeddings in use.
 */
export interface StoredEmbeddings {
  embedded: number;
  expected?: number;
}

/** Texts whose call failed. */
export interface FailedTexts {
  tickets: readonly number[];
  /** The delay that the provider asked for, in milliseconds. */
  retryAfter: number | undefined;
}

/** The name of the model of embeddings that are not of a service, and whose model is not stored. */
const UNKNOWN = "unknown";

/**
 * Returns the model of the embeddings in use. Without embeddings it is the configured model. If the
 * database does not name their model, it is the configured one, too, which a service may have made; the
 * server's own transformer has not, because it stores its name.
 */
export function modelInUse(
  storage: Storage,
  dimensions: number,
  configured: EmbeddingModel,
): EmbeddingModel {
  const noted = storage.meta("embedding_model");
  if (dimensions === 0) return configured;
  if (noted !== undefined && noted !== "") return parseModel(noted);
  const isForeign = isTransformer(configured) && storage.embeddings.has(dimensions);
  return isForeign ? { name: UNKNOWN, dimensions } : configured;
}

/** Returns whether embeddings of two models can be compared. */
export const isSameModel = (a: EmbeddingModel, b: EmbeddingModel): boolean =>
  JSON.stringify([a.name, a.dimensions]) === JSON.stringify([b.name, b.dimensions]);

const parseModel = (noted: string): EmbeddingModel => {
  const { name, dimensions } = JSON.parse(noted) as { name: string; dimensions?: number };
  return { name, dimensions };
};

/** Returns the next batch of texts. They stay in the queue until they are stored. */
export function takeWork(
  storage: Storage,
  model: EmbeddingModel,
  max: number,
  now: number,
): EmbeddingWork {
  const { embeddings } = storage;
  const waiting = embeddings.due(now, max);
  const texts = waiting.map(({ ticket, ...memory }) => ({ ticket, text: textFor(model, memory) }));
  const isRetry = waiting.some(({ attempts }) => attempts > 0);
  const due = texts.length > 0 ? now : embeddings.nextDue();
  return {
    ...{ model, texts, isRetry },
    waiting: due === undefined ? 0 : embeddings.waiting(),
    next_in: due === undefined ? null : Math.max(due - now, 0),
  };
}

/**
 * Stores the embeddings of memories whose text has not changed since it was handed out. A memory whose
 * text has none waits no longer. Stores none if another model has come into use meanwhile.
 */
export function storeVectors(
  storage: Storage,
  { model, vectors }: MadeEmbeddings,
): StoredEmbeddings {
  const dimensions = storage.embeddings.dimensions();
  const noted = JSON.stringify(model);
  const isInUse = isSameModel(modelInUse(storage, dimensions, model), model);
  if (!isInUse) return { embedded: 0 };
  const made = vectors.flatMap(({ vector }) => vector ?? []);
  const length = made[0]?.length ?? dimensions;
  if (length !== dimensions) {
    if (dimensions !== 0 && storage.embeddings.has(dimensions))
      return { embedded: 0, expected: dimensions };
    storage.setMeta("dimensions", String(length));
  }
  let embedded = 0;
  for (const { ticket, vector } of vectors) {
    if (vector === undefined) storage.embeddings.withdraw(ticket);
    else if (storage.embeddings.put(ticket, bytesOf(vector), model.name)) embedded += 1;
  }
  if (embedded > 0 && storage.meta("embedding_model") !== noted)
    storage.setMeta("embedding_model", noted);
  return { embedded };
}

/** Returns the bytes of an embedding, without a copy. */
export const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/**
 * Postpones failed texts. Texts of a failed batch are due again at once, in smaller batches,
 * because one of them may be the cause.
 */
export function putOff(
  storage: Storage,
  { tickets, retryAfter = 0 }: FailedTexts,
  now: number,
): void {
  const min = tickets.length > 1 ? retryAfter : Math.max(FIRST_DELAY, retryAfter);
  // Random jitter of up to a half, so that several processes do not retry together.
  const delay = Math.round(min * (1 + Math.random() / 2));
  storage.embeddings.postpone(tickets, now, delay, Math.max(LONGEST_DELAY, retryAfter));
}
