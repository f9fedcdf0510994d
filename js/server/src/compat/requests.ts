// Schemas for requests that Hynous' server accepts and this server's own schemas refuse, and for
// answers that have another form there.

import { z } from "@hono/zod-openapi";
import { parseInstant, toIso } from "nous-memory";
import { clusterList, clusterOperations, cluster as ownCluster } from "../api/clusters.ts";
import { conflictOperations } from "../api/conflicts.ts";
import { contextOperations } from "../api/context.ts";
import { nextCursor } from "../api/cursors.ts";
import { edgeOperations } from "../api/edges.ts";
import { MAX_NAME, MAX_TEXT, MAX_TITLE } from "../api/limits.ts";
import { nodeOperations } from "../api/nodes.ts";
import type { OperationShape } from "../api/operation.ts";
import type { AgentOperation } from "../api/operations.ts";
import { name, optionalName, someNumber, someText, text, time } from "../api/parts.ts";
import {
  found,
  queryAssessment,
  searchAnswer,
  searchMetrics,
  searchOperations,
} from "../api/search.ts";

const LIST_LIMITS = { default: 50, max: 200 };
const DEFAULT_STRENGTHENING = 0.05;
const MAX_RESOLVED_AT_ONCE = 50;
const EARLIEST = "0000-01-01T00:00:00.000Z";
const LATEST = "9999-12-31T23:59:59.999Z";

// ---- parts --------------------------------------------------------------------------------------

/**
 * Returns a value as a text column stores it: a number has a decimal point, and a flag is a number.
 */
const asText = (value: string | number | boolean): string => {
  if (typeof value === "string") return value;
  return Number.isInteger(Number(value)) ? `${Number(value)}.0` : String(value);
};
const written = z.union([z.string(), z.number(), z.boolean()]).transform(asText);
const looseText = (max: number) => written.pipe(text(max));
const looseName = written.pipe(name);
const looseOptionalName = written.nullish().pipe(optionalName);
const looseLongText = written.nullish().pipe(text(MAX_TEXT).nullish());

/** A time: in the stored form if it is a time, else unchanged. */
const looseTime = looseText(MAX_NAME).transform((given) => {
  const instant = parseInstant(given);
  return instant === undefined ? given : toIso(instant);
});

/** A number of any size; any other value counts as missing. */
const looseNumber = z
  .unknown()
  .optional()
  .transform((given) => (Number.isFinite(given) ? (given as number) : undefined));
/** Any value, as a boolean. */
const looseFlag = z
  .unknown()
  .optional()
  .transform((given) => (given === undefined ? undefined : Boolean(given)));
/** The names in a list; null for a value that is not a list. */
const looseNames = z
  .unknown()
  .optional()
  .transform((given) => {
    if (given === undefined) return undefined;
    return Array.isArray(given) ? given.filter((it) => typeof it === "string") : null;
  })
  .pipe(clusterOperations.createCluster.body.shape.auto_subtypes);

/** A page size; below 0 there is no limit. */
const looseLimit = z
  .string()
  .regex(/^-?\d{1,15}$/, "must be a whole number")
  .optional()
  .transform((limit) => {
    const rows = limit === undefined ? LIST_LIMITS.default : Number(limit);
    return rows < 0 ? Number.MAX_SAFE_INTEGER : Math.min(rows, LIST_LIMITS.max);
  })
  .openapi({
    type: "integer",
    default: LIST_LIMITS.default,
    description: `Above ${LIST_LIMITS.max} it is that.`,
  });

const namesAField = [
  (changes: object) => Object.values(changes).some((value) => value !== undefined),
  "names no field that can be changed",
] as const;

// ---- memories and edges -------------------------------------------------------------------------

const nodeFields = {
  type: looseName,
  content_title: looseText(MAX_TITLE),
  subtype: looseOptionalName,
  content_summary: looseLongText,
  content_body: looseLongText,
  temporal_event_time: looseTime.nullish(),
  temporal_event_confidence: looseNumber,
  temporal_event_source: looseOptionalName,
};

