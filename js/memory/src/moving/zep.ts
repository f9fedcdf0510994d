// Reads what the interface of Zep answers: facts (edges), summaries (nodes) and episodes of a graph, and
// messages of threads.

import type { JsonPart } from "./json-parts.ts";
import { keyOf } from "./key.ts";
import {
  firstText,
  isObject,
  type Json,
  leftOut,
  listIn,
  type Moved,
  type Place,
  type SourceFile,
  someText,
  timeOf,
  wrongPart,
} from "./moved.ts";

/** The lists of an answer. */
const LISTS = ["edges", "facts", "nodes", "episodes", "messages", "items", "data"] as const;

const listsIn = (json: Json): readonly unknown[][] =>
  LISTS.flatMap((name) => (Array.isArray(json[name]) ? [json[name] as unknown[]] : []));

/** Returns whether JSON is an answer of Zep, or a part of one. */
export const isZep = (json: unknown): boolean =>
  isObject(json) &&
  (typeof json.fact === "string" || listsIn(json).some((list) => list.some(isPart)));

const isPart = (json: unknown): boolean =>
  isObject(json) &&
  typeof json.uuid === "string" &&
  ("fact" in json || "content" in json || "summary" in json);

/** Yields a memory for each fact that holds, each summary and each message. */
export function* readZep(
  { name: file }: Pick<SourceFile, "name">,
  parts: Iterable<JsonPart>,
): Iterable<Moved> {
  for (const { json, number } of parts) {
    const place: Place = { file, of: "entry", number };
    const lists = isObject(json) ? listsIn(json) : [];
    if (!isObject(json) || lists.length === 0) {
      yield* partIn(json, place, undefined);
      continue;
    }
    const thread = firstText(json.thread_id, json.session_id, json.thread_uuid, json.uuid);
    for (const list of lists)
      for (const [at, part] of list.entries())
        yield* partIn(part, { ...place, number: at + 1 }, thread);
    if (firstText(json.next_cursor) !== undefined)
      yield wrongPart(place, "is one page of several: get the others by `cursor`, too");
  }
}

function* partIn(json: unknown, place: Place, thread: string | undefined): Iterable<Moved> {
  if (!isObject(json)) {
    yield wrongPart(place, "is no part of an answer of Zep: it must be an object");
    return;
  }
  const { uuid, fact, content, summary } = json;
  const created = timeOf(json.created_at);
  const user = someText(json.user_id);
  const shared = { kind: "memory", place, created, user } as const;
  const text = firstText(fact, content, summary);
  if (text === undefined) {
    const isEmpty = [fact, content, summary].some((value) => typeof value === "string");
    yield isEmpty
      ? leftOut(place, "a part without words")
      : wrongPart(place, "has neither `fact` nor `content` nor `summary`");
    return;
  }
  const id = someText(uuid) ?? keyOf("zep", text, String(json.created_at));
  if (someText(fact) !== undefined) {
    const ended = firstText(json.invalid_at, json.expired_at);
    if (ended !== undefined) {
      yield leftOut(place, "a fact that holds no longer (invalid_at, expired_at)");
      return;
    }
    const name = someText(json.name);
    const tags = name === undefined ? [] : [name.toLowerCase().replaceAll("_", " ")];
    yield { ...shared, id, text, source: "zep", event: someText(json.valid_at), tags };
  } else if (someText(content) === undefined) {
    const title = someText(json.name);
    const tags = listIn(json.labels).flatMap((label) =>
      label === "Entity" ? [] : (someText(label) ?? []),
    );
    yield { ...shared, id, text, title, source: "zep", type: tags[0]?.toLowerCase(), tags };
  } else {
    const role = firstText(json.role_type, json.role, json.source);
    const isMessage = role !== undefined && /^(?:user|human|assistant|ai|norole)$/i.test(role);
    if (/^(?:system|tool|function)$/i.test(role ?? "")) {
      yield leftOut(place, "instructions for the model, or what a tool answered");
      return;
    }
    const session = firstText(json.thread_id, json.session_id) ?? thread;
    const speaker = isMessage ? (/^(?:user|human)$/i.test(role) ? "user" : "assistant") : undefined;
    yield {
      ...{ ...shared, id, text, role: speaker, session },
      source: speaker === undefined ? "zep" : `zep:${speaker}`,
      run: session === undefined ? undefined : { id: session, name: session },
    };
  }
}
