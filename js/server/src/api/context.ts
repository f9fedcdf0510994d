// Prompts: what is asked and answered.

import { z } from "@hono/zod-openapi";
import { MOST_NAME, MOST_TEXT } from "./limits.ts";
import { readQuery } from "./nodes.ts";
import { operation } from "./operation.ts";
import { name, share, someText, text } from "./parts.ts";
import { recall } from "./retrieval.ts";
import { searchRequest } from "./search.ts";

/** UTF-16 units of what the user says, and of who the agent is. */
const MOST_INPUT = 100_000;
/** Entries of each list that is handed over. */
const MOST_ENTRIES = 1_000;

const MEMORY_TYPES = ["decision", "fact", "procedure", "episode", "signal"] as const;
const SECTIONS = [
  ...(["identity", "user_profile", "censors", "frame", "working_memory"] as const),
  ...(["decisions", "facts", "procedures", "episodes", "signals"] as const),
] as const;

const texts = z.array(text(MOST_TEXT)).max(MOST_ENTRIES);
const tokens = z.int().min(0);

const frame = z.object({
  frame_id: text(MOST_NAME),
  frame_name: text(MOST_NAME).optional(),
  description: text(MOST_TEXT).nullable().optional(),
  questions_to_ask: texts.optional(),
});

const contextRequest = z
  .object({
    input: text(MOST_INPUT).openapi({ description: "What the user says." }),
    identity: text(MOST_INPUT)
      .default("")
      .openapi({ description: "Who the agent is: it comes first in every prompt." }),
    frame: z.union([name, frame]).nullish().openapi({
      description: "The frame of mind; the one that the input speaks for unless it is given.",
    }),
    messages: z
      .array(z.object({ role: text(MOST_NAME), content: text(MOST_TEXT) }))
      .max(MOST_ENTRIES)
      .nullish()
      .openapi({
        description:
          "What was said before, the oldest first: memories that it says already are left out.",
      }),
    censors: z
      .array(
        z.object({
          id: name,
          text: text(MOST_TEXT),
          action: z.enum(["absolute", "block", "warn"]),
        }),
      )
      .max(MOST_ENTRIES)
      .nullish(),
    working_memory: z
      .object({
        current_task: text(MOST_TEXT).nullish(),
        current_frame: text(MOST_NAME).nullish(),
        current_topic: text(MOST_TEXT).nullish(),
        open_threads: texts.nullish(),
        items: z
          .array(z.object({ text: text(MOST_TEXT), relevance: z.number() }))
          .max(MOST_ENTRIES)
          .nullish(),
      })
      .nullish(),
    budgets: z
      .partialRecord(z.enum([...SECTIONS, "total", "conversation_window"]), tokens)
      .nullish()
      .openapi({
        description: "Tokens of sections, and turns of the user that memories are compared with.",
      }),
    embedding: searchRequest.shape.embedding.openapi({
      description: "Of the input; memories are found by it, too.",
    }),
    recall,
  })
  .openapi("ContextRequest");

const budgets = z.partialRecord(
  z.enum(["decisions", "facts", "procedures", "episodes", "signals"]),
  z.int(),
);
const sectionName = z.enum([...SECTIONS, "recent_conversations"]);

export const contextAnswer = z
  .object({
    context_id: z.string().openapi({ description: "For the feedback." }),
    prompt: z.string(),
    tokens: z.int(),
    sections: z.array(
      z.object({
        name: sectionName,
        priority: z.int(),
        label: z.string(),
        content: z.string(),
        token_estimate: z.int(),
        budget: z.int().nullable(),
      }),
    ),
    recalled_ids: z.record(z.enum(MEMORY_TYPES), z.array(z.string())),
    recalled_content: z
      .record(z.string(), z.string())
      .openapi({ description: "Texts by id, for the feedback." }),
    active_censors: z.array(z.string()),
    frame: z.looseObject({ frame_id: z.string() }),
    signals: z.object({
      input: z.string(),
      frame_type: z.string(),
      entity_mentions: z.array(z.string()),
      temporal_recency: z.number(),
      memory_type_hints: z.partialRecord(z.enum(MEMORY_TYPES), z.number()),
      is_question: z.boolean(),
      is_greeting: z.boolean(),
      is_acknowledgement: z.boolean(),
      topic_keywords: z.array(z.string()),
    }),
    plan: z.object({
      queries: z.array(
        z.object({ memory_type: z.enum(MEMORY_TYPES), query_text: z.string(), limit: z.int() }),
      ),
      budget_overrides: budgets,
      skip_types: z.array(z.enum(MEMORY_TYPES)),
    }),
    temporal_boost: z.boolean(),
    refresh_needed: z.boolean(),
    left_out: z.array(z.object({ id: someText, section: sectionName, reason: z.string() })),
    failed: z.array(z.object({ part: z.string(), reason: z.string() })),
  })
  .openapi("Context");

const feedbackRequest = z
  .object({
    context_id: name.openapi({
      description: "Of the context that was answered: its feedback counts once.",
    }),
    recalled_content: z
      .record(name, text(MOST_TEXT))
      .refine(
        (recalled) => Object.keys(recalled).length <= MOST_ENTRIES,
        `at most ${MOST_ENTRIES} memories`,
      )
      .openapi({ description: "As the context had it." }),
    response: text(MOST_TEXT).openapi({ description: "What the agent answered." }),
  })
  .openapi("FeedbackRequest");

export const feedbackAnswer = z
  .object({
    ok: z.literal(true),
    recorded: z.array(
      z.object({ memory_id: z.string(), was_referenced: z.boolean(), overlap_score: share }),
    ),
    count: z.int(),
    referenced: z.int(),
  })
  .openapi("Feedback");

const expandQuery = readQuery.extend({
  type: text(MOST_NAME).openapi({
    description: `What the memory is to a prompt: ${MEMORY_TYPES.join(", ")}.`,
  }),
  id: name,
});

export const expandAnswer = z
  .object({
    type: z.string(),
    id: z.string(),
    found: z.boolean(),
    text: z.string().openapi({ description: "For the model; where nothing is found, that." }),
  })
  .openapi("ExpandedMemory");

export const contextOperations = {
  buildContext: operation({
    method: "post",
    path: "/context",
    summary: "Prepares the prompt of a turn from what the agent remembers",
    scope: "memory",
    body: contextRequest,
    answer: contextAnswer,
  }),
  giveFeedback: operation({
    method: "post",
    path: "/context/feedback",
    summary: "Records which memories of a prompt the answer took up",
    scope: "memory",
    body: feedbackRequest,
    answer: feedbackAnswer,
  }),
  expandMemory: operation({
    method: "get",
    path: "/context/expand",
    scope: "memory",
    summary:
      "Everything that a memory of a prompt holds, as text: what an agent's tool for looking up a memory answers",
    query: expandQuery,
    answer: expandAnswer,
  }),
};

/** What is answered without an agent. */
export const guidanceOperations = {
  memoryGuidance: operation({
    method: "get",
    path: "/context/guidance",
    summary:
      "A passage for the system prompt: the sections of memory, and how recalled memories are marked",
    scope: "memory",
    answer: z.object({ text: z.string() }).openapi("Guidance"),
  }),
};

export type FeedbackAnswer = z.output<typeof feedbackAnswer>;
