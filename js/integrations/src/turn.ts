// A turn of an agent: what the memory has to say about the message of the user, and what it keeps of it.

import type { ContextRequest, NousClient } from "nous-server/client";
import { begin, MAX_QUESTION } from "./texts.ts";

/** Messages of the conversation that the memory compares with. */
const MAX_MESSAGES = 20;

/** How a middleware or a processor uses the memory. */
export interface TurnOptions {
  /** The user whose memories count. New memories belong to the user. Default: all memories. */
  user?: string;
  /** The session that new memories belong to. */
  session?: string;
  /** How long the part of the prompt may be, in tokens. Default: 1,500. */
  maxTokens?: number;
  /** Whether messages of the user are stored, unless they only ask. Default: true. */
  remembers?: boolean;
  /**
   * Receives the error of a request that failed; the turn then goes on without the memory. Default: the
   * error is thrown.
   */
  onError?: (error: unknown) => void;
}

/** A message of a conversation. */
export interface Said {
  role: string;
  content: string;
}

/** A turn: the message, what was said before it, and whether it is the first time that it is seen. */
export interface TurnTaken {
  input: string;
  before: readonly Said[];
  isNew: boolean;
}

/** Returns the part of the prompt, which may be empty. Stores a new message that tells something. */
export async function contextOf(
  memory: NousClient,
  { input, before, isNew }: TurnTaken,
  { user, session, maxTokens, remembers = true, onError }: TurnOptions,
): Promise<string> {
  if (input.trim() === "") return "";
  const asked: ContextRequest = {
    input: begin(input, MAX_QUESTION),
    messages: before.filter(({ content }) => content !== "").slice(-MAX_MESSAGES),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(user === undefined ? {} : { filter: { user } }),
  };
  try {
    const { prompt, signals } = await memory.buildContext(asked);
    if (remembers && isNew && !signals.is_question)
      await memory.remember({
        text: input,
        ...(user === undefined ? {} : { user }),
        ...(session === undefined ? {} : { session }),
      });
    return prompt;
  } catch (error) {
    if (onError === undefined) throw error;
    onError(error);
    return "";
  }
}
