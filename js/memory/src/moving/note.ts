// A memory as a Markdown file that a person reads and edits, in the form of Obsidian and basic-memory:
// front matter with id, type, tags and times, the text, and below it the links to other notes.
//
//     ---
//     id: n_5f
//     type: preference
//     tags: [food]
//     created: "2026-05-05T08:00:00.000Z"
//     ---
//     Mira eats no dairy since March.
//
//     ## Relations
//
//     - supersedes [[Mira drinks milk]]
//
// # Invariant
//
// `readNote(writeNote(note))` is the note, whatever its texts hold: a text that ends like a list of links
// gets an empty one after it.

import { titleOf } from "../write/split.ts";
import { asList, asScalar, type FrontValue, frontIn } from "./front-matter.ts";
import { isObject, type Json } from "./moved.ts";
import { type NoteLink, nameIn } from "./names.ts";

/** A memory as a note has it. Times are ISO 8601. */
export interface Note {
  id: string;
  title: string;
  /** Null if the title says all. */
  body: string | null;
  type: string;
  /** Undefined if it follows from the type. */
  subtype?: string | null | undefined;
  summary?: string | null | undefined;
  tags: readonly string[];
  created: string | null;
  modified?: string | null | undefined;
  event?: string | null | undefined;
  expires?: string | null | undefined;
  user?: string | null | undefined;
  session?: string | null | undefined;
  source?: string | null | undefined;
  metadata?: Json | undefined;
  links: readonly NoteLink[];
}

const RELATIONS = "## Relations";
/** The texts of a note, by their names in front matter. */
const TEXTS = [
  ...["subtype", "summary", "created", "modified", "event", "expires", "user", "session", "source"],
] as const satisfies readonly (keyof Note)[];

/** Returns a memory as the text of a Markdown file. */
export function writeNote(note: Note): string {
  const { id, title, body, type, tags, metadata, links } = note;
  const text = body ?? title;
  const { title: read, body: readBody } = textsOf(undefined, text);
  const isTold = read === title && readBody === body;
  const lines = [
    "---",
    `id: ${asScalar(id)}`,
    ...(isTold ? [] : [`title: ${asScalar(title)}`]),
    `type: ${asScalar(type)}`,
    ...(tags.length === 0 ? [] : [`tags: ${asList(tags)}`]),
    ...TEXTS.flatMap((name) => {
      const value = note[name];
      // No subtype is something else than that of the type.
      if (value === null && name === "subtype") return [`subtype: ""`];
      return value == null || (value === "" && name !== "summary")
        ? []
        : [`${name}: ${asScalar(value)}`];
    }),
    ...(metadata === undefined ? [] : [`metadata: ${JSON.stringify(metadata)}`]),
    "---",
  ];
  const below = isTold ? text : (body ?? "");
  return `${lines.join("\n")}\n${withLinks(below, links)}`;
}

function withLinks(text: string, links: readonly NoteLink[]): string {
  const plain = `${text}\n`;
  if (links.length === 0 && partsOf(plain).text === text) return plain;
  const list = links.map(({ type, name }) => `- ${type} [[${name}]]\n`).join("");
  const end = `${RELATIONS}\n${list === "" ? "" : `\n${list}`}`;
  return text === "" ? end : `${text}\n\n${end}`;
}

/** Returns the type and the name of a link in a line: the first one after which there is only a reason. */
function relationIn(line: string): readonly string[] {
  const start = /^\s*[-*][ \t]+(?=\S)/.exec(line)?.[0].length;
  // Only the ends of lines of Unicode are in no pattern.
  if (start === undefined || /[\r\u2028\u2029]/.test(line)) return [];
  let close = -1;
  let isEnd = false;
  for (let at = line.indexOf("[[", start); at >= 0; at = line.indexOf("[[", at + 1)) {
    if (close < at + 2) {
      close = line.indexOf("]", at + 2);
      if (close < 0) return [];
      const after = line[close + 1] === "]" ? line.slice(close + 2).trim() : undefined;
      isEnd = after !== undefined && (after === "" || /^\(.*\)$/.test(after));
    }
    if (!isEnd || close === at + 2 || !/[ \t]/.test(line[at - 1]!)) continue;
    const type = line.slice(start, at).trimEnd();
    if (type !== "") return [type, line.slice(at + 2, close)];
  }
  return [];
}

