// How threads, messages and resources of Mastra are memories.
//
// Idea: each is one memory. Its id is a hash of its kind and its own id, so that saving is a `PUT`, which
// replaces and may be repeated. Its body is JSON with what Mastra gets back. Its metadata has what the
// server filters by, and `order`, by which records of one instant keep the order of their first saving:
//
//     {"mastra": {"kind": "message", "thread": "monday", "resource": "mira", "order": 1764479402000000}}
//
// Words of users and models are found by searches and prompts; all else is unread. The session of such a
// memory is its thread, its user the resource.

import type { MastraDBMessage, StorageThreadType } from "@mastra/core/memory";
import type { StorageResourceType } from "@mastra/core/storage";
import type { Filter, MemoryNode, NodeReplacement } from "nous-server/client";
import { hexOf } from "./hash.ts";
import { textOf } from "./mastra-text.ts";
import { textsOf } from "./texts.ts";

export const SOURCE = "mastra";
const SPEAKERS = ["user", "assistant"];
/** Clocks may differ by so many milliseconds. The server refuses times of the future. */
const SKEW = 60_000;

/** What a memory holds. */
export type Kind = "thread" | "message" | "resource";

/** What the metadata of a memory says. */
export interface Place {
  kind: Kind;
  order: number;
  thread?: string;
  resource?: string;
  /** When a thread changed last. It changes with each message, so it stands apart from the body. */
  updated?: string;
}

/** Returns the id of a memory. */
export const idOf = async (kind: Kind, id: string): Promise<string> =>
  `ma_${await hexOf(JSON.stringify([kind, id]))}`;

/** Returns the filter of the memories of a kind. */
export function filterOf(kind: Kind, { thread, resource }: Partial<Place> = {}): Filter {
  const metadata: Record<string, string> = { "mastra.kind": kind };
  if (thread !== undefined) metadata["mastra.thread"] = thread;
  if (resource !== undefined) metadata["mastra.resource"] = resource;
  return { source: SOURCE, metadata };
}

export const placeOf = ({ metadata }: MemoryNode): Place => (metadata as { mastra: Place }).mastra;

const itemOf = <T>({ content_body }: MemoryNode): T =>
  (JSON.parse(content_body ?? "{}") as { item: T }).item;

/** Returns the memory of a thread. */
export function nodeOfThread(
  id: string,
  thread: StorageThreadType,
  order: number,
): NodeReplacement {
  const { updatedAt, ...item } = thread;
  const place = { kind: "thread", order, resource: thread.resourceId } as const;
  return unread(id, item, { ...place, updated: new Date(updatedAt).toISOString() });
}

export function threadOf(node: MemoryNode): StorageThreadType {
  const item = itemOf<StorageThreadType>(node);
  const updatedAt = new Date(placeOf(node).updated ?? item.createdAt);
  return { ...item, createdAt: new Date(item.createdAt), updatedAt };
}

/** Returns the memory of a resource. */
export const nodeOfResource = (
  id: string,
  resource: StorageResourceType,
  order: number,
): NodeReplacement => unread(id, resource, { kind: "resource", order, resource: resource.id });

export function resourceOf(node: MemoryNode): StorageResourceType {
  const item = itemOf<StorageResourceType>(node);
  return { ...item, createdAt: new Date(item.createdAt), updatedAt: new Date(item.updatedAt) };
}

/** Returns the memory of a message. */
export function nodeOfMessage(
  id: string,
  message: MastraDBMessage,
  order: number,
): NodeReplacement {
  const { role, content, threadId: thread, resourceId: resource } = message;
  const text = SPEAKERS.includes(role) ? textOf(content as Parameters<typeof textOf>[0]) : "";
  const words = text.trim() === "" ? "" : `${role}: ${text}`;
  const made = new Date(message.createdAt);
  const place: Place = {
    kind: "message",
    order,
    ...(thread && { thread }),
    ...(resource && { resource }),
  };
  return {
    type: "episode",
    ...textsOf(words, "item", message, { id, ...(thread && { session: thread }) }),
    metadata: { mastra: place },
    source: SOURCE,
    ...(resource && { user: resource }),
    ...(made.getTime() < Date.now() - SKEW && { created_at: made.toISOString() }),
  };
}

export function messageOf(node: MemoryNode): MastraDBMessage {
  const item = itemOf<MastraDBMessage>(node);
  return { ...item, createdAt: new Date(item.createdAt) };
}

const unread = (id: string, item: unknown, mastra: Place): NodeReplacement => ({
  type: "episode",
  ...textsOf("", "item", item, { id }),
  metadata: { mastra },
  source: SOURCE,
});
