// A call of OpenAI's interface, as hosted services, Ollama, vLLM and LM Studio have it. Nothing
// that comes back is taken on trust.

import { ProviderError } from "./error.ts";

/** Refusals that pass by themselves, beside those from 500 on. */
const PASSING = new Set([408, 409, 425, 429]);
/** Refusals that are about the texts. */
const ABOUT_TEXTS = new Set([400, 413, 422]);

export interface EndpointOptions {
  /** Up to and with the version, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  /** Sent as a bearer token; none is sent where it is empty. */
  key: string;
  /** What is called, such as `embeddings`. */
  path: string;
  /** The largest answer that is read, in bytes. */
  mostAnswer: number;
}

export interface EndpointCall {
  /** Milliseconds until an answer has to be there, whole. */
  timeout: number;
  signal: AbortSignal;
}

export class Endpoint {
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #mostAnswer: number;

  constructor({ baseUrl, key, path, mostAnswer }: EndpointOptions) {
    this.#url = new URL(baseUrl);
    this.#url.pathname = `${this.#url.pathname.replace(/\/+$/, "")}/${path}`;
    this.#headers = {
      "content-type": "application/json",
      ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
    };
    this.#mostAnswer = mostAnswer;
  }

  /**
   * What is answered, as JSON says it.
   *
   * @throws {ProviderError} and the signal's reason.
   */
  async post(body: object, { timeout, signal }: EndpointCall): Promise<unknown> {
    const limit = AbortSignal.timeout(timeout);
    try {
      const response = await fetch(this.#url, {
        method: "POST",
        headers: this.#headers,
        body: JSON.stringify(body),
        // Whoever it leads to would get the texts, and perhaps the key.
        redirect: "manual",
        signal: AbortSignal.any([signal, limit]),
      });
      if (response.ok) return parsed(await this.#textOf(response));
      await response.body?.cancel();
      throw refusalOf(response);
    } catch (error) {
      if (error instanceof ProviderError) throw error;
      signal.throwIfAborted();
      const why = limit.aborted
        ? `did not answer within ${timeout} ms`
        : "cannot be reached, or broke off";
      throw new ProviderError("unreachable", `the provider ${why}`);
    }
  }

  async #textOf({ body }: Response): Promise<string> {
    const reader = body?.getReader();
    const chunks: Uint8Array[] = [];
    let length = 0;
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      length += part.value.length;
      if (length > this.#mostAnswer) {
        await reader?.cancel();
        throw unusable(`is larger than ${this.#mostAnswer} bytes`);
      }
      chunks.push(part.value);
    }
    return Buffer.concat(chunks).toString();
  }
}

/** An answer that is not what was asked for. */
export const unusable = (how: string): ProviderError =>
  new ProviderError("unusable", `the answer of the provider ${how}`);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unusable("is not JSON");
  }
}

function refusalOf({ status, headers }: Response): ProviderError {
  const answered = `the provider answered with status ${status}`;
  if (status >= 500 || PASSING.has(status)) {
    return new ProviderError("unreachable", answered, retryAfterOf(headers.get("retry-after")));
  }
  if (status >= 300 && status < 400) {
    return new ProviderError(
      "misconfigured",
      `${answered}: redirects are not followed, base URL is to be where it leads`,
    );
  }
  return new ProviderError(ABOUT_TEXTS.has(status) ? "rejected" : "misconfigured", answered);
}

/** Seconds, or a date, as milliseconds from now. */
function retryAfterOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const after = /^\d+$/.test(header.trim())
    ? Number(header) * 1000
    : Date.parse(header) - Date.now();
  return Number.isNaN(after) ? undefined : Math.max(after, 0);
}
