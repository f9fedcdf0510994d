// Reads the conversations of a ChatGPT export (conversations.json). A conversation is a tree of
// messages, since an edited question begins a new branch; the branch that was shown last is read.

import type { JsonPart } from "./json-parts.ts";
import {
  isObject,
  type Json,
  leftOut,
  type Moved,
  type Place,
  type SourceFile,
  someText,
  timeOf,
  wrongPart,
} from "./moved.ts";

/** Returns whether JSON is a conversation of ChatGPT: an object with a `mapping` of messages. */
export const isChatgpt = (json: unknown): json is Json => isObject(json) && isObject(json.mapping);

/**
 * Yields a memory for each message of user and assistant. A conversation in which nothing has a time
 * gets that of the file.
 */
export function* readChatgpt(
  { name: file, modified }: Pick<SourceFile, "name" | "modified">,
  parts: Iterable<JsonPart>,
): Iterable<Moved> {
  for (const { json, number } of parts) {
    const place: Place = { file, of: "conversation", number };
    if (!isChatgpt(json)) {
      yield wrongPart(place, "is a conversation without messages (mapping)");
      continue;
    }
    const id = someText(json.conversation_id) ?? someText(json.id) ?? `chatgpt-${number}`;
    const name = someText(json.title) ?? "Untitled conversation";
    const branch = branchOf(json);
    const start =
      timeOf(json.create_time) ??
      branch.map(([, message]) => timeOf(message.create_time)).find((time) => time !== undefined) ??
      timeOf(json.update_time) ??
      modified;
    let latest = start;
    for (const [message_id, message] of branch) {
      // A message without a time was made right after the one before it.
      latest = timeOf(message.create_time) ?? latest;
      const said = saidIn(message);
      if ("why" in said) {
        yield leftOut(place, said.why);
        continue;
      }
      if (said.hasPicture) yield leftOut(place, MEDIA);
      yield {
        ...{ kind: "memory", place, id: message_id, text: said.text, role: said.role },
        ...{ created: latest, source: `chatgpt:${said.role}`, session: id, run: { id, name } },
      };
    }
    const others = messagesIn(json) - branch.length;
    for (let left = 0; left < others; left += 1)
      yield leftOut(place, "another branch of the conversation: it was edited or answered anew");
  }
}

const MEDIA = "a picture, a sound or a file: it has no text here";
/** Why messages of these types of content are left out. */
const NO_WORDS: ReadonlyMap<unknown, string> = new Map([
  ...["thoughts", "reasoning_recap"].map((type) => [type, "what a model thought"] as const),
  ...["user_editable_context", "model_editable_context"].map(
    (type) => [type, "instructions for the model"] as const,
  ),
  ...["code", "execution_output", "tether_quote", "tether_browsing_display", "system_error"].map(
    (type) => [type, "what a tool was told or answered"] as const,
  ),
]);

/** What a message says to the reader, or why it says nothing. */
function saidIn({
  author,
  recipient,
  metadata,
  content,
}: Json): { why: string } | { text: string; role: string; hasPicture: boolean } {
  const role = isObject(author) ? author.role : undefined;
  if (role === "system" || role === "developer") return { why: "instructions for the model" };
  const type = isObject(content) ? content.content_type : undefined;
  const known = NO_WORDS.get(type);
  if (known !== undefined) return { why: known };
  if (role === "tool") return { why: "what a tool was told or answered" };
  if (role !== "user" && role !== "assistant") return { why: "a message of an unknown speaker" };
  // The assistant speaks to a tool: what it wrote is an argument, and no answer.
  if (typeof recipient === "string" && recipient !== "all")
    return { why: "what a tool was told or answered" };
  if (isObject(metadata) && metadata.is_visually_hidden_from_conversation === true)
    return { why: "a message that the page of ChatGPT hides" };
  if (type !== "text" && type !== "multimodal_text")
    return { why: "a message of an unknown kind of content" };
  const { texts, others } = partsIn(content as Json);
  const text = someText(withoutMarks(texts.join("\n\n")));
  if (text === undefined) return { why: others > 0 ? MEDIA : "a message without words" };
  return { text, role, hasPicture: others > 0 };
}

/** Returns the parts of a content that are texts, and how many others it has. */
function partsIn({ parts }: Json): { texts: string[]; others: number } {
  const texts: string[] = [];
  let others = 0;
  for (const part of Array.isArray(parts) ? parts : []) {
    // Spoken words are a separate part with a text.
    const text = someText(isObject(part) ? part.text : part);
    if (text !== undefined) texts.push(text);
    else if (isObject(part) && part.content_type !== undefined) others += 1;
  }
  return { texts, others };
}

const messagesIn = ({ mapping }: Json): number =>
  Object.values(mapping as Json).filter((node) => isObject(node) && isObject(node.message)).length;

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
 * Returns a text without the marks that the web page of ChatGPT replaces: citations, and lists of
 * sources. A mark of a name or of a link leaves the words that the page shows.
 */
const withoutMarks = (text: string): string =>
  withoutSources(text)
    .replace(/ ?\ue200([^\ue200\ue201]*)\ue201/g, (mark: string, inside: string) => {
      const shown = shownBy(inside.split("\ue202"));
      if (shown === undefined) return "";
      return mark.startsWith(" ") ? ` ${shown}` : shown;
    })
    .replace(/[\ue200-\ue206]/g, "");

/** After the last bracket no mark ends: looking for it from each first one would take the square. */
function withoutSources(text: string): string {
  const end = text.lastIndexOf("】") + 1;
  return text.slice(0, end).replace(/ ?【\d+(?::\d+)?†[^】]*】/g, "") + text.slice(end);
}

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
