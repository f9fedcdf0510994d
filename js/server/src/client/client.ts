// A client of the server for TypeScript and JavaScript, for every environment with `fetch`. Its
// methods are the operations of the server, with the types of their schemas.

import { ROUTES, type Route } from "./routes.ts";
import type { Methods } from "./types.ts";

export type * from "./types.ts";

/**
 * The options of a {@link NousClient}.
 *
 * @example
 * ```ts
 * const options: NousClientOptions = {
 *   baseUrl: "http://127.0.0.1:3100",
 *   agent: "alice",
 *   timeoutMs: 5_000,
 * };
 * ```
 */
export interface NousClientOptions {
  /**
   * The address of the server, with its scheme and without `/v1`, such as `http://127.0.0.1:3100`.
   */
  baseUrl: string;
  /**
   * The agent whose memory the client reads and writes: 1 to 200 characters, without control
   * characters. The first memory of an agent creates it. Until then every search finds nothing, so
   * a mistyped name looks like an empty memory: see {@link NousClient.listAgents}.
   */
  agent: string;
  /** The key of a server with keys, as `nous-server keys create` printed it. */
  key?: string;
  /** The function that sends requests. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch;
  /** How long to wait for an answer, in milliseconds. Default: 30,000. */
  timeoutMs?: number;
}

/** One fault of a request. */
export interface RequestIssue {
  /** The field, such as `embedding` or `time_range.start`; empty for the request as a whole. */
  path: string;
  /** The fault of the field. */
  message: string;
}

/** What a {@link NousRequestError} is made with beside its message, status and faults. */
export interface FailureOptions extends ErrorOptions {
  /** Seconds after which the request may succeed; null if the server does not say. */
  retryAfter?: number | null;
}

/**
 * A request that failed: the server refused it, or no answer came. The message names method, URL
 * and cause if no answer came.
 *
 * Every method may fail with these statuses: 400 (the request is not valid; see `issues`), 401 (the
 * server needs a key), 403 (the key is not for this), 413 (the body is too large), 429 (a limit of the
 * key is reached; see `issues`), 503 (try again later) and 507 (the disk is full).
 *
 * @example
 * ```ts
 * try {
 *   await nous.readNode("n_0123456789ab");
 * } catch (error) {
 *   if (!(error instanceof NousRequestError) || error.status !== 404) throw error;
 * }
 * ```
 */
export class NousRequestError extends Error {
  /** Always `NousRequestError`. */
  override readonly name = "NousRequestError";
  /** The status of the answer; null if no answer came, and then `cause` says more. */
  readonly status: number | null;
  /** The faults of the request; empty if the request is not at fault. */
  readonly issues: readonly RequestIssue[];
  /** Seconds after which the request may succeed; null if the server does not say. */
  readonly retryAfter: number | null;

  /** The client creates these errors itself. */
  constructor(
    message: string,
    status: number | null,
    issues: readonly RequestIssue[] = [],
    { retryAfter = null, ...options }: FailureOptions = {},
  ) {
    super(message, options);
    this.status = status;
    this.issues = issues;
    this.retryAfter = retryAfter;
  }
}

/** What {@link followMemory} follows. */
export interface FollowOptions extends Omit<NousClientOptions, "timeoutMs"> {
  /** The cursor of the event after which to go on. Default: what is written from now on. */
  after?: string | undefined;
  /** Ends the following. */
  signal?: AbortSignal | undefined;
}

/** A turn of a stream of events. */
export interface Turn<Kind extends "start" | "reset"> {
  /** What happened to the stream. */
  kind: Kind;
  /** Where it goes on. */
  cursor: string;
}

/**
 * What {@link followMemory} yields: an event; `start`, with the cursor to begin with; or `reset` in place
 * of events that are not known any more, after which the whole memory has to be read anew.
 */
export type Followed =
  | Turn<"start">
  | Turn<"reset">
  | Awaited<ReturnType<Methods["listEvents"]>>["data"][number];

const DEFAULT_TIMEOUT = 30_000;
/** A stream without a sign of life for so long is lost, in milliseconds. The server sends one each 15 s. */
const SILENCE = 60_000;
/** UTF-16 units of an agent's name. */
const MAX_AGENT_NAME = 200;

