// Requests and answers of remembering: texts and messages become memories.

import { z } from "@hono/zod-openapi";
import { MEMORY_SECTIONS } from "nous-wasm";
import { retryHeaders } from "./headers.ts";
import { MAX_TEXT } from "./limits.ts";
import { anyMessage, notTaken, turnsIn } from "./messages.ts";
import { newNode } from "./nodes.ts";
import { operation } from "./operation.ts";
import { gradeOfGuess, KEY_USED, optionalName, ownId, share, text, title } from "./parts.ts";

/** The most texts or messages of a request. */
const MAX_ITEMS = 200;

const { tags, metadata, user, session, expires_at, source, created_at, event_time } = newNode.shape;

const shared = {
  type: optionalName.describe(
    "The type, such as `preference`, `task` or `event`. Default: guessed from the text; `episode` for messages.",
  ),
  tags,
  metadata,
  user,
  session,
  event_time,
  created_at: created_at.describe(
    "When it was said or noted, in ISO 8601: it fades from then on. Not in the future. Default: now. " +
      "Messages may have times of their own.",
  ),
  expires_at,
  source,
  importance: share
    .nullish()
    .describe(
      "How long it lasts: 0 halves the time constant of decay, 1 doubles it. Default 0.5, which changes nothing.",
    ),
};

const own = {
  text: text(MAX_TEXT).min(1).describe("What to remember. A long text becomes several memories."),
  title: title.nullish().describe("The title. Default: a heading, or the first sentence."),
  id: ownId.nullish().describe("An id of your own, for a text that becomes one memory."),
};

const remembered = z
  .object({ ...own, ...shared })
  .openapi("TextToRemember", { description: "A text to remember." });

const rememberRequest = z
  .object({
    ...shared,
    text: own.text.optional(),
    title: own.title,
    id: own.id,
    memories: z
      .array(z.union([own.text, remembered]))
      .min(1)
      .max(MAX_ITEMS)
      .optional()
      .describe("Several texts. Fields beside them count for each that does not say otherwise."),
    messages: z
      .array(anyMessage)
      .min(1)
      .max(MAX_ITEMS)
      .optional()
      .describe("A conversation, oldest first. Its messages stay together in their order."),
    tools: z
      .enum(["skip", "keep"])
      .nullish()
      .describe(
        "Whether calls of tools within messages, and their results, are stored, too. Default `skip`.",
      ),
    extract: z
      .boolean()
      .nullish()
      .describe(
        "Whether a language model takes facts out of the messages. Default: if the server has one.",
      ),
  })
  .refine(
    ({ text, memories, messages }) =>
      [text, memories, messages].filter((given) => given !== undefined).length === 1,
    "must have one of text, memories and messages",
  )
  .refine(({ tools, messages }) => tools == null || messages !== undefined, {
    path: ["tools"],
    error: "counts for messages alone",
  })
  .refine(({ extract, messages }) => extract !== true || messages !== undefined, {
    path: ["extract"],
    error: "counts for messages alone",
  })
  .openapi("RememberRequest", { description: "What to remember." })
  .transform(({ messages, tools, ...body }, context) => {
    if (messages === undefined) return { ...body, messages, not_taken: undefined };
    const { not_taken, ...read } = turnsIn(messages, { tools }, { at: ["messages"], context });
    return { ...body, ...read, not_taken: not_taken.length === 0 ? undefined : not_taken };
  });

const replacedMemory = z
  .object({
    id: z.string().describe("The id of the older memory."),
    title: z.string().describe("Its title."),
    probability: z.number().describe("How probable it is that the new memory replaces it."),
    grade: gradeOfGuess,
  })
  .openapi("ReplacedMemory", { description: "An older memory that a new one seems to replace." });

const stored = z
  .object({
    id: z.string().describe("The id of the memory; of a duplicate, the id of the older one."),
    action: z
      .enum(["created", "duplicate"])
      .describe("`duplicate`: a memory is the same statement, and took the fields of this one."),
    title: z.string().describe("The title."),
    type: z.string().describe("The type."),
    section: z.enum(MEMORY_SECTIONS).describe("The section, which decides how it ranks and fades."),
    run: z
      .string()
      .optional()
      .describe("The id of the cluster that keeps its parts, or the messages, together."),
    part: z.int().optional().describe("Its place among the parts of its text, from 1."),
    parts: z.int().optional().describe("How many parts its text became."),
    replaces: z
      .array(replacedMemory)
      .optional()
      .describe(
        "Older memories that it seems to replace, the most probable first. Confirm or reject each: see the queue of conflicts.",
      ),
    supersedes: z
      .array(z.string())
      .optional()
      .describe("Of a statement that is true again: ids of the memories that it supersedes."),
    fields_not_taken: z
      .array(z.string())
      .optional()
      .describe(
        "Of a duplicate: fields that its memory did not take, such as `type` or `metadata.project`.",
      ),
    from: z
      .array(z.string())
      .optional()
      .describe("Of a fact: ids of the memories of the messages that say it."),
    why: z.string().describe("Why it has its type, or why it was not stored, in words."),
  })
  .openapi("RememberedMemory", { description: "What became of a text." });

const extraction = z
  .object({
    by: z
      .enum(["model", "none"])
      .describe("`model`: a language model read the messages; `none`: there is no answer of one."),
    facts: z.int().describe("How many facts are among `stored`: those of `from`."),
    dropped: z
      .int()
      .optional()
      .describe("How many facts of the model were not stored: without words, or of no message."),
    unread: z
      .int()
      .optional()
      .describe("How many messages have no usable answer of the model. They are stored, too."),
    error: z.string().optional().describe("Why messages have no usable answer of the model."),
  })
  .openapi("Extraction", { description: "How facts were taken out of messages." });

export const rememberAnswer = z
  .object({
    stored: z
      .array(stored)
      .describe("The memories, in the order of the request; then the facts of its messages."),
    created: z.int().describe("How many memories were created."),
    duplicates: z.int().describe("How many texts a memory says already."),
    skipped: z.int().describe("How many texts say nothing to remember, such as `ok`."),
    not_taken: z
      .array(notTaken)
      .optional()
      .describe("What messages hold beside the words of users and models; missing if nothing."),
    extraction: extraction.optional().describe("Of messages: how facts were taken out of them."),
  })
  .openapi("RememberAnswer", { description: "What was remembered." });

export const rememberOperations = {
  remember: operation({
    method: "post",
    path: "/remember",
    summary: "Stores texts or messages: splits them, finds their types, and skips duplicates",
    description:
      "All of the request is stored, or nothing. What a prompt or a tool returned, sent back as a text, " +
      "is recognized and not stored again. Messages may have the shapes of OpenAI, Anthropic, Google, " +
      "the AI SDK and LangChain; `not_taken` says what is not stored of them. If the server has a language model for it " +
      "(`--extraction-provider`), facts of messages are stored beside the messages. If the model fails, " +
      "the messages are stored all the same.",
    returns: "What became of each text.",
    example: { body: { text: "Mira eats no dairy since March.", user: "mira" } },
    scope: "memory",
    headers: retryHeaders,
    body: rememberRequest,
    answer: rememberAnswer,
    refusals: { 409: "Another memory has this id.", 422: KEY_USED },
    createsAgent: true,
  }),
};

export type RememberRequest = z.output<typeof rememberRequest>;
export type RememberAnswer = z.output<typeof rememberAnswer>;
export type ReplacedMemory = z.output<typeof replacedMemory>;
