// Playbooks: what is asked and answered.

import { z } from "@hono/zod-openapi";
import { operation } from "./operation.ts";
import { name, optionalName, share, time } from "./parts.ts";

const MOST_EVENTS = 1_000;
const MOST_VARIABLES = 1_000;
/** Values of a variable over time. */
const MOST_VALUES = 10_000;

const anomaly = z.object({ type: name, symbol: optionalName, severity: share }).openapi("Anomaly");

const matchRequest = z
  .object({
    events: z.array(anomaly).max(MOST_EVENTS),
    snapshot: z
      .record(name, z.union([z.number(), z.array(z.number()).max(MOST_VALUES)]).nullable())
      .refine(
        (variables) => Object.keys(variables).length <= MOST_VARIABLES,
        `at most ${MOST_VARIABLES} variables`,
      )
      .default({})
      .openapi({
        description:
          "Numbers of the market by name; of several values the last is the present one.",
      }),
  })
  .openapi("MatchRequest");

export const matchAnswer = z
  .object({
    matches: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        action: z.string(),
        direction: z.string(),
        success_count: z.int(),
        sample_size: z.int(),
        type: z.string(),
        symbol: z.string().nullable(),
        severity: z.number(),
        success_rate: z.number(),
        relevance: z.number(),
      }),
    ),
    count: z.int(),
    missing: z
      .array(z.object({ id: z.string(), var: z.string() }))
      .openapi({ description: "Variables that conditions asked for in vain." }),
    problems: z
      .array(z.object({ id: z.string(), reason: z.string() }))
      .openapi({ description: "Playbooks that cannot be read, and never match." }),
    text: z
      .string()
      .openapi({ description: "For the agent's wake-up message; empty where nothing matches." }),
  })
  .openapi("MatchAnswer");

const outcomeRequest = z
  .object({
    entry_id: name.openapi({
      description: "The entry of the trade, to which its playbooks are tied by `applied_to`.",
    }),
    profitable: z.boolean(),
  })
  .openapi("Outcome");

export const outcomeAnswer = z
  .object({
    ok: z.literal(true),
    applied: z.array(
      z.object({
        id: z.string(),
        success_count: z.int(),
        sample_size: z.int(),
        last_applied: time,
        neural_stability: z.number(),
      }),
    ),
    counted_before: z
      .array(z.string())
      .openapi({ description: "Playbooks that this trade has been counted for." }),
    problems: z.array(z.object({ id: z.string(), reason: z.string() })).openapi({
      description: "Playbooks that cannot be read; the trade counts for them once they can.",
    }),
  })
  .openapi("OutcomeAnswer");

export const playbookOperations = {
  matchPlaybooks: operation({
    method: "post",
    path: "/playbooks/match",
    summary: "Tells which playbooks anomalies call up",
    scope: "memory",
    body: matchRequest,
    answer: matchAnswer,
  }),
  countOutcome: operation({
    method: "post",
    path: "/playbooks/outcome",
    summary: "Counts a trade for the playbooks that it followed, once",
    scope: "memory",
    body: outcomeRequest,
    answer: outcomeAnswer,
    refusals: [404],
  }),
};

export type OutcomeAnswer = z.output<typeof outcomeAnswer>;
