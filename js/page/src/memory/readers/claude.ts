// Reads the conversations of a Claude export (conversations.json).

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

/** Returns whether JSON is the conversations of Claude: objects with `chat_messages`. */
export const isClaude = (json: readonly unknown[]): boolean =>
  json.some((conversation) => isObject(conversation) && Array.isArray(conversation.chat_messages));

/**
 * Returns the rows of the conversations: a memory for each message, with its attachments. A
 * conversation in which nothing has a time gets that of the file.
 */
export function readClaude(
  { modified }: Pick<Text, "modified">,
  json: readonly unknown[],
): Reading {
  const rows: ExportRow[] = [];
  const wrong: Reading["wrong"] = [];
  for (const [place, conversation] of json.entries()) {
    const line = place + 1;
    if (!isObject(conversation) || !Array.isArray(conversation.chat_messages)) {
      wrong.push({ line, why: "is a conversation without messages (chat_messages)" });
      continue;
    }
    const id = someText(conversation.uuid) ?? `claude-${line}`;
    const name = someText(conversation.name) ?? "Untitled conversation";
    const messages: readonly unknown[] = conversation.chat_messages;
    const start =
      timeOf(conversation.created_at) ??
      messages
        .map((message) => (isObject(message) ? timeOf(message.created_at) : undefined))
        .find((time) => time !== undefined) ??
      timeOf(conversation.updated_at) ??
      modified;
    rows.push(...conversationRows(id, name, turnsOf(id, messages, start)));
  }
  return { rows, wrong };
}

function turnsOf(conversation: string, messages: readonly unknown[], start: number): Turn[] {
  let latest = start;
  return messages.flatMap((message, place) => {
    if (!isObject(message)) return [];
    latest = timeOf(message.created_at) ?? latest;
    const text = textOf(message);
    if (text === undefined) return [];
    const id = someText(message.uuid) ?? `${conversation}:${place + 1}`;
    const source = `claude:${message.sender === "human" ? "user" : "assistant"}`;
    return { id, text, at: latest, source };
  });
}

/**
 * Returns the text of a message: its blocks of text, or the whole, and the texts of attachments.
 */
function textOf({ content, text, attachments }: Json): string | undefined {
  const blocks = Array.isArray(content) ? content : [];
  const said = blocks.flatMap((block) =>
    isObject(block) && block.type === "text" ? (someText(block.text) ?? ([] as string[])) : [],
  );
  const attached = (Array.isArray(attachments) ? attachments : []).flatMap((attachment) =>
    isObject(attachment) ? (someText(attachment.extracted_content) ?? ([] as string[])) : [],
  );
  const whole = said.length > 0 ? said : [someText(text) ?? ""];
  return someText([...whole, ...attached].join("\n\n"));
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
