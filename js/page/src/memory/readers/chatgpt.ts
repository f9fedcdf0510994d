// Reads the conversations of a ChatGPT export (conversations.json). A conversation is a tree of
// messages, since an edited question begins a new branch; the branch that was shown last is read.

import {
  conversationRows,
  type ExportRow,
  isObject,
  type Json,
  type Reading,
  someText,
  type Turn,
} from "./reading.ts";

/** Returns whether JSON is the conversations of ChatGPT: objects with a `mapping` of messages. */
export const isChatgpt = (json: readonly unknown[]): boolean =>
  json.some((conversation) => isObject(conversation) && isObject(conversation.mapping));

/** Returns the rows of the conversations: a memory for each message of visitor and assistant. */
export function readChatgpt(json: readonly unknown[]): Reading {
  const rows: ExportRow[] = [];
  const wrong: Reading["wrong"] = [];
  for (const [place, conversation] of json.entries()) {
    const line = place + 1;
    if (!isObject(conversation) || !isObject(conversation.mapping)) {
      wrong.push({ line, why: "is a conversation without messages (mapping)" });
      continue;
    }
    const id =
      someText(conversation.conversation_id) ?? someText(conversation.id) ?? `chatgpt-${line}`;
    const name = someText(conversation.title) ?? "Untitled conversation";
    const start = secondsOf(conversation.create_time) ?? secondsOf(conversation.update_time);
    if (start === undefined) {
      wrong.push({ line, why: "has no time (create_time)" });
      continue;
    }
    rows.push(...conversationRows(id, name, turnsOf(conversation, start)));
  }
  return { rows, wrong };
}

/** Returns the messages of visitor and assistant, in order. */
function turnsOf(conversation: Json, start: number): Turn[] {
  let latest = start;
  return branchOf(conversation).flatMap(([id, message]) => {
    const role = isObject(message.author) ? message.author.role : undefined;
    if (role !== "user" && role !== "assistant") return [];
    const { metadata } = message;
    if (isObject(metadata) && metadata.is_visually_hidden_from_conversation === true) return [];
    // A message without a time was made right after the one before it.
    latest = secondsOf(message.create_time) ?? latest;
    const text = textOf(message.content);
    return text === undefined ? [] : { id, text, at: latest, source: `chatgpt:${role}` };
  });
}

/** Returns the messages from the first to the one that was shown last. */
function branchOf({ mapping, current_node }: Json): [id: string, message: Json][] {
  const nodes = mapping as Json;
  const branch: [string, Json][] = [];
  const seen = new Set<string>();
  let at = typeof current_node === "string" && isObject(nodes[current_node]) ? current_node : null;
  at ??= lastOf(nodes);
  while (at !== null && !seen.has(at)) {
    seen.add(at);
    const node = nodes[at];
    if (!isObject(node)) break;
    if (isObject(node.message)) branch.push([someText(node.message.id) ?? at, node.message]);
    at = typeof node.parent === "string" ? node.parent : null;
  }
  return branch.reverse();
}

/** Returns the id of the latest message; null if there is none. */
function lastOf(nodes: Json): string | null {
  let [last, time] = [null as string | null, -Infinity];
  for (const [id, node] of Object.entries(nodes)) {
    if (!isObject(node) || !isObject(node.message)) continue;
    const made = secondsOf(node.message.create_time) ?? -Infinity;
    if (last === null || made >= time) [last, time] = [id, made];
  }
  return last;
}

/**
 * Returns the text of a message: its parts that are texts. Pictures and calls of tools have none.
 */
function textOf(content: unknown): string | undefined {
  if (!isObject(content)) return undefined;
  const { content_type, parts } = content;
  if (content_type !== "text" && content_type !== "multimodal_text") return undefined;
  if (!Array.isArray(parts)) return undefined;
  // Spoken words are a separate part with a text.
  const texts = parts.flatMap(
    (part) => someText(isObject(part) ? part.text : part) ?? ([] as string[]),
  );
  return someText(texts.join("\n\n"));
}

/** Returns seconds since 1970 as milliseconds; undefined for anything else. */
function secondsOf(value: unknown): number | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  const milliseconds = Math.round(value * 1000);
  return Math.abs(milliseconds) <= 8.64e15 ? milliseconds : undefined;
}
