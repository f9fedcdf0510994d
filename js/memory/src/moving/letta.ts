// Reads what Letta (MemGPT) gives: agent files (.af) of both forms, with blocks, messages and files, and
// lists of the passages of archival memory.

import { turnsOf } from "../write/messages.ts";
import type { JsonPart } from "./json-parts.ts";
import { keyOf } from "./key.ts";
import {
  firstText,
  isObject,
  type Json,
  leftOut,
  listIn,
  type Moved,
  namesIn,
  type Place,
  type SourceFile,
  someText,
  timeOf,
  wrongPart,
} from "./moved.ts";

const isAgentFile = (json: unknown): json is Json =>
  isObject(json) && Array.isArray(json.agents) && Array.isArray(json.blocks);
/** The first form of agent files: one agent, with its blocks within. */
const isAgent = (json: unknown): json is Json =>
  isObject(json) && Array.isArray(json.core_memory) && Array.isArray(json.messages);
const isPassage = (json: unknown): json is Json =>
  isObject(json) &&
  typeof json.text === "string" &&
  (typeof json.id === "string" ? json.id.startsWith("passage-") : "archive_id" in json);
const passagesIn = (json: unknown): readonly unknown[] | undefined =>
  isObject(json) ? [json.passages, json.archival_memory].find(Array.isArray) : undefined;

/** Returns whether JSON is an agent file, or a passage of archival memory. */
export const isLetta = (json: unknown): boolean =>
  isAgentFile(json) ||
  isAgent(json) ||
  isPassage(json) ||
  passagesIn(json)?.some(isPassage) === true;

/** Yields a memory for each block, message, passage and file. */
export function* readLetta(
  { name: file }: Pick<SourceFile, "name">,
  parts: Iterable<JsonPart>,
): Iterable<Moved> {
  for (const { json, number } of parts) {
    const place: Place = { file, of: "entry", number };
    if (isAgentFile(json)) {
      // The ids within a file are its own: "block-0", "message-3".
      const names = listIn(json.agents).map((agent) => nameOf(agent));
      const owner = names.join(", ");
      yield* blocks(json.blocks, owner, place);
      for (const agent of listIn(json.agents))
        if (isObject(agent)) yield* messages(agent.messages, nameOf(agent), place);
      for (const one of listIn(json.files)) if (isObject(one)) yield* document(one, owner, place);
    } else if (isAgent(json)) {
      const owner = nameOf(json);
      yield* blocks(json.core_memory, owner, place);
      yield* messages(json.messages, owner, place);
    } else yield* passages(passagesIn(json) ?? [json], place);
  }
}

const nameOf = (agent: unknown): string =>
  (isObject(agent) ? firstText(agent.name, agent.id) : undefined) ?? "agent";

function* blocks(given: unknown, owner: string, place: Place): Iterable<Moved> {
  for (const block of listIn(given)) {
    const { label, value } = isObject(block) ? block : {};
    const [title, text] = [someText(label) ?? "block", someText(value)];
    if (text === undefined) yield leftOut(place, "a block without words");
    else
      yield {
        ...{ kind: "memory", place, id: keyOf("letta block", owner, title), text, title },
        ...{ tags: [title], source: "letta:block" },
      };
  }
}

/** What the framework itself puts in the place of a message of the user. */
const OF_FRAMEWORK = new Set(["heartbeat", "login", "system_alert", "package_message"]);

function* messages(given: unknown, owner: string, place: Place): Iterable<Moved> {
  const run = { id: `letta:${keyOf(owner)}`, name: owner };
  for (const [at, message] of listIn(given).entries()) {
    if (!isObject(message)) {
      yield wrongPart(place, `has a message that is no object (${at + 1})`);
      continue;
    }
    const created = timeOf(message.created_at);
    const spoken = listIn(message.tool_calls).flatMap((call) => spokenBy(call) ?? []);
    const { turns, not_taken } =
      spoken.length > 0
        ? {
            turns: spoken.map((content) => ({ message: { role: "assistant", content } })),
            not_taken: [],
          }
        : turnsOf([{ ...message, content: message.content ?? message.text ?? null }]);
    for (const { why, count } of not_taken)
      for (let left = 0; left < count; left += 1) yield leftOut(place, why);
    for (const { message: turn } of turns) {
      const { text, why } = saidBy(turn);
      if (text === undefined) {
        yield leftOut(place, why);
        continue;
      }
      const id = keyOf("letta message", owner, String(message.created_at ?? at), turn.role, text);
      yield {
        ...{ kind: "memory", place, id, text, role: turn.role, created },
        ...{ source: `letta:${turn.role}`, session: run.id, run },
      };
    }
  }
}

/** Returns what a call of the tool `send_message` says to the user. */
function spokenBy(call: unknown): string | undefined {
  const called = isObject(call) && isObject(call.function) ? call.function : {};
  if (called.name !== "send_message") return undefined;
  const args = packed(called.arguments);
  return someText(args?.message);
}

/** Returns the words of a message. Letta packs those of the user as JSON. */
function saidBy({ role, content }: { role: string; content: string }): {
  text?: string;
  why: string;
} {
  const inside = role === "user" ? packed(content) : undefined;
  if (typeof inside?.type !== "string") {
    const text = someText(content);
    return text === undefined ? { why: "a message without words" } : { text, why: "" };
  }
  if (OF_FRAMEWORK.has(inside.type)) return { why: "an event of the framework" };
  const text = someText(inside.message);
  return text === undefined ? { why: "a message without words" } : { text, why: "" };
}

function packed(text: unknown): Json | undefined {
  if (isObject(text)) return text;
  if (typeof text !== "string" || !text.trimStart().startsWith("{")) return undefined;
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function* document(file: Json, owner: string, place: Place): Iterable<Moved> {
  const title = firstText(file.original_file_name, file.file_name) ?? "file";
  const text = someText(file.content);
  if (text === undefined) yield leftOut(place, "a file without its text");
  else
    yield {
      ...{ kind: "memory", place, id: keyOf("letta file", owner, title), text, title },
      ...{ created: timeOf(file.file_creation_date), source: "letta:file" },
    };
}

function* passages(given: readonly unknown[], place: Place): Iterable<Moved> {
  for (const passage of given) {
    if (!isPassage(passage)) {
      yield wrongPart(place, "is no agent file (.af), and no passage of archival memory");
      continue;
    }
    const text = someText(passage.text);
    if (text === undefined) {
      yield leftOut(place, "a passage without words");
      continue;
    }
    const { metadata } = passage;
    yield {
      ...{ kind: "memory", place, id: someText(passage.id) ?? keyOf("letta passage", text), text },
      ...{ created: timeOf(passage.created_at), tags: namesIn(passage.tags) },
      metadata: isObject(metadata) && Object.keys(metadata).length > 0 ? metadata : undefined,
      source: "letta:archival",
    };
  }
}
