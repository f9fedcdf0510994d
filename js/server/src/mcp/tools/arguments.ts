// Arguments that several tools have.

import { GENERAL } from "nous-memory";
import { z } from "zod";
import { DEFAULT_TOKENS, MAX_TOKENS } from "./lines.ts";

export const max_tokens = z
  .number()
  .int()
  .min(50)
  .max(MAX_TOKENS)
  .optional()
  .describe(`How long the answer may be, in tokens. Default ${DEFAULT_TOKENS}.`);
export const user = z.string().min(1).optional().describe("Only memories of this user.");
export const session = z.string().min(1).optional().describe("Only memories of this session.");
export const tags = z
  .array(z.string().min(1))
  .min(1)
  .optional()
  .describe("Only memories with one of these tags.");
export const id = z.string().min(1).describe("The id of the memory, as it stands in brackets.");
export const messages = z
  .array(z.looseObject({}))
  .min(1)
  .optional()
  .describe(
    "A conversation, oldest first, as the model's library has it: messages of OpenAI, Anthropic, " +
      "Google, the AI SDK or LangChain, or objects with role and content.",
  );
export const instant = z.string().describe("A day or time in ISO 8601, such as 2026-03-01.");
export const type = z
  .string()
  .min(1)
  .optional()
  .describe(
    `The type: ${Object.keys(GENERAL.types).join(", ")}, or another one of the agent's preset. ` +
      "Default: guessed from the text.",
  );

/** Returns the filter of a request that these arguments stand for. */
export const filterOf = (given: {
  user?: string | undefined;
  session?: string | undefined;
  tags?: string[] | undefined;
}) => ({
  ...(given.user === undefined ? {} : { user: given.user }),
  ...(given.session === undefined ? {} : { session: given.session }),
  ...(given.tags === undefined ? {} : { tags: { any: given.tags } }),
});
