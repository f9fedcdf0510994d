// Entry for Node: the model file is read from the folder `model` of this package, or of another.

import { createReadStream } from "node:fs";
import { type FileName, unreadable } from "./errors.ts";
import {
  ADAPTERS,
  checked,
  givenModelOf,
  knownModelOf,
  type MinilmOptions,
  ownModel,
  PIECE,
} from "./load.ts";
import type { AdapterName, Minilm, OpenAdapter } from "./minilm.ts";

export { MinilmError, type MinilmErrorCode, type MinilmErrorDetails } from "./errors.ts";
export type { MinilmModel, MinilmOptions } from "./load.ts";
export {
  type AdapterOptions,
  type EmbedOptions,
  Minilm,
  type MinilmEmbedding,
  type MinilmEmbeddings,
  type MinilmPair,
} from "./minilm.ts";

/**
 * Returns the model of this package, or another one. In a browser it fetches the file, of 14 MB,
 * the first time, and keeps it in the browser's cache. Each call reads a model of its own, which
 * takes about 35 MB: keep it.
 *
 * @throws {MinilmError} `invalid_argument` for a wrong or unknown option; `invalid_model` if the
 *   file is damaged; `unsupported` if it cannot be read, or if WebAssembly cannot run here.
 *
 * @example
 * ```ts
 * const minilm = await loadMinilm({ onProgress: (read, all) => console.log(`${read} of ${all}`) });
 * const { vector } = minilm.embed("Deploys on Friday fail more often");
 * ```
 */
export async function loadMinilm(options: MinilmOptions = {}): Promise<Minilm> {
  const { file, model, onProgress } = checked(options);
  const loading = { onProgress, openAdapter };
  if (file !== undefined) return givenModelOf(file, model, loading);
  const known = model ?? ownModel(new URL("../model/minilm-l6.bin", import.meta.url));
  return knownModelOf(contentOf("minilm-l6.bin", known.url), known, loading);
}

/** For each adapter its file, by an expression that bundlers recognize. */
const files: Readonly<Record<AdapterName, () => URL>> = {
  replacing: () => new URL("../model/replacing.bin", import.meta.url),
  asking: () => new URL("../model/asking.bin", import.meta.url),
};

const openAdapter: OpenAdapter = (name, read) =>
  read(contentOf(`${name}.bin`, files[name]()), ADAPTERS[name]);

/** Yields a file. */
async function* contentOf(file: FileName, url: URL): AsyncGenerator<Uint8Array, void> {
  try {
    yield* createReadStream(url, { highWaterMark: PIECE });
  } catch (cause) {
    throw unreadable(file, url, cause);
  }
}
