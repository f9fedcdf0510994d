// Requests and answers about prompts.

import { z } from "@hono/zod-openapi";
import { counted } from "./learning.ts";
import { MAX_NAME, MAX_TEXT } from "./limits.ts";
import { anyMessage, notTaken, turnsIn } from "./messages.ts";
import { readQuery } from "./nodes.ts";
import { operation } from "./operation.ts";
import { knows, name, ok, share, someText, text } from "./parts.ts";
import { recall } from "./retrieval.ts";
import { searchRequest } from "./search.ts";

/** The most UTF-16 units of the user's input, and of the agent's identity. */
const MAX_INPUT = 100_000;
/** The most entries of each list in a request. */
const MAX_ENTRIES = 1_000;

const MEMORY_TYPES = ["decision", "fact", "procedure", "episode", "signal"] as const;
const SECTIONS = [
  ...(["identity", "user_profile", "censors", "frame", "working_memory"] as const),
  ...(["decisions", "facts", "procedures", "episodes", "signals"] as const),
] as const;

const memoryType = z.enum(MEMORY_TYPES);
const texts = z.array(text(MAX_TEXT)).max(MAX_ENTRIES);
const tokens = z.int().min(0);

const frame = z
  .object({
    frame_id: text(MAX_NAME).describe("The id of the frame, such as `task`."),
    frame_name: text(MAX_NAME).optional().describe("The name for the prompt."),
    description: text(MAX_TEXT).nullable().optional().describe("The subject of the frame."),
    questions_to_ask: texts.optional().describe("Questions that the agent should ask itself."),
  })
  .openapi("Frame", { description: "The kind of work that a turn belongs to." });
const censor = z
  .object({
    id: name.describe("The id of the censor."),
    text: text(MAX_TEXT).describe("The rule, as the prompt says it."),
    action: z
      .enum(["absolute", "block", "warn"])
      .describe("How strict the rule is, the strictest first."),
  })
  .openapi("Censor", { description: "A rule that forbids the agent something." });

const contextRequest = z
  .object({
    input: text(MAX_INPUT).describe("The message of the user."),
    identity: text(MAX_INPUT)
      .default("")
      .describe("Who the agent is. It comes first in the prompt."),
    frame: z
      .union([name, frame])
      .nullish()
      .describe("The frame, or its id. Default: the frame that the input speaks for."),
    messages: z
      .array(anyMessage)
      .max(MAX_ENTRIES)
      .nullish()
      .transform((given, context) => {
        if (given == null) return given;
        // The whole conversation is compared, results of tools and instructions too.
        const taken = { tools: "keep", instructions: "keep" } as const;
        const { messages, not_taken } = turnsIn(given, taken, { at: [], context });
        return { turns: messages.map(({ role, content }) => ({ role, content })), not_taken };
      })
      .describe(
        "The conversation, oldest first, in any shape that `/v1/remember` takes. Memories that it " +
          "repeats are left out.",
      ),
    censors: z
      .array(censor)
      .max(MAX_ENTRIES)
      .nullish()
      .describe("Rules that forbid the agent something."),
    working_memory: z
      .object({
        current_task: text(MAX_TEXT).nullish().describe("The task in hand."),
        current_frame: text(MAX_NAME).nullish().describe("The frame of that task."),
        current_topic: text(MAX_TEXT).nullish().describe("The topic of the conversation."),
        open_threads: texts.nullish().describe("Questions that are still open."),
        items: z
          .array(
            z.object({
              text: text(MAX_TEXT).describe("The note."),
              relevance: z.number().describe("How relevant it is; the higher, the earlier."),
            }),
          )
          .max(MAX_ENTRIES)
          .nullish()
          .describe("Notes of the agent."),
      })
      .nullish()
      .describe("The current task of the agent."),
    budgets: z
      .partialRecord(z.enum([...SECTIONS, "total", "conversation_window"]), tokens)
      .nullish()
      .describe(
        "Tokens by section; `conversation_window`: turns of the user that memories are compared with.",
      ),
    max_tokens: tokens
      .nullish()
      .describe(
        "How long the prompt may be, in tokens, as `budgets.total` says. Default by evidence: 1500.",
      ),
    min_score: share
      .nullish()
      .describe(
        "By evidence: the least probability of a memory in the prompt. 0 fills the prompt with what is " +
          "next best. Default: a share of the best memory's, which is larger if the turn is no question.",
      ),
    max_lines: z
      .int()
      .min(1)
      .nullish()
      .describe(
        "By evidence: the most memories in the prompt. Default: as many as the tokens allow.",
      ),
    filter: searchRequest.shape.filter.describe("Only memories that this filter matches."),
    embedding: searchRequest.shape.embedding.describe("The vector of the input."),
    ranking: searchRequest.shape.ranking,
    recall,
  })
  .openapi("ContextRequest", { description: "A turn that needs a prompt." });

