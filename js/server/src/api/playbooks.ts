// Requests and answers about playbooks.

import { z } from "@hono/zod-openapi";
import { operation } from "./operation.ts";
import { id, name, ok, optionalName, share, time } from "./parts.ts";

const MAX_EVENTS = 1_000;
const MAX_VARIABLES = 1_000;
/** The values of a variable over time. */
const MAX_VALUES = 10_000;

const unreadable = z.array(z.object({ id, reason: z.string().describe("Why it cannot be read.") }));

const anomaly = z
  .object({
    type: name.describe("The kind of the event, as triggers name it."),
    symbol: optionalName.describe("The subject of the event, such as `BTC`."),
    severity: share.describe("How severe it is, from 0 to 1."),
  })
  .openapi("Anomaly", { description: "An unusual event that playbooks may react to." });

const matchRequest = z
  .object({
    events: z.array(anomaly).max(MAX_EVENTS).describe(`Up to ${MAX_EVENTS} events.`),
    snapshot: z
      .record(name, z.union([z.number(), z.array(z.number()).max(MAX_VALUES)]).nullable())
      .refine(
        (variables) => Object.keys(variables).length <= MAX_VARIABLES,
        `at most ${MAX_VARIABLES} variables`,
      )
      .default({})
      .describe("Variables by name. Of several values the last is the present one."),
  })
  .openapi("MatchRequest", { description: "Events that playbooks may react to." });

const playbookMatch = z
  .object({
    id: z.string().describe("The id of the playbook."),
    title: z.string().describe("The title of the playbook."),
    action: z.string().describe("The action of the playbook."),
    direction: z.string().describe("The direction of the action, such as `long`."),
    success_count: z.int().describe("How many of its trades were profitable."),
    sample_size: z.int().describe("How many trades followed it."),
    type: z.string().describe("The kind of the event that fired it."),
    symbol: z.string().nullable().describe("The subject of that event."),
    severity: z.number().describe("How severe that event is, from 0 to 1."),
    success_rate: z.number().describe("The share of profitable trades, from 0 to 1."),
    relevance: z.number().describe("The success rate times the severity."),
  })
  .openapi("PlaybookMatch", { description: "A playbook that an event fired." });

export const matchAnswer = z
  .object({
    matches: z.array(playbookMatch).describe("The playbooks that fired, the most relevant first."),
    count: z.int().describe("How many playbooks fired."),
    missing: z
      .array(
        z.object({
          id: z.string().describe("The id of the playbook."),
          var: z.string().describe("The variable that its condition needs."),
        }),
      )
      .describe("Variables that conditions need and `snapshot` does not have."),
    problems: unreadable.describe("Playbooks that cannot be read. They never match."),
    text: z
      .string()
      .describe("The matches as text for the agent's prompt; empty if nothing matches."),
  })
  .openapi("MatchAnswer", { description: "The playbooks that events fired." });

const outcomeRequest = z
  .object({
    entry_id: name.describe(
      "The memory of the trade's entry. Edges `applied_to` lead to it from its playbooks.",
    ),
    profitable: z.boolean().describe("Whether the trade made a profit."),
  })
  .openapi("Outcome", { description: "How a trade ended." });

export const outcomeAnswer = z
  .object({
    ok,
    applied: z
      .array(
        z.object({
          id: z.string().describe("The id of the playbook."),
          success_count: z.int().describe("How many of its trades were profitable."),
          sample_size: z.int().describe("How many trades followed it."),
          last_applied: time.describe("When a trade last followed it."),
          neural_stability: z.number().describe("Its time constant of decay, in days."),
        }),
      )
      .describe("The playbooks that the trade was counted for."),
    counted_before: z
      .array(z.string())
      .describe("Ids of playbooks that this trade was counted for earlier."),
    problems: unreadable.describe(
      "Playbooks that cannot be read. The trade counts for them as soon as they can.",
    ),
  })
  .openapi("OutcomeAnswer", { description: "The changes by the outcome of a trade." });

export const playbookOperations = {
  matchPlaybooks: operation({
    method: "post",
    path: "/playbooks/match",
    summary: "Finds the playbooks that events fire",
    returns: "The playbooks that fired.",
    example: { body: { events: [{ type: "funding_extreme", symbol: "BTC", severity: 0.8 }] } },
    scope: "memory",
    body: matchRequest,
    answer: matchAnswer,
  }),
  countOutcome: operation({
    method: "post",
    path: "/playbooks/outcome",
    summary: "Counts a trade for the playbooks that it followed, once",
    returns: "The playbooks that the trade was counted for.",
    example: { body: { entry_id: "n_0123456789ab", profitable: true } },
    scope: "memory",
    body: outcomeRequest,
    answer: outcomeAnswer,
    refusals: { 404: "No memory has the id `entry_id`." },
  }),
};

export type OutcomeAnswer = z.output<typeof outcomeAnswer>;
