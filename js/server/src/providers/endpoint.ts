// HTTP calls to providers with OpenAI's API, such as hosted services, Ollama, vLLM and LM Studio.
// Answers are checked for size and form.

import { boundedText } from "./bounded-text.ts";
import { ProviderError } from "./error.ts";

/** Status codes below 500 of failures that may pass. */
const PASSING = new Set([408, 409, 425, 429]);
/** Status codes that reject the texts of a request. */
const ABOUT_TEXTS = new Set([400, 413, 422]);

/** Where a provider is, and how it is called. */
export interface EndpointOptions {
  /** The base URL including the version, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  /** The bearer token. Empty: no token is sent. */
  key: string;
  /** The path of the call below the base URL, such as `embeddings`. */
  path: string;
  /** The largest answer that is read, in bytes. */
  maxAnswer: number;
}

/** The limits of one call. */
export interface EndpointCall {
  /** Milliseconds until the whole answer must have arrived. */
  timeout: number;
  signal: AbortSignal;
}

/** One path of a provider's API. */
export class Endpoint {
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #maxAnswer: number;

  constructor({ baseUrl, key, path, maxAnswer }: EndpointOptions) {
    this.#url = new URL(baseUrl);
    this.#url.pathname = `${this.#url.pathname.replace(/\/+$/, "")}/${path}`;
    this.#headers = {
      "content-type": "application/json",
      ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
    };
    this.#maxAnswer = maxAnswer;
  }

  /**
   * Sends a JSON body. Returns the parsed JSON answer, which may have `maxAnswer` bytes: by default
   * those of all calls.
   *
   * @throws {ProviderError} Also the signal's reason.
   */
  async post(
    body: object,
    { timeout, signal }: EndpointCall,
    maxAnswer: number = this.#maxAnswer,
  ): Promise<unknown> {
    const limit = AbortSignal.timeout(timeout);
    try {
      const response = await fetch(this.#url, {
        method: "POST",
        headers: this.#headers,
        body: JSON.stringify(body),
        // A redirect would send the texts, and perhaps the key, to another server.
        redirect: "manual",
        signal: AbortSignal.any([signal, limit]),
      });
      if (response.ok) {
        const text = await boundedText(response, maxAnswer);
        if (text === undefined) throw unusable(`is larger than ${maxAnswer} bytes`);
        return parsed(text);
      }
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
}

/** Returns the error for an answer of the wrong form. */
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
      `${answered}: redirects are not followed: set the base URL to their target`,
    );
  }
  return new ProviderError(ABOUT_TEXTS.has(status) ? "rejected" : "misconfigured", answered);
}

/** Returns a Retry-After header, in seconds or as a date, as milliseconds from now. */
function retryAfterOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const after = /^\d+$/.test(header.trim())
    ? Number(header) * 1000
    : Date.parse(header) - Date.now();
  return Number.isNaN(after) ? undefined : Math.max(after, 0);
}
