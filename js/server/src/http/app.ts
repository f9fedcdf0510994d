// The HTTP app: the middleware that all requests pass, and the routes of all operations.

import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { METHOD_NAME_ALL } from "hono/router";
import { getPath } from "hono/utils/url";
import type { Presets } from "nous-memory";
import type { Engine } from "nous-wasm";
import { BASE, INSTANCE_HEADER } from "../api/base-path.ts";
import type { Events } from "../api/events.ts";
import type { GivenTo, OperationShape } from "../api/operation.ts";
import { AGENT_OPERATIONS, AGENTLESS_OPERATIONS } from "../api/operations.ts";
import { operationsFor } from "../compat/operations.ts";
import { serverBehaviourOf } from "../compat/server.ts";
import { type Caller, callerOf, demand, demandForAll } from "../keys/access.ts";
import type { KeyRing } from "../keys/ring.ts";
import type { Logger } from "../log.ts";
import { authorizationOf, MEM0 } from "../mem0/names.ts";
import { METADATA, type OauthDoor, SignIn } from "../oauth/door.ts";
import { Refusal, wrong } from "../refusal.ts";
import { AGENT_NAME, DEFAULT_AGENT, isAgentName } from "../settings/agent-names.ts";
import type { Compat } from "../settings/choices.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { type Pool, WorkerFailure } from "../workers/pool.ts";
import { AskerGone } from "../workers/shares.ts";
import type { Unsent } from "../workers/unsent.ts";
import { agentlessHandlers } from "./agentless-handlers.ts";
import { bufferChunked, hasRoom } from "./bodies.ts";
import { answersBefore, callerBefore, departureOf, isCounted, responseOf } from "./departure.ts";
import { descriptionOf } from "./description.ts";
import type { EventStreams } from "./event-streams.ts";
import { type LimitSettings, Limits } from "./limits.ts";
import type { Metrics } from "./metrics.ts";
import { type AllowedOrigins, refuseForeignOrigins } from "./origin-guard.ts";
import { servePage } from "./page.ts";
import { addRoute, type Carried, CHALLENGE, jsonBodyOf } from "./route.ts";
import { throwAway } from "./too-large.ts";

const METHODS = new Set(
  Object.values({ ...AGENT_OPERATIONS, ...AGENTLESS_OPERATIONS }).map(({ method }) =>
    method.toUpperCase(),
  ),
);
/** How long a browser may cache a preflight answer, in seconds. */
const PREFLIGHT_AGE = 600;
/** The `Retry-After` of answers with status 503, in seconds. */
const RETRY_AFTER = "1";
/** That of answers with status 429 because of a quota, which time alone does not mend. */
const RETRY_QUOTA = "60";
/** The logged status of a request whose client went away. The client does not receive it. */
const CLIENT_GONE = 499;
/** A request id from the caller is used if it has this form. */
const REQUEST_ID = /^[\w.:-]{1,64}$/;

export interface AppOptions {
  /** The name of this run of the server, by which `nous-server mcp` knows it. */
  instance: string;
  /** Carries out operations on agents. */
  agents: Pick<Pool, "call">;
  /** Lists, deletes and measures agents. */
  pool: Pick<Pool, "list" | "delete" | "measure" | "holding">;
  /** What clients follow. */
  streams: EventStreams;
  engine: Engine;
  presets: Presets;
  /** The preset of agents without one of their own. */
  defaultPreset: string;
  /** Returns the time zone of an agent. */
  zoneOf(agent: string): string;
  keys: KeyRing;
  /** Lets tokens in at /mcp; undefined if the server has no issuer of them. */
  oauth: OauthDoor | undefined;
  /** Hosts and origins that may send requests. */
  known: AllowedOrigins;
  /** The server whose requests are accepted, too. */
  compat: Compat;
  log: Logger;
  /** Answers that clients have not read yet. */
  unsent: Unsent;
  /** The limits of keys. */
  limits: LimitSettings;
  /** The largest body, in bytes. */
  maxBodyBytes: number;
  version: string;
  /** The folder of the page's files. */
  pageFolder: string;
  /** Whether the server can take requests. */
  isReady(): boolean;
  /** Sentences on what does not work, though the server takes requests. */
  problems(): string[];
  /** How many memories wait for their embedding; undefined if none are made beside the writes. */
  waiting(): number | undefined;
  metrics: Metrics;
  /** Follows requests; undefined if nobody wants to know. */
  telemetry: Telemetry | undefined;
  /** Whether the server is stopping, so that it closes each connection after its answer. */
  isStopping(): boolean;
}

