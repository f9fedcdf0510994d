// A client of the server for TypeScript and JavaScript, wherever there is `fetch`. Its methods are
// the operations of the server, with the types of their schemas.

import { ROUTES, type Route } from "./routes.ts";
import type { Methods } from "./types.ts";

export interface NousClientOptions {
  /** Where the server is, such as `http://127.0.0.1:3100`. */
  baseUrl: string;
  /** Whose memory it is. */
  agent: string;
  /** The key that the server knows whoever asks by, where it has keys. */
  key?: string;
  /** What asks. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch;
  /** How long an answer is waited for, in milliseconds. Default 30,000. */
  timeoutMs?: number;
}

/** Where a request is wrong, and why. */
export interface RequestIssue {
  /** The field, as in `embedding` or `time_range.start`. */
  path: string;
  message: string;
}

/** A request that did not succeed: it was refused, or no answer came. */
export class NousRequestError extends Error {
  override readonly name = "NousRequestError";

  constructor(
    message: string,
    /** The status of the answer; null where none came, which `cause` tells more of. */
    readonly status: number | null,
    /** What is wrong with the request; empty where it is not the request. */
    readonly issues: readonly RequestIssue[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const USUAL_TIMEOUT = 30_000;

class Client {
  readonly #baseUrl: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof globalThis.fetch;
  readonly #timeoutMs: number;

  constructor({
    baseUrl,
    agent,
    key,
    fetch = globalThis.fetch,
    timeoutMs = USUAL_TIMEOUT,
  }: NousClientOptions) {
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    this.#headers = {
      "x-nous-agent": headerOf(agent),
      ...(key === undefined ? {} : { authorization: `Bearer ${checkKey(key)}` }),
    };
    this.#fetch = fetch;
    this.#timeoutMs = timeoutMs;
    for (const [name, route] of Object.entries(ROUTES)) {
      Object.defineProperty(this, name, {
        value: (...given: unknown[]) => this.#ask(name, route, given),
      });
    }
  }

  async #ask(name: string, route: Route, given: unknown[]): Promise<unknown> {
    const rest = [...given];
    const path = route.path.replace(/\{\w+\}/g, () => segmentOf(name, rest.shift()));
    const body = route.hasBody ? (rest.shift() ?? {}) : undefined;
    const query = route.hasQuery ? queryOf(rest.shift()) : "";
    const headers = {
      ...this.#headers,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const signal = AbortSignal.timeout(this.#timeoutMs);
    // A `fetch` that is called as this object's method would not know its own `this`.
    const fetch = this.#fetch;
    try {
      const init = {
        method: route.method,
        headers,
        signal,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      };
      const response = await fetch(`${this.#baseUrl}${path}${query}`, init);
      return answerOf(response.status, await response.text());
    } catch (error) {
      if (error instanceof NousRequestError) throw error;
      const why = signal.aborted
        ? `no answer came within ${this.#timeoutMs} ms`
        : "the server could not be asked";
      throw new NousRequestError(why, null, [], { cause: error });
    }
  }
}

/** The answer, where it is one. */
function answerOf(status: number, text: string): unknown {
  const isGood = status >= 200 && status < 300;
  let answer: { error?: string; issues?: RequestIssue[] };
  try {
    answer = JSON.parse(text);
  } catch (error) {
    throw new NousRequestError(`the answer, with status ${status}, is not JSON`, status, [], {
      cause: error,
    });
  }
  if (isGood) return answer;
  const { error = `the answer has status ${status}`, issues = [] } = answer ?? {};
  const places = issues.map(({ path, message }) => (path === "" ? message : `${path} ${message}`));
  throw new NousRequestError([error, ...places].join("; "), status, issues);
}

/** A part of a path. What is not a name would make another path of it. */
function segmentOf(operation: string, part: unknown): string {
  if (typeof part !== "string" || /^\.{0,2}$/.test(part))
    throw new TypeError(`${operation}: ${part} is no id`);
  return encodeURIComponent(part);
}

function queryOf(given: unknown): string {
  const entries = Object.entries(given ?? {}).filter(([, value]) => value !== undefined);
  return entries.length === 0
    ? ""
    : `?${new URLSearchParams(entries.map(([key, value]) => [key, String(value)]))}`;
}

/** `fetch` would name a key that no header can carry in its error. */
function checkKey(key: string): string {
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new TypeError("key must be of printable ASCII characters, without blanks");
  return key;
}

/** A header carries bytes, and a name is UTF-8. */
const headerOf = (agent: string): string => String.fromCharCode(...new TextEncoder().encode(agent));

/**
 * A client of one agent's memory. It keeps nothing, so one may serve a whole program. A method
 * rejects with a {@link NousRequestError}.
 */
export type NousClient = Methods;
export const NousClient = Client as unknown as new (options: NousClientOptions) => NousClient;
