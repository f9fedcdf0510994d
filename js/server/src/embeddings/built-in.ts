// Built-in vectors: those of the table that the server ships. They need no provider, and are made in
// the transaction that writes a text. Also which vectors the server has made by itself: by a table, or
// by its sentence transformer.

import { jsonObjectIn, type Steps, textOf } from "nous-memory";
import type { Embedder } from "nous-wasm";
import type { Storage } from "../storage/storage.ts";
import { bytesOf } from "./tasks.ts";
import { builtInText, isTransformer } from "./text.ts";

/** The part of an `Embedder` that makes vectors of words and texts. */
export type BuiltIn = Pick<Embedder, "id" | "dimensions" | "addWord" | "embed">;

/** The names of tables: vectors with such a model were made by this server. */
const TABLE = /^nous-\d+-[\da-f]+$/;
/** Vectors that are made between two pauses. */
const AT_ONCE = 100;

/**
 * Returns the name of the model of a database's vectors; undefined if it is not stored. What another
 * program has written in its place names no model.
 */
export const modelOf = (storage: Storage): string | undefined =>
  textOf(jsonObjectIn(storage.meta("embedding_model") ?? "")?.name) ?? undefined;

/** Returns the name of the table that made the vectors of a database; undefined if none did. */
export function tableOf(storage: Storage): string | undefined {
  const name = modelOf(storage);
  return name !== undefined && TABLE.test(name) ? name : undefined;
}

/** Returns whether a server makes vectors of a model by itself: it is a table, or the transformer. */
export const isOwnModel = (name: string): boolean => TABLE.test(name) || isTransformer({ name });

/** Returns the model by which a server made the vectors of a database; undefined if none did. */
export function ownModelOf(storage: Storage): string | undefined {
  const name = modelOf(storage);
  return name !== undefined && isOwnModel(name) ? name : undefined;
}

/** Returns whether the vectors of a database were made by this table. */
export const isInUse = (storage: Storage, builtIn: BuiltIn | undefined): boolean =>
  builtIn !== undefined && tableOf(storage) === builtIn.id;

/** Returns whether memories have vectors of a table, and of another one than this. */
export function hasOtherTable(storage: Storage, builtIn: BuiltIn): boolean {
  const table = tableOf(storage);
  return table !== undefined && table !== builtIn.id;
}

/** Returns whether a database may get vectors of a table: it has none of another model. */
export function mayUse(storage: Storage): boolean {
  if (tableOf(storage) !== undefined) return true;
  const dimensions = storage.embeddings.dimensions();
  return dimensions === 0 || !storage.embeddings.has(dimensions);
}

/**
 * Within a transaction: takes a table into use, unless the memories have vectors of another model.
 * Vectors of another table are dropped: all memories join the queue. Returns whether the table is
 * in use.
 */
export function takeIntoUse(storage: Storage, builtIn: BuiltIn): boolean {
  if (isInUse(storage, builtIn)) return true;
  if (!mayUse(storage)) return false;
  dropOwn(storage);
  storage.setMeta("dimensions", String(builtIn.dimensions));
  storage.setMeta(
    "embedding_model",
    JSON.stringify({ name: builtIn.id, dimensions: builtIn.dimensions }),
  );
  return true;
}

/**
 * Within a transaction: drops all vectors that a server made by itself, so that vectors of another
 * model can be stored.
 */
export function dropOwn(storage: Storage): void {
  const model = ownModelOf(storage);
  if (model === undefined) return;
  storage.embeddings.drop(model);
  storage.setMeta("embedding_model", "");
}

/**
 * Within a transaction: makes vectors of memories that wait for one, the first `most` with a ticket
 * above `after`. A text without a word of the table gets no vector. Returns how many memories no
 * longer wait, and how many of them have a vector.
 */
export function* embedWaiting(
  storage: Storage,
  builtIn: BuiltIn,
  after: number,
  max: number,
): Steps<{ done: number; embedded: number }> {
  const { embeddings } = storage;
  let [done, embedded, last] = [0, 0, after];
  while (done < max) {
    const waiting = embeddings.waitingAfter(last, Math.min(AT_ONCE, max - done));
    for (const { ticket, ...texts } of waiting) {
      const { vector, coverage } = builtIn.embed(builtInText(texts));
      if (coverage === 0) embeddings.withdraw(ticket);
      else if (embeddings.put(ticket, bytesOf(vector), builtIn.id)) embedded += 1;
      last = ticket;
    }
    done += waiting.length;
    if (waiting.length < AT_ONCE) break;
    yield;
  }
  return { done, embedded };
}
