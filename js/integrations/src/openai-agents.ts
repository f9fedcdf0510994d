// A session of the OpenAI Agents SDK.

import type { AgentInputItem, Session } from "@openai/agents-core";
import type { NousClient } from "nous-server/client";
import { Conversation, type Turn } from "./conversation.ts";

/** Names the items in the memory; the Python client uses the same name. */
const SOURCE = "openai-agents";
const SPEAKERS = ["user", "assistant"];

/** The options of a {@link NousSession}. */
export interface NousSessionOptions {
  /** The id of the session. Default: a random one. */
  sessionId?: string;
  /** The user that the items belong to, for filters. */
  user?: string;
}

/**
 * The items of a conversation, each of them a memory. They come back exactly as they were, in their
 * order. Searches and prompts find words of users and models; they do not find instructions, calls of
 * tools, their results and reasoning.
 *
 * @example
 * ```ts
 * const session = new NousSession(memory, { sessionId: "monday", user: "mira" });
 * await run(agent, "I am allergic to walnuts", { session });
 * ```
 */
export class NousSession implements Session {
  readonly #conversation: Conversation;

  /** Creates a session. It sends nothing. */
  constructor(memory: NousClient, { sessionId, user }: NousSessionOptions = {}) {
    const id = sessionId ?? globalThis.crypto.randomUUID();
    this.#conversation = new Conversation(memory, id, SOURCE, user);
  }

  /** Returns the id of the session. */
  async getSessionId(): Promise<string> {
    return this.#conversation.session;
  }

  /** Returns all items, or the last ones, the oldest first. */
  async getItems(limit?: number): Promise<AgentInputItem[]> {
    return (await this.#conversation.read(limit)) as AgentInputItem[];
  }

  /** Adds items at the end. */
  async addItems(items: AgentInputItem[]): Promise<void> {
    await this.#conversation.append(items.map(turnOf));
  }

  /** Deletes the last item, and returns it. */
  async popItem(): Promise<AgentInputItem | undefined> {
    return (await this.#conversation.pop()) as AgentInputItem | undefined;
  }

  /** Deletes all items of the session. */
  async clearSession(): Promise<void> {
    await this.#conversation.clear();
  }
}

function turnOf(item: AgentInputItem): Turn {
  const { role, content } = item as { role?: string; content?: unknown };
  const text = role !== undefined && SPEAKERS.includes(role) ? textOf(content) : "";
  return { text, speaker: String(role), item };
}

/** Returns the words of a content: a text, or parts of which some are texts. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? (content as { text?: unknown }[]) : [];
  return parts.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n");
}
