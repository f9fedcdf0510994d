// The HTTP interface: routes, and what is common to all of them.

import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { OpenAPIHono } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import type { Engine } from "nous-wasm";
import { Refusal, wrong } from "../agent/errors.ts";
import * as schemas from "../api/schemas.ts";
import type { Logger } from "../log.ts";
import { type Pool, WorkerFailure } from "../workers/pool.ts";
import type { InputOf, Operation } from "../workers/protocol.ts";
import { type Carried, route } from "./route.ts";
import { throwAway } from "./too-large.ts";

export const USUAL_AGENT = "default";
const MOST_AGENT_NAME = 200;
/** A caller's own id of a request is taken over when it looks like one. */
const REQUEST_ID = /^[\w.:-]{1,64}$/;
const BASE = "/v1";

export interface AppOptions {
  pool: Pick<Pool, "call">;
  engine: Engine;
  log: Logger;
  maxBodyBytes: number;
  version: string;
  /** Whether requests are to be sent here. */
  isReady(): boolean;
}

export function createApp(options: AppOptions): OpenAPIHono<Carried> {
  const app = new OpenAPIHono<Carried>();
  const { log, maxBodyBytes, isReady } = options;
  app.use(async (context, next) => {
    const given = context.req.header("x-request-id") ?? "";
    const requestId = REQUEST_ID.test(given) ? given : randomUUID();
    const start = performance.now();
    context.set("requestId", requestId);
    await next();
    context.header("x-request-id", requestId);
    // The route, not the path: an id is nobody's business, and a query may hold text.
    log.info(
      {
        request_id: requestId,
        method: context.req.method,
        route: context.get("route") ?? null,
        status: context.res.status,
        ms: Math.round((performance.now() - start) * 1000) / 1000,
      },
      "request",
    );
  });
  app.use(
    bodyLimit({
      maxSize: maxBodyBytes,
      onError: async (context) => {
        const { incoming } = (context.env ?? {}) as { incoming?: IncomingMessage };
        if (!(await throwAway(incoming))) context.header("connection", "close");
        throw new Refusal(413, `the body is larger than ${maxBodyBytes} bytes`);
      },
    }),
  );
  app.notFound((context) => context.json({ error: "not found" }, 404));
  app.onError((error, context) => {
    if (error instanceof Refusal) {
      const { status, message, issues } = error;
      return context.json(issues.length > 0 ? { error: message, issues } : { error: message }, status);
    }
    const failure = error instanceof WorkerFailure ? error.failure : { name: error.name, message: error.message };
    log.error({ request_id: context.get("requestId"), failure }, "A request failed");
    return context.json({ error: "internal error" }, 500);
  });

  app.get("/livez", (context) => context.json({ status: "alive" }));
  app.get("/readyz", (context) =>
    isReady() ? context.json({ status: "ready" }) : context.json({ error: "not ready" }, 503),
  );
  const api = app.basePath(BASE);
  api.use(async (context, next) => {
    context.set("agent", agentOf(context.req.header("x-nous-agent")));
    await next();
  });
  addRoutes(app, options);
  app.get(`${BASE}/openapi.json`, (context) => context.json(describe(app, options.version)));
  return app;
}

/** Whose memory a request is about. HTTP gives bytes of a header as characters; names are UTF-8. */
function agentOf(header: string | undefined): string {
  if (header === undefined) return USUAL_AGENT;
  const name = Buffer.from(header, "latin1").toString("utf8");
  if (name === "" || name.length > MOST_AGENT_NAME || name.includes("\u{fffd}")) {
    throw wrong("X-Nous-Agent", `must be a name in UTF-8 of 1 to ${MOST_AGENT_NAME} characters`);
  }
  return name;
}

