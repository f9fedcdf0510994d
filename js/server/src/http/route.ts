// From an operation to a route: its place in the interface's description, the checks of what comes
// in, and what it does.

import { type OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { type Issue, NOT_VALID, Refusal } from "../agent/errors.ts";
import type { GivenTo, OperationShape } from "../api/operation.ts";
import { problem } from "../api/parts.ts";
import { USUAL_AGENT } from "../storage/place.ts";
import type { Unsent } from "../workers/unsent.ts";
import { type Caller, demand } from "./access.ts";
import { bodyOf } from "./bodies.ts";
import { responseOf } from "./departure.ts";

export const BASE = "/v1";

/** What requests carry along inside the server. */
export interface Carried {
  Variables: { requestId: string; caller: Caller; agent: string; route: string };
}

const REFUSALS = {
  400: "The request is not valid; `issues` say where.",
  401: "The server has keys, and the request brings none that it knows.",
  403: "The key is not for this, or not for this agent; or a page of another origin asks.",
  404: "There is no such thing.",
  409: "It does not go with what is there.",
  412: "It is of another version by now.",
  413: "The body is too large.",
  422: "The Idempotency-Key was used for another request.",
  503: "It cannot be done at the moment: try again after `Retry-After`.",
  507: "There is no room on the disk for what is to be written.",
} as const;

/**
 * What the description calls the way in which a key is sent, and what a refusal without one says of
 * it.
 */
export const KEY_SCHEME = "key";
export const CHALLENGE = "Bearer";

const agentHeader = z.object({
  "X-Nous-Agent": z
    .string()
    .optional()
    .openapi({ description: "Whose memory it is about, in UTF-8.", default: USUAL_AGENT }),
});

const challengeHeader = z.object({
  "WWW-Authenticate": z
    .string()
    .openapi({ description: "How the key is to be sent.", example: CHALLENGE }),
});

const versionHeader = z.object({
  ETag: z
    .string()
    .optional()
    .openapi({ description: "The memory's version, for If-Match.", example: '"3"' }),
});

const json = (schema: z.ZodType, description: string) => ({
  description,
  content: { "application/json": { schema } },
});

const refusal = (status: keyof typeof REFUSALS) => ({
  ...json(problem, REFUSALS[status]),
  ...(status === 401 ? { headers: challengeHeader } : {}),
});

/** Whether an operation is about an agent's memory. */
interface OfAgent {
  isOfAgent: boolean;
}

/** Adds an operation's route; `act` answers with JSON text. */
export function addRoute<Shape extends OperationShape>(
  app: OpenAPIHono<Carried>,
  operation: Shape,
  act: (given: GivenTo<Shape>, context: Context<Carried>) => Promise<string> | string,
  { isOfAgent, unsent }: OfAgent & { unsent: Unsent },
): void {
  const { method, params, query, headers, body, isBodyOptional = false, status = 200 } = operation;
  const path = `${BASE}${operation.path}`;
  app[method](path.replace(/\{(\w+)\}/g, ":$1"), async (context) => {
    context.set("route", path);
    demand(
      context.get("caller"),
      operation.scope,
      isOfAgent ? context.get("agent") : context.req.param("agent"),
    );
    const given = {
      params: check(params, context.req.param()),
      query: check(query, context.req.query()),
      headers: check(headers, headersOf(context, headers)),
      body: body === undefined ? undefined : check(body, await readJson(context, isBodyOptional)),
    };
    const answer = await act(given as GivenTo<Shape>, context);
    const etag = operation.isVersioned ? etagOf(answer) : undefined;
    const { body: sent, bytes } = unsent.bodyOf(answer, responseOf(context));
    const length = bytes === undefined ? {} : { "content-length": String(bytes) };
    return context.body(sent, status, {
      "content-type": "application/json",
      ...length,
      ...(etag && { etag }),
    });
  });
}

/** An operation as the interface's description tells of it. */
export function described(
  name: string,
  operation: OperationShape,
  { isOfAgent }: OfAgent,
): RouteConfig {
  const {
    method,
    summary,
    scope,
    params,
    query,
    headers = z.object({}),
    body,
    isBodyOptional = false,
    status = 200,
    answer,
    refusals = [],
    isVersioned = false,
  } = operation;
  const isChecked = (params ?? query ?? operation.headers ?? body) !== undefined;
  const statuses = [
    ...(isChecked || isOfAgent ? ([400] as const) : []),
    ...([401, 403] as const),
    ...(body === undefined ? [] : ([413] as const)),
    ...(isOfAgent ? ([503] as const) : []),
    ...(isOfAgent && method !== "get" ? ([507] as const) : []),
    ...refusals,
  ];
  return {
    method,
    path: `${BASE}${operation.path}`,
    operationId: name,
    summary,
    // Without keys nobody needs one.
    security: [{ [KEY_SCHEME]: [scope] }, {}],
    request: {
      headers: isOfAgent ? headers.extend(agentHeader.shape) : headers,
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      ...(body === undefined
        ? {}
        : {
            body: { required: !isBodyOptional, content: { "application/json": { schema: body } } },
          }),
    },
    responses: {
      [status]: { ...json(answer, "Done."), ...(isVersioned ? { headers: versionHeader } : {}) },
      ...Object.fromEntries(statuses.map((refused) => [refused, refusal(refused)])),
    },
  };
}

/** The headers that a schema names, as far as they are there. */
function headersOf(context: Context, schema: z.ZodObject | undefined): Record<string, string> {
  const names = Object.keys(schema?.shape ?? {});
  const found = names.flatMap((name) => {
    const value = context.req.header(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(found);
}

function etagOf(answer: string): string | undefined {
  const { version } = JSON.parse(answer) as { version: number | null };
  return version === null ? undefined : `"${version}"`;
}

function check(schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined;
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const issues: Issue[] = error.issues.map(({ path, message }) => ({
    path: path.join("."),
    message,
  }));
  throw new Refusal(400, NOT_VALID, issues);
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** A body in another encoding is not kept with its letters lost. */
function textOf(bytes: ArrayBuffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw notJson("must be in UTF-8");
  }
}

const notJson = (message: string) =>
  new Refusal(400, "the body is not JSON", [{ path: "", message }]);

/**
 * The body as data. It has to say that it is JSON: a page of another origin can send anything else
 * without asking. An empty one counts as none.
 */
async function readJson(context: Context, mayBeMissing: boolean): Promise<unknown> {
  const text = textOf(await bodyOf(context));
  const type = context.req.header("content-type");
  if (text === "" && mayBeMissing && type === undefined) return {};
  if (!/^application\/([\w.-]+\+)?json\b/i.test(type ?? "")) {
    throw notJson("must be sent with content-type: application/json");
  }
  if (text === "" && mayBeMissing) return {};
  try {
    return JSON.parse(text);
  } catch {
    throw notJson("cannot be read as JSON");
  }
}
