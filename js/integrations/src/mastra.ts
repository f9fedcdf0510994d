// The memory in Mastra: an input processor of an agent. It works beside Mastra's own memory, which keeps
// the messages of a thread.

import type { NousClient } from "nous-server/client";
import { type MastraContent, textOf } from "./mastra-text.ts";
import { contextOf, type TurnOptions } from "./turn.ts";

export type { TurnOptions } from "./turn.ts";

/** A message as Mastra keeps it, as far as the processor reads it. */
export interface MastraMessage {
  role: string;
  content: MastraContent;
}

/** What a processor receives, as far as it is read. */
export interface MastraInput<Message, System> {
  messages: Message[];
  systemMessages: System[];
}

/** An input processor of Mastra. */
export interface MemoryProcessor {
  readonly id: "nous-memory";
  readonly name: string;
  processInput<Message extends MastraMessage, System>(
    args: MastraInput<Message, System>,
  ): Promise<{
    messages: Message[];
    systemMessages: (System | { role: "system"; content: string })[];
  }>;
}

/**
 * Returns a processor that puts what the memory knows about the user's message into the system messages,
 * and stores the message unless it only asks.
 *
 * @example
 * ```ts
 * const agent = new Agent({ id: "cook", name: "Cook", instructions, model, inputProcessors: [memoryProcessor(memory)] });
 * ```
 */
export function memoryProcessor(memory: NousClient, options: TurnOptions = {}): MemoryProcessor {
  return {
    id: "nous-memory",
    name: "Memory of nous-server",
    async processInput({ messages, systemMessages }) {
      const said = messages.map(({ role, content }) => ({ role, content: textOf(content) }));
      const at = said.findLastIndex(({ role }) => role === "user");
      if (at < 0) return { messages, systemMessages };
      const before = said
        .slice(0, at)
        .filter(({ role }) => role === "user" || role === "assistant");
      const turn = { input: said[at]!.content, before, isNew: true };
      const content = await contextOf(memory, turn, options);
      const found = content === "" ? [] : [{ role: "system" as const, content }];
      return { messages, systemMessages: [...systemMessages, ...found] };
    },
  };
}
