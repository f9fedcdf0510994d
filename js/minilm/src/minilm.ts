/// <reference lib="esnext.disposable" preserve="true" />
// A model in an instance of WebAssembly of its own.
//
// Idea: texts go through the model in batches of bounded size, because the memory of an instance
// never shrinks. A vector does not depend on its batch.

import { invalid, MinilmError, requireBytes, requireOptions, wrongFile } from "./errors.ts";
import type { Glue } from "./module.ts";

/** Options of `embed` and `embedAll`. */
export interface EmbedOptions {
  /**
   * What the vector is compared with: `"question"` for what asks, `"passage"` for what is found.
   * The model of this package treats both alike until {@link Minilm.loadAsking}; that of `nous-e5`
   * does not. Default `"passage"`.
   */
  purpose?: "passage" | "question" | undefined;
}

/** The vector of a text. */
export interface MinilmEmbedding {
  /** A vector of length 1; all zeros if `tokens` is 0. */
  vector: Float32Array<ArrayBuffer>;
  /**
   * The word pieces of the text. If there are more than {@link Minilm.maxTokens}, the vector is
   * that of the first ones. 0 says that the text has no vector: it has no word and no mark.
   */
  tokens: number;
}

/** The vectors of several texts. */
export interface MinilmEmbeddings {
  /** The vectors, one after the other, in the order of the texts. */
  vectors: Float32Array<ArrayBuffer>;
  /** The word pieces of each text: see {@link MinilmEmbedding.tokens}. */
  tokens: Uint32Array<ArrayBuffer>;
}

/** Two statements, of which the newer one may replace the older one. */
export interface MinilmPair {
  /** The older statement. Its first 44 word pieces count, about 30 words. It may be empty. */
  older: string;
  /** The newer statement, likewise. */
  newer: string;
}

/** Options of `loadReplacing` and `loadAsking`. */
export interface AdapterOptions {
  /**
   * The bytes of the adapter file, where it cannot be found: in a bundle for Node, for example. Any
   * adapter of the model for this use will do. Default: the file of this package.
   */
  file?: Uint8Array | undefined;
}

/** A file, in pieces of any size. @internal */
export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** What an adapter is for: pairs of statements, or questions. @internal */
export type AdapterName = "replacing" | "asking";

/**
 * Gives an adapter file of the package, and its name, to a function that reads it. It does so once
 * more, if a kept copy was wrong. @internal
 */
export type OpenAdapter = (
  name: AdapterName,
  read: (pieces: Pieces, id: string) => Promise<void>,
) => Promise<void>;

type Loaded = NonNullable<ReturnType<ReturnType<Glue["ModelReader"]["create"]>["finish"]>>;

/** The texts or pairs of a batch. The vectors of texts take 100 KB. */
const TEXTS_TOGETHER = 64;
/** The most characters of a text, in UTF-16 units: some thousand times those that count. */
const MAX_LENGTH = 2 ** 20;

/**
 * A sentence transformer: all-MiniLM-L6-v2, or the model of another package. Texts that mean the
 * same have vectors with a large dot product, though they share no word. Equal texts have equal
 * vectors, to the bit, in every environment, alone and among others.
 *
 * A call blocks its thread: with MiniLM about 8 ms for a question, 25 ms for 40 words, 140 ms for
 * the longest text. Run many in a worker.
 *
 * @example
 * ```ts
 * const minilm = await loadMinilm();
 * const { vectors } = minilm.embedAll(["Which beverage does Mira like?", "She prefers tea."]);
 * const [question, answer] = [vectors.subarray(0, 384), vectors.subarray(384)];
 * console.log(question.reduce((sum, value, at) => sum + value * answer[at]!, 0)); // their cosine
 * minilm.free();
 * ```
 */
export class Minilm {
  #model: Loaded | undefined;
  readonly #openAdapter: OpenAdapter;
  readonly #id: string;
  readonly #dimensions: number;
  readonly #maxTokens: number;
  /** Frees the model, as `free` does. Missing in environments without the symbol. */
  declare [Symbol.dispose]: () => void;

  /** Callers use {@link loadMinilm}. @internal */
  constructor(model: Loaded, openAdapter: OpenAdapter) {
    this.#model = model;
    this.#openAdapter = openAdapter;
    this.#id = model.id();
    this.#dimensions = model.dimensions();
    this.#maxTokens = model.max_pieces();
  }

  /**
   * The name of the model: family, dimensions, and a hash of its file, as in `minilm-384-6e2b8e92`.
   * Store it beside vectors: those of models with different names do not compare.
   */
  get id(): string {
    return this.#id;
  }

  /** The number of components of a vector: 384. */
  get dimensions(): number {
    return this.#dimensions;
  }

