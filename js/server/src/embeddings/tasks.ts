// What is done in an agent's database for the sake of its vectors, one transaction each: handing
// out texts that wait for one, and storing what became of them.

import type { Storage } from "../storage/storage.ts";
import type { EmbeddingModel } from "./provider.ts";
import { embeddingText } from "./text.ts";

/**
 * A text that failed alone is due again after this, and twice as long for each further attempt, in
 * milliseconds.
 */
const FIRST_DELAY = 5_000;
const LONGEST_DELAY = 3_600_000;

/** Texts that wait for a vector. */
export interface EmbeddingWork {
  /** Which the vectors in use are of, as far as there are any. */
  model: EmbeddingModel;
  texts: { ticket: number; text: string }[];
  /** Whether they failed before. */
  isRetry: boolean;
  /** Milliseconds until the next is due; null where nobody waits. */
  next_in: number | null;
}

export interface MadeEmbeddings {
  model: EmbeddingModel;
  vectors: readonly { ticket: number; vector: Float32Array }[];
}

/**
 * `expected` is there where nothing could be stored: how many components the vectors in use have.
 */
export interface StoredEmbeddings {
  embedded: number;
  expected?: number;
}

export interface FailedTexts {
  tickets: readonly number[];
  /** Milliseconds, where the provider said when. */
  retryAfter: number | undefined;
}

/**
 * The model whose vectors are in use. Where there are none it is the one that is configured; where
 * nobody noted which it is, it is taken for that one, too.
 */
export function modelInUse(
  storage: Storage,
  dimensions: number,
  configured: EmbeddingModel,
): EmbeddingModel {
  const noted = storage.meta("embedding_model");
  return noted === undefined || dimensions === 0 ? configured : parseModel(noted);
}

/** Returns whether embeddings of two models can be compared. */
export const isSameModel = (a: EmbeddingModel, b: EmbeddingModel): boolean =>
  JSON.stringify([a.name, a.dimensions]) === JSON.stringify([b.name, b.dimensions]);

const parseModel = (noted: string): EmbeddingModel => {
  const { name, dimensions } = JSON.parse(noted) as { name: string; dimensions?: number };
  return { name, dimensions };
};

/** Hands out texts; they stay in the queue. */
export function takeWork(
  storage: Storage,
  model: EmbeddingModel,
  most: number,
  now: number,
): EmbeddingWork {
  const { embeddings } = storage;
  const waiting = embeddings.due(now, most);
  const texts = waiting.map(({ ticket, ...memory }) => ({ ticket, text: embeddingText(memory) }));
  const isRetry = waiting.some(({ attempts }) => attempts > 0);
  const due = texts.length > 0 ? now : embeddings.nextDue();
  return { model, texts, isRetry, next_in: due === undefined ? null : Math.max(due - now, 0) };
}

/**
 * Stores vectors, of those memories whose text is still the one that was handed out; none where
 * another model has come into use meanwhile.
 */
export function storeVectors(
  storage: Storage,
  { model, vectors }: MadeEmbeddings,
): StoredEmbeddings {
  const dimensions = storage.embeddings.dimensions();
  const noted = JSON.stringify(model);
  const isInUse = isSameModel(modelInUse(storage, dimensions, model), model);
  const [first] = vectors;
  if (first === undefined || !isInUse) return { embedded: 0 };
  const { length } = first.vector;
  if (length !== dimensions) {
    if (dimensions !== 0 && storage.embeddings.has(dimensions))
      return { embedded: 0, expected: dimensions };
    storage.setMeta("dimensions", String(length));
  }
  const stored = vectors.filter(({ ticket, vector }) =>
    storage.embeddings.put(ticket, bytesOf(vector), model.name),
  );
  if (stored.length > 0 && storage.meta("embedding_model") !== noted)
    storage.setMeta("embedding_model", noted);
  return { embedded: stored.length };
}

export const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/**
 * Puts off what failed. What failed in company is due again at once, in smaller company: it may
 * have been because of what one of them says.
 */
export function putOff(
  storage: Storage,
  { tickets, retryAfter = 0 }: FailedTexts,
  now: number,
): void {
  const least = tickets.length > 1 ? retryAfter : Math.max(FIRST_DELAY, retryAfter);
  // By chance up to half as long again, so that several processes do not come back together.
  const delay = Math.round(least * (1 + Math.random() / 2));
  storage.embeddings.postpone(tickets, now, delay, Math.max(LONGEST_DELAY, retryAfter));
}
