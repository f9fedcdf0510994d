// A route: its place in the interface's description, the checks of what comes in, and what it does.

import type { OpenAPIHono, RouteConfig, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { type Issue, Refusal } from "../agent/errors.ts";
import { problem } from "../api/schemas.ts";

/** What requests carry along inside the server. */
export interface Carried {
  Variables: { requestId: string; agent: string; route: string };
}

/** A route's parts; what is not there is not looked at. */
interface Definition<Params, Query, Body> {
  method: "get" | "post" | "patch" | "delete";
  /** With `{id}` for a part that changes. */
  path: string;
  summary: string;
  params?: z.ZodType<Params>;
  query?: z.ZodType<Query>;
  body?: z.ZodType<Body>;
  /** Whether the body may be missing. */
  isBodyOptional?: boolean;
  /** Success, by status, and refusals beside 400. */
  status?: 200 | 201;
  answer: z.ZodType;
  refusals?: readonly (404 | 409 | 413 | 503)[];
}

interface Given<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
}

const REFUSALS = {
  400: "The request is not valid; `issues` say where.",
  404: "There is no such thing.",
  409: "It would not be wise.",
  413: "The body is too large.",
  503: "It cannot be done at the moment.",
} as const;

export const NOT_VALID = "the request is not valid";

const json = (schema: z.ZodType, description: string) => ({ description, content: { "application/json": { schema } } });

/** Adds a route; `act` answers with JSON text. */
export function route<Params, Query, Body>(
  app: OpenAPIHono<Carried>,
  definition: Definition<Params, Query, Body>,
  act: (given: Given<Params, Query, Body>, context: Context<Carried>) => Promise<string> | string,
): void {
  const { method, path, params, query, body, status = 200 } = definition;
  app.openAPIRegistry.registerPath(described(definition));
  app[method](path.replace(/\{(\w+)\}/g, ":$1"), async (context) => {
    context.set("route", path);
    const given = {
      params: check(params, context.req.param()),
      query: check(query, context.req.query()),
      body: body === undefined ? undefined : check(body, await readJson(context, definition.isBodyOptional === true)),
    } as Given<Params, Query, Body>;
    const answer = await act(given, context);
    return context.body(answer, status, { "content-type": "application/json" });
  });
}

function described<P, Q, B>(definition: Definition<P, Q, B>): RouteConfig {
  const { method, path, summary, params, query, body, status = 200, answer, refusals = [] } = definition;
  const statuses = [...((params ?? query ?? body) ? ([400] as const) : []), ...refusals];
  return {
    method,
    path,
    summary,
    request: {
      ...(params === undefined ? {} : { params: params as z.ZodObject }),
      ...(query === undefined ? {} : { query: query as z.ZodObject }),
      ...(body === undefined
        ? {}
        : {
            body: { required: definition.isBodyOptional !== true, content: { "application/json": { schema: body } } },
          }),
    },
    responses: {
      [status]: json(answer, "Done."),
      ...Object.fromEntries(statuses.map((refused) => [refused, json(problem, REFUSALS[refused])])),
    },
  };
}

function check<T>(schema: z.ZodType<T> | undefined, value: unknown): T | undefined {
  if (schema === undefined) return undefined;
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const issues: Issue[] = error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
  throw new Refusal(400, NOT_VALID, issues);
}

const notJson = (message: string) => new Refusal(400, "the body is not JSON", [{ path: "", message }]);

/**
 * The body as data. It has to say that it is JSON: a page of another origin can send anything else without asking. An empty one
 * counts as none.
 */
async function readJson(context: Context, mayBeMissing: boolean): Promise<unknown> {
  const text = await context.req.text();
  if (text === "" && mayBeMissing) return {};
  const type = context.req.header("content-type") ?? "";
  if (!/^application\/([\w.-]+\+)?json\b/i.test(type))
    throw notJson("must be sent with content-type: application/json");
  try {
    return JSON.parse(text);
  } catch {
    throw notJson("cannot be read as JSON");
  }
}