const newNode = z.object({
  ...nodeOperations.createNode.body.shape,
  ...nodeFields,
  content_title: looseText(MAX_TITLE).pipe(z.string().min(1)),
  neural_stability: looseNumber.transform((days) =>
    days !== undefined && days > 0 ? days : undefined,
  ),
  // Hynous sets the time itself.
  created_at: z
    .unknown()
    .optional()
    .transform(() => undefined),
});

const nodeChanges = z
  .object({
    ...nodeOperations.updateNode.body.shape,
    ...nodeFields,
    type: looseName.optional(),
    content_title: looseText(MAX_TITLE)
      .nullish()
      .transform((title) => (title === null ? "" : title)),
    neural_stability: z.number().nullish(),
    neural_retrievability: looseNumber,
    neural_difficulty: looseNumber,
    state_lifecycle: looseName.nullish(),
  })
  .refine(...namesAField);

const nodesQuery = z.object({
  ...nodeOperations.listNodes.query.shape,
  lifecycle: z.string().optional(),
  created_after: looseTime.optional(),
  created_before: looseTime.optional(),
  limit: looseLimit,
});

const newEdge = z.object({
  ...edgeOperations.createEdge.body.shape,
  type: looseName,
  subtype: looseOptionalName,
  strength: z.number().nullish(),
  confidence: z.number().nullish(),
  neural_weight: z.number().nullish(),
});

const edgesQuery = z.object({
  ...edgeOperations.listEdges.query.shape,
  direction: z
    .string()
    .optional()
    .transform((direction) => (direction === "in" || direction === "out" ? direction : "both")),
});

const strengthening = z.object({
  amount: z
    .number()
    .nullish()
    .transform((amount) => amount ?? DEFAULT_STRENGTHENING),
});

// ---- searches -----------------------------------------------------------------------------------

/**
 * A time range counts only with both bounds. An invalid time or an unknown kind of time matches no
 * memory.
 */
const looseRange = z
  .unknown()
  .optional()
  .transform((given) => {
    const {
      start,
      end,
      type = "any",
    } = (given ?? {}) as { start?: unknown; end?: unknown; type?: unknown };
    if (!start || !end) return undefined;
    const [from, to] = [start, end].map((bound) =>
      typeof bound === "string" ? parseInstant(bound) : undefined,
    );
    const isKnown = type === "event" || type === "ingestion" || type === "any";
    if (!isKnown || from === undefined || to === undefined)
      return { start: LATEST, end: EARLIEST, type: "any" };
    return { start: toIso(from), end: toIso(to), type };
  })
  .openapi({ type: ["object", "null"] });

const searchRequest = z.object({
  ...searchOperations.search.body.shape,
  limit: z
    .union([
      z.number(),
      z
        .string()
        .regex(/^\d{1,15}$/)
        .transform(Number),
    ])
    .nullish()
    .pipe(searchOperations.search.body.shape.limit),
  lifecycle: z.string().nullish(),
  time_range: looseRange,
});

/** A score is missing if LIKE found the memory, and so are metrics and the kind of the question. */
export const searchAnswerAsHynous = z.object({
  ...searchAnswer.shape,
  data: z.array(found.partial({ score: true, breakdown: true, primary_signal: true })),
  metrics: z
    .object({
      ...searchMetrics.required().shape,
      reranking_ms: z.number().describe("Ranking, in milliseconds."),
    })
    .optional(),
  qcs: z.object(queryAssessment.required().shape).optional(),
});

// ---- prompts ------------------------------------------------------------------------------------

const { answer: context } = contextOperations.buildContext;
const contextAnswer = z.object({
  ...context.shape,
  plan: context.shape.plan.unwrap(),
  failed: context.shape.failed.unwrap(),
});

// ---- conflicts ----------------------------------------------------------------------------------

const conflictsQuery = z.object({
  ...conflictOperations.listConflicts.query.shape,
  status: z
    .string()
    .optional()
    .transform((status) => status || "pending"),
});