function addRoutes(app: OpenAPIHono<Carried>, { pool, engine }: AppOptions): void {
  const call = <Name extends Operation>(agent: string, operation: Name, input: InputOf<Name>) =>
    pool.call(agent, operation, input);
  const params = schemas.idParameter;

  route(
    app,
    { method: "get", path: `${BASE}/health`, summary: "How many memories and edges there are", answer: schemas.health },
    (_, context) => call(context.get("agent"), "health", undefined),
  );
  route(
    app,
    {
      method: "post",
      path: `${BASE}/nodes`,
      summary: "Creates a memory",
      body: schemas.newNode,
      status: 201,
      answer: schemas.node,
      refusals: [413],
    },
    ({ body }, context) => call(context.get("agent"), "createNode", body),
  );
  route(
    app,
    {
      method: "get",
      path: `${BASE}/nodes`,
      summary: "Lists memories, newest first",
      query: schemas.listQuery,
      answer: schemas.nodeList,
    },
    ({ query }, context) => call(context.get("agent"), "listNodes", query),
  );
  route(
    app,
    {
      method: "get",
      path: `${BASE}/nodes/{id}`,
      summary: "Reads a memory, which is a recall: its stability grows",
      params,
      query: schemas.readQuery,
      answer: schemas.node,
      refusals: [404],
    },
    ({ params: { id }, query: { recall } }, context) => call(context.get("agent"), "readNode", { id, recall }),
  );
  route(
    app,
    {
      method: "patch",
      path: `${BASE}/nodes/{id}`,
      summary: "Changes fields of a memory",
      params,
      body: schemas.nodeChanges,
      answer: schemas.node,
      refusals: [404, 413],
    },
    ({ params: { id }, body }, context) => call(context.get("agent"), "updateNode", { id, changes: body }),
  );
  route(
    app,
    {
      method: "delete",
      path: `${BASE}/nodes/{id}`,
      summary: "Deletes a memory, its edges and memberships with it",
      params,
      answer: schemas.done,
      refusals: [404],
    },
    ({ params: { id } }, context) => call(context.get("agent"), "deleteNode", { id }),
  );
  route(
    app,
    {
      method: "post",
      path: `${BASE}/edges`,
      summary: "Ties two memories together",
      body: schemas.newEdge,
      status: 201,
      answer: schemas.edge,
      refusals: [404, 413],
    },
    ({ body }, context) => call(context.get("agent"), "createEdge", body),
  );
  route(
    app,
    {
      method: "get",
      path: `${BASE}/edges`,
      summary: "Lists the edges of a memory",
      query: schemas.edgesQuery,
      answer: schemas.edgeList,
    },
    ({ query }, context) => call(context.get("agent"), "listEdges", query),
  );
  route(
    app,
    {
      method: "post",
      path: `${BASE}/edges/{id}/strengthen`,
      summary: "Strengthens an edge, up to 1",
      params,
      body: schemas.strengthening,
      isBodyOptional: true,
      answer: schemas.edge,
      refusals: [404],
    },
    ({ params: { id }, body: { amount } }, context) => call(context.get("agent"), "strengthenEdge", { id, amount }),
  );
  route(
    app,
    {
      method: "delete",
      path: `${BASE}/edges/{id}`,
      summary: "Deletes an edge",
      params,
      answer: schemas.done,
      refusals: [404],
    },
    ({ params: { id } }, context) => call(context.get("agent"), "deleteEdge", { id }),
  );
  route(
    app,
    {
      method: "post",
      path: `${BASE}/search`,
      summary: "Searches by words, and by a vector where one is given; what is found counts as accessed",
      body: schemas.searchRequest,
      answer: schemas.searchAnswer,
      refusals: [413],
    },
    ({ body }, context) => call(context.get("agent"), "search", body),
  );
  route(
    app,
    {
      method: "post",
      path: `${BASE}/classify-query`,
      summary: "Tells what kind of question it is",
      body: schemas.question,
      answer: schemas.classification,
      refusals: [413],
    },
    ({ body: { query } }) => JSON.stringify(engine.classifyQuery(query)),
  );
  route(
    app,
    {
      method: "post",
      path: `${BASE}/decay`,
      summary: "Sweeps: stores what time did to every memory",
      body: schemas.sweepRequest,
      isBodyOptional: true,
      answer: schemas.sweepAnswer,
      refusals: [409],
    },
    ({ body }, context) => call(context.get("agent"), "sweep", body),
  );
  route(
    app,
    { method: "get", path: `${BASE}/graph`, summary: "The whole graph, without bodies", answer: schemas.graph },
    (_, context) => call(context.get("agent"), "graph", undefined),
  );
}

function describe(app: OpenAPIHono<Carried>, version: string) {
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "nous-server",
      version,
      description: `A memory server for AI agents. The header X-Nous-Agent says whose memory it is; without it, "${USUAL_AGENT}".`,
    },
  });
}
