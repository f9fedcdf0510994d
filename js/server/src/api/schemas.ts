// What is asked and answered over HTTP: one schema for each, from which requests are checked, types are taken, and the
// description of the interface is made. Unknown fields of a request are passed over, as clients may know more than this server.

import { z } from "@hono/zod-openapi";
import { LIFECYCLE_STATES, MEMORY_SECTIONS, RERANKING_WEIGHTS, type StoredLifecycleState } from "nous-wasm";
import { parseInstant, toIso } from "../time.ts";

/** The most UTF-16 units of a name such as a type or a subtype, of a title, of a longer text, and of a question. */
const MOST_NAME = 200;
const MOST_TITLE = 10_000;
const MOST_TEXT = 1_000_000;
const MOST_QUERY = 10_000;
const MOST_COMPONENTS = 65_536;
const MOST_CLUSTERS = 1_000;

/** What lists and searches give when they are not told, and at most. */
const LIST_LIMITS = { usual: 50, most: 200 };
const SEARCH_LIMITS = { usual: 10, most: 100 };
/** What strengthening adds when it is not told. */
const USUAL_STRENGTHENING = 0.05;

const STATES: readonly StoredLifecycleState[] = [...LIFECYCLE_STATES, "DELETED"];

// ---- parts --------------------------------------------------------------------------------------

/** SQLite ends a text at U+0000. */
const text = (most: number) =>
  z
    .string()
    .max(most)
    .refine((value) => !value.includes("\0"), "must not contain U+0000");
const name = text(MOST_NAME).min(1);
const optionalName = text(MOST_NAME)
  .nullish()
  .transform((value) => (value === "" ? null : value));
const longText = text(MOST_TEXT).nullish();
const state = z.enum(STATES);
const share = z.number().min(0).max(1);

const instant = z
  .string()
  .max(40)
  .refine((value) => parseInstant(value) !== undefined, "must be a time in ISO 8601, such as 2026-02-01T09:30:00Z")
  .transform((value) => toIso(parseInstant(value)!))
  .openapi({ format: "date-time" });

/** Components that are numbers in f32, too, and not all 0. */
const vector = z
  .array(z.number())
  .min(1)
  .max(MOST_COMPONENTS)
  .refine((components) => components.every((it) => Number.isFinite(Math.fround(it))), "must be within the range of f32")
  .refine((components) => components.some((it) => Math.fround(it) !== 0), "must not be all zeros");

/** A limit above the most is the most. */
const limitOf = ({ usual, most }: { usual: number; most: number }) =>
  z
    .int()
    .min(0)
    .nullish()
    .transform((limit) => Math.min(limit ?? usual, most))
    .openapi({ type: "integer", minimum: 0, default: usual, description: `Above ${most} it is ${most}.` });

/** The same in a query string. */
const limitTextOf = (limits: { usual: number; most: number }) =>
  z
    .string()
    .regex(/^\d{1,15}$/, "must be a whole number of at least 0")
    .optional()
    .transform((limit) => Math.min(limit === undefined ? limits.usual : Number(limit), limits.most))
    .openapi({ type: "integer", minimum: 0, default: limits.usual, description: `Above ${limits.most} it is that.` });

// ---- requests -----------------------------------------------------------------------------------

const nodeFields = {
  type: name,
  content_title: text(MOST_TITLE).min(1),
  subtype: optionalName,
  content_summary: longText,
  content_body: longText,
  temporal_event_time: instant.nullish(),
  temporal_event_confidence: share.nullish(),
  temporal_event_source: optionalName,
  neural_stability: z.number().positive().nullish().openapi({ description: "Days." }),
  embedding: vector.nullish(),
  embedding_model: optionalName,
};

export const newNode = z.object(nodeFields).openapi("NewNode");

export const nodeChanges = z
  .object({
    ...nodeFields,
    type: name.optional(),
    content_title: nodeFields.content_title.optional(),
    neural_stability: z.number().positive().optional().openapi({ description: "Days." }),
    neural_retrievability: share.optional(),
    neural_difficulty: share.optional(),
    state_lifecycle: state.optional(),
  })
  .refine(
    (changes) => Object.values(changes).some((value) => value !== undefined),
    "names no field that can be changed",
  )
  .openapi("NodeChanges");

export const listQuery = z.object({
  type: name.optional(),
  subtype: name.optional(),
  lifecycle: state.optional(),
  created_after: instant.optional(),
  created_before: instant.optional(),
  limit: limitTextOf(LIST_LIMITS),
});

export const readQuery = z.object({
  recall: z
    .enum(["true", "false"])
    .optional()
    .transform((recall) => recall !== "false")
    .openapi({ type: "boolean", default: true, description: "Whether the read is a recall." }),
});

export const newEdge = z
  .object({
    source_id: name,
    target_id: name,
    type: name,
    subtype: optionalName,
    strength: share.nullish(),
    confidence: share.nullish(),
    neural_weight: share.nullish(),
  })
  .openapi("NewEdge");

export const edgesQuery = z.object({ node_id: name, direction: z.enum(["in", "out", "both"]).default("both") });

export const strengthening = z.object({ amount: share.default(USUAL_STRENGTHENING) }).openapi("Strengthening");

