// Reads the conversations of a ChatGPT export (conversations.json). A conversation is a tree of
// messages, since an edited question begins a new branch; the branch that was shown last is read.

import {
  conversationRows,
  type ExportRow,
  isObject,
  type Json,
  type Reading,
  someText,
  type Text,
  type Turn,
} from "./reading.ts";

/** Returns whether JSON is the conversations of ChatGPT: objects with a `mapping` of messages. */
export const isChatgpt = (json: readonly unknown[]): boolean =>
  json.some((conversation) => isObject(conversation) && isObject(conversation.mapping));

/**
 * Returns the rows of the conversations: a memory for each message of visitor and assistant. A
 * conversation in which nothing has a time gets that of the file.
 */
export function readChatgpt(
  { modified }: Pick<Text, "modified">,
  json: readonly unknown[],
): Reading {
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
    const branch = branchOf(conversation);
    const start =
      timeOf(conversation.create_time) ??
      branch.map(([, message]) => timeOf(message.create_time)).find((time) => time !== undefined) ??
      timeOf(conversation.update_time) ??
      modified;
    rows.push(...conversationRows(id, name, turnsOf(branch, start)));
  }
  return { rows, wrong };
}

/** Returns the messages of visitor and assistant, in order. */
function turnsOf(branch: readonly [id: string, message: Json][], start: number): Turn[] {
  let latest = start;
  return branch.flatMap(([id, message]) => {
    const role = isObject(message.author) ? message.author.role : undefined;
    if (role !== "user" && role !== "assistant") return [];
    const { metadata, recipient } = message;
    // The assistant speaks to a tool: what it wrote is an argument, and no answer.
    if (typeof recipient === "string" && recipient !== "all") return [];
    if (isObject(metadata) && metadata.is_visually_hidden_from_conversation === true) return [];
    // A message without a time was made right after the one before it.
    latest = timeOf(message.create_time) ?? latest;
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
    const made = timeOf(node.message.create_time) ?? -Infinity;
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
  return someText(withoutMarks(texts.join("\n\n")));
}

/**
 * Returns a text without the marks that the web page of ChatGPT replaces: citations, and lists of
 * sources. A mark of a name or of a link leaves the words that the page shows.
 */
const withoutMarks = (text: string): string =>
  text
    .replace(/ ?\ue200([^\ue200\ue201]*)\ue201/g, (mark: string, inside: string) => {
      const shown = shownBy(inside.split("\ue202"));
      if (shown === undefined) return "";
      return mark.startsWith(" ") ? ` ${shown}` : shown;
    })
    .replace(/ ?【\d+(?::\d+)?†[^】]*】/g, "")
    .replace(/[\ue200-\ue206]/g, "");

/** Returns the words that the page shows for a mark; undefined if it shows none. */
function shownBy([kind, value]: readonly string[]): string | undefined {
  if (kind === "url") return someText(value);
  if (kind !== "entity" || value === undefined) return undefined;
  try {
    // The kind of the thing, its name, and what tells it from others of that name.
    const [, name]: unknown[] = JSON.parse(value);
    return someText(name);
  } catch {
    return someText(value);
  }
}

/** From here on a number is in milliseconds: as seconds it would be in the year 5138. */
const MIN_MILLISECONDS = 1e11;

/** Returns a time in milliseconds since 1970; undefined if it is none. Most exports have seconds. */
function timeOf(value: unknown): number | undefined {
  const number = typeof value === "string" ? Date.parse(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number) || number <= 0) return undefined;
  const milliseconds = number < MIN_MILLISECONDS ? Math.round(number * 1000) : Math.round(number);
  return milliseconds <= 8.64e15 ? milliseconds : undefined;
}