/**
 * Proxies are to pass each event on at once. The connection ends with the stream: left open, it would
 * keep a server that stops waiting.
 */
const STREAM_HEADERS = {
  connection: "close",
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};
const METRICS = ["/metrics", `${BASE}/metrics`];
const MCP = ["/mcp", "/mcp/"];

/** The paths that an answer at `/` names. */
const PLACES = {
  description: `${BASE}/openapi.json`,
  mcp: "/mcp",
  readiness: "/readyz",
  metrics: "/metrics",
};

/**
 * Returns the path of a request as the router compares it. A star stays encoded: the router would take
 * it for that of a pattern, and answer nothing.
 */
const pathOf = (request: Request): string => getPath(request).replaceAll("*", "%2A");

export function createApp(options: AppOptions): OpenAPIHono<Carried> {
  const app = new OpenAPIHono<Carried>({ getPath: pathOf });
  const limits = new Limits(options.limits, options.pool);
  const { keys, oauth, known, log, maxBodyBytes, isReady, isStopping, problems, waiting } = options;
  const { metrics, telemetry } = options;
  app.use(async (context, next) => {
    const given = context.req.header("x-request-id") ?? "";
    const requestId = REQUEST_ID.test(given) ? given : randomUUID();
    const before = answersBefore(context);
    if (before !== undefined) await before;
    const start = performance.now();
    context.set("requestId", requestId);
    // Set before the answer exists: adding a header to a finished answer opens it, which costs more
    // than the rest of this middleware.
    context.header("x-request-id", requestId);
    const followed = telemetry?.follow(context.req.header("traceparent"));
    await (followed === undefined ? next() : followed.run(next));
    if (isStopping()) context.header("connection", "close");
    const [method, { status }] = [context.req.method, context.res];
    const milliseconds = performance.now() - start;
    const [route, agent] = [context.get("route"), context.get("agent")];
    metrics.answered(method, route, status, milliseconds);
    if (route !== undefined) followed?.end({ method, route, status, agent });
    // The route is logged, not the path: a path holds ids, and a query may hold text. Successes are
    // logged at level debug only.
    log[status < 400 ? "debug" : "info"](
      {
        request_id: requestId,
        key: context.get("caller")?.id,
        method,
        route: route ?? null,
        status,
        ms: Math.round(milliseconds * 1000) / 1000,
        ...(followed?.traceId && { trace_id: followed.traceId }),
      },
      "request",
    );
  });
  app.use(async (context, next) => {
    if (isStopping()) throw new Refusal(503, "the server is stopping");
    const [host, origin, site] = ["host", "origin", "sec-fetch-site"].map((name) =>
      context.req.header(name),
    );
    refuseForeignOrigins({ host, origin, site }, known);
    await next();
  });
  if (known.origins.length > 0) app.use(allowPages(known.origins));
  app.notFound((context) => context.json({ error: "not found" }, 404));
  app.onError((error, context) => {
    if (error instanceof Refusal) {
      const { status, message, issues, retryAfter } = error;
      if (error instanceof SignIn) context.header("www-authenticate", error.challenge);
      else if (status === 401) context.header("www-authenticate", CHALLENGE);
      if (status === 503) context.header("retry-after", RETRY_AFTER);
      if (status === 429) context.header("retry-after", String(retryAfter ?? RETRY_QUOTA));
      return context.json(
        issues.length > 0 ? { error: message, issues } : { error: message },
        status,
      );
    }
    if (error instanceof AskerGone) return context.body(null, CLIENT_GONE as 400);
    if (hasGone(context)) return context.json({ error: "the request did not arrive whole" }, 400);
    const failure =
      error instanceof WorkerFailure ? error.failure : { name: error.name, message: error.message };
    log.error({ request_id: context.get("requestId"), failure }, "A request failed");
    return context.json({ error: "internal error" }, 500);
  });

  app.get("/livez", (context) =>
    context.json({ status: "alive" }, 200, { [INSTANCE_HEADER]: options.instance }),
  );
  app.get("/readyz", (context) => {
    if (!isReady()) return context.json({ error: "not ready" }, 503);
    const [found, count] = [problems(), waiting()];
    return context.json({
      status: "ready",
      ...(count === undefined ? {} : { embeddings: { waiting: count } }),
      ...(found.length === 0 ? {} : { problems: found }),
    });
  });
  app.use(servePage(options.pageFolder));
  if (oauth !== undefined)
    app.on("get", oauth.metadataPaths, (context) => {
      context.set("route", METADATA);
      return context.json(oauth.metadata);
    });
  // Routes after this one, and unknown paths, need a key if the server has keys.
  app.use(async (context, next) => {
    const given = authorizationOf(context.req.path, context.req.header("authorization"));
    const caller =
      callerBefore(context) ??
      (await (oauth !== undefined && MCP.includes(context.req.path)
        ? oauth.callerOf(keys, given)
        : callerOf(keys, given)));
    context.set("caller", caller);
    // Who measures the server is to see what it does while it refuses others.
    if (!isCounted(context) && !METRICS.includes(context.req.path)) limits.count(caller);
    await next();
  });
  app.use(limitBodies(maxBodyBytes));
  app.on("get", METRICS, async (context) => {
    context.set("route", "/metrics");
    demandForAll(context.get("caller"), "admin");
    const { text, type } = await metrics.text();
    return context.body(text, 200, { "content-type": type });
  });
  app.get("/", (context) =>
    context.json({ name: "nous-server", version: options.version, ...PLACES }),
  );
  app.on(METHOD_NAME_ALL, MCP, async (context) => {
    context.set("route", "/mcp");
    // Loaded with the first request: few servers have one.
    const { answerMcp } = await import("../mcp/http.ts");
    const body = () => jsonBodyOf(context, false);
    const caller = context.get("caller");
    const count = (requests: number) => limits.countMore(caller, requests);
    const gone = departureOf(context);
    return answerMcp(context, { app, version: options.version, body, count, caller, gone });
  });
  app.on(METHOD_NAME_ALL, `${MEM0}/*`, async (context) => {
    context.set("route", MEM0);
    const { answerMem0 } = await import("../mem0/http.ts");
    const body = () => jsonBodyOf(context, false);
    const count = (requests: number) => limits.countMore(context.get("caller"), requests);
    return answerMem0(context, { app, body, count, gone: departureOf(context) });
  });
  const api = app.basePath(BASE);
  api.use(async (context, next) => {
    const agent = agentOf(context);
    context.set("agent", agent);
    await next();
  });
  addOperations(app, limits, options);
  let description: ReturnType<typeof descriptionOf> | undefined;
  app.get(`${BASE}/openapi.json`, (context) => {
    // Built on the first request: it takes a while, and few clients ask.
    description ??= descriptionOf(options);
    return context.json(description);
  });
  return app;
}

