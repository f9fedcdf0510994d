// Requests and answers about an agent's memory as a whole: sweeps, the graph, and counts.

import { z } from "@hono/zod-openapi";
import { FITTED_WEIGHTS, HEADINGS, STEMMINGS } from "nous-memory";
import { MEMORY_SECTIONS } from "nous-wasm";
import { RANKINGS } from "../settings/choices.ts";
import { cluster, membership } from "./clusters.ts";
import { cursorOf, nextCursor, pageLimit } from "./cursors.ts";
import { operation } from "./operation.ts";
import { GRAPH } from "./pages.ts";
import { id, ok, someNumber, someText, state, time } from "./parts.ts";

/** The position in each list of the graph; null for a list that has ended. */
const graphPlace = z.tuple([
  z.int().nullable(),
  z.int().nullable(),
  z.int().nullable(),
  z.int().nullable(),
]);

const sweepRequest = z
  .object({
    force: z.boolean().default(false).describe("Sweeps even if the clock looks wrong."),
  })
  .openapi("SweepRequest", { description: "How to sweep." });

export const sweepAnswer = z
  .object({
    ok,
    processed: z.int().describe("How many memories were looked at."),
    transitions_count: z.int().describe("How many of them changed their state."),
    transitions: z
      .array(
        z.object({
          id: z.string().describe("The id of the memory."),
          from: state.describe("The state before."),
          to: state.describe("The state after."),
          subtype: someText.describe("The subtype of the memory."),
        }),
      )
      .describe("The changes of state."),
  })
  .openapi("SweepAnswer", { description: "The changes of a sweep." });

const graphNode = z
  .object({
    id,
    type: z.string().describe("The broad kind, such as `concept` or `note`."),
    subtype: someText.describe("The kind, such as `custom:lesson`."),
    title: z.string().describe("The title."),
    summary: someText.describe("The short form of the text."),
    retrievability: z.number().describe("The probability of recall now, from 0 to 1."),
    lifecycle: state.describe("The lifecycle state now."),
    access_count: z.int().describe("How often it was accessed."),
    created_at: time.nullable().describe("When it was created."),
  })
  .openapi("GraphNode", { description: "A memory of the graph, without its body." });

const graphEdge = z
  .object({
    id,
    source: z.string().describe("The memory that the edge leaves."),
    target: z.string().describe("The memory that the edge enters."),
    type: z.string().describe("The relation, such as `part_of`."),
    strength: someNumber.describe("How strongly activation spreads along it, from 0 to 1."),
  })
  .openapi("GraphEdge", { description: "An edge of the graph." });

export const graph = z
  .object({
    nodes: z.array(graphNode).describe("The memories; none with `nodes=ids`."),
    node_ids: z
      .array(id)
      .optional()
      .describe("With `nodes=ids`: the ids of the memories, in the order of `nodes`."),
    edges: z.array(graphEdge).describe("The edges."),
    clusters: z.array(cluster).describe("The clusters."),
    memberships: z.array(membership).describe("The memberships."),
    count: z
      .object({
        nodes: z.int().describe("The number of memories, or of ids, in this answer."),
        edges: z.int().describe("The number of edges in this answer."),
      })
      .describe("The numbers of rows in this answer."),
    next_cursor: nextCursor,
  })
  .openapi("Graph", { description: "A page of an agent's graph." });

export const health = z
  .object({
    status: z.literal("ok").describe("Always `ok`."),
    node_count: z.int().describe("How many memories the agent has."),
    edge_count: z.int().describe("How many edges the agent has."),
    lifecycle: z
      .partialRecord(state, z.int())
      .describe("How many memories are in each state. States without memories are missing."),
  })
  .openapi("Health", { description: "How much an agent remembers." });

/** The source of a preset. */
const PRESET_SOURCES = ["settings", "agent", "default"] as const;

const preset = z.string().openapi({ example: "general" });

