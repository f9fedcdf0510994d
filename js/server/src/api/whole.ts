// An agent's memory as a whole: sweeps, the graph, how much there is.

import { z } from "@hono/zod-openapi";
import { operation } from "./operation.ts";
import { someNumber, someText, state, time } from "./parts.ts";

const sweepRequest = z
  .object({ force: z.boolean().default(false).openapi({ description: "Sweeps even where the clock looks wrong." }) })
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
      z.object({ id: z.string(), source: z.string(), target: z.string(), type: z.string(), strength: someNumber }),
    ),
    clusters: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        description: someText,
        icon: someText,
        pinned: z.boolean(),
        source: someText,
        auto_subtypes: z.array(z.string()),
        created_at: time.nullable(),
      }),
    ),
    memberships: z.array(
      z.object({
        cluster_id: z.string(),
        node_id: z.string(),
        weight: someNumber,
        pinned: z.boolean(),
        updated_at: time.nullable(),
      }),
    ),
    count: z.object({ nodes: z.int(), edges: z.int() }),
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

export const wholeOperations = {
  health: operation({
    method: "get",
    path: "/health",
    summary: "How many memories and edges there are",
    answer: health,
  }),
  sweep: operation({
    method: "post",
    path: "/decay",
    summary: "Sweeps: stores what time did to every memory",
    body: sweepRequest,
    isBodyOptional: true,
    answer: sweepAnswer,
    refusals: [409],
  }),
  graph: operation({
    method: "get",
    path: "/graph",
    summary: "The whole graph, without bodies",
    answer: graph,
  }),
};

export type SweepAnswer = z.output<typeof sweepAnswer>;
export type Graph = z.output<typeof graph>;
export type Health = z.output<typeof health>;
