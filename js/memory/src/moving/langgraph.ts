// Reads the items of a store of LangGraph: as `search` and `get` answer them, or rows of its table
// `store` in PostgreSQL or SQLite.

import type { JsonPart } from "./json-parts.ts";
import { keyOf } from "./key.ts";
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

/** Fields of a value in which the words stand, the first that is there. */
const WORDS = ["text", "content", "memory", "data", "fact", "value", "message", "summary"];

const isItem = (json: unknown): json is Json =>
  isObject(json) &&
  typeof json.key === "string" &&
  json.value != null &&
  (Array.isArray(json.namespace) || typeof json.prefix === "string");

/** Returns whether JSON is an item of a store of LangGraph. */
export const isLanggraph = (json: unknown): boolean => isItem(json);

/** Yields a memory for each item. Its namespace and key stay in its metadata. */
export function* readLanggraph(
  { name: file }: Pick<SourceFile, "name">,
  parts: Iterable<JsonPart>,
): Iterable<Moved> {
  for (const { json, of, number } of parts) {
    const place: Place = { file, of, number };
    if (!isItem(json)) {
      yield wrongPart(place, "is no item: it needs namespace (or prefix), key and value");
      continue;
    }
    const { key, prefix } = json;
    const namespace = Array.isArray(json.namespace)
      ? json.namespace.map(String)
      : String(prefix).split(".");
    const value = typeof json.value === "string" ? (jsonIn(json.value) ?? json.value) : json.value;
    const { text, title, rest } = wordsIn(value);
    if (text === undefined) {
      yield leftOut(place, "an item without words");
      continue;
    }
    yield {
      ...{ kind: "memory", place, id: keyOf("langgraph", ...namespace, String(key)), text, title },
      created: timeOf(json.created_at ?? json.createdAt),
      updated: timeOf(json.updated_at ?? json.updatedAt),
      expires: someText(json.expires_at),
      metadata: { namespace, key, ...rest },
      source: "langgraph",
    };
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the words of a value, and its other fields. A value without a field of words is told whole. */
function wordsIn(value: unknown): { text: string | undefined; title?: string; rest?: Json } {
  if (!isObject(value)) return { text: someText(Array.isArray(value) ? linesOf(value) : value) };
  // LangMem writes its memories as a kind with a content.
  if (typeof value.kind === "string" && isObject(value.content)) {
    const { text, rest } = wordsIn(value.content);
    return { text, rest: { kind: value.kind, ...rest } };
  }
  const name = WORDS.find((field) => someText(value[field]) !== undefined);
  if (name === undefined) return { text: someText(linesOf(value)) };
  const { [name]: words, title, ...rest } = value;
  const named = someText(title);
  return { text: someText(words), rest, ...(named === undefined ? {} : { title: named }) };
}

/** Returns the fields of a value as lines: `name: Mira`. */
function linesOf(value: unknown, above = ""): string {
  if (!isObject(value) && !Array.isArray(value))
    return value == null || value === "" ? "" : above === "" ? String(value) : `${above}: ${value}`;
  const named = Array.isArray(value)
    ? value.map((one) => [above, one] as const)
    : Object.entries(value).map(
        ([name, one]) => [above === "" ? name : `${above} ${name}`, one] as const,
      );
  return named
    .map(([name, one]) => linesOf(one, name))
    .filter((line) => line !== "")
    .join("\n");
}