/** A turn that needs a prompt, with the conversation as turns. */
export type TurnAsked = Omit<z.output<typeof contextRequest>, "messages"> & {
  messages: { role: string; content: string }[] | null | undefined;
};

const budgets = z.partialRecord(
  z.enum(["decisions", "facts", "procedures", "episodes", "signals"]),
  z.int(),
);
const sectionName = z
  .enum([...SECTIONS, "recent_conversations"])
  .describe("The section of the prompt.");

const promptSection = z
  .object({
    name: sectionName,
    priority: z.int().describe("The place in the prompt; the lower, the earlier."),
    label: z.string().describe("The heading."),
    content: z.string().describe("The text."),
    token_estimate: z.int().describe("How long the text is, in tokens."),
    budget: z.int().nullable().describe("How long it may be, in tokens; null: as long as it is."),
  })
  .openapi("PromptSection", { description: "A section of a prompt." });

const turnSignals = z
  .object({
    input: z.string().describe("The message of the user."),
    frame_type: z.string().describe("The id of the frame."),
    entity_mentions: z.array(z.string()).describe("The names in the message."),
    temporal_recency: z.number().describe("How much it asks for recent things, from 0 to 1."),
    memory_type_hints: z
      .partialRecord(memoryType, z.number())
      .describe("How much it asks for each kind of memory, from 0 to 1."),
    is_question: z.boolean().describe("Whether it is a question."),
    is_greeting: z.boolean().describe("Whether it is a greeting."),
    is_acknowledgement: z.boolean().describe("Whether it only acknowledges, as `ok` does."),
    topic_keywords: z.array(z.string()).describe("The words that memories are searched by."),
  })
  .openapi("TurnSignals", { description: "The signals in a message of the user." });

const retrievalPlan = z
  .object({
    queries: z
      .array(
        z.object({
          memory_type: memoryType.describe("The kind of memory."),
          query_text: z.string().describe("The text of the search."),
          limit: z.int().describe("How many memories at most."),
        }),
      )
      .describe("The searches."),
    budget_overrides: budgets.describe("Tokens of sections that differ from the usual."),
    skip_types: z.array(memoryType).describe("Kinds of memory that are not searched."),
  })
  .openapi("RetrievalPlan", {
    description: "The searches of a turn by signals. Missing by evidence.",
  });

export const contextAnswer = z
  .object({
    context_id: z.string().describe("Names this prompt in the feedback."),
    prompt: z.string().describe("The prompt."),
    tokens: z.int().describe("How long the prompt is, in tokens."),
    sections: z.array(promptSection).describe("The sections of the prompt, in order."),
    recalled_ids: z.record(memoryType, z.array(z.string())).openapi({
      required: [...MEMORY_TYPES],
      description: "Ids of the memories in the prompt, by kind.",
    }),
    recalled_content: z
      .record(z.string(), z.string())
      .describe("Texts of the memories in the prompt, by id. Send them with the feedback."),
    active_censors: z.array(z.string()).describe("Ids of the rules in the prompt."),
    frame: z
      .looseObject({ frame_id: z.string().describe("The id of the frame.") })
      .describe("The frame of the turn."),
    signals: turnSignals,
    plan: retrievalPlan.optional(),
    temporal_boost: z.boolean().describe("Whether recent memories were preferred."),
    refresh_needed: z
      .boolean()
      .describe("Whether the turn begins another topic, so that an older prompt is outdated."),
    asked: z
      .string()
      .optional()
      .describe(
        "By evidence: the question that memories were searched by. It is the input, after the user's " +
          "last messages if it continues their topic. Missing if nothing was searched for.",
      ),
    answerable: z
      .boolean()
      .optional()
      .describe("By evidence: whether the memory answers the turn. Missing by signals."),
    knows: knows.optional(),
    probability: share
      .optional()
      .describe(
        "By evidence: the probability that the memory knows the answer. Missing by signals.",
      ),
    left_out: z
      .array(
        z.object({
          id: someText.describe("The id of the memory; null if it has none."),
          section: sectionName,
          reason: z
            .string()
            .describe(
              "Why it was left out. `budget`: the budget of its section is used. `share`: the " +
                "profile, or recent conversations, have their share of the prompt already. `total`: " +
                "the whole prompt is full. `lines`: the prompt has `max_lines` memories. `unlikely`: it " +
                "hardly answers the turn. `question`: it only asks. `empty`: it says nothing, such as " +
                "thanks. `superseded`, `conversation`, " +
                "`echo`: it would repeat.",
            ),
        }),
      )
      .describe("Memories that were found and are not in the prompt."),
    not_taken: z
      .array(notTaken)
      .optional()
      .describe("What `messages` hold that memories are not compared with; missing if nothing."),
    failed: z
      .array(
        z.object({
          part: z.string().describe("The step."),
          reason: z.string().describe("Why it failed."),
        }),
      )
      .optional()
      .describe("Steps that failed. The prompt was built without them. Missing by evidence."),
  })
  .openapi("ContextAnswer", { description: "The prompt of a turn, and how it came about." });

