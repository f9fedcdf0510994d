// From the bytes of the model file to a model.

import { invalid, MinilmError } from "./errors.ts";
import { Minilm } from "./minilm.ts";
import { newInstance } from "./module.ts";

/** Options of `loadMinilm`. */
export interface MinilmOptions {
  /**
   * The bytes of a model file, where the package cannot find its own: in a bundle for Node, for
   * example. Default: `nous-minilm/model/minilm-l6.bin`.
   */
  file?: Uint8Array | undefined;
  /**
   * Hears how many bytes of the file were read, and how many there are: after each piece that the
   * disk or the network brings.
   */
  onProgress?: ((read: number, all: number) => void) | undefined;
}

/** The model file of this package: its bytes, and the name that its hash gives. @internal */
export const MODEL = { bytes: 14_568_880, id: "minilm-384-53b83bc8" } as const;

/** The bytes that cross into the module at once. Its memory never shrinks. @internal */
export const PIECE: number = 2 ** 18;

const OPTIONS = ["file", "onProgress"];

/** Returns the options, checked. @internal */
export function checked(options: MinilmOptions): MinilmOptions {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw invalid("options", "must be an object");
  const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key));
  if (unknown !== undefined)
    throw invalid(unknown, "is not an option: the options are file and onProgress");
  const { file, onProgress } = options;
  // An array of another realm is none of this one's class.
  if (file !== undefined && Object.prototype.toString.call(file) !== "[object Uint8Array]")
    throw invalid("file", "must be a Uint8Array");
  if (onProgress !== undefined && typeof onProgress !== "function")
    throw invalid("onProgress", "must be a function");
  return options;
}

/**
 * Returns the model of a file, which comes in pieces of any size.
 *
 * @throws {MinilmError} `invalid_model` if the file is damaged or cut off; `unsupported` if
 *   WebAssembly cannot run here. @internal
 */
export async function modelOf(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  all: number,
  onProgress: MinilmOptions["onProgress"],
): Promise<Minilm> {
  const glue = await newInstance();
  const reader = glue.ModelReader.create();
  let read = 0;
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; from += PIECE)
      if (!reader.add(piece.subarray(from, from + PIECE))) throw wrong(reader.problem());
    read += piece.length;
    onProgress?.(read, all);
  }
  const model = reader.finish();
  if (model === undefined) throw wrong(reader.problem());
  return new Minilm(model);
}

/**
 * Returns the model of this package's own file.
 *
 * @throws {MinilmError} As `modelOf`; `invalid_model` if the file is another one. @internal
 */
export async function ownModelOf(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  onProgress: MinilmOptions["onProgress"],
): Promise<Minilm> {
  const minilm = await modelOf(pieces, MODEL.bytes, onProgress);
  if (minilm.id === MODEL.id) return minilm;
  throw wrong(`the model file is ${minilm.id}, and this package needs ${MODEL.id}`);
}

/** Returns the error for a file that cannot be read, with the way out. @internal */
export function unreadable(url: URL, cause: unknown): MinilmError {
  const way = "pass the bytes of nous-minilm/model/minilm-l6.bin as the option file";
  const message = `The model file could not be read from ${url.href}: ${way}.`;
  return new MinilmError("unsupported", message, {}, { cause });
}

function wrong(problem: string | undefined): MinilmError {
  const message = `${problem ?? "the model file is wrong"}; take the file of this package's version`;
  return new MinilmError("invalid_model", message, { field: "file" });
}