function addOperations(app: OpenAPIHono<Carried>, limits: Limits, options: AppOptions): void {
  const { agents, pool, engine, unsent, compat, presets, defaultPreset, zoneOf } = options;
  const { keys, streams } = options;
  const { refusesUnknownFields: refusesUnknown } = serverBehaviourOf(compat);
  const follow = (context: Context<Carried>, first: string): Response => {
    const [agent, { id: key }] = [context.get("agent"), context.get("caller")];
    const given = authorizationOf(context.req.path, context.req.header("authorization"));
    const mayRead = async () => {
      try {
        demand(await callerOf(keys, given), "memory", agent);
        return true;
      } catch {
        return false;
      }
    };
    const after = context.req.header("last-event-id") ?? context.req.query("after");
    const response = responseOf(context);
    const follower = { agent, key, after, first: JSON.parse(first) as Events, mayRead, response };
    return context.body(streams.open(follower), 200, STREAM_HEADERS);
  };
  for (const [name, operation] of entriesOf(operationsFor(compat))) {
    const { createsAgent = false }: OperationShape = operation;
    const act = async (given: GivenTo<typeof operation>, context: Context<Carried>) => {
      const ifAbsent = createsAgent
        ? context.get("caller").creates_agents
          ? "create"
          : "refuse"
        : "empty";
      const [agent, caller] = [context.get("agent"), context.get("caller")];
      const quota = await limits.quotaOf(caller, agent, name);
      const gone = departureOf(context);
      const answer = await agents.call(agent, name, { ...given, quota }, ifAbsent, gone);
      return name === "listEvents" && wantsStream(context) ? follow(context, answer) : answer;
    };
    addRoute(app, operation, act, { isOfAgent: true, refusesUnknown, zoneOf, unsent });
  }
  const plain = agentlessHandlers(engine, pool, presets, defaultPreset);
  for (const [name, operation] of entriesOf(AGENTLESS_OPERATIONS)) {
    const handle = plain[name] as (given: unknown, caller: Caller) => unknown;
    const act = async (given: unknown, context: Context<Carried>) =>
      JSON.stringify(await handle(given, context.get("caller")));
    addRoute(app, operation, act, { isOfAgent: false, refusesUnknown, zoneOf, unsent });
  }
}

