// Reads sets of questions from files: JSON, or JSON compressed by gzip.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { type Fields, isDay, list, record, shown, text } from "./fields.ts";
import { isGzip } from "./json-items.ts";
import {
  PARTS,
  type Part,
  type QuestionSet,
  type SetMemory,
  type SetQuestion,
} from "./question-set.ts";

/**
 * Reads the sets of a file. Each set of the file has the fields `name`, `memories` and `questions`;
 * see {@link QuestionSet}. A question without a part belongs to the development half. If memories
 * of a set share an id, the last one counts, as after an upsert of one after the other. A title,
 * subtype, speaker or language of a memory that is empty or null counts as absent. A memory whose
 * cluster is null has none. `forbidden` of a question is another name of `outdated`. Its fields
 * `id`, `sessions`, `resolved` and `last` are allowed, and not read.
 *
 * @param path - A file of JSON. It may be compressed by gzip, whatever its name.
 * @throws {Error} If the file cannot be read, is no JSON, or a field is missing, unknown or wrong.
 * The message names the file, the place and the id.
 * @example
 * ```ts
 * const [first] = readSet("conversations.json.gz");
 * console.log(first?.name, first?.memories.length);
 * ```
 */
export function readSet(path: string): QuestionSet[] {
  const bytes = readFileSync(path);
  let value: unknown;
  try {
    value = JSON.parse((isGzip(bytes) ? gunzipSync(bytes) : bytes).toString("utf8"));
  } catch (cause) {
    throw new Error(`${path}: no JSON: ${(cause as Error).message}`, { cause });
  }
  return parseSets(value, path);
}

/**
 * Returns the sets that a parsed file holds. {@link readSet} says which fields they have.
 *
 * @param value - The parsed file.
 * @param source - The name that errors give to the file.
 * @throws {Error} If a field is missing, unknown or wrong. The message names the source, the place
 * and the id.
 */
export function parseSets(value: unknown, source: string): QuestionSet[] {
  const sets = list(value, source).map((one, place) => parseSet(one, `${source}[${place}]`));
  if (sets.length === 0) throw new Error(`${source}: an empty list. Give one set at least`);
  const names = new Set<string>();
  for (const { name } of sets) {
    if (names.has(name)) throw new Error(`${source}: two sets have the name ${name}`);
    names.add(name);
  }
  return sets;
}

function parseSet(value: unknown, place: string): QuestionSet {
  const fields = record(value, place, SET_FIELDS);
  const name = text(fields, "name", place);
  const memories = new Map<string, SetMemory>();
  for (const [i, one] of list(fields.memories, `${place}.memories`).entries()) {
    const memory = parseMemory(one, `${place}.memories[${i}]`);
    // A map keeps the place of the first one with an id.
    memories.delete(memory.id);
    memories.set(memory.id, memory);
  }
  const questions = list(fields.questions, `${place}.questions`).map((one, i) =>
    parseQuestion(one, `${place}.questions[${i}]`, memories),
  );
  return { name, memories: [...memories.values()], questions };
}

const SET_FIELDS = ["name", "memories", "questions"] as const;
const MEMORY_TEXTS = ["title", "subtype", "speaker", "language"] as const;
const ABSENT: readonly unknown[] = [undefined, null, ""];
const MEMORY_FIELDS = [...["id", "text", "created_at", "cluster", "event_time"], ...MEMORY_TEXTS];
const OUTDATED = ["outdated", "forbidden"] as const;
/** Fields of published sets that no measurement needs. */
const UNREAD = ["id", "sessions", "resolved", "last"] as const;
const QUESTION_FIELDS = [
  ...["text", "answers", "kind", "part", "now", "language"],
  ...OUTDATED,
  ...UNREAD,
];

function parseMemory(value: unknown, at: string): SetMemory {
  const fields = record(value, at, MEMORY_FIELDS);
  const id = text(fields, "id", at);
  const place = `${at} (${id})`;
  const memory = {
    id,
    text: text(fields, "text", place),
    created_at: instant(fields, "created_at", place),
    ...(fields.cluster === null ? {} : { cluster: text(fields, "cluster", place) }),
  };
  const optional: Partial<Record<(typeof MEMORY_TEXTS)[number] | "event_time", string>> = {};
  for (const name of MEMORY_TEXTS)
    if (!ABSENT.includes(fields[name])) optional[name] = text(fields, name, place);
  if (fields.event_time !== undefined) optional.event_time = instant(fields, "event_time", place);
  return { ...memory, ...optional };
}

function parseQuestion(
  value: unknown,
  at: string,
  memories: ReadonlyMap<string, SetMemory>,
): SetQuestion {
  const fields = record(value, at, QUESTION_FIELDS);
  const words = text(fields, "text", at);
  const place = `${at} (“${words}”)`;
  const answers = ids(fields, "answers", place, memories);
  const named = OUTDATED.filter((name) => fields[name] !== undefined);
  const outdated = named.flatMap((name) => {
    const found = ids(fields, name, place, memories);
    const both = found.find((id) => answers.includes(id));
    if (both !== undefined)
      throw new Error(`${place}.${name}: the memory ${both} is an answer, too`);
    return found;
  });
  return {
    text: words,
    answers,
    kind: text(fields, "kind", place),
    part: part(fields.part, place),
    ...(fields.now === undefined ? {} : { now: instant(fields, "now", place) }),
    ...(named.length === 0 ? {} : { outdated: [...new Set(outdated)] }),
    ...(fields.language === undefined ? {} : { language: text(fields, "language", place) }),
  };
}

function part(value: unknown, place: string): Part {
  if (value === undefined) return "dev";
  const found = PARTS.find((one) => one === value);
  if (found === undefined)
    throw new Error(`${place}.part: ${shown(value)} is none of ${PARTS.join(", ")}`);
  return found;
}

/** Returns ids without repetition. Each one must be the id of a memory. */
function ids(
  fields: Fields,
  name: string,
  place: string,
  memories: ReadonlyMap<string, SetMemory>,
): string[] {
  const found = new Set<string>();
  for (const [i, id] of list(fields[name], `${place}.${name}`).entries()) {
    if (typeof id !== "string" || !memories.has(id))
      throw new Error(`${place}.${name}[${i}]: ${shown(id)} is the id of no memory of the set`);
    found.add(id);
  }
  return [...found];
}

/** An instant: date, time of day and zone. A date alone would leave the zone open. */
const INSTANT = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

function instant(fields: Fields, name: string, place: string): string {
  const value = fields[name];
  const day = typeof value === "string" ? INSTANT.exec(value)?.[1] : undefined;
  if (day === undefined || Number.isNaN(Date.parse(value as string)) || !isDay(day))
    throw new Error(`${place}.${name}: ${shown(value)} is no instant such as 2026-03-14T09:30:00Z`);
  return value as string;
}
