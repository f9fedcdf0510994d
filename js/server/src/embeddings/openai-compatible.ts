// Embedding providers with OpenAI's API: hosted services, Ollama, vLLM, LM Studio, Text Embeddings
// Inference. Every part of an answer is validated.

import type { EmbeddingModel } from "../api/operation.ts";
import { Endpoint, type EndpointOptions, unusable } from "../providers/endpoint.ts";
import { wellFormed } from "../text.ts";
import type { EmbeddingCall, EmbeddingProvider } from "./provider.ts";
import { isTransformer } from "./text.ts";

/**
 * The largest answer that is read, in bytes, however much is asked for; and that of a model whose number
 * of components is not known yet.
 */
const MAX_ANSWER = 64 * 2 ** 20;
const MAX_OF_UNKNOWN = 16 * 2 ** 20;
/** The most bytes of a number, with the blanks of a line of its own. */
const OF_A_NUMBER = 40;
/** The most bytes beside the numbers: of an answer, and of each of its vectors. */
const OF_AN_ANSWER = 2 ** 16;
const OF_A_VECTOR = 2 ** 10;

/**
 * The most numbers that are asked for at once. An answer is parsed in one step, while other requests
 * wait: so many numbers take about ten milliseconds.
 */
const MAX_NUMBERS = 65_536;
/** The components of a model that has not answered yet, for this limit. */
const ASSUMED = 2_048;

/** An `EmbeddingProvider` with OpenAI's API. */
export class OpenAiCompatible implements EmbeddingProvider {
  readonly #endpoint: Endpoint;
  /** The components of models that have answered. */
  readonly #lengths = new Map<string, number>();

  constructor({ baseUrl, key }: Pick<EndpointOptions, "baseUrl" | "key">) {
    this.#endpoint = new Endpoint({ baseUrl, key, path: "embeddings", maxAnswer: MAX_ANSWER });
  }

  /** A service has any model but the server's own. */
  serves(model: EmbeddingModel): boolean {
    return !isTransformer(model);
  }

  async embed(texts: readonly string[], call: EmbeddingCall): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    while (vectors.length < texts.length) {
      const components = call.model.dimensions ?? this.#lengths.get(call.model.name);
      const most = Math.max(1, Math.floor(MAX_NUMBERS / (components ?? ASSUMED)));
      const some = texts.slice(vectors.length, vectors.length + most);
      vectors.push(...(await this.#embedAtOnce(some, call)));
    }
    return vectors;
  }

  async #embedAtOnce(
    texts: readonly string[],
    { model, timeout, signal }: EmbeddingCall,
  ): Promise<Float32Array[]> {
    const asked = {
      model: model.name,
      input: texts.map(wellFormed),
      encoding_format: "float",
      dimensions: model.dimensions,
    };
    const { name, dimensions } = model;
    const components = dimensions ?? this.#lengths.get(name);
    const maxAnswer =
      components === undefined
        ? MAX_OF_UNKNOWN
        : OF_AN_ANSWER + texts.length * (OF_A_VECTOR + components * OF_A_NUMBER);
    const answer = await this.#endpoint.post(
      asked,
      { timeout, signal },
      Math.min(maxAnswer, MAX_ANSWER),
    );
    const vectors = vectorsOf(answer, texts.length, dimensions);
    if (vectors[0] !== undefined) this.#lengths.set(name, vectors[0].length);
    return vectors;
  }
}

function vectorsOf(answer: unknown, count: number, dimensions: number | undefined): Float32Array[] {
  const entries = entriesOf(answer);
  if (entries.length !== count) throw unusable(`has ${entries.length} vectors for ${count} texts`);
  const vectors: Float32Array[] = [];
  for (const { index, embedding } of entries) {
    const isPlace =
      typeof index === "number" && Number.isInteger(index) && index >= 0 && index < count;
    if (!isPlace || vectors[index] !== undefined)
      throw unusable("does not say which vector is whose");
    vectors[index] = vectorOf(embedding);
  }
  const expected = dimensions ?? vectors[0]?.length;
  const other = vectors.find(({ length }) => length !== expected);
  if (other !== undefined)
    throw unusable(`has a vector of ${other.length} components instead of ${expected}`);
  return vectors;
}

function entriesOf(answer: unknown): { index?: unknown; embedding?: unknown }[] {
  const { data: entries } = (answer ?? {}) as { data?: unknown };
  if (
    !Array.isArray(entries) ||
    entries.some((entry) => typeof entry !== "object" || entry === null)
  ) {
    throw unusable("has no list of vectors");
  }
  return entries;
}

function vectorOf(embedding: unknown): Float32Array {
  if (!Array.isArray(embedding) || embedding.some((component) => typeof component !== "number")) {
    throw unusable("has something else than numbers in a vector");
  }
  const vector = Float32Array.from(embedding);
  if (!vector.every(Number.isFinite)) throw unusable("has a number beyond the range of f32");
  if (vector.every((component) => component === 0))
    throw unusable("has a vector without a direction");
  return vector;
}