const feedbackRequest = z
  .object({
    context_id: name.describe("The prompt that the answer is to. Its feedback counts once."),
    recalled_content: z
      .record(name, text(MAX_TEXT))
      .refine(
        (recalled) => Object.keys(recalled).length <= MAX_ENTRIES,
        `at most ${MAX_ENTRIES} memories`,
      )
      .describe("Texts by id, as `recalled_content` of the prompt has them."),
    response: text(MAX_TEXT).describe("The answer of the agent."),
    input: text(MAX_INPUT)
      .nullish()
      .describe(
        "The message that the prompt was for. With the setting `learning`, memories like those that " +
          "the answer used rank higher from then on. Default: nothing is learned.",
      ),
  })
  .openapi("FeedbackRequest", { description: "An agent's answer to a prompt." });

export const feedbackAnswer = z
  .object({
    ok,
    recorded: z
      .array(
        z.object({
          memory_id: z.string().describe("The id of the memory."),
          was_referenced: z.boolean().describe("Whether the answer used it."),
          overlap_score: share.describe("How much of it the answer repeats, from 0 to 1."),
        }),
      )
      .describe("The memories of the prompt."),
    count: z.int().describe("How many memories were recorded."),
    referenced: z.int().describe("How many of them the answer used."),
    counted: counted.optional(),
  })
  .openapi("FeedbackAnswer", { description: "Which memories an answer used." });

const expandQuery = readQuery.extend({
  type: text(MAX_NAME).describe(`The kind of the memory: ${MEMORY_TYPES.join(", ")}.`),
  id: name.describe("The id of the memory."),
});

export const expandAnswer = z
  .object({
    type: z.string().describe("The kind of the memory."),
    id: z.string().describe("The id of the memory."),
    found: z.boolean().describe("Whether the memory exists."),
    text: z.string().describe("The memory as text for the model, or that it was not found."),
  })
  .openapi("ExpandedMemory", { description: "A whole memory as text." });

export const contextOperations = {
  buildContext: operation({
    method: "post",
    path: "/context",
    summary: "Builds the prompt of a turn from the agent's memories",
    description: "Each memory in the prompt counts as accessed, unless `recall` is `none`.",
    returns: "The prompt, and how it came about.",
    example: { body: { input: "should we deploy on Friday?", identity: "You are a release bot." } },
    scope: "memory",
    body: contextRequest,
    answer: contextAnswer,
  }),
  giveFeedback: operation({
    method: "post",
    path: "/context/feedback",
    summary: "Records which memories of a prompt the answer used",
    description:
      "Later prompts prefer memories that answers used. Feedback that is sent again changes nothing.",
    returns: "The uses that were recorded.",
    example: {
      body: {
        context_id: "x_0123456789ab",
        recalled_content: { n_0123456789ab: "Deploys on Friday fail more often" },
        response: "Better not: deploys on Friday fail more often.",
      },
    },
    scope: "memory",
    body: feedbackRequest,
    answer: feedbackAnswer,
  }),
  expandMemory: operation({
    method: "get",
    path: "/context/expand",
    scope: "memory",
    summary: "Returns a whole memory of a prompt as text, for an agent's look-up tool",
    returns: "The text.",
    example: { query: { type: "decision", id: "n_0123456789ab" } },
    query: expandQuery,
    answer: expandAnswer,
  }),
};

/** Operations that need no agent. */
export const guidanceOperations = {
  memoryGuidance: operation({
    method: "get",
    path: "/context/guidance",
    summary: "Returns a passage for the system prompt about sections of memory and their marks",
    returns: "The passage.",
    scope: "memory",
    query: z.object({
      preset: z
        .string()
        .optional()
        .describe("The preset. Default: that of the server; with `--compat hynous` `trading`."),
    }),
    answer: z
      .object({ text: z.string().describe("The passage.") })
      .openapi("Guidance", { description: "A passage for the system prompt." }),
  }),
};

export type FeedbackAnswer = z.output<typeof feedbackAnswer>;
