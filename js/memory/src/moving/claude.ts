// Reads a Claude export: the conversations (conversations.json), what Claude remembers of the person and
// of projects (memories.json), and the documents of projects (projects.json).

import type { JsonPart } from "./json-parts.ts";
import { keyOf } from "./key.ts";
import {
  firstText,
  isObject,
  type Json,
  leftOut,
  listIn,
  type Moved,
  type MovedMemory,
  type Place,
  type SourceFile,
  someText,
  timeOf,
  wrongPart,
} from "./moved.ts";

const isConversation = (json: unknown): json is Json =>
  isObject(json) && Array.isArray(json.chat_messages);
const isMemories = (json: unknown): json is Json =>
  isObject(json) &&
  (typeof json.conversations_memory === "string" || isObject(json.project_memories));
const isProject = (json: unknown): json is Json =>
  isObject(json) && Array.isArray(json.docs) && typeof json.uuid === "string";

/** Returns whether JSON is a part of a Claude export. */
export const isClaude = (json: unknown): boolean =>
  isConversation(json) || isMemories(json) || isProject(json);

/**
 * Yields a memory for each message, with its attachments, for what Claude remembers, and for each
 * document of a project. A conversation in which nothing has a time gets that of the file.
 */
export function* readClaude(
  { name: file, modified }: Pick<SourceFile, "name" | "modified">,
  parts: Iterable<JsonPart>,
): Iterable<Moved> {
  for (const { json, number } of parts) {
    const place: Place = { file, of: "conversation", number };
    if (isConversation(json)) yield* conversation(json, place, modified);
    else if (isMemories(json)) yield* memories(json, { ...place, of: "entry" });
    else if (isProject(json)) yield* documents(json, { ...place, of: "entry" });
    else yield wrongPart(place, "is a conversation without messages (chat_messages)");
  }
}

function* conversation(json: Json, place: Place, modified: number): Iterable<Moved> {
  const id = someText(json.uuid) ?? `claude-${place.number}`;
  const name = someText(json.name) ?? "Untitled conversation";
  const messages = listIn(json.chat_messages);
  let latest =
    timeOf(json.created_at) ??
    messages
      .map((message) => (isObject(message) ? timeOf(message.created_at) : undefined))
      .find((time) => time !== undefined) ??
    timeOf(json.updated_at) ??
    modified;
  for (const [at, message] of messages.entries()) {
    if (!isObject(message)) {
      yield wrongPart(place, `has a message that is no object (${at + 1})`);
      continue;
    }
    latest = timeOf(message.created_at) ?? latest;
    for (const why of othersIn(message)) yield leftOut(place, why);
    const text = textOf(message);
    if (text === undefined) {
      yield leftOut(place, "a message without words");
      continue;
    }
    const role = message.sender === "human" ? "user" : "assistant";
    yield {
      ...{ kind: "memory", place, id: someText(message.uuid) ?? `${id}:${at + 1}`, text, role },
      ...{ created: latest, source: `claude:${role}`, session: id, run: { id, name } },
    };
  }
}

/** Why parts of a message are left out, once for each. */
function othersIn({ content, files }: Json): string[] {
  const blocks = listIn(content).flatMap((block) => {
    const type = isObject(block) ? block.type : undefined;
    if (type === "tool_use" || type === "tool_result") return "what a tool was told or answered";
    if (type === "thinking" || type === "redacted_thinking") return "what a model thought";
    return type === "image" ? "a picture, a sound or a file: it has no text here" : [];
  });
  return [
    ...blocks,
    ...listIn(files).map(() => "a picture, a sound or a file: it has no text here"),
  ];
}

/**
 * Returns the text of a message: its blocks of text, or the whole, and the texts of attachments.
 */
function textOf({ content, text, attachments }: Json): string | undefined {
  const said = listIn(content).flatMap((block) =>
    isObject(block) && block.type === "text" ? (someText(block.text) ?? ([] as string[])) : [],
  );
  const attached = listIn(attachments).flatMap((attachment) =>
    isObject(attachment) ? (someText(attachment.extracted_content) ?? ([] as string[])) : [],
  );
  // The whole has placeholders for calls of tools, where the blocks have them.
  const whole = said.length > 0 || listIn(content).length > 0 ? said : [someText(text) ?? ""];
  return someText([...whole, ...attached].join("\n\n"));
}

function* memories(json: Json, place: Place): Iterable<MovedMemory> {
  const { conversations_memory, project_memories } = json;
  const told = [
    ["What Claude remembers", conversations_memory] as const,
    ...Object.entries(isObject(project_memories) ? project_memories : {}),
  ];
  for (const [title, given] of told) {
    const text = someText(given);
    if (text === undefined) continue;
    const id = keyOf("claude memory", title, text);
    yield { ...{ kind: "memory", place, id, text, title, source: "claude:memory" } };
  }
}

function* documents(json: Json, place: Place): Iterable<Moved> {
  const project = someText(json.name) ?? "Untitled project";
  for (const given of listIn(json.docs)) {
    const doc = isObject(given) ? given : {};
    const text = someText(doc.content);
    if (text === undefined) {
      yield leftOut(place, "a document without words");
      continue;
    }
    const title = firstText(doc.filename, doc.file_name, doc.name) ?? project;
    const id = someText(doc.uuid) ?? keyOf("claude document", String(json.uuid), title);
    const created = timeOf(doc.created_at) ?? timeOf(json.created_at);
    yield {
      ...{ kind: "memory", place, id, text, title, created, tags: [project] },
      source: "claude:project",
    };
  }
}
