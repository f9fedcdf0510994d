// MCP over HTTP, at /mcp: stateless. Each request has a server of its own, whose tools send requests
// to the same application with the headers of the caller, so that keys and agents are checked there.

import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Context, Env, Hono } from "hono";
import { BASE } from "../api/base-path.ts";
import { messageOf } from "../api/unknown-fields.ts";
import { NOT_VALID, Refusal, wrong } from "../refusal.ts";
import { asHeader, isAgentName } from "../settings/agent-names.ts";
import type { Ask } from "./ask.ts";
import { mcpServer } from "./server.ts";

/** Headers of the caller that the requests of tools carry on. */
const CARRIED = ["authorization", "host", "origin", "sec-fetch-site", "x-nous-agent"];

/** The query parameters of /mcp. */
const PARAMETERS = ["agent"];

/** Answers a request at /mcp. `app` is the application that has the routes of /v1. */
export async function answerMcp<Its extends Env>(
  context: Context<Its>,
  app: Hono<Its>,
  version: string,
): Promise<Response> {
  // Without sessions there is nothing to stream, and nothing to end.
  if (context.req.method !== "POST")
    return context.json({ error: "MCP is answered to POST alone" }, 405, { allow: "POST" });
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
  }
  const ask: Ask = async (method, path, body) => {
    const sent = new Headers(headers);
    if (body !== undefined) sent.set("content-type", "application/json");
    const init = { method, headers: sent, ...(body && { body: JSON.stringify(body) }) };
    const answer = await app.request(`${BASE}${path}`, init);
    return { status: answer.status, body: await answer.json() };
  };
  const server = mcpServer(ask, version);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  return transport.handleRequest(context.req.raw);
}
