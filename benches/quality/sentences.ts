// Embeddings of texts by the sentence transformer, as the server makes them. Each text is embedded
// once: the folder `.cache/sentences` keeps vectors by the hash of their text and the name of the
// model.

import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { loadMinilm, type Minilm } from "nous-minilm";

const FOLDER = ".cache/sentences";
/** The bytes of the hash of a text. */
const HASH = 20;
/** The texts between two writes to the file. */
const AT_ONCE = 256;

/** What makes embeddings of memories and questions. */
export type SentenceVectors = Pick<Sentences, "dimensions" | "embed" | "embedAll">;

/** The embeddings of texts. */
export class Sentences {
  readonly #minilm: Minilm;
  readonly #path: string;
  /** By hash; null for a text without a word and a mark. */
  readonly #known = new Map<string, Float32Array | null>();

  private constructor(minilm: Minilm) {
    this.#minilm = minilm;
    this.#path = `${FOLDER}/${minilm.id}.bin`;
    if (existsSync(this.#path)) this.#read(readFileSync(this.#path));
  }

  /** Loads the model, and the vectors of earlier runs. */
  static async load(): Promise<Sentences> {
    return new Sentences(await loadMinilm());
  }

  get dimensions(): number {
    return this.#minilm.dimensions;
  }

  /** Returns the vector of a text; null if it has none. */
  embed(text: string): Float32Array | null {
    this.embedAll([text]);
    return this.#known.get(hashOf(text))!;
  }

  /** Makes the vectors of texts that have none yet. */
  embedAll(texts: readonly string[]): void {
    const missing = [...new Set(texts)].filter((text) => !this.#known.has(hashOf(text)));
    for (let from = 0; from < missing.length; from += AT_ONCE) {
      const some = missing.slice(from, from + AT_ONCE);
      const { vectors, tokens } = this.#minilm.embedAll(some);
      const records = some.map((text, row) => {
        const at = row * this.dimensions;
        const vector = tokens[row] === 0 ? null : vectors.slice(at, at + this.dimensions);
        this.#known.set(hashOf(text), vector);
        return this.#record(text, vector);
      });
      mkdirSync(FOLDER, { recursive: true });
      appendFileSync(this.#path, Buffer.concat(records));
    }
  }

  /** The hash of a text, then its components; zeros if it has no vector. */
  #record(text: string, vector: Float32Array | null): Buffer {
    const components = vector ?? new Float32Array(this.dimensions);
    return Buffer.concat([Buffer.from(hashOf(text), "hex"), Buffer.from(components.buffer)]);
  }

  #read(bytes: Buffer): void {
    const size = HASH + 4 * this.dimensions;
    // A run that was stopped may have left a part of a record at the end.
    for (let at = 0; at + size <= bytes.length; at += size) {
      const components = new Uint8Array(bytes.subarray(at + HASH, at + size));
      const vector = new Float32Array(components.buffer);
      const isNone = vector.every((component) => component === 0);
      this.#known.set(bytes.toString("hex", at, at + HASH), isNone ? null : vector);
    }
  }
}

function hashOf(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}

/** Returns the text of a memory that is embedded: its title, then its body. */
export const sentenceOf = ({ title, text }: { title: string; text: string }): string =>
  [title, text].filter((part) => part !== "").join("\n");