/** Returns the text below front matter, and the links after it. */
function partsOf(below: string): { text: string; links: NoteLink[] } {
  const lines = below.split("\n");
  let at = lines.length - 1;
  const links: NoteLink[] = [];
  while (at >= 0 && lines[at]!.trimEnd() !== RELATIONS) {
    const [type, name] = relationIn(lines[at]!);
    if (type === undefined && lines[at]!.trim() !== "")
      return { text: below.replace(/\n$/, ""), links: [] };
    if (type !== undefined) links.unshift({ type, name: nameIn(name!) });
    at -= 1;
  }
  if (at < 0) return { text: below.replace(/\n$/, ""), links: [] };
  return { text: lines.slice(0, at).join("\n").replace(/\n$/, ""), links };
}

/**
 * Returns the title and the text of a memory. Without a title of its own it has that of its text; a text
 * that is its own title is a title alone.
 */
function textsOf(title: string | undefined, text: string): { title: string; body: string | null } {
  if (title !== undefined) return { title, body: text === "" ? null : text };
  const own = titleOf(text);
  return { title: own, body: own === text ? null : text };
}

/** Reads a Markdown file that has an id in its front matter; undefined for any other. */
export function readNote(given: string): Note | undefined {
  const front = frontIn(given);
  const id = textIn(front?.values.get("id"));
  if (front === undefined || id === undefined || id === "") return undefined;
  const { values } = front;
  const isOfWindows = /^\ufeff?---[ \t]*\r\n/.test(given);
  const below = isOfWindows ? front.below.replaceAll("\r\n", "\n") : front.below;
  const { text, links } = partsOf(below);
  const read = (name: string) => textIn(values.get(name));
  const tags = values.get("tags");
  const subtype = read("subtype");
  const some = (name: string) => read(name) || null;
  return {
    id,
    ...textsOf(read("title"), text),
    type: read("type") || "note",
    ...(subtype === undefined ? {} : { subtype: subtype === "" ? null : subtype }),
    summary: read("summary") ?? null,
    tags: typeof tags === "string" ? tags.split(",").flatMap(tagIn) : (tags ?? []),
    ...{ created: some("created"), modified: some("modified"), event: some("event") },
    ...{ expires: some("expires"), user: some("user"), session: some("session") },
    source: some("source"),
    metadata: jsonIn(read("metadata")),
    links,
  };
}

const tagIn = (tag: string): string[] => (tag.trim() === "" ? [] : [tag.trim().replace(/^#/, "")]);

const textIn = (value: FrontValue | undefined): string | undefined =>
  value === undefined || typeof value === "string" ? value : value.join(", ");

function jsonIn(text: string | undefined): Json | undefined {
  try {
    const json: unknown = JSON.parse(text ?? "");
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** Bytes of a file name, without its ending and a number. */
const MAX_NAME_BYTES = 120;
/** Characters that a file system or a link of Obsidian does not take. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced.
const NOT_IN_NAMES = /[\\/:*?"<>|#^[\]\0-\x1f\x7f%]+/g;
/** Names of devices of Windows. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** Returns the file name of a note, without its ending: its title as far as file systems take it. */
export function nameOfNote({ title, body }: Pick<Note, "title" | "body">): string {
  const words = titleOf(title.trim() === "" ? (body ?? "") : title)
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replace(NOT_IN_NAMES, " ")
    .replace(/\s+/g, " ");
  let [name, bytes] = ["", 0];
  for (const character of words) {
    bytes += new TextEncoder().encode(character).length;
    if (bytes > MAX_NAME_BYTES) break;
    name += character;
  }
  const plain = name.replace(/^[\s.~]+|[\s.~]+$/g, "");
  return plain === "" ? "memory" : DEVICES.test(plain) ? `${plain} note` : plain;
}