/**
 * A client of one agent's memory, with a method for each operation of the server. It keeps no
 * state, so one client may serve a whole program. A failed request rejects with a
 * {@link NousRequestError}.
 *
 * @example
 * ```ts
 * const nous = new NousClient({ baseUrl: "http://127.0.0.1:3100", agent: "alice" });
 * await nous.remember({ text: "Deploys on Friday fail more often." });
 * const { data } = await nous.search({ query: "Friday deploys" });
 * ```
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor defines every method
export class NousClient {
  /**
   * Creates a client. It sends nothing.
   *
   * @throws {TypeError} If the base URL, the agent's name or the key cannot be used.
   */
  constructor(options: NousClientOptions) {
    const ask = askerOf(options);
    for (const [name, route] of Object.entries(ROUTES)) {
      Object.defineProperty(this, name, {
        value: (...given: unknown[]) => ask(name, route, given),
      });
    }
  }
}
export interface NousClient extends Methods {}

/**
 * Follows what is written to a memory, whoever writes it. It ends when the connection ends, as it does when
 * the server stops: call it again with the last cursor, after a moment, and nothing is lost or told twice.
 *
 * @throws {NousRequestError} If the server refuses, or cannot be reached.
 *
 * @example
 * ```ts
 * for await (const event of followMemory({ baseUrl: "http://127.0.0.1:3100", agent: "alice" })) {
 *   console.log(event.kind, event.cursor);
 * }
 * ```
 */
export async function* followMemory(options: FollowOptions): AsyncGenerator<Followed> {
  const { after, signal, fetch = globalThis.fetch } = options;
  const { baseUrl, headers } = addressOf(options);
  const path = "/v1/events";
  const called = `GET ${baseUrl}${path}`;
  const ending = new AbortController();
  const end = () => ending.abort();
  if (signal?.aborted) return;
  signal?.addEventListener("abort", end);
  let silence = setTimeout(end, SILENCE);
  try {
    const url = `${baseUrl}${path}${queryOf({ after })}`;
    const response = await fetch(url, {
      headers: { ...headers, accept: "text/event-stream" },
      signal: ending.signal,
    });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
    if (!isStream || response.body === null) {
      const asked = { called, baseUrl, path, retryAfter: retryAfterOf(response) };
      answerOf(response.status, await response.text(), asked);
      throw new NousRequestError(`${called}: the server has no stream`, response.status);
    }
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(end, SILENCE);
      const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = blocks.pop()!;
      for (const block of blocks) {
        const [, kind] = /^event: (.+)$/m.exec(block) ?? [];
        const [, data] = /^data: (.+)$/m.exec(block) ?? [];
        if (kind === undefined || data === undefined) continue;
        yield { kind, ...JSON.parse(data) } as Followed;
      }
    }
  } catch (error) {
    if (error instanceof NousRequestError) throw error;
    if (ending.signal.aborted) return;
    throw new NousRequestError(`${called} failed: ${causeOf(error)}`, null, [], { cause: error });
  } finally {
    clearTimeout(silence);
    signal?.removeEventListener("abort", end);
    end();
  }
}

/** Returns the address of a server, and the headers by which an agent is asked for. */
function addressOf({ baseUrl, agent, key }: Pick<NousClientOptions, "baseUrl" | "agent" | "key">): {
  baseUrl: string;
  headers: Record<string, string>;
} {
  return {
    baseUrl: checkBaseUrl(baseUrl),
    headers: {
      "x-nous-agent": headerOf(checkAgent(agent)),
      ...(key === undefined ? {} : { authorization: `Bearer ${checkKey(key)}` }),
    },
  };
}

