/// <reference lib="esnext.disposable" preserve="true" />
// A model in an instance of WebAssembly of its own.
//
// Idea: texts go through the model in batches of bounded size, because the memory of an instance
// never shrinks. A vector does not depend on its batch.

import { invalid, MinilmError } from "./errors.ts";
import type { Glue } from "./module.ts";

/** Options of `embed` and `embedAll`. */
export interface EmbedOptions {
  /**
   * What the vector is compared with: `"question"` for what asks, `"passage"` for what is found. The
   * model of this package treats both alike; that of `nous-e5` does not. Default `"passage"`.
   */
  purpose?: "passage" | "question" | undefined;
}

/** The vector of a text. */
export interface MinilmEmbedding {
  /** A vector of length 1; all zeros if `tokens` is 0. */
  vector: Float32Array<ArrayBuffer>;
  /**
   * The word pieces of the text. If there are more than {@link Minilm.maxTokens}, the vector is that
   * of the first ones. 0 says that the text has no vector: it has no word and no mark.
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

type Loaded = NonNullable<ReturnType<ReturnType<Glue["ModelReader"]["create"]>["finish"]>>;

/** The texts of a batch. Its vectors take 100 KB. */
const TEXTS_TOGETHER = 64;
/** The most characters of a text, in UTF-16 units: some thousand times those that count. */
const MAX_LENGTH = 2 ** 20;

/**
 * A sentence transformer: all-MiniLM-L6-v2, or the model of another package. Texts that mean the same
 * have vectors with a large dot product, though they share no word. Equal texts have equal vectors, to
 * the bit, in every environment, alone and among others.
 *
 * A call blocks its thread: with MiniLM about 8 ms for a question, 25 ms for 40 words, 140 ms for the
 * longest text. Run many in a worker.
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
  readonly #id: string;
  readonly #dimensions: number;
  readonly #maxTokens: number;
  /** Frees the model, as `free` does. Missing in environments without the symbol. */
  declare [Symbol.dispose]: () => void;

  /** Callers use {@link loadMinilm}. @internal */
  constructor(model: Loaded) {
    this.#model = model;
    this.#id = model.id();
    this.#dimensions = model.dimensions();
    this.#maxTokens = model.max_pieces();
  }

  /**
   * The name of the model: family, dimensions, and a hash of its file, as in `minilm-384-6e2b8e92`. Store it
   * beside vectors: those of models with different names do not compare.
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
   * @throws {MinilmError} `invalid_argument` if `texts` is no array of such strings, or the purpose is
   *   another; `out_of_memory` if there is no room for the vectors; `freed` after `free`.
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
   * Frees the model and its memory, about 35 MB of MiniLM. Later calls throw with code `freed`, except `free`,
   * which does nothing, `id`, `dimensions` and `maxTokens`. A model without references is
   * garbage-collected like other objects.
   */
  free(): void {
    this.#model = undefined;
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

function requireText(field: string, text: unknown, index?: number): asserts text is string {
  if (typeof text !== "string")
    throw invalid(field, `must be a string, found ${text === null ? "null" : typeof text}`, index);
  if (text.length > MAX_LENGTH) {
    const problem = `must have at most ${MAX_LENGTH} characters, found ${text.length}: split it`;
    throw invalid(field, problem, index);
  }
}

function roomFor(texts: number, dimensions: number): MinilmEmbeddings {
  try {
    return { vectors: new Float32Array(texts * dimensions), tokens: new Uint32Array(texts) };
  } catch (cause) {
    const message = `The vectors of ${texts} texts need more memory than is available.`;
    throw new MinilmError("out_of_memory", message, { field: "texts" }, { cause });
  }
}
