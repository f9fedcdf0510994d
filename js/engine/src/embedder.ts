/// <reference lib="esnext.disposable" preserve="true" />
// Vectors of texts from a token table, which lies in the memory of an instance of its own.
//
// Idea: texts cross in batches of bounded size, because the memory of an instance never shrinks.
// A single text is a batch of one.

import { listOf, requireText } from "./arguments.ts";
import { invalid, NousError, show } from "./errors.ts";
import type { Glue } from "./instance.ts";
import { takeRefusal } from "./refusal.ts";
import { freeOnDispose } from "./resident/resident-index.ts";
import { ownInstance } from "./runtime.ts";
import { ScratchView } from "./scratch-view.ts";
import { maxBytes, writeText } from "./text.ts";

/** The vector of a text. */
export interface TextEmbedding {
  /** A vector of length 1; all zeros if `coverage` is 0. */
  vector: Float32Array<ArrayBuffer>;
  /**
   * The share of words that the table covers, in [0, 1]. 0 says that the text has no vector:
   * it has no word, or none that the table knows.
   */
  coverage: number;
}

/** The vectors of several texts. */
export interface TextEmbeddings {
  /** The vectors, one after the other, in the order of the texts. */
  vectors: Float32Array<ArrayBuffer>;
  /** The coverage of each text: see {@link TextEmbedding.coverage}. */
  coverages: Float64Array<ArrayBuffer>;
}

type Module = NonNullable<ReturnType<ReturnType<Glue["TableReader"]["create"]>["finish"]>>;

/** The most texts of a batch, and the most bytes that a batch of several texts may reserve. */
const MAX_TEXTS = 1024;
const MAX_TEXT_BYTES = 2 ** 20;
/** A vector of the module is smaller than 2 GiB. */
const MAX_TABLE_BYTES = 2 ** 31 - 1;

/**
 * Turns texts into vectors by a token table, without a network. Texts that mean the same have
 * vectors with a large dot product. Equal texts have equal vectors, to the bit, everywhere.
 *
 * The package `nous-embedder` has English tables and a multilingual one: its `loadEmbedder()` reads
 * one.
 *
 * @example
 * ```ts
 * import { readFileSync } from "node:fs";
 *
 * const embedder = new Embedder(readFileSync("nous-128.bin"));
 * const { vector, coverage } = embedder.embed("Deploys on Friday fail more often");
 * embedder.free();
 * ```
 */
export class Embedder {
  #resident: ScratchView<Module> | undefined;
  readonly #id: string;
  readonly #dimensions: number;
  /** The room for vectors, in vectors, and where it starts in memory. */
  #vectorsRoom = 0;
  #vectorsAt = 0;
  /** Frees the table, as `free` does. Missing in environments without the symbol. */
  declare [Symbol.dispose]: () => void;

  /**
   * Reads a token table. Copies its bytes.
   *
   * @param table The bytes of a table in the format NOUSEMB1 or NOUSEMB2.
   * @throws {NousError} `invalid_argument` if the bytes are not a whole table; `out_of_memory` if
   *   there is no room for it; `not_initialized` before the module is loaded.
   */
  constructor(table: Uint8Array) {
    if (!isTyped(table, "Uint8Array"))
      throw invalid("table", `must be a Uint8Array, found ${show(table)}`);
    const instance = ownInstance();
    const reader = instance.glue.TableReader.create();
    const { length } = table;
    const at = length > MAX_TABLE_BYTES ? 0 : reader.reserve(length);
    if (at === 0 && length > 0) throw noRoom("table", `The table of ${length} bytes`);
    new Uint8Array(instance.memory.buffer).set(table, at);
    const module = reader.finish();
    reader.free();
    if (module === undefined) throw refusedTable(instance.glue);
    this.#resident = new ScratchView(instance, module);
    this.#id = module.id();
    this.#dimensions = module.dimensions();
  }

  /**
   * The name of the table: dimensions, and a hash of its bytes, as in `nous-128-6e2b8e92`. Store it
   * beside vectors: those of tables with different names do not compare.
   */
  get id(): string {
    return this.#id;
  }

  /** The number of components of a vector. */
  get dimensions(): number {
    return this.#dimensions;
  }

