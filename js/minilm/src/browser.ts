// Entry for browsers and bundlers: the model file is fetched, and kept in the browser's cache of
// this origin. Bundlers recognize `new URL(…, import.meta.url)` and copy the file.

import { MinilmError } from "./errors.ts";
import {
  checked,
  givenModelOf,
  knownModelOf,
  type MinilmModel,
  ownModel,
  unreadable,
} from "./load.ts";
import type { Minilm } from "./minilm.ts";
import type { loadMinilm as Load, MinilmOptions } from "./node.ts";

export { MinilmError } from "./errors.ts";
export { Minilm } from "./minilm.ts";

/** The name of the cache. */
const CACHE = "nous-minilm";

/** As in Node. */
export const loadMinilm: typeof Load = async (options = {}) => {
  const { file, model = own(), onProgress } = checked(options);
  if (file !== undefined) return givenModelOf(file, options);
  const cache = await unlessRefused(() => caches.open(CACHE));
  return (await keptModel(cache, model, onProgress)) ?? fetchedModel(cache, model, onProgress);
};

const own = () => ownModel(new URL("../model/minilm-l6.bin", import.meta.url));

/** One model, one entry: a later version of the package does not find an older model. */
const keyOf = ({ url, id }: MinilmModel): string => new URL(`?${id}`, url).href;

/** The family of the model that a key of an entry names, such as `minilm-384`. */
const familyOf = (key: string): string | undefined => /\?(\w+-\d+)-[\da-f]+$/.exec(key)?.[1];

/** Returns the model that an earlier call has kept, if there is one and its file is whole. */
async function keptModel(
  cache: Cache | undefined,
  model: MinilmModel,
  onProgress: MinilmOptions["onProgress"],
): Promise<Minilm | undefined> {
  const bytes = await unlessRefused(async () => (await cache?.match(keyOf(model)))?.arrayBuffer());
  if (bytes === undefined) return undefined;
  try {
    return await knownModelOf([new Uint8Array(bytes)], model, onProgress);
  } catch (error) {
    if (error instanceof MinilmError && error.code === "invalid_model") return undefined;
    throw error;
  }
}

async function fetchedModel(
  cache: Cache | undefined,
  model: MinilmModel,
  onProgress: MinilmOptions["onProgress"],
): Promise<Minilm> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const minilm = await knownModelOf(fetched(model.url, pieces), model, onProgress);
  const key = keyOf(model);
  await unlessRefused(async () => {
    // Earlier models of the same family. Models of others stay.
    for (const { url: old } of (await cache?.keys()) ?? [])
      if ((familyOf(old) ?? familyOf(key)) === familyOf(key)) await cache?.delete(old);
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
