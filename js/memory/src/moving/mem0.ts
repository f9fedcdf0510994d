// Reads the memories of mem0: what `get_all` and its export answer, of the platform and of the open
// source version. Writes memories in the same shape.

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

/** Fields that become something else than metadata. */
const KNOWN = new Set([
  ...["id", "memory", "text", "data", "hash", "created_at", "updated_at", "expiration_date"],
  ...["user_id", "run_id", "categories", "metadata", "score", "owner", "organization", "input"],
  ...["immutable", "structured_attributes", "keywords", "type", "event"],
]);

/** Returns whether JSON is memories of mem0, or one of them. */
export const isMem0 = (json: unknown): boolean =>
  isObject(json) &&
  (typeof json.memory === "string" ||
    [json.results, json.memories].some((list) =>
      listIn(list).some((one) => isObject(one) && typeof one.memory === "string"),
    ));

/** Yields a memory for each of mem0's, and for each relation of its graph. */
export function* readMem0(
  { name: file }: Pick<SourceFile, "name">,
  parts: Iterable<JsonPart>,
): Iterable<Moved> {
  for (const { json, number } of parts) {
    const place: Place = { file, of: "entry", number };
    const isList = isObject(json) && [json.results, json.memories].some(Array.isArray);
    if (!isList) {
      yield* memoryIn(json, place);
      continue;
    }
    const { results, memories, relations, next } = json;
    for (const [at, one] of listIn(results ?? memories).entries())
      yield* memoryIn(one, { ...place, number: at + 1 });
    for (const relation of listIn(relations)) yield* relationIn(relation, place);
    if (someText(next) !== undefined)
      yield wrongPart(place, "is one page of several: get the others by `page` or `next`, too");
  }
}

function* memoryIn(json: unknown, place: Place): Iterable<Moved> {
  if (!isObject(json)) {
    yield wrongPart(place, "is no memory of mem0: it must be an object");
    return;
  }
  const data = isObject(json.data) ? json.data.memory : json.data;
  const text = firstText(json.memory, data, json.text);
  if (text === undefined) {
    const isEmpty = [json.memory, data, json.text].some((value) => typeof value === "string");
    yield isEmpty
      ? leftOut(place, "a memory without words")
      : wrongPart(place, "is no memory of mem0: it has no field `memory`");
    return;
  }
  const others = Object.entries(json).filter(([name, value]) => !KNOWN.has(name) && value != null);
  const given = isObject(json.metadata) ? json.metadata : {};
  const metadata = { ...Object.fromEntries(others), ...given };
  const user = someText(json.user_id);
  yield {
    ...{ kind: "memory", place, text, source: "mem0", user, isWhole: text.length <= 1_000 },
    id: someText(json.id) ?? keyOf("mem0", user ?? "", text),
    ...{ created: timeOf(json.created_at), updated: timeOf(json.updated_at) },
    ...{ session: someText(json.run_id), tags: namesIn(json.categories) },
    expires: someText(json.expiration_date),
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
  };
}

function* relationIn(json: unknown, place: Place): Iterable<Moved> {
  const { source, relationship, target, destination } = isObject(json) ? json : {};
  const [from, verb, to] = [
    someText(source),
    someText(relationship) ?? "relates to",
    firstText(target, destination),
  ];
  if (from === undefined || to === undefined) {
    yield wrongPart(place, "has a relation without `source` or `target`");
    return;
  }
  const text = [from, verb, to].map((word) => word.replaceAll("_", " ")).join(" ");
  yield { ...{ kind: "memory", place, id: keyOf("mem0 relation", text), text, source: "mem0" } };
}

/** A memory as mem0 answers it. */
export interface Mem0Memory {
  id: string;
  memory: string;
  user_id: string | null;
  run_id?: string;
  metadata: Json | null;
  categories: string[] | null;
  created_at: string | null;
  updated_at: string | null;
  expiration_date?: string;
}
