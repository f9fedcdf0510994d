// The HTTP interface: routes, and what is common to all of them.

import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Engine } from "nous-wasm";
import { Refusal, wrong } from "../agent/errors.ts";
import { AGENT_OPERATIONS, PLAIN_OPERATIONS } from "../api/operations.ts";
import type { Logger } from "../log.ts";
import { type Pool, WorkerFailure } from "../workers/pool.ts";
import { Metrics } from "./metrics.ts";
import { plainHandlers } from "./plain.ts";
import { addRoute, BASE, type Carried, USUAL_AGENT } from "./route.ts";
import { refuseStrangers } from "./strangers.ts";
import { throwAway } from "./too-large.ts";

const MOST_AGENT_NAME = 200;
/** A caller's own id of a request is taken over when it looks like one. */
const REQUEST_ID = /^[\w.:-]{1,64}$/;

export interface AppOptions {
  /** Whom agents' operations go to. */
  agents: Pick<Pool, "call">;
  /** Who hosts them. */
  pool: Pick<Pool, "list" | "delete" | "measure">;
  engine: Engine;
  log: Logger;
  maxBodyBytes: number;
  version: string;
  /** Whether requests are to be sent here. */
  isReady(): boolean;
  /** Whether what is under way is the last. */
  isStopping(): boolean;
}

export function createApp(options: AppOptions): OpenAPIHono<Carried> {
  const app = new OpenAPIHono<Carried>();
  const metrics = new Metrics(options.pool);
  const { agents, pool, engine, log, maxBodyBytes, isReady, isStopping } = options;
  app.use(async (context, next) => {
    const given = context.req.header("x-request-id") ?? "";
    const requestId = REQUEST_ID.test(given) ? given : randomUUID();
    const start = performance.now();
    context.set("requestId", requestId);
    await next();
    context.header("x-request-id", requestId);
    if (isStopping()) context.header("connection", "close");
    const [method, { status }] = [context.req.method, context.res];
    const milliseconds = performance.now() - start;
    metrics.answered(method, context.get("route"), status, milliseconds);
    // The route, not the path: an id is nobody's business, and a query may hold text.
    log.info(
      {
        request_id: requestId,
        method,
        route: context.get("route") ?? null,
        status,
        ms: Math.round(milliseconds * 1000) / 1000,
      },
      "request",
    );
  });
  app.use(async (context, next) => {
    if (isStopping()) throw new Refusal(503, "the server is stopping");
    refuseStrangers(context.req.header("host"), context.req.header("origin"));
    await next();
  });
  app.use(limitBodies(maxBodyBytes));
  app.notFound((context) => context.json({ error: "not found" }, 404));
  app.onError((error, context) => {
    if (error instanceof Refusal) {
      const { status, message, issues } = error;
      return context.json(issues.length > 0 ? { error: message, issues } : { error: message }, status);
    }
    if (hasGone(context)) return context.json({ error: "the request did not arrive whole" }, 400);
    const failure = error instanceof WorkerFailure ? error.failure : { name: error.name, message: error.message };
    log.error({ request_id: context.get("requestId"), failure }, "A request failed");
    return context.json({ error: "internal error" }, 500);
  });

  app.get("/livez", (context) => context.json({ status: "alive" }));
  app.get("/readyz", (context) =>
    isReady() ? context.json({ status: "ready" }) : context.json({ error: "not ready" }, 503),
  );
  app.on("get", ["/metrics", `${BASE}/metrics`], async (context) => {
    context.set("route", "/metrics");
    const { text, type } = await metrics.text();
    return context.body(text, 200, { "content-type": type });
  });
  const api = app.basePath(BASE);
  api.use(async (context, next) => {
    context.set("agent", agentOf(context.req.header("x-nous-agent")));
    await next();
  });
  for (const [name, operation] of entriesOf(AGENT_OPERATIONS)) {
    addRoute(app, name, operation, (given, context) => agents.call(context.get("agent"), name, given), {
      isOfAgent: true,
    });
  }
  const plain = plainHandlers(engine, pool);
  for (const [name, operation] of entriesOf(PLAIN_OPERATIONS)) {
    const handle = plain[name] as (given: unknown) => unknown;
    addRoute(app, name, operation, async (given) => JSON.stringify(await handle(given)), { isOfAgent: false });
  }
  app.get(`${BASE}/openapi.json`, (context) => context.json(describe(app, options.version)));
  return app;
}

/** Refuses bodies of more bytes. One whose length is told is not opened for it: what opens a body costs more than all that reads it. */
function limitBodies(maxSize: number): MiddlewareHandler {
  const onError = async (context: Context) => {
    const { incoming } = (context.env ?? {}) as { incoming?: IncomingMessage };
    if (!(await throwAway(incoming))) context.header("connection", "close");
    throw new Refusal(413, `the body is larger than ${maxSize} bytes`);
  };
  const limitUntold = bodyLimit({ maxSize, onError });
  return (context, next) => {
    if (context.req.header("transfer-encoding") !== undefined) return limitUntold(context, next);
    return Number(context.req.header("content-length") ?? 0) > maxSize ? onError(context) : next();
  };
}

/** Whether the client went away in the middle of its request: what fails for that is no failure of the server's. */
function hasGone({ env }: Context): boolean {
  const { incoming } = (env ?? {}) as { incoming?: IncomingMessage };
  return incoming?.destroyed === true && !incoming.complete;
}

const entriesOf = <Table extends object>(table: Table) =>
  Object.entries(table) as { [Name in keyof Table]: [Name, Table[Name]] }[keyof Table][];

/** Whose memory a request is about. HTTP gives bytes of a header as characters; names are UTF-8. */
function agentOf(header: string | undefined): string {
  if (header === undefined) return USUAL_AGENT;
  const name = Buffer.from(header, "latin1").toString("utf8");
  if (name === "" || name.length > MOST_AGENT_NAME || name.includes("\u{fffd}")) {
    throw wrong("X-Nous-Agent", `must be a name in UTF-8 of 1 to ${MOST_AGENT_NAME} characters`);
  }
  return name;
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
