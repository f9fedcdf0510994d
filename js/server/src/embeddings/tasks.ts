// What is done in an agent's database for the sake of its vectors, one transaction each: handing out texts that wait for one, and
// storing what became of them.

import type { Storage } from "../storage/storage.ts";
import type { EmbeddingModel } from "./provider.ts";
import { embeddingText } from "./text.ts";

/** A text that failed alone is due again after this, and twice as long for each further attempt, in milliseconds. */
const FIRST_DELAY = 5_000;
const LONGEST_DELAY = 3_600_000;

/** Texts that wait for a vector. */
export interface Work {
  /** Which the vectors in use are of, as far as there are any. */
  model: EmbeddingModel;
  texts: { ticket: number; text: string }[];
  /** Milliseconds until the next is due; null where nobody waits. */
  next_in: number | null;
}

export interface Made {
  model: EmbeddingModel;
  vectors: readonly { ticket: number; vector: Float32Array }[];
}

/** `expected` is there where nothing could be stored: how many components the vectors in use have. */
export interface Stored {
  embedded: number;
  expected?: number;
}

export interface Failed {
  tickets: readonly number[];
  /** Whether it may have been because of what one of them says. */
  isTexts: boolean;
  /** Milliseconds, where the provider said when. */
  retryAfter: number | undefined;
}

/**
 * The model whose vectors are in use. Where there are none it is the one that is configured; where nobody noted which it
 * is, it is taken for that one, too.
 */
export function modelInUse(storage: Storage, dimensions: number, configured: EmbeddingModel): EmbeddingModel {
  const noted = storage.meta("embedding_model");
  return noted === undefined || dimensions === 0 ? configured : parseModel(noted);
}

const parseModel = (noted: string): EmbeddingModel => {
  const { name, dimensions } = JSON.parse(noted) as { name: string; dimensions?: number };
  return { name, dimensions };
};

/** Hands out texts; they stay in the queue. */
export function takeWork(storage: Storage, model: EmbeddingModel, most: number, now: number): Work {
  const { embeddings } = storage;
  const texts = embeddings.due(now, most).map(({ ticket, ...memory }) => ({ ticket, text: embeddingText(memory) }));
  const due = embeddings.nextDue();
  return { model, texts, next_in: due === undefined ? null : Math.max(due - now, 0) };
}

/** Stores vectors, of those memories whose text is still the one that was handed out. */
export function storeVectors(storage: Storage, dimensions: number, { model, vectors }: Made): Stored {
  const other = vectors.some(({ vector }) => dimensions !== 0 && vector.length !== dimensions);
  if (other) return { embedded: 0, expected: dimensions };
  const stored = vectors.filter(({ ticket, vector }) => storage.embeddings.put(ticket, bytesOf(vector), model.name));
  const noted = JSON.stringify(model);
  if (stored.length > 0 && storage.meta("embedding_model") !== noted) storage.setMeta("embedding_model", noted);
  return { embedded: stored.length };
}

export const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Puts off what failed. What failed in company because of its texts is due at once: in smaller company. */
export function putOff(storage: Storage, { tickets, isTexts, retryAfter = 0 }: Failed, now: number): void {
  const isCompany = isTexts && tickets.length > 1;
  // By chance up to half as long again, so that several processes do not come back together.
  const delay = isCompany ? 0 : Math.round(Math.max(FIRST_DELAY, retryAfter) * (1 + Math.random() / 2));
  storage.embeddings.postpone(tickets, now, delay, Math.max(LONGEST_DELAY, retryAfter));
}
