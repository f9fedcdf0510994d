// Embeddings of texts by the sentence transformers, as the server makes them. Each text is embedded
// once: the folder `.cache/sentences` keeps vectors by the hash of their text, by the name of the
// model and, of a question, of its adapter.

import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { multilingual } from "nous-e5";
import { builtInText, isReadByTransformer, type PairOfStatements } from "nous-memory";
import { type EmbedOptions, loadMinilm, type Minilm } from "nous-minilm";

const FOLDER = ".cache/sentences";
/** The bytes of the hash of a text. */
const HASH = 20;
/** The bytes of the hash of an adapter file. */
const HASH_OF_FILE = 8;
/** The texts between two writes to the file. */
const AT_ONCE = 256;

type Purpose = NonNullable<EmbedOptions["purpose"]>;

/** What makes embeddings of memories and questions. */
export interface SentenceVectors extends Pick<Sentences, "dimensions" | "embed" | "embedAll"> {
  /** Whether the server gives a text a vector. Default: each one. */
  readonly reads?: (text: string) => boolean;
  /** Returns the vector of a question by the model as it is published. Default: that of `embed`. */
  readonly embedPlainly?: (question: string) => Float32Array | null;
  /** Reads pairs of statements as the server does. Default: none are read. */
  readonly readPairs?: (pairs: readonly PairOfStatements[]) => ArrayLike<number> | undefined;
}

/** Returns the vector that the server gives a text; null if it gives none. */
export const servedVector = (
  sentences: SentenceVectors,
  text: string,
  purpose: Purpose,
): Float32Array | null =>
  sentences.reads?.(text) === false ? null : sentences.embed(text, purpose);

/** Returns the vector of a question without what the server adds to the model. */
export const plainVector = (sentences: SentenceVectors, question: string): Float32Array | null =>
  sentences.embedPlainly === undefined
    ? sentences.embed(question, "question")
    : sentences.embedPlainly(question);

/** The embeddings of texts. */
export class Sentences {
  readonly reads: (text: string) => boolean;
  readonly #minilm: Minilm;
  /** By purpose and hash; null for a text without a word and a mark. */
  readonly #known: Readonly<Record<Purpose, Map<string, Float32Array | null>>>;

  private constructor(
    minilm: Minilm,
    readonly readsPairs = false,
  ) {
    this.#minilm = minilm;
    this.reads = minilm.id === multilingual.id ? () => true : isReadByTransformer;
    this.#known = { passage: this.#read("passage"), question: this.#read("question") };
  }

  /**
   * Loads the English model, and the vectors of earlier runs. `readsPairs`: whether it reads pairs
   * of statements, as that of the server.
   */
  static async load({ readsPairs = true } = {}): Promise<Sentences> {
    const minilm = await loadMinilm();
    await minilm.loadAsking();
    if (readsPairs) await minilm.loadReplacing();
    return new Sentences(minilm, readsPairs);
  }

  /** Loads the multilingual model, and the vectors of earlier runs. */
  static async loadMultilingual(): Promise<Sentences> {
    return new Sentences(await loadMinilm({ model: multilingual }));
  }

  get dimensions(): number {
    return this.#minilm.dimensions;
  }

  /** Returns what the model reads of pairs; undefined if it reads none. */
  readPairs(pairs: readonly PairOfStatements[]): Float32Array | undefined {
    return this.readsPairs ? this.#minilm.replacing(pairs) : undefined;
  }

  /** Returns the vector of a text; null if it has none. */
  embed(text: string, purpose: Purpose): Float32Array | null {
    this.embedAll([text], purpose);
    return this.#known[purpose].get(hashOf(text))!;
  }

  /**
   * Returns the vector of a question by the model alone: the English one treats it as a passage.
   */
  embedPlainly(question: string): Float32Array | null {
    return this.embed(question, this.#minilm.id === multilingual.id ? "question" : "passage");
  }

  /** Makes the vectors of texts that have none yet. */
  embedAll(texts: readonly string[], purpose: Purpose): void {
    const known = this.#known[purpose];
    const missing = [...new Set(texts)].filter((text) => !known.has(hashOf(text)));
    for (let from = 0; from < missing.length; from += AT_ONCE) {
      const some = missing.slice(from, from + AT_ONCE);
      const { vectors, tokens } = this.#minilm.embedAll(some, { purpose });
      const records = some.map((text, row) => {
        const at = row * this.dimensions;
        const vector = tokens[row] === 0 ? null : vectors.slice(at, at + this.dimensions);
        known.set(hashOf(text), vector);
        return this.#record(text, vector);
      });
      mkdirSync(FOLDER, { recursive: true });
      appendFileSync(this.#pathOf(purpose), Buffer.concat(records));
    }
  }

  /** The hash of a text, then its components; zeros if it has no vector. */
  #record(text: string, vector: Float32Array | null): Buffer {
    const components = vector ?? new Float32Array(this.dimensions);
    return Buffer.concat([Buffer.from(hashOf(text), "hex"), Buffer.from(components.buffer)]);
  }

  #pathOf(purpose: Purpose): string {
    const ofAdapter = this.#minilm.id === multilingual.id ? "" : `-${hashOfAdapter()}`;
    const ending = purpose === "question" ? `-questions${ofAdapter}` : "";
    return `${FOLDER}/${this.#minilm.id}${ending}.bin`;
  }

  /** Returns the vectors of earlier runs. */
  #read(purpose: Purpose): Map<string, Float32Array | null> {
    const known = new Map<string, Float32Array | null>();
    const path = this.#pathOf(purpose);
    if (!existsSync(path)) return known;
    const bytes = readFileSync(path);
    const size = HASH + 4 * this.dimensions;
    // A run that was stopped may have left a part of a record at the end.
    for (let at = 0; at + size <= bytes.length; at += size) {
      const components = new Uint8Array(bytes.subarray(at + HASH, at + size));
      const vector = new Float32Array(components.buffer);
      const isNone = vector.every((component) => component === 0);
      known.set(bytes.toString("hex", at, at + HASH), isNone ? null : vector);
    }
    return known;
  }
}

/** Returns the hash at the end of the file of the adapter for questions. */
const hashOfAdapter = (): string =>
  readFileSync(fileURLToPath(import.meta.resolve("nous-minilm/model/asking.bin")))
    .subarray(-HASH_OF_FILE)
    .toString("hex");

function hashOf(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}

/** Returns the text of a memory that is embedded: its title, then its body. */
export const sentenceOf = ({ title, text }: { title: string; text: string }): string =>
  builtInText({ content_title: title, content_summary: null, content_body: text });
