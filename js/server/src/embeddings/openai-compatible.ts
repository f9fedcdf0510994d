// Providers that speak OpenAI's interface: hosted ones, Ollama, vLLM, LM Studio, Text Embeddings Inference. Nothing that comes back
// is taken on trust.

import { type EmbeddingCall, EmbeddingError, type EmbeddingProvider } from "./provider.ts";

/** The largest answer that is read, in bytes. */
const MOST_ANSWER = 64 * 2 ** 20;
/** Refusals that pass by themselves, beside those from 500 on. */
const PASSING = new Set([408, 409, 425, 429]);
/** Refusals that are about the texts. */
const ABOUT_TEXTS = new Set([400, 413, 422]);

export interface OpenAiCompatibleOptions {
  /** Up to and with the version, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  /** Sent as a bearer token; none is sent where it is empty. */
  key: string;
}

export class OpenAiCompatible implements EmbeddingProvider {
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ baseUrl, key }: OpenAiCompatibleOptions) {
    this.#url = new URL(baseUrl);
    this.#url.pathname = `${this.#url.pathname.replace(/\/+$/, "")}/embeddings`;
    this.#headers = {
      "content-type": "application/json",
      ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
    };
  }

  async embed(texts: readonly string[], { model, timeout, signal }: EmbeddingCall): Promise<Float32Array[]> {
    const body = JSON.stringify({
      model: model.name,
      // Half of a surrogate pair is no text to anybody else.
      input: texts.map((text) => Buffer.from(text).toString()),
      encoding_format: "float",
      dimensions: model.dimensions,
    });
    return vectorsOf(await this.#post(body, timeout, signal), texts.length, model.dimensions);
  }

  async #post(body: string, timeout: number, signal: AbortSignal): Promise<string> {
    const limit = AbortSignal.timeout(timeout);
    try {
      const response = await fetch(this.#url, {
        method: "POST",
        headers: this.#headers,
        body,
        // Whoever it leads to would get the texts, and perhaps the key.
        redirect: "manual",
        signal: AbortSignal.any([signal, limit]),
      });
      if (response.ok) return await readText(response);
      await response.body?.cancel();
      throw refusalOf(response);
    } catch (error) {
      if (error instanceof EmbeddingError) throw error;
      signal.throwIfAborted();
      const why = limit.aborted ? `did not answer within ${timeout} ms` : "cannot be reached, or broke off";
      throw new EmbeddingError("unreachable", `the provider ${why}`);
    }
  }
}

function refusalOf({ status, headers }: Response): EmbeddingError {
  const answered = `the provider answered with status ${status}`;
  if (status >= 500 || PASSING.has(status)) {
    return new EmbeddingError("unreachable", answered, retryAfterOf(headers.get("retry-after")));
  }
  if (status >= 300 && status < 400) {
    return new EmbeddingError(
      "misconfigured",
      `${answered}: redirects are not followed, base URL is to be where it leads`,
    );
  }
  return new EmbeddingError(ABOUT_TEXTS.has(status) ? "rejected" : "misconfigured", answered);
}

/** Seconds, or a date, as milliseconds from now. */
function retryAfterOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const after = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(after) ? undefined : Math.max(after, 0);
}

async function readText({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    length += part.value.length;
    if (length > MOST_ANSWER) {
      await reader?.cancel();
      throw unusable(`is larger than ${MOST_ANSWER} bytes`);
    }
    chunks.push(part.value);
  }
  return Buffer.concat(chunks).toString();
}

const unusable = (how: string) => new EmbeddingError("unusable", `the answer of the provider ${how}`);

function vectorsOf(body: string, count: number, dimensions: number | undefined): Float32Array[] {
  const entries = entriesOf(body);
  if (entries.length !== count) throw unusable(`has ${entries.length} vectors for ${count} texts`);
  const vectors: Float32Array[] = [];
  for (const { index, embedding } of entries) {
    const isPlace = typeof index === "number" && Number.isInteger(index) && index >= 0 && index < count;
    if (!isPlace || vectors[index] !== undefined) throw unusable("does not say which vector is whose");
    vectors[index] = vectorOf(embedding);
  }
  const expected = dimensions ?? vectors[0]?.length;
  const other = vectors.find(({ length }) => length !== expected);
  if (other !== undefined) throw unusable(`has a vector of ${other.length} components instead of ${expected}`);
  return vectors;
}

function entriesOf(body: string): { index?: unknown; embedding?: unknown }[] {
  let answer: { data?: unknown } | null;
  try {
    answer = JSON.parse(body);
  } catch {
    throw unusable("is not JSON");
  }
  const entries = answer?.data;
  if (!Array.isArray(entries) || entries.some((entry) => typeof entry !== "object" || entry === null)) {
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
  if (vector.every((component) => component === 0)) throw unusable("has a vector without a direction");
  return vector;
}
