// Entry for browsers and bundlers: the model file is fetched, and kept in the browser's cache of
// this origin. Bundlers recognize `new URL(…, import.meta.url)` and copy the file.

import { type FileName, MinilmError, unreadable } from "./errors.ts";
import { ADAPTERS, checked, givenModelOf, knownModelOf, ownModel } from "./load.ts";
import type { AdapterName, OpenAdapter, Pieces } from "./minilm.ts";
import type { loadMinilm as Load } from "./node.ts";

export { MinilmError } from "./errors.ts";
export { Minilm } from "./minilm.ts";

/** The name of the cache. */
const CACHE = "nous-minilm";

/** A file that can be fetched. */
interface Fetchable {
  readonly file: FileName;
  readonly url: URL;
  /** The name of what the file holds. */
  readonly id: string;
}

/** As in Node. */
export const loadMinilm: typeof Load = async (options = {}) => {
  const { file, model, onProgress } = checked(options);
  const loading = { onProgress, openAdapter };
  if (file !== undefined) return givenModelOf(file, model, loading);
  const known = model ?? ownModel(new URL("../model/minilm-l6.bin", import.meta.url));
  return opened({ file: "minilm-l6.bin", url: known.url, id: known.id }, (pieces) =>
    knownModelOf(pieces, known, loading),
  );
};

/** For each adapter its file, by an expression that bundlers recognize. */
const files: Readonly<Record<AdapterName, () => URL>> = {
  replacing: () => new URL("../model/replacing.bin", import.meta.url),
  asking: () => new URL("../model/asking.bin", import.meta.url),
};

const openAdapter: OpenAdapter = (name, read) => {
  const id = ADAPTERS[name];
  return opened({ file: `${name}.bin`, url: files[name](), id }, (pieces) => read(pieces, id));
};

/** One model, one entry: a later version of the package does not find an older model. */
const keyOf = ({ url, id }: Fetchable): string => new URL(`?${id}`, url).href;

/** The family of the model that a key of an entry names, such as `minilm-384`. */
const familyOf = (key: string): string | undefined => /\?(\w+-\d+)-[\da-f]+$/.exec(key)?.[1];

/** Returns what a file holds: the one that an earlier call has kept, or else a fetched one. */
async function opened<T>(what: Fetchable, read: (pieces: Pieces) => Promise<T>): Promise<T> {
  const cache = await unlessRefused(() => caches.open(CACHE));
  const bytes = await unlessRefused(async () => (await cache?.match(keyOf(what)))?.arrayBuffer());
  if (bytes !== undefined)
    try {
      return await read([new Uint8Array(bytes)]);
    } catch (error) {
      // The kept one is damaged.
      if (!(error instanceof MinilmError && error.code === "invalid_model")) throw error;
    }
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const found = await read(fetched(what, pieces));
  const key = keyOf(what);
  await unlessRefused(async () => {
    // Earlier models of the same family. Models of others stay.
    for (const { url: old } of (await cache?.keys()) ?? [])
      if ((familyOf(old) ?? familyOf(key)) === familyOf(key)) await cache?.delete(old);
    await cache?.put(key, new Response(new Blob(pieces)));
  });
  return found;
}

/** Yields the file as it comes, and adds its pieces to a list. */
async function* fetched(
  { file, url }: Fetchable,
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
    throw unreadable(file, url, cause);
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
