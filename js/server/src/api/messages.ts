// Messages of a conversation in requests: in the own shape, or as a model provider writes them. Both
// become turns of the own shape while the request is checked, so that nothing behind it knows shapes.

import { z } from "@hono/zod-openapi";
import { isProviderMessage, type NotTaken, type Taken, turnsOf } from "nous-memory";
import { MAX_NAME, MAX_TEXT } from "./limits.ts";
import { instant, isFlat, optionalName, text } from "./parts.ts";

/** The most turns that messages of one request may become. */
const MAX_TURNS = 1_000;
/** The most levels of a provider's message. */
const MAX_LEVELS = 50;

const ownMessage = z
  .object({
    role: text(MAX_NAME).describe("Who speaks, such as `user` or `assistant`."),
    content: text(MAX_TEXT).describe("The words of the message."),
    name: optionalName.describe("The name of the speaker. Default: the role."),
    created_at: instant.nullish().describe("When it was said, in ISO 8601. Not in the future."),
    id: text(MAX_NAME).min(1).nullish().describe("The id that the message has elsewhere."),
  })
  .openapi("Message", { description: "A message of a conversation." });

const providerMessage = z
  .looseObject({})
  .refine(isProviderMessage, { error: "has the shape of no provider that is known", abort: true })
  .refine((message) => isFlat(message, MAX_LEVELS), {
    error: `must not be nested deeper than ${MAX_LEVELS} levels`,
  })
  .openapi("ProviderMessage", {
    description:
      "A message as a provider writes it: of OpenAI (chat completions and responses), Anthropic, " +
      "Google, Amazon Bedrock, the AI SDK, or LangChain.",
  });

/** LangChain's pair of a role and a content. */
const pair = z
  .array(z.unknown())
  .length(2)
  .refine(isProviderMessage, { error: "must be a role and a content", abort: true })
  .refine((message) => isFlat(message, MAX_LEVELS), {
    error: `must not be nested deeper than ${MAX_LEVELS} levels`,
  })
  .openapi({
    type: "array",
    items: {},
    description: "A role and a content, as LangChain takes it.",
  });

/** A message of any shape that is known. */
export const anyMessage = z.union([providerMessage, ownMessage, pair]);

/** What was not taken of messages. */
export const notTaken = z
  .object({
    kind: z
      .enum([
        ...(["instructions", "tool_call", "tool_result", "reasoning", "refusal"] as const),
        ...(["media", "unknown"] as const),
      ])
      .describe("What it is."),
    count: z.int().describe("How many there are."),
    why: z.string().describe("Why it was not taken, in words."),
  })
  .openapi("NotTaken", { description: "What was not taken of messages." });

type Own = z.output<typeof ownMessage>;

/**
 * Returns the turns that messages are. Faults of a turn become issues of its message; `at` is the path
 * of the list.
 */
export function turnsIn(
  messages: readonly z.output<typeof anyMessage>[],
  taken: Taken,
  { at, context }: { at: readonly string[]; context: z.RefinementCtx },
): { messages: Own[]; not_taken: NotTaken[] } {
  const { turns, not_taken } = turnsOf(messages, taken);
  const refuse = (path: readonly PropertyKey[], message: string) =>
    context.addIssue({ code: "custom", path: [...at, ...path], message });
  if (turns.length > Math.max(MAX_TURNS, messages.length))
    refuse([], `must be at most ${MAX_TURNS} turns, found ${turns.length}: send fewer at once`);
  const read = turns.flatMap(({ place, message }) => {
    if (!isProviderMessage(messages[place])) return [message as Own];
    const { data, error } = ownMessage.safeParse(message);
    for (const { path, message } of error?.issues ?? []) refuse([place, ...path], message);
    return data ?? [];
  });
  return { messages: read, not_taken };
}
