// MCP over HTTP, at /mcp: stateless. Each request has a server of its own, whose tools send requests
// to the same application with the headers of the caller, so that keys and agents are checked there.
//
// The calls of a batch are made one after the other, as a client makes them that waits for each answer.
// They end if the client goes.

import {
  isInitializeRequest,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
} from "@modelcontextprotocol/server";
import type { Context, Env, Hono } from "hono";
import { BASE } from "../api/base-path.ts";
import { messageOf } from "../api/unknown-fields.ts";
import type { Caller } from "../keys/access.ts";
import { NOT_VALID, Refusal, wrong } from "../refusal.ts";
import { asHeader, isAgentName } from "../settings/agent-names.ts";
import { AskerGone } from "../workers/shares.ts";
import type { Ask } from "./ask.ts";
import {
  cancelledBy,
  cancelledIn,
  type Fault,
  faultOf,
  INVALID_REQUEST,
  readMessages,
} from "./json-rpc.ts";
import { mcpServer } from "./server.ts";
import { DEFAULT_TOOLS, TOOL_SETS, type ToolSet } from "./tool-sets.ts";

/** Headers of the caller that the requests of tools carry on. */
const CARRIED = ["authorization", "host", "origin", "sec-fetch-site", "x-nous-agent"];

/** The query parameters of /mcp. */
const PARAMETERS = ["agent", "tools"];

/** The code of errors of the transport. */
const TRANSPORT_ERROR = -32_000;

/** What is needed to answer at /mcp. */
export interface McpOptions<Its extends Env> {
  /** The application that has the routes of /v1. */
  app: Hono<Its>;
  version: string;
  /** Reads the body, and refuses one that is not sent as JSON. */
  body(): Promise<string>;
  /** Counts requests beside the one that came. */
  count(requests: number): void;
  caller: Caller;
  /** Is aborted when the client goes. */
  gone: AbortSignal | undefined;
}

/** Answers a request at /mcp. */
export async function answerMcp<Its extends Env>(
  context: Context<Its>,
  { app, version, body, count, caller, gone }: McpOptions<Its>,
): Promise<Response> {
  // Without sessions there is nothing to stream, and nothing to end.
  if (context.req.method !== "POST")
    return context.json({ error: "MCP is answered to POST alone" }, 405, { allow: "POST" });
  const headers = headersOf(context, caller);
  const tools = toolsOf(context);
  const form = formOf(context.req.header("accept"));
  if (form === undefined) {
    const problem = "Not Acceptable: answers are application/json or text/event-stream";
    return context.json(faultOf(TRANSPORT_ERROR, problem), 406);
  }
  const read = readMessages(await body());
  const refused = refusalOf(read, context.req.header("mcp-protocol-version"));
  if (refused !== undefined) return context.json(refused, 400);
  if (read.items.length > 1) count(read.items.length - 1);
  const ask: Ask = async (method, path, given) => {
    const sent = new Headers(headers);
    if (given !== undefined) sent.set("content-type", "application/json");
    const init = { method, headers: sent, ...(given && { body: JSON.stringify(given) }) };
    const answer = await app.request(`${BASE}${path}`, init, {
      departure: gone,
      isCounted: true,
      // A key is looked up for each request, since it may be revoked meanwhile. A token is for /mcp alone.
      caller: caller.ownAgent === undefined ? undefined : caller,
    });
    if (gone?.aborted) throw new AskerGone();
    return { status: answer.status, body: await answer.json() };
  };
  const server = mcpServer(ask, version, tools);
  const calls = new Calls();
  await server.connect(calls);
  const cancelled = cancelledIn(read);
  const answers: (JSONRPCMessage | Fault)[] = [];
  for (const item of read.items) {
    if ("fault" in item) answers.push(item.fault);
    else if (!isJSONRPCRequest(item.message)) {
      // A call that is under way is one of another request, which this one knows nothing of.
      if (cancelledBy(item.message) === undefined) calls.onmessage?.(item.message);
    } else if (!cancelled.has(item.message.id)) answers.push(await calls.answerTo(item.message));
    if (gone?.aborted) throw new AskerGone();
  }
  await server.close();
  if (answers.length === 0) return context.body(null, 202);
  const said = read.isBatch && form === "json" ? [answers] : answers;
  const text =
    form === "json"
      ? JSON.stringify(said[0])
      : answers.map((answer) => `event: message\ndata: ${JSON.stringify(answer)}\n\n`).join("");
  const type = form === "json" ? "application/json" : "text/event-stream";
  return context.body(text, 200, { "content-type": type });
}

