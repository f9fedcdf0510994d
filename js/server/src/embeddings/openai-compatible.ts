// Embedding providers with OpenAI's API: hosted services, Ollama, vLLM, LM Studio, Text Embeddings
// Inference. Every part of an answer is validated.

import { Endpoint, type EndpointOptions, unusable } from "../providers/endpoint.ts";
import { wellFormed } from "../text.ts";
import type { EmbeddingCall, EmbeddingProvider } from "./provider.ts";

/** The largest answer that is read, in bytes. */
const MAX_ANSWER = 64 * 2 ** 20;

/** An `EmbeddingProvider` with OpenAI's API. */
export class OpenAiCompatible implements EmbeddingProvider {
  readonly #endpoint: Endpoint;

  constructor({ baseUrl, key }: Pick<EndpointOptions, "baseUrl" | "key">) {
    this.#endpoint = new Endpoint({ baseUrl, key, path: "embeddings", maxAnswer: MAX_ANSWER });
  }

  async embed(
    texts: readonly string[],
    { model, timeout, signal }: EmbeddingCall,
  ): Promise<Float32Array[]> {
    const asked = {
      model: model.name,
      input: texts.map(wellFormed),
      encoding_format: "float",
      dimensions: model.dimensions,
    };
    return vectorsOf(
      await this.#endpoint.post(asked, { timeout, signal }),
      texts.length,
      model.dimensions,
    );
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