/** Returns the function that sends requests. */
function askerOf(options: NousClientOptions) {
  const { fetch = globalThis.fetch, timeoutMs = DEFAULT_TIMEOUT } = options;
  const { baseUrl, headers: byDefault } = addressOf(options);
  return async (name: string, route: Route, given: unknown[]): Promise<unknown> => {
    const rest = [...given];
    const path = route.path.replace(/\{(\w+)\}/g, (_, part) => segmentOf(name, part, rest.shift()));
    const body = route.hasBody ? (rest.shift() ?? {}) : undefined;
    const query = route.hasQuery ? queryOf(rest.shift()) : "";
    const { method } = route;
    const url = `${baseUrl}${path}${query}`;
    const signal = AbortSignal.timeout(timeoutMs);
    const init = {
      method,
      headers: {
        ...byDefault,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    // The path is logged without its query, which may hold words of a memory.
    const called = `${method} ${baseUrl}${path}`;
    try {
      const response = await fetch(url, init);
      const asked = { called, baseUrl, path, retryAfter: retryAfterOf(response) };
      return answerOf(response.status, await response.text(), asked);
    } catch (error) {
      if (error instanceof NousRequestError) throw error;
      const why = signal.aborted
        ? `${called}: no answer came within ${timeoutMs} ms`
        : `${called} failed: ${causeOf(error)}; is nous-server running at ${baseUrl}?`;
      throw new NousRequestError(why, null, [], { cause: error });
    }
  };
}

/** Returns the cause of a failed `fetch`, whose own message only says that it failed. */
function causeOf(error: unknown): string {
  let found = error;
  while (found instanceof Error && found.cause instanceof Error) found = found.cause;
  // If a host name has several addresses, Node tries all, and reports an error for each.
  if (found instanceof AggregateError && found.errors.length > 0) [found] = found.errors;
  if (!(found instanceof Error)) return String(found);
  const { code, message } = found as Error & { code?: unknown };
  return typeof code === "string" && !message.includes(code) ? `${code}: ${message}` : message;
}

function retryAfterOf({ headers }: Response): number | null {
  const seconds = headers.get("retry-after") ?? "";
  return /^\d+$/.test(seconds) ? Number(seconds) : null;
}

/** What was asked, and when to ask again. */
interface Asked {
  called: string;
  baseUrl: string;
  path: string;
  retryAfter: number | null;
}

/**
 * Returns the answer.
 *
 * @throws {NousRequestError} If the answer is a refusal, or not from this server.
 */
function answerOf(
  status: number,
  text: string,
  { called, baseUrl, path, retryAfter }: Asked,
): unknown {
  const isGood = status >= 200 && status < 300;
  let answer: { error?: string; issues?: RequestIssue[] };
  try {
    answer = JSON.parse(text);
  } catch (error) {
    throw new NousRequestError(
      `${called}: the answer, with status ${status}, is not JSON; is nous-server running at ${baseUrl}?`,
      status,
      [],
      { cause: error },
    );
  }
  if (isGood) return answer;
  const { error = `the answer has status ${status}`, issues = [] } = answer ?? {};
  const places = issues.map(({ path, message }) => (path === "" ? message : `${path} ${message}`));
  // Behind a proxy a path prefix may be correct. Then the id is wrong, not the base URL.
  const { pathname } = new URL(`${baseUrl}${path}`);
  const hints =
    status === 404 && pathname !== path
      ? [`if every request fails so, correct baseUrl: this one asked for ${pathname}`]
      : [];
  const message = [error, ...places, ...hints].join("; ");
  throw new NousRequestError(message, status, issues, { retryAfter });
}

/** Returns a segment of a path. Other values than ids would address another path. */
function segmentOf(operation: string, name: string, value: unknown): string {
  if (typeof value !== "string" || /^\.{0,2}$/.test(value))
    throw new TypeError(
      `${operation}: ${name} must be an id, found ${typeof value === "string" ? JSON.stringify(value) : value}`,
    );
  return encodeURIComponent(value);
}

function queryOf(given: unknown): string {
  const entries = Object.entries(given ?? {}).filter(([, value]) => value !== undefined);
  return entries.length === 0
    ? ""
    : `?${new URLSearchParams(entries.map(([key, value]) => [key, String(value)]))}`;
}

/** Returns the address without trailing slashes. */
function checkBaseUrl(given: string): string {
  const found = JSON.stringify(given);
  const example = "such as http://127.0.0.1:3100";
  if (typeof given !== "string" || !URL.canParse(given) || !/^https?:\/\//i.test(given))
    throw new TypeError(
      `baseUrl must be a URL with http:// or https://, ${example}, found ${found}`,
    );
  const { search, hash, username, password } = new URL(given);
  if (`${search}${hash}` !== "")
    throw new TypeError(`baseUrl must have no query and no fragment, ${example}, found ${found}`);
  if (`${username}${password}` !== "")
    throw new TypeError("baseUrl must have no name and no password: give a key as `key`");
  const baseUrl = given.replace(/\/+$/, "");
  if (/\/v1$/.test(baseUrl))
    throw new TypeError(
      `baseUrl must end before /v1, which the client adds: ${JSON.stringify(baseUrl.slice(0, -3))}, found ${found}`,
    );
  return baseUrl;
}

/**
 * Checks the name by the server's rule: a header with a control character never reaches the server.
 */
function checkAgent(name: string): string {
  const isName =
    typeof name === "string" &&
    name.length <= MAX_AGENT_NAME &&
    /^[^\p{Cc}\p{Cs}\u{fffd}]+$/u.test(name) &&
    !/^\.{1,2}$/.test(name);
  if (isName) return name;
  throw new TypeError(
    `agent must be a name of 1 to ${MAX_AGENT_NAME} characters, without control characters, and not . or .., found ${JSON.stringify(name)}`,
  );
}

/**
 * Checks the key: the error of `fetch` for a key that is no valid header value would show the key.
 */
function checkKey(key: string): string {
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new TypeError("key must be of printable ASCII characters, without blanks");
  return key;
}

/** Returns a name as a header value: the bytes of its UTF-8 as Latin-1 characters. */
const headerOf = (agent: string): string => String.fromCharCode(...new TextEncoder().encode(agent));