  /**
   * Returns the vector of a text.
   *
   * @throws {NousError} `invalid_argument` if the text is no string; `freed` after `free`.
   *
   * @example
   * ```ts
   * const { vector, coverage } = embedder.embed("why did the rollout fail?");
   * if (coverage > 0) memories.search({ embedding: vector });
   * ```
   */
  embed(text: string): TextEmbedding {
    requireText("text", text);
    const resident = this.#run([text], 0, 1);
    const coverage = resident.numbers[resident.numbersAt]!;
    const vector = new Float32Array(this.#dimensions);
    vector.set(this.#vectors(resident, 1));
    resident.shrinkIfLarge();
    return { vector, coverage };
  }

  /**
   * Writes the vector of a text into an array of the caller's. Returns the coverage: see
   * {@link TextEmbedding.coverage}.
   *
   * @param offset The place of the first component in `target`. Default 0.
   * @throws {NousError} `invalid_argument` if the text is no string, or if `target` has no room;
   *   `freed` after `free`.
   *
   * @example
   * ```ts
   * const rows = new Float32Array(2 * embedder.dimensions);
   * embedder.embedInto("tea", rows);
   * embedder.embedInto("coffee", rows, embedder.dimensions);
   * ```
   */
  embedInto(text: string, target: Float32Array, offset = 0): number {
    requireText("text", text);
    this.#requireRoom(target, offset);
    const resident = this.#run([text], 0, 1);
    const coverage = resident.numbers[resident.numbersAt]!;
    target.set(this.#vectors(resident, 1), offset);
    resident.shrinkIfLarge();
    return coverage;
  }

  /**
   * Returns the vectors of several texts. Faster than a call for each.
   *
   * @throws {NousError} `invalid_argument` if an entry is no string; `out_of_memory` if there is no
   *   room for the vectors; `freed` after `free`.
   *
   * @example
   * ```ts
   * const { vectors, coverages } = embedder.embedAll(["tea", "coffee"]);
   * const second = vectors.subarray(embedder.dimensions);
   * ```
   */
  embedAll(texts: readonly string[]): TextEmbeddings {
    const read = textsOf(texts);
    const { vectors, coverages } = roomFor(read.length, this.#dimensions);
    this.#live();
    for (let from = 0; from < read.length; ) {
      const to = endOfBatch(read, from);
      const resident = this.#run(read, from, to);
      const { numbers, numbersAt } = resident;
      coverages.set(numbers.subarray(numbersAt, numbersAt + to - from), from);
      vectors.set(this.#vectors(resident, to - from), from * this.#dimensions);
      resident.shrinkIfLarge();
      from = to;
    }
    return { vectors, coverages };
  }

  /**
   * Writes the sum of the vectors of a word's tokens, not normalised. Returns whether tokens cover
   * the word; if they do not, writes zeros. The word is UTF-8, in lower case, decomposed and
   * without combining marks. @internal
   */
  wordVectorInto(word: Uint8Array, target: Float32Array, offset = 0): boolean {
    requireWord(word);
    this.#requireRoom(target, offset);
    const resident = this.#live();
    resident.reserve(0, 0, word.length);
    this.#reserveVectors(resident, 1);
    resident.bytes.set(word, resident.bytesAt);
    const isCovered = resident.module.add_word(word.length);
    target.set(this.#vectors(resident, 1), offset);
    resident.shrinkIfLarge();
    return isCovered;
  }

  /**
   * Adds the vector of a word to a sum: `MemoryIndex` takes an embedder as its source of word
   * vectors. The vector is not normalised. Returns false, and adds nothing, if the table does not
   * cover the word, or after `free`.
   *
   * @param word The word in lower case, decomposed and without combining marks, as UTF-8.
   * @throws {NousError} `invalid_argument` if the word is no `Uint8Array`, or if `sum` has no room
   *   for a vector.
   *
   * @example
   * ```ts
   * const sum = new Float32Array(embedder.dimensions);
   * const isKnown = embedder.addWord(new TextEncoder().encode("tea"), sum);
   * ```
   */
  addWord(word: Uint8Array, sum: Float32Array): boolean {
    requireWord(word);
    if (this.#resident === undefined) return false;
    const vector = new Float32Array(this.#dimensions);
    this.#requireRoom(sum, 0);
    if (!this.wordVectorInto(word, vector)) return false;
    for (let place = 0; place < vector.length; place++) sum[place]! += vector[place]!;
    return true;
  }

  /**
   * Frees the table and its memory. Later calls throw with code `freed`, except `free`, which does
   * nothing, and `id` and `dimensions`. An embedder without references is garbage-collected like
   * other objects.
   */
  free(): void {
    this.#resident = undefined;
  }

  #live(): ScratchView<Module> {
    if (this.#resident === undefined) throw new NousError("freed", "This embedder has been freed.");
    return this.#resident;
  }

  /** Embeds some of the texts. The answer stands in numbers and vectors. */
  #run(texts: readonly string[], from: number, to: number): ScratchView<Module> {
    const resident = this.#live();
    let units = 0;
    for (let place = from; place < to; place++) units += texts[place]!.length;
    resident.reserve(to - from, to - from, maxBytes(units));
    this.#reserveVectors(resident, to - from);
    let at = resident.bytesAt;
    for (let place = from; place < to; place++) {
      const length = writeText(texts[place]!, resident.bytes, at);
      resident.rows[resident.rowsAt + place - from] = length;
      at += length;
    }
    resident.module.embed(to - from);
    // Text beyond ASCII allocates.
    resident.revalidateViews();
    return resident;
  }

  #reserveVectors(resident: ScratchView<Module>, count: number): void {
    if (count <= this.#vectorsRoom) return;
    this.#vectorsRoom = 0;
    this.#vectorsAt = resident.module.reserve_vectors(count);
    if (this.#vectorsAt === 0) throw noRoom("texts", `A batch of ${count} texts`);
    this.#vectorsRoom = count;
    resident.revalidateViews();
  }

  #vectors({ instance }: ScratchView<Module>, count: number): Float32Array {
    return new Float32Array(instance.memory.buffer, this.#vectorsAt, count * this.#dimensions);
  }

  #requireRoom(target: Float32Array, offset: number): void {
    if (!isTyped(target, "Float32Array"))
      throw invalid("target", `must be a Float32Array, found ${show(target)}`);
    if (!Number.isInteger(offset) || offset < 0)
      throw invalid("offset", `must be an integer of at least 0, found ${show(offset)}`);
    const needed = offset + this.#dimensions;
    if (target.length < needed)
      throw invalid("target", `must have at least ${needed} numbers, found ${target.length}`);
  }
}

freeOnDispose(Embedder);

function requireWord(word: unknown): asserts word is Uint8Array {
  if (!isTyped(word, "Uint8Array"))
    throw invalid("word", `must be a Uint8Array, found ${show(word)}`);
}

/** Returns whether a value is a typed array of this kind, of any realm. */
function isTyped(value: unknown, kind: string): boolean {
  return ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === `[object ${kind}]`;
}

/** Returns a copy of a list of texts. */
function textsOf(texts: readonly string[]): string[] {
  const read = [...listOf("texts", texts)];
  for (let index = 0; index < read.length; index++) {
    const text: unknown = read[index];
    if (typeof text === "string") continue;
    const message = `texts[${index}] must be a string, found ${show(text)}`;
    throw new NousError("invalid_argument", message, { field: "texts", index });
  }
  return read;
}

/** Returns the end of the batch that begins with a text. */
function endOfBatch(texts: readonly string[], from: number): number {
  let bytes = maxBytes(texts[from]!.length);
  let to = from + 1;
  while (to < texts.length && to < from + MAX_TEXTS) {
    bytes += maxBytes(texts[to]!.length);
    if (bytes > MAX_TEXT_BYTES) break;
    to++;
  }
  return to;
}

function roomFor(texts: number, dimensions: number): TextEmbeddings {
  try {
    return {
      vectors: new Float32Array(texts * dimensions),
      coverages: new Float64Array(texts),
    };
  } catch {
    throw noRoom("texts", `A batch of ${texts} texts`);
  }
}

function noRoom(field: string, subject: string): NousError {
  const message = `${subject} needs more memory than is available.`;
  return new NousError("out_of_memory", message, { field });
}

/** Returns the error for bytes that are not a whole table. */
function refusedTable(glue: Glue): NousError {
  const { code, field, index, problem, found } = takeRefusal(glue);
  const message = `${field} ${problem}${found === null ? "" : `, found ${found}`}`;
  if (index === null) return new NousError(code, message, { field });
  return new NousError(code, `tokens[${index}]: ${message}`, { field, index });
}