/** Returns the headers that the requests of tools have. */
function headersOf(context: Context, { ownAgent }: Caller): Headers {
  const given = context.req.queries();
  const unknown = Object.keys(given).filter((name) => !PARAMETERS.includes(name));
  if (unknown.length > 0)
    throw new Refusal(
      400,
      NOT_VALID,
      unknown.map((path) => ({ path, message: messageOf(path, PARAMETERS) })),
    );
  const headers = new Headers();
  for (const name of CARRIED) {
    const value = context.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const [agent, another] = given.agent ?? [];
  if (another !== undefined)
    throw wrong("agent", "must be given once: a session is about one agent");
  if (agent !== undefined) {
    if (!isAgentName(agent)) throw wrong("agent", "is not the name of an agent");
    headers.set("x-nous-agent", asHeader(agent));
  } else if (ownAgent !== undefined && !headers.has("x-nous-agent"))
    headers.set("x-nous-agent", asHeader(ownAgent));
  return headers;
}

/** Returns the set of tools that the query asks for. */
function toolsOf(context: Context): ToolSet {
  const [given = DEFAULT_TOOLS, another] = context.req.queries("tools") ?? [];
  const set = TOOL_SETS.find((name) => name === given);
  if (set === undefined || another !== undefined)
    throw wrong("tools", `must be one of ${TOOL_SETS.join(", ")}, and given once`);
  return set;
}

/**
 * Returns the form of the answer that a client accepts: JSON, unless it takes events alone; undefined
 * if it takes neither.
 */
function formOf(accept: string | undefined): "json" | "events" | undefined {
  const types = (accept ?? "*/*").split(",").flatMap((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return parameters.some((one) => /^q=0(\.0*)?$/.test(one)) ? [] : type;
  });
  const takes = (...ranges: string[]) => ranges.some((range) => types.includes(range));
  if (takes("", "application/json", "application/*", "*/*")) return "json";
  return takes("text/event-stream", "text/*") ? "events" : undefined;
}

/** Returns why a text is refused as a whole; undefined if it is not. */
function refusalOf(
  { items, isBatch }: ReturnType<typeof readMessages>,
  version: string | undefined,
): Fault | undefined {
  const [first] = items;
  if (!isBatch && first !== undefined && "fault" in first) return first.fault;
  const isInitialization = items.some(
    (item) => "message" in item && isInitializeRequest(item.message),
  );
  if (isInitialization && items.length > 1)
    return faultOf(INVALID_REQUEST, "Invalid Request: initialize must be sent alone");
  if (isInitialization || version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version))
    return undefined;
  return faultOf(
    TRANSPORT_ERROR,
    `Bad Request: Unsupported protocol version: ${version} (supported versions: ${SUPPORTED_PROTOCOL_VERSIONS.join(", ")})`,
  );
}

/** The messages of one request, whose answers come back to it. */
class Calls implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #waiting = new Map<RequestId, (answer: JSONRPCMessage) => void>();

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.();
  }

  /** Notifications to the client are dropped: there is no stream for them. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (!("method" in message) && message.id !== undefined)
      this.#waiting.get(message.id)?.(message);
  }

  answerTo(request: JSONRPCRequest): Promise<JSONRPCMessage> {
    return new Promise((resolve) => {
      this.#waiting.set(request.id, resolve);
      this.onmessage?.(request);
    });
  }
}
