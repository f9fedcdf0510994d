// From an operation to a route: the checks of a request, and the answer.

import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { BASE } from "../api/base-path.ts";
import type { GivenTo, OperationShape } from "../api/operation.ts";
import { readInZone } from "../api/parts.ts";
import { unknownFields } from "../api/unknown-fields.ts";
import { type Caller, demand } from "../keys/access.ts";
import { type Issue, NOT_VALID, Refusal } from "../refusal.ts";
import type { Unsent } from "../workers/unsent.ts";
import { bodyOf } from "./bodies.ts";
import { responseOf } from "./departure.ts";

/** Values of a request that middleware sets and handlers read. */
export interface Carried {
  Variables: { requestId: string; caller: Caller; agent: string; route: string };
}

/** The authentication scheme of a refusal without a valid key. */
export const CHALLENGE = "Bearer";

/** How an operation is served. */
export interface OfAgent {
  /** Returns the time zone of an agent. */
  zoneOf(agent: string): string;
  /** Whether it works on an agent's memory. */
  isOfAgent: boolean;
  /** Whether a field that it does not know is refused. */
  refusesUnknown: boolean;
}

/** Adds the route of an operation. `act` returns the answer as JSON text, or a stream. */
export function addRoute<Shape extends OperationShape>(
  app: OpenAPIHono<Carried>,
  operation: Shape,
  act: (given: GivenTo<Shape>, context: Context<Carried>) => Promise<string | Response> | string,
  { isOfAgent, refusesUnknown, zoneOf, unsent }: OfAgent & { unsent: Unsent },
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
    const zone = isOfAgent ? zoneOf(context.get("agent")) : "UTC";
    const json = body === undefined ? undefined : await readJson(context, isBodyOptional);
    const check = (schema: z.ZodType | undefined, value: unknown) =>
      readInZone(zone, () => checked(schema, value, refusesUnknown));
    const given = {
      params: checked(params, context.req.param(), false),
      query: check(query ?? NO_QUERY, context.req.query()),
      headers: checked(headers, headersOf(context, headers), false),
      body: check(body, json),
    };
    const answer = await act(given as GivenTo<Shape>, context);
    if (typeof answer !== "string") return answer;
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

/** The query of an operation that takes none. */
const NO_QUERY = z.object({});

/** Returns the headers of a request that the schema names. */
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

function checked(schema: z.ZodType | undefined, value: unknown, refusesUnknown: boolean): unknown {
  if (schema === undefined) return undefined;
  const { data, error } = schema.safeParse(value);
  const unknown = refusesUnknown ? unknownFields(schema, value) : [];
  if (error === undefined && unknown.length === 0) return data;
  const named = new Set(unknown.map(({ path }) => path));
  const wrong = (error?.issues ?? []).flatMap((issue) => issuesOf(issue, []));
  throw new Refusal(400, NOT_VALID, [...wrong.filter(({ path }) => !named.has(path)), ...unknown]);
}

/**
 * Returns the faults that an issue names. Of a value that may have several forms, those of the form that
 * it comes nearest to: where the fault lies deepest.
 */
function issuesOf(issue: z.core.$ZodIssue, at: readonly PropertyKey[]): Issue[] {
  const path = [...at, ...issue.path];
  if (issue.code === "invalid_union") {
    const forms = issue.errors.map((form) => form.flatMap((inner) => issuesOf(inner, path)));
    const depth = (form: readonly Issue[]) =>
      Math.max(...form.map((inner) => inner.path.split(".").length));
    const [nearest = []] = forms.sort((a, b) => depth(b) - depth(a) || a.length - b.length);
    if (nearest.length > 0 && depth(nearest) > path.length) return nearest;
  }
  return [{ path: path.join("."), message: issue.message }];
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Decodes a body, and refuses one that is not UTF-8: replacing its letters would lose them. */
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
 * Returns the body as text. Its content type has to be JSON, because a page of another origin can send
 * other types without a preflight. Only an empty body that `mayBeMissing` needs none.
 */
export async function jsonBodyOf(context: Context, mayBeMissing: boolean): Promise<string> {
  const encoding = context.req.header("content-encoding");
  if (encoding !== undefined && !/^(identity)?$/i.test(encoding.trim()))
    throw new Refusal(415, "the body must be sent without a Content-Encoding");
  const text = textOf(await bodyOf(context));
  const type = context.req.header("content-type");
  if (text === "" && mayBeMissing && type === undefined) return text;
  if (!/^application\/([\w.-]+\+)?json\b/i.test(type ?? ""))
    throw notJson("must be sent with content-type: application/json");
  return text;
}

/** Returns the body as data. An empty body counts as missing. */
async function readJson(context: Context, mayBeMissing: boolean): Promise<unknown> {
  const text = await jsonBodyOf(context, mayBeMissing);
  if (text === "" && mayBeMissing) return {};
  try {
    return JSON.parse(text);
  } catch {
    throw notJson("cannot be read as JSON");
  }
}