export const agentProfile = z
  .object({
    preset: preset.describe(
      "What memories are about: `general` for people, projects and documents, `trading`, or a preset " +
        "of the operator.",
    ),
    preset_from: z
      .enum(PRESET_SOURCES)
      .describe(
        "The source of the preset: the server's settings, the agent's own database, or neither.",
      ),
    time_zone: z
      .string()
      .openapi({ example: "Europe/Berlin" })
      .describe("The time zone by whose clocks days are told, by the server's settings."),
    weights: z.enum(FITTED_WEIGHTS).describe("The fitted weights by which evidence counts."),
    stemming: z
      .enum(STEMMINGS)
      .describe("`english`: the forms of an English word count as one word; `none`: they do not."),
    types: z
      .record(
        z.string(),
        z.object({
          section: z.enum(MEMORY_SECTIONS).describe("How memories of the type rank and fade."),
          stability_days: z
            .number()
            .describe("The time constant of decay of a new memory, in days."),
          heading: z.enum(HEADINGS).describe("Where they stand in a prompt."),
          line: z.string().optional().describe("The form of their lines in a prompt."),
          description: z.string().describe("What memories of the type say."),
        }),
      )
      .describe("The types of memories."),
    sections: z
      .record(z.string(), z.enum(MEMORY_SECTIONS))
      .describe(
        "The sections of those subtypes that memories have, and that the preset of this name puts elsewhere.",
      ),
    ranking: z.enum(RANKINGS).describe("How searches rank, unless a request says."),
  })
  .openapi("AgentProfile", { description: "What an agent remembers, and how its searches rank." });

const agentChanges = z
  .object({ preset: preset.describe("The name of a preset.") })
  .openapi("AgentChanges", { description: "What changes about an agent." });

export const agentOperations = {
  readAgent: operation({
    method: "get",
    path: "/agent",
    summary: "Tells the preset of the agent, its types, and how searches rank",
    returns: "The preset, its types, and the ranking.",
    scope: "memory",
    answer: agentProfile,
  }),
  updateAgent: operation({
    method: "patch",
    path: "/agent",
    summary: "Chooses the preset of the agent",
    description:
      "It is stored with the agent, and counts from the next request on. The first search after a " +
      "change waits until the index is built again. Memories keep their types.",
    returns: "The preset, its types, and the ranking.",
    example: { body: { preset: "trading" } },
    scope: "admin",
    body: agentChanges,
    answer: agentProfile,
    refusals: { 409: "The settings of the server name the preset of this agent." },
    createsAgent: true,
  }),
  health: operation({
    method: "get",
    path: "/health",
    summary: "Counts memories and edges",
    returns: "The counts; 0 for an agent that does not exist yet.",
    scope: "memory",
    answer: health,
  }),
  sweep: operation({
    method: "post",
    path: "/decay",
    summary: "Sweeps: stores the retrievability and the lifecycle state of every memory",
    description: "The server also sweeps by itself, by default every six hours.",
    returns: "The changes of the sweep.",
    example: { body: { force: false } },
    scope: "admin",
    body: sweepRequest,
    isBodyOptional: true,
    answer: sweepAnswer,
    refusals: {
      409: "The clock looks wrong: the sweep would archive many memories. Send `force`.",
    },
  }),
  graph: operation({
    method: "get",
    path: "/graph",
    summary: "Returns the whole graph, without bodies, in pages",
    description: "A page has up to `limit` rows of each kind.",
    returns: "A page of the graph.",
    example: { query: { limit: 500 } },
    scope: "memory",
    query: z.object({
      limit: pageLimit,
      cursor: cursorOf(GRAPH, graphPlace),
      nodes: z
        .enum(["whole", "ids"])
        .optional()
        .describe("Whether memories are whole, the default, or their ids alone, which is faster."),
    }),
    answer: graph,
  }),
};

export type AgentProfile = z.output<typeof agentProfile>;
export type GraphPlace = z.output<typeof graphPlace>;
export type SweepAnswer = z.output<typeof sweepAnswer>;
export type Graph = z.output<typeof graph>;
export type Health = z.output<typeof health>;