/** Returns whether a request asks for a stream of events. An answer to HEAD has no body. */
const wantsStream = ({ req }: Context): boolean =>
  req.method === "GET" && /\btext\/event-stream\b/i.test(req.header("accept") ?? "");

/**
 * Lets pages of these origins send requests and read answers, beyond the simple ones that browsers
 * allow anyway.
 */
function allowPages(origins: readonly string[]): MiddlewareHandler {
  return cors({
    origin: [...origins],
    allowMethods: [...METHODS],
    exposeHeaders: ["etag", "retry-after", "www-authenticate", "x-request-id"],
    maxAge: PREFLIGHT_AGE,
  });
}

/**
 * Refuses bodies of more than `maxSize` bytes, and bodies without room beside others. A body with a
 * `Content-Length` is not opened for it: opening a body costs more than reading it.
 */
function limitBodies(maxSize: number): MiddlewareHandler {
  const refuse = async (context: Context, refusal: Refusal) => {
    const { incoming } = (context.env ?? {}) as { incoming?: IncomingMessage };
    if (!(await throwAway(incoming))) context.header("connection", "close");
    throw refusal;
  };
  return async (context, next) => {
    const isChunked = context.req.header("transfer-encoding") !== undefined;
    const length = Number(context.req.header("content-length") ?? 0);
    const found = isChunked
      ? await bufferChunked(context, maxSize)
      : length > maxSize
        ? "too large"
        : hasRoom(context, length)
          ? "taken"
          : "no room";
    if (found === "too large")
      await refuse(context, new Refusal(413, `the body is larger than ${maxSize} bytes`));
    if (found === "no room")
      await refuse(
        context,
        new Refusal(503, "too many large requests at once: nothing was done, try again"),
      );
    await next();
  };
}

/**
 * Returns whether the client went away before its request was complete. An error after that is not
 * the server's failure.
 */
function hasGone({ env }: Context): boolean {
  const { incoming } = (env ?? {}) as { incoming?: IncomingMessage };
  return incoming?.destroyed === true && !incoming.complete;
}

const entriesOf = <Table extends object>(table: Table) =>
  Object.entries(table) as { [Name in keyof Table]: [Name, Table[Name]] }[keyof Table][];

/**
 * Returns the agent of a request. Node gives the bytes of a header as Latin-1 characters; names are
 * UTF-8.
 */
function agentOf(context: Context): string {
  const header = context.req.header("x-nous-agent");
  if (header === undefined) return DEFAULT_AGENT;
  // Node joins the values of two headers with a comma.
  if (header.includes(",")) {
    const { incoming } = (context.env ?? {}) as { incoming?: IncomingMessage };
    if ((incoming?.headersDistinct["x-nous-agent"] ?? []).length > 1)
      throw wrong("X-Nous-Agent", "must be sent once: a request is about one agent");
  }
  const name = Buffer.from(header, "latin1").toString("utf8");
  if (!isAgentName(name)) throw wrong("X-Nous-Agent", AGENT_NAME);
  return name;
}
