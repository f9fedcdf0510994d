// An agent's memory as a whole: sweeps, the graph, how much there is.

import { z } from "@hono/zod-openapi";
import { cluster, membership } from "./clusters.ts";
import { cursorOf, nextCursor, pageLimit } from "./cursors.ts";
import { operation } from "./operation.ts";
import { GRAPH } from "./pages.ts";
import { someNumber, someText, state, time } from "./parts.ts";

/** Where each of its lists goes on; null for one that is at its end. */
const graphPlace = z.tuple([
  z.int().nullable(),
  z.int().nullable(),
  z.int().nullable(),
  z.int().nullable(),
]);

const sweepRequest = z
  .object({
    force: z
      .boolean()
      .default(false)
      .openapi({ description: "Sweeps even where the clock looks wrong." }),
  })
  .openapi("SweepRequest");

export const sweepAnswer = z
  .object({
    ok: z.literal(true),
    processed: z.int(),
    transitions_count: z.int(),
    transitions: z.array(z.object({ id: z.string(), from: state, to: state, subtype: someText })),
  })
  .openapi("SweepAnswer");

export const graph = z
  .object({
    nodes: z.array(
      z.object({
        id: z.string(),
        type: z.string(),
        subtype: someText,
        title: z.string(),
        summary: someText,
        retrievability: z.number(),
        lifecycle: state,
        access_count: z.int(),
        created_at: time.nullable(),
      }),
    ),
    edges: z.array(
      z.object({
        id: z.string(),
        source: z.string(),
        target: z.string(),
        type: z.string(),
        strength: someNumber,
      }),
    ),
    clusters: z.array(cluster),
    memberships: z.array(membership),
    count: z.object({ nodes: z.int(), edges: z.int() }),
    next_cursor: nextCursor,
  })
  .openapi("Graph");

export const health = z
  .object({
    status: z.literal("ok"),
    node_count: z.int(),
    edge_count: z.int(),
    lifecycle: z.partialRecord(state, z.int()),
  })
  .openapi("Health");

export const agentOperations = {
  health: operation({
    method: "get",
    path: "/health",
    summary: "How many memories and edges there are",
    scope: "memory",
    answer: health,
  }),
  sweep: operation({
    method: "post",
    path: "/decay",
    summary: "Sweeps: stores what time did to every memory",
    scope: "admin",
    body: sweepRequest,
    isBodyOptional: true,
    answer: sweepAnswer,
    refusals: [409],
  }),
  graph: operation({
    method: "get",
    path: "/graph",
    summary: "The whole graph, without bodies; in pages, so many of each kind to a page",
    scope: "memory",
    query: z.object({ limit: pageLimit, cursor: cursorOf(GRAPH, graphPlace) }),
    answer: graph,
  }),
};

export type GraphPlace = z.output<typeof graphPlace>;
export type SweepAnswer = z.output<typeof sweepAnswer>;
export type Graph = z.output<typeof graph>;
export type Health = z.output<typeof health>;
