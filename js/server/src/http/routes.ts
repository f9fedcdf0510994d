// The routes under the base path, and which method of an agent each of them calls.

import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Engine } from "nous-wasm";
import * as schemas from "../api/schemas.ts";
import type { Pool } from "../workers/pool.ts";
import { type Carried, route } from "./route.ts";

export const BASE = "/v1";

type App = OpenAPIHono<Carried>;
/** Asks an agent; the answer is JSON. */
export type Call = Pool["call"];

const params = schemas.idParameter;

/** Memories, one at a time and in lists. */
export function addNodeRoutes(app: App, call: Call): void {
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
}

/** Edges. */
export function addEdgeRoutes(app: App, call: Call): void {
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
}

/** Questions. */
export function addQuestionRoutes(app: App, call: Call, engine: Engine): void {
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
}

/** The memory as a whole. */
export function addWholeRoutes(app: App, call: Call): void {
  route(
    app,
    { method: "get", path: `${BASE}/health`, summary: "How many memories and edges there are", answer: schemas.health },
    (_, context) => call(context.get("agent"), "health", undefined),
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
