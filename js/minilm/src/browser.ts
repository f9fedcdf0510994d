// Entry for browsers and bundlers: the model file is fetched, and kept in the browser's cache of
// this origin. Bundlers recognize `new URL(…, import.meta.url)` and copy the file.

import { MinilmError } from "./errors.ts";
import { checked, MODEL, modelOf, ownModelOf, unreadable } from "./load.ts";
import type { Minilm } from "./minilm.ts";
import type { loadMinilm as Load, MinilmOptions } from "./node.ts";

export { MinilmError } from "./errors.ts";
export { Minilm } from "./minilm.ts";

/** The name of the cache. */
const CACHE = "nous-minilm";

/** As in Node. */
export const loadMinilm: typeof Load = async (options = {}) => {
  const { file, onProgress } = checked(options);
  if (file !== undefined) return modelOf([file], file.length, onProgress);
  const url = new URL("../model/minilm-l6.bin", import.meta.url);
  // One model, one entry: a later version of the package does not find an older model.
  const key = new URL(`?${MODEL.id}`, url).href;
  const cache = await unlessRefused(() => caches.open(CACHE));
  return (await keptModel(cache, key, onProgress)) ?? fetchedModel(url, cache, key, onProgress);
};

/** Returns the model that an earlier call has kept, if there is one and its file is whole. */
async function keptModel(
  cache: Cache | undefined,
  key: string,
  onProgress: MinilmOptions["onProgress"],
): Promise<Minilm | undefined> {
  const bytes = await unlessRefused(async () => (await cache?.match(key))?.arrayBuffer());
  if (bytes === undefined) return undefined;
  try {
    return await ownModelOf([new Uint8Array(bytes)], onProgress);
  } catch (error) {
    if (error instanceof MinilmError && error.code === "invalid_model") return undefined;
    throw error;
  }
}

async function fetchedModel(
  url: URL,
  cache: Cache | undefined,
  key: string,
  onProgress: MinilmOptions["onProgress"],
): Promise<Minilm> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const minilm = await ownModelOf(fetched(url, pieces), onProgress);
  await unlessRefused(async () => {
    for (const { url: old } of (await cache?.keys()) ?? []) await cache?.delete(old);
    await cache?.put(key, new Response(new Blob(pieces)));
  });
  return minilm;
}

/** Yields the file as it comes, and adds its pieces to a list. */
async function* fetched(
  url: URL,
  pieces: Uint8Array<ArrayBuffer>[],
): AsyncGenerator<Uint8Array, void> {
  try {
    const response = await fetch(url);
    if (!response.ok || response.body === null)
      throw new Error(`${url} answered ${response.status}`);
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      pieces.push(value);
      yield value;
    }
  } catch (cause) {
    throw unreadable(url, cause);
  }
}

/**
 * Returns what the cache answers; undefined if it refuses. A page without TLS has no cache, a frame
 * may be forbidden to use it, and it may be full.
 */
async function unlessRefused<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch {
    return undefined;
  }
}