  /** The most word pieces of a text that count: 254 of MiniLM. Those after them are cut off. */
  get maxTokens(): number {
    return this.#maxTokens;
  }

  /**
   * Returns the vector of a text.
   *
   * @throws {MinilmError} `invalid_argument` if the text is no string, or has more than 2²⁰
   *   characters, or the purpose is another; `freed` after `free`.
   *
   * @example
   * ```ts
   * const { vector, tokens } = minilm.embed("why did the rollout fail?");
   * if (tokens > minilm.maxTokens) console.log("The text was cut.");
   * ```
   */
  embed(text: string, options: EmbedOptions = {}): MinilmEmbedding {
    requireText("text", text);
    const { vectors, tokens } = this.embedAll([text], options);
    return { vector: vectors, tokens: tokens[0]! };
  }

  /**
   * Returns the vectors of several texts.
   *
   * @throws {MinilmError} `invalid_argument` if `texts` is no array of such strings, or the purpose
   *   is another; `out_of_memory` if there is no room for the vectors; `freed` after `free`.
   *
   * @example
   * ```ts
   * const { vectors, tokens } = minilm.embedAll(["tea", "coffee"]);
   * const second = vectors.subarray(minilm.dimensions);
   * ```
   */
  embedAll(texts: readonly string[], options: EmbedOptions = {}): MinilmEmbeddings {
    const isQuestion = asksFor(options);
    if (!Array.isArray(texts)) throw invalid("texts", "must be an array");
    // A copy, since getters of the caller's could change the array.
    const read: string[] = [...texts];
    for (const [index, text] of read.entries()) requireText("texts", text, index);
    const model = this.#live();
    const { vectors, tokens } = roomFor(read.length, this.#dimensions);
    for (let from = 0; from < read.length; from += TEXTS_TOGETHER) {
      const places: number[] = [];
      for (let place = from; place < Math.min(from + TEXTS_TOGETHER, read.length); place++) {
        tokens[place] = model.add(read[place]!, isQuestion);
        if (tokens[place]! > 0) places.push(place);
      }
      const found = model.run(isQuestion);
      if (found === undefined)
        throw new MinilmError("invalid_model", "The numbers of the model file are too large.");
      places.forEach((place, row) => {
        const vector = found.subarray(row * this.#dimensions, (row + 1) * this.#dimensions);
        vectors.set(vector, place * this.#dimensions);
      });
    }
    return { vectors, tokens };
  }

  /**
   * Returns the number of word pieces of a text, without a vector. A caller splits a text that has
   * more than {@link maxTokens}.
   *
   * @throws {MinilmError} `invalid_argument` if the text is no string, or has more than 2²⁰
   *   characters; `freed` after `free`.
   *
   * @example
   * ```ts
   * minilm.countTokens("Unbelievably good tea"); // 5: un ##bel ##ie ##va ##bly good tea
   * ```
   */
  countTokens(text: string): number {
    requireText("text", text);
    return this.#live().count(text);
  }

  /**
   * Loads what {@link replacing} needs: an adapter, whose file has less than 1 MB. In a browser it
   * is fetched the first time, and kept as the model is. Vectors stay as they are. A second call
   * without a file does nothing.
   *
   * @throws {MinilmError} `invalid_argument` for a wrong or unknown option; `invalid_model` if the
   *   file is damaged, or belongs to another model; `unsupported` if it cannot be read; `freed`
   *   after `free`.
   *
   * @example
   * ```ts
   * await minilm.loadReplacing();
   * ```
   */
  async loadReplacing(options: AdapterOptions = {}): Promise<void> {
    await this.#load("replacing", options, () => this.#live().reads_pairs());
  }

  /**
   * Loads an adapter that moves vectors of questions towards those of texts that answer them: its
   * file has about .6 MB. From then on `embed` with the purpose `"question"` uses it. Vectors of
   * passages stay as they are, so that stored ones need no change. It learned from questions to
   * memories of agents. In a browser it is fetched the first time, and kept as the model is. A
   * second call without a file does nothing.
   *
   * @throws {MinilmError} As {@link loadReplacing}.
   *
   * @example
   * ```ts
   * await minilm.loadAsking();
   * const { vector } = minilm.embed("Who looks after our payroll?", { purpose: "question" });
   * ```
   */
  async loadAsking(options: AdapterOptions = {}): Promise<void> {
    await this.#load("asking", options, () => this.#live().reads_questions());
  }

  /**
   * Returns a number for each pair: the larger, the likelier it is that the newer statement
   * replaces the older one. It is a logit: `1 / (1 + Math.exp(-number))` is the probability. Equal
   * pairs have equal numbers, to the bit, in every environment, alone and among others.
   *
   * The statements are read together, so a pair takes as long as a text with all their words.
   *
   * @throws {MinilmError} `invalid_argument` if `pairs` is no array of pairs of strings, or if one
   *   has more than 2²⁰ characters; `unsupported` before {@link loadReplacing}; `freed` after
   *   `free`.
   *
   * @example
   * ```ts
   * await minilm.loadReplacing();
   * const [moved, other] = minilm.replacing([
   *   { older: "Mira lives in Porto.", newer: "Mira has moved to Ghent." },
   *   { older: "Mira lives in Porto.", newer: "Mira likes the tram." },
   * ]);
   * ```
   */
  replacing(pairs: readonly MinilmPair[]): Float32Array<ArrayBuffer> {
    if (!Array.isArray(pairs)) throw invalid("pairs", "must be an array");
    // Copies, since getters of the caller's could change what was checked.
    const read = [...pairs].map(checkedPair);
    const model = this.#live();
    if (!model.reads_pairs()) {
      const message = "This model reads no pairs yet: await its loadReplacing() first.";
      throw new MinilmError("unsupported", message);
    }
    const numbers = new Float32Array(read.length);
    for (let from = 0; from < read.length; from += TEXTS_TOGETHER) {
      for (const { older, newer } of read.slice(from, from + TEXTS_TOGETHER))
        model.add_pair(older, newer);
      const found = model.run_pairs();
      if (found === undefined)
        throw new MinilmError("invalid_model", "The numbers of the adapter file are too large.");
      numbers.set(found, from);
    }
    return numbers;
  }

  /**
   * Frees the model and its memory, about 35 MB of MiniLM. Later calls throw with code `freed`,
   * except `free`, which does nothing, `id`, `dimensions` and `maxTokens`. A model without
   * references is garbage-collected like other objects.
   */
  free(): void {
    this.#model = undefined;
  }

  async #load(name: AdapterName, options: AdapterOptions, isThere: () => boolean): Promise<void> {
    requireOptions(options, "file");
    const { file } = options;
    requireBytes(file);
    const adapt = (bytes: Uint8Array, id?: string) => {
      const problem = this.#live().adapt(bytes, name === "replacing", id);
      if (problem !== undefined) throw wrongFile(problem);
    };
    if (file !== undefined) adapt(file);
    else if (!isThere())
      await this.#openAdapter(name, async (pieces, id) => adapt(await joined(pieces), id));
  }

  #live(): Loaded {
    if (this.#model === undefined) throw new MinilmError("freed", "This model has been freed.");
    return this.#model;
  }
}

if (Symbol.dispose !== undefined) {
  const { prototype } = Minilm;
  const value = prototype.free;
  Object.defineProperty(prototype, Symbol.dispose, { value, writable: true, configurable: true });
}

/** Returns whether the vectors are of questions. */
function asksFor(options: EmbedOptions): boolean {
  if (typeof options !== "object" || options === null)
    throw invalid("options", "must be an object");
  const { purpose = "passage" } = options;
  if (purpose !== "passage" && purpose !== "question")
    throw invalid("purpose", 'must be "passage" or "question"');
  return purpose === "question";
}

/** Returns a copy of a pair. */
function checkedPair(pair: unknown, index: number): MinilmPair {
  if (typeof pair !== "object" || pair === null) {
    const found = pair === null ? "null" : typeof pair;
    throw invalid("pairs", `must be an object with older and newer, found ${found}`, index);
  }
  const { older, newer } = pair as MinilmPair;
  requireText("pairs", older, index, ".older");
  requireText("pairs", newer, index, ".newer");
  return { older, newer };
}

/** Throws if a text, or a part of an entry of a list, is none. */
function requireText(
  field: string,
  text: unknown,
  index?: number,
  part?: string,
): asserts text is string {
  if (typeof text !== "string") {
    const found = text === null ? "null" : typeof text;
    throw invalid(field, `must be a string, found ${found}`, index, part);
  }
  if (text.length > MAX_LENGTH) {
    const problem = `must have at most ${MAX_LENGTH} characters, found ${text.length}: split it`;
    throw invalid(field, problem, index, part);
  }
}

/** Returns the bytes of a file as one. */
async function joined(pieces: Pieces): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  const bytes = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let from = 0;
  for (const piece of all) {
    bytes.set(piece, from);
    from += piece.length;
  }
  return bytes;
}

function roomFor(texts: number, dimensions: number): MinilmEmbeddings {
  try {
    return { vectors: new Float32Array(texts * dimensions), tokens: new Uint32Array(texts) };
  } catch (cause) {
    const message = `The vectors of ${texts} texts need more memory than is available.`;
    throw new MinilmError("out_of_memory", message, { field: "texts" }, { cause });
  }
}
