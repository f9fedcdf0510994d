// The description of the interface, as an OpenAPI document. It follows from the operations alone,
// so the build makes the client's types and their comments from it.

import { OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
import { BASE } from "../api/base-path.ts";
import type { OperationShape } from "../api/operation.ts";
import { AGENTLESS_OPERATIONS } from "../api/operations.ts";
import { problem } from "../api/parts.ts";
import { operationsFor } from "../compat/operations.ts";
import { DEFAULT_AGENT } from "../settings/agent-names.ts";
import type { Compat } from "../settings/choices.ts";
import { CHALLENGE, type OfAgent } from "./route.ts";

/** The refusals that every operation has, by status. */
const REFUSALS = {
  400: "The request is not valid; `issues` name the fields.",
  401: "The server has keys, and the request has none that it knows.",
  403: "The key is not for this operation or agent, or a page of another origin asks.",
  413: "The body is too large.",
  415: "The body has a `Content-Encoding`; send it without one.",
  429: "A limit of the key is reached, which `issues` name: try again after `Retry-After` seconds.",
  503: "It cannot be done now: try again after `Retry-After` seconds.",
  507: "There is no room on the disk.",
} as const;

/** The name of the security scheme: a bearer key. */
const KEY_SCHEME = "key";

const agentHeader = z.object({
  "X-Nous-Agent": z
    .string()
    .optional()
    .openapi({ description: "The name of the agent, in UTF-8.", default: DEFAULT_AGENT }),
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

/** Returns the OpenAPI document of a server with this version and this compatibility mode. */
export function descriptionOf({ version, compat }: { version: string; compat: Compat }) {
  const app = new OpenAPIHono();
  const add = (operations: Record<string, OperationShape>, isOfAgent: boolean) => {
    for (const [name, operation] of Object.entries(operations))
      app.openAPIRegistry.registerPath(described(name, operation, { isOfAgent }));
  };
  add(operationsFor(compat), true);
  add(AGENTLESS_OPERATIONS, false);
  app.openAPIRegistry.registerComponent("securitySchemes", KEY_SCHEME, {
    type: "http",
    scheme: CHALLENGE.toLowerCase(),
    description: "A key that `nous-server keys create` made. A server without keys asks for none.",
  });
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "nous-server",
      version,
      description:
        "A memory server for AI agents. The header X-Nous-Agent names the agent; " +
        `without it, the agent is "${DEFAULT_AGENT}".`,
    },
  });
}

function described(
  name: string,
  operation: OperationShape,
  { isOfAgent }: Pick<OfAgent, "isOfAgent">,
): RouteConfig {
  const {
    method,
    summary,
    description,
    returns,
    streams,
    example,
    scope,
    params,
    query,
    headers = z.object({}),
    body,
    isBodyOptional = false,
    status = 200,
    answer,
    refusals = {},
    isVersioned = false,
  } = operation;
  const statuses: (keyof typeof REFUSALS)[] = [
    ...([400, 401, 403, 429] as const),
    ...(body === undefined ? [] : ([413, 415] as const)),
    ...(isOfAgent ? ([503] as const) : []),
    ...(isOfAgent && method !== "get" ? ([507] as const) : []),
  ];
  const refused = { ...Object.fromEntries(statuses.map((it) => [it, REFUSALS[it]])), ...refusals };
  return {
    method,
    path: `${BASE}${operation.path}`,
    operationId: name,
    summary,
    ...(description === undefined ? {} : { description }),
    // Without keys the server requires none.
    security: [{ [KEY_SCHEME]: [scope] }, {}],
    request: {
      headers: isOfAgent ? headers.extend(agentHeader.shape) : headers,
      ...(params === undefined ? {} : { params: exemplified(params, example?.params) }),
      ...(query === undefined ? {} : { query: exemplified(query, example?.query) }),
      ...(body === undefined
        ? {}
        : {
            body: {
              required: !isBodyOptional,
              content: {
                "application/json": {
                  schema: body,
                  ...(example?.body === undefined ? {} : { example: example.body }),
                },
              },
            },
          }),
    },
    responses: {
      [status]: {
        description: returns,
        content: {
          ...json(answer, returns).content,
          ...(streams === undefined
            ? {}
            : { "text/event-stream": { schema: z.string().openapi({ description: streams }) } }),
        },
        ...(isVersioned ? { headers: versionHeader } : {}),
      },
      ...Object.fromEntries(
        Object.entries(refused).map(([status, why]) => [
          status,
          {
            ...json(problem, why),
            ...(status === "401" ? { headers: challengeHeader } : {}),
          },
        ]),
      ),
    },
  };
}

/** Parameters whose descriptions have these examples. */
function exemplified(parameters: z.ZodObject, examples: Readonly<Record<string, unknown>> = {}) {
  const shape = Object.entries(examples).map(([name, example]) => {
    const schema = parameters.shape[name] as z.ZodType;
    return [name, schema.openapi({ example })];
  });
  return parameters.extend(Object.fromEntries(shape));
}