const batchResolving = z.object({
  items: z
    .array(
      z.object({
        conflict_id: z.string().nullish(),
        resolution: z.string().nullish(),
        merged_content: looseLongText,
      }),
    )
    .min(1)
    .max(MAX_RESOLVED_AT_ONCE),
});

const batchResolved = z.object({
  ok: z.literal(true),
  resolved: z.int(),
  failed: z.int(),
  total: z.int(),
  results: z.array(
    z.object({
      ok: z.boolean(),
      conflict_id: z.string(),
      resolution: z.string().optional(),
      old_node_id: z.string().optional(),
      new_node_id: someText.optional(),
      actions: z.array(z.string()).optional(),
      resolved_at: z.string().optional(),
      error: z.string().optional(),
    }),
  ),
});

// ---- clusters -----------------------------------------------------------------------------------

const clusterFields = {
  description: looseLongText,
  icon: looseOptionalName,
  auto_subtypes: looseNames.optional(),
};

const newCluster = z.object({
  ...clusterOperations.createCluster.body.shape,
  ...clusterFields,
  pinned: looseFlag.pipe(z.boolean().default(false)),
});

const clusterChanges = z
  .object({
    ...clusterFields,
    name: text(MAX_NAME).optional(),
    pinned: looseFlag.optional(),
  })
  .refine(...namesAField);

const newMember = z
  .object({
    node_id: z.string().nullish(),
    node_ids: z.array(z.string()).nullish(),
  })
  .refine(({ node_id, node_ids }) => (node_ids == null ? Boolean(node_id) : node_ids.length > 0), {
    path: ["node_id"],
    message: "must be given, or node_ids",
  });

// A schema that extends a described schema is described as both, and these fields contradict it.
const cluster = z.object({
  ...ownCluster.shape,
  pinned: z.int().openapi({ description: "1 or 0." }),
  auto_subtypes: z.array(z.string()).nullable(),
});

const membersQuery = z.object({ ...clusterOperations.listMembers.query.shape, limit: looseLimit });

const memberList = z.object({
  data: z.array(
    nodeOperations.readNode.answer.extend({
      membership_weight: someNumber,
      membership_updated_at: time.nullable(),
    }),
  ),
  count: z.int(),
  next_cursor: nextCursor,
});

/** A state that was written by hand may be any text, until the next read. */
const changedNode = z.object({
  ...nodeOperations.updateNode.answer.shape,
  state_lifecycle: someText,
});

/**
 * The parts of operations that differ. Their requests have values that fit the handlers of the same
 * operations.
 */
export const HYNOUS: Partial<Record<AgentOperation, Partial<OperationShape>>> = {
  createNode: { body: newNode },
  updateNode: { body: nodeChanges, answer: changedNode },
  listNodes: { query: nodesQuery },
  createEdge: { body: newEdge },
  listEdges: { query: edgesQuery },
  strengthenEdge: { body: strengthening },
  search: { body: searchRequest, answer: searchAnswerAsHynous },
  buildContext: { answer: contextAnswer },
  listConflicts: {
    query: conflictsQuery,
    summary: "Lists all conflicts of a status, oldest first",
  },
  resolveConflicts: { body: batchResolving, answer: batchResolved },
  createCluster: { body: newCluster, answer: cluster },
  readCluster: { answer: cluster },
  updateCluster: { body: clusterChanges, answer: cluster },
  listClusters: {
    answer: clusterList.extend({ data: z.array(cluster) }),
    summary: "Lists clusters, pinned ones first, then newest first",
  },
  addMember: {
    body: newMember,
    status: 200,
    answer: z.object({ ok: z.literal(true), added: z.int(), cluster_id: z.string() }),
    summary: "Puts memories into a cluster; those that are not there are passed over",
  },
  listMembers: {
    query: membersQuery,
    answer: memberList,
    summary: "Lists the memories in a cluster, those that came last in front",
  },
};
