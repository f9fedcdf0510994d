// Fields of a request that its schema does not have. A field that is ignored in silence is data that
// a user believes to be stored, so a request with one is refused.

import type { Issue } from "../refusal.ts";
import { nearest } from "../settings/nearest.ts";

/** Names that other memory layers use, and ours. */
const ELSEWHERE: ReadonlyMap<string, readonly string[]> = new Map([
  ["content", ["text", "content_body"]],
  ["memory", ["text"]],
  ["text", ["content_body", "query", "input"]],
  ["body", ["content_body"]],
  ["title", ["content_title"]],
  ["summary", ["content_summary"]],
  ["user_id", ["user"]],
  ["session_id", ["session"]],
  ["run_id", ["session"]],
  ["thread_id", ["session"]],
  ["top_k", ["limit"]],
  ["k", ["limit"]],
  ["n", ["limit"]],
  ["q", ["query"]],
  ["question", ["query", "input"]],
  ["query", ["input"]],
  ["message", ["input"]],
  ["input", ["query"]],
  ["filters", ["filter"]],
  ["where", ["filter"]],
  ["memory_id", ["id"]],
  ["node_id", ["id"]],
  ["ttl", ["expires_at"]],
  ["expires", ["expires_at"]],
  ["timestamp", ["created_at", "event_time"]],
  ["tag", ["tags"]],
  ["max_results", ["limit"]],
]);

/** The part of a schema that this file reads. */
interface Schema {
  safeParse(value: unknown): { success: boolean };
  def: {
    type: string;
    innerType?: Schema;
    in?: Schema;
    out?: Schema;
    element?: Schema;
    options?: readonly Schema[];
    shape?: Readonly<Record<string, Schema>>;
    catchall?: Schema;
    valueType?: Schema;
    items?: readonly Schema[];
  };
}

/** Returns an issue for each field of `value` that `schema` does not have. */
export function unknownFields(schema: unknown, value: unknown): Issue[] {
  return among(schema as Schema, value, []);
}

function among({ def }: Schema, value: unknown, path: readonly string[]): Issue[] {
  if (typeof value === "string" && def.type === "pipe" && def.out?.def.type === "object")
    return among(def.out, dataIn(value), path);
  if (typeof value !== "object" || value === null)
    return def.innerType === undefined ? [] : among(def.innerType, value, path);
  switch (def.type) {
    case "object":
      return Array.isArray(value) ? [] : ofObject(def, value, path);
    case "array":
      return Array.isArray(value)
        ? value.flatMap((item, place) => among(def.element!, item, [...path, String(place)]))
        : [];
    case "record":
      // The value of this key would be dropped.
      return Object.entries(value).flatMap(([key, item]) =>
        key === "__proto__"
          ? { path: [...path, key].join("."), message: "cannot be a key: give it another name" }
          : among(def.valueType!, item, [...path, key]),
      );
    case "union": {
      const taking = def.options!.filter((option) => takes(option, value));
      const valid = taking.filter((option) => option.safeParse(value).success);
      const issues = (valid.length > 0 ? valid : taking).map((option) =>
        among(option, value, path),
      );
      return issues.sort((a, b) => a.length - b.length)[0] ?? [];
    }
    case "pipe":
      return among(def.in!, value, path);
    default:
      return def.innerType === undefined ? [] : among(def.innerType, value, path);
  }
}

/** Returns the data of a text of JSON, as queries hold filters; null if it is none. */
function dataIn(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** Whether a schema is for a value of this kind: a list, or an object. */
function takes({ def }: Schema, value: object): boolean {
  if (def.type === "pipe") return takes(def.in!, value);
  if (def.type === "union") return def.options!.some((option) => takes(option, value));
  if (def.innerType !== undefined) return takes(def.innerType, value);
  return Array.isArray(value)
    ? def.type === "array"
    : def.type === "object" || def.type === "record";
}

function ofObject(
  { shape = {}, catchall }: Schema["def"],
  value: object,
  path: readonly string[],
): Issue[] {
  return Object.entries(value).flatMap(([key, item]) => {
    const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (known !== undefined) return among(known, item, [...path, key]);
    if (catchall !== undefined && catchall.def.type !== "never") return [];
    return [{ path: [...path, key].join("."), message: messageOf(key, Object.keys(shape)) }];
  });
}

/** Returns the known name that an unknown one may stand for; undefined if none is near. */
export function meantBy(given: string, known: readonly string[]): string | undefined {
  return ELSEWHERE.get(given)?.find((name) => known.includes(name)) ?? nearest(given, known);
}

/** Says that a field is unknown, and which one may be meant. */
export function messageOf(key: string, known: readonly string[]): string {
  const meant = meantBy(key, known);
  if (meant !== undefined) return `is not a field of this request: did you mean ${meant}?`;
  if (known.length === 0) return "is not a field of this request: it has none";
  return `is not a field of this request: its fields are ${known.join(", ")}`;
}