export const searchRequest = z
  .object({
    query: text(MOST_QUERY).min(1),
    type: optionalName,
    subtype: optionalName,
    lifecycle: state.nullish(),
    limit: limitOf(SEARCH_LIMITS),
    time_range: z
      .object({
        start: instant.nullish(),
        end: instant.nullish(),
        type: z.enum(["event", "ingestion", "any"]).default("any"),
      })
      .nullish(),
    cluster_ids: z.array(name).max(MOST_CLUSTERS).nullish(),
    embedding: vector.nullish(),
  })
  .openapi("SearchRequest");

export const question = z.object({ query: text(MOST_QUERY).min(1) }).openapi("Question");

export const sweepRequest = z
  .object({ force: z.boolean().default(false).openapi({ description: "Sweeps even where the clock looks wrong." }) })
  .openapi("SweepRequest");

export const idParameter = z.object({ id: z.string() });

export type NewNodeRequest = z.output<typeof newNode>;
export type NodeChangesRequest = z.output<typeof nodeChanges>;
export type ListRequest = z.output<typeof listQuery>;
export type NewEdgeRequest = z.output<typeof newEdge>;
export type EdgesRequest = z.output<typeof edgesQuery>;
export type SearchRequest = z.output<typeof searchRequest>;

// ---- answers ------------------------------------------------------------------------------------

const time = z.string().openapi({ format: "date-time" });
const someText = z.string().nullable();
const someNumber = z.number().nullable();

export const node = z
  .object({
    id: z.string(),
    type: z.string(),
    subtype: someText,
    content_title: z.string(),
    content_summary: someText,
    content_body: someText,
    neural_stability: someNumber.openapi({ description: "Days." }),
    neural_retrievability: someNumber,
    neural_difficulty: someNumber,
    neural_access_count: z.int().nullable(),
    neural_last_accessed: time.nullable(),
    state_lifecycle: state.nullable(),
    provenance_source: someText,
    provenance_created_at: time.nullable(),
    layer: someText,
    version: z.int().nullable(),
    last_modified: time.nullable(),
    created_at: time.nullable(),
    embedding_model: someText,
    temporal_event_time: time.nullable(),
    temporal_event_confidence: someNumber,
    temporal_event_source: someText,
  })
  .openapi("Node");

export const nodeList = z.object({ data: z.array(node), count: z.int() }).openapi("NodeList");

export const edge = z
  .object({
    id: z.string(),
    type: z.string(),
    subtype: someText,
    source_id: z.string(),
    target_id: z.string(),
    neural_weight: someNumber,
    strength: someNumber,
    confidence: someNumber,
    created_at: time.nullable(),
  })
  .openapi("Edge");

export const edgeList = z.object({ data: z.array(edge), count: z.int() }).openapi("EdgeList");

export const done = z.object({ ok: z.literal(true) }).openapi("Done");

const SIGNALS = Object.keys(RERANKING_WEIGHTS) as (keyof typeof RERANKING_WEIGHTS)[];
const sixNumbers = Object.fromEntries(SIGNALS.map((signal) => [signal, z.number()])) as Record<
  (typeof SIGNALS)[number],
  z.ZodNumber
>;

export const found = node
  .extend({
    memory_section: z.enum(MEMORY_SECTIONS),
    score: z.number(),
    breakdown: z.object(sixNumbers),
    primary_signal: z.enum(SIGNALS),
  })
  .openapi("Found");

export const searchAnswer = z
  .object({
    data: z.array(found),
    count: z.int(),
    metrics: z.object({
      total_ms: z.number(),
      parse_filters_ms: z.number(),
      embed_queries_ms: z.number(),
      hybrid_seeding_ms: z.number().openapi({ description: "The full-text search." }),
      spreading_ms: z.number().openapi({ description: "The index: from seeds to the ranking, in one call." }),
      reranking_ms: z.number().openapi({ description: "0: ranking is part of `spreading_ms`." }),
      seeds_found: z.int(),
      nodes_activated: z.int(),
      nodes_filtered: z.int(),
      nodes_returned: z.int(),
    }),
    qcs: z.object({
      query_type: z.enum(["LOOKUP", "AMBIGUOUS"]),
      confidence: z.number(),
      disqualified: z.boolean(),
      disqualifier_category: someText,
      used_embeddings: z.boolean(),
      ssa_multiplier: z.number().openapi({ description: "How many times the limit was searched for." }),
    }),
  })
  .openapi("SearchAnswer");

export const classification = z
  .object({
    query: z.string(),
    disqualified: z.boolean(),
    disqualifier_category: someText,
    disqualifier_reason: someText,
    query_type: z.enum(["LOOKUP", "AMBIGUOUS"]),
    confidence: z.number(),
    entity: someText,
    attribute: someText,
  })
  .openapi("Classification");

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

export const problem = z
  .object({
    error: z.string(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .openapi("Problem");

export type FoundNode = z.output<typeof found>;
export type SearchAnswer = z.output<typeof searchAnswer>;
export type SweepAnswer = z.output<typeof sweepAnswer>;
export type Graph = z.output<typeof graph>;
export type Health = z.output<typeof health>;
