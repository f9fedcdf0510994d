// From the bytes of the model file to a model.

import { invalid, requireBytes, requireOptions, wrongFile } from "./errors.ts";
import { type AdapterName, Minilm, type OpenAdapter, type Pieces } from "./minilm.ts";
import { newInstance } from "./module.ts";

/** A model file: the package's own, or that of another package, such as `nous-e5`. */
export interface MinilmModel {
  /** Where the file is: a `file:` URL in Node, one that can be fetched in browsers. */
  readonly url: URL;
  /** The bytes of the file. */
  readonly bytes: number;
  /** The name of the model, which the hash of the file gives: see {@link Minilm.id}. */
  readonly id: string;
}

/** Options of `loadMinilm`. */
export interface MinilmOptions {
  /** The model, such as `multilingual` of `nous-e5`. Default: that of this package. */
  model?: MinilmModel | undefined;
  /**
   * The bytes of the model file, where it cannot be found: in a bundle for Node, for example.
   * Without `model` any model file will do. Default: the file at the URL of the model.
   */
  file?: Uint8Array | undefined;
  /**
   * Hears how many bytes of the file were read, and how many there are: after each piece that the
   * disk or the network brings.
   */
  onProgress?: ((read: number, all: number) => void) | undefined;
}

/** Returns the model of this package, whose file is at a URL. @internal */
export const ownModel = (url: URL): MinilmModel => ({
  url,
  bytes: 14_568_880,
  id: "minilm-384-53b83bc8",
});

/** The names of this package's adapters, which the hashes of their files give. @internal */
export const ADAPTERS: Readonly<Record<AdapterName, string>> = {
  replacing: "replacing-384-8fa884de",
  asking: "asking-384-820ebb15",
};

/** The bytes that cross into the module at once. Its memory never shrinks. @internal */
export const PIECE: number = 2 ** 18;

/** Returns the options, checked. @internal */
export function checked(options: MinilmOptions): MinilmOptions {
  requireOptions(options, "model", "file", "onProgress");
  const { model, file, onProgress } = options;
  if (model !== undefined && !isModel(model))
    throw invalid("model", "must be a model file with url, bytes and id, as that of nous-e5");
  requireBytes(file);
  if (onProgress !== undefined && typeof onProgress !== "function")
    throw invalid("onProgress", "must be a function");
  return options;
}

/** A URL of another realm is none of this one's class. */
const isModel = (model: MinilmModel): boolean =>
  Object.prototype.toString.call(model?.url) === "[object URL]" &&
  Number.isSafeInteger(model.bytes) &&
  typeof model.id === "string";

/** What a loaded model needs beside its file. @internal */
export interface Loading {
  onProgress: MinilmOptions["onProgress"];
  openAdapter: OpenAdapter;
}

/**
 * Returns the model of a file, which comes in pieces of any size.
 *
 * @throws {MinilmError} `invalid_model` if the file is damaged or cut off; `unsupported` if
 *   WebAssembly cannot run here.
 */
async function modelOf(
  pieces: Pieces,
  all: number,
  { onProgress, openAdapter }: Loading,
): Promise<Minilm> {
  const glue = await newInstance();
  const reader = glue.ModelReader.create();
  const wrong = () => wrongFile(reader.problem() ?? "the model file is wrong");
  let read = 0;
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; from += PIECE)
      if (!reader.add(piece.subarray(from, from + PIECE))) throw wrong();
    read += piece.length;
    onProgress?.(read, all);
  }
  const model = reader.finish();
  if (model === undefined) throw wrong();
  return new Minilm(model, openAdapter);
}

/**
 * Returns the model of a file that is known.
 *
 * @throws {MinilmError} As `modelOf`; `invalid_model` if the file is another one. @internal
 */
export async function knownModelOf(
  pieces: Pieces,
  { bytes, id }: MinilmModel,
  loading: Loading,
): Promise<Minilm> {
  const minilm = await modelOf(pieces, bytes, loading);
  if (minilm.id === id) return minilm;
  throw wrongFile(`the model file is ${minilm.id}, and this package needs ${id}`);
}

/**
 * Returns the model of the bytes of a file.
 *
 * @throws {MinilmError} As `modelOf`; `invalid_model` if a model is given, and the file is another
 *   one. @internal
 */
export const givenModelOf = (
  file: Uint8Array,
  model: MinilmModel | undefined,
  loading: Loading,
): Promise<Minilm> =>
  model === undefined
    ? modelOf([file], file.length, loading)
    : knownModelOf([file], model, loading);
