// Reads LongMemEval (Wu et al., 2024) as its authors publish it: a list of questions, each with the
// history of a user's talks with an assistant.

import { type Fields, isDay, list, record, shown, text } from "./fields.ts";
import { itemsOf } from "./json-items.ts";
import { type Asking, askingOf } from "./measure.ts";
import type { SetMemory } from "./question-set.ts";

/** A question with its history. */
export interface Instance {
  readonly id: string;
  /** Whether nothing in the history answers. */
  readonly isAbstention: boolean;
  /** The question, and the turns of its history as memories. The turns that answer have grades. */
  readonly asking: Asking;
  /** The session of each turn, by its id. */
  readonly sessionOf: ReadonlyMap<string, string>;
  /** The sessions that answer. */
  readonly sessions: ReadonlySet<string>;
  /** The turns of the user among those that answer. */
  readonly ofUser: ReadonlySet<string>;
}

/** A field that no other format has. */
const MARK = "haystack_sessions";
/** Ends the ids of questions without an answer. */
const ABSTENTION = "_abs";
const ROLES: readonly unknown[] = ["user", "assistant"];

/** Returns whether a file begins as LongMemEval does. False for a file that cannot be read. */
export async function isLongMemEval(path: string): Promise<boolean> {
  try {
    for await (const first of itemsOf(path))
      return typeof first === "object" && first !== null && Object.hasOwn(first, MARK);
  } catch {
    // Reading it as a list of sets says what is wrong.
  }
  return false;
}

/**
 * Yields the questions of a file one after the other. Each turn is a memory, and each session a
 * cluster. Turns have the time of their session, and the present is that of the question. Times
 * without a zone are those of UTC. Turns without a text are left out. Fields that are not needed
 * are not read.
 *
 * @param path - A file of JSON. It may be compressed by gzip, whatever its name.
 * @throws {Error} If the file cannot be read, is no JSON, or a field is missing or wrong. The
 * message names the file, the place and the id of the question.
 */
export async function* readLongMemEval(path: string): AsyncGenerator<Instance> {
  const ids = new Set<string>();
  let place = 0;
  for await (const item of itemsOf(path)) {
    const instance = parseInstance(item, `${path}[${place++}]`);
    if (ids.has(instance.id)) throw new Error(`${path}: two questions have the id ${instance.id}`);
    ids.add(instance.id);
    yield instance;
  }
}

/**
 * Returns a question with its history.
 *
 * @param at - The place that errors name.
 * @throws {Error} As {@link readLongMemEval}.
 */
export function parseInstance(value: unknown, at: string): Instance {
  const fields = record(value, at);
  const id = text(fields, "question_id", at);
  const place = `${at} (${id})`;
  const isAbstention = id.endsWith(ABSTENTION);
  const now = instant(fields.question_date, `${place}.question_date`);
  const names = texts(fields, "haystack_session_ids", place);
  const dates = paired(fields, "haystack_dates", place, names).map((date, i) =>
    instant(date, `${place}.haystack_dates[${i}]`),
  );
  const turns = paired(fields, MARK, place, names).flatMap((session, i) =>
    list(session, `${place}.${MARK}[${i}]`).flatMap((turn, j) => {
      const own = `${place}.${MARK}[${i}][${j}]`;
      return parseTurn(turn, own, { id: `${i}:${j}`, created_at: dates[i]!, cluster: names[i]! });
    }),
  );
  const sessions = new Set(texts(fields, "answer_session_ids", place));
  const missing = [...sessions].find((one) => !names.includes(one));
  if (!isAbstention && missing !== undefined)
    throw new Error(`${place}.answer_session_ids: ${missing} is no session of the history`);
  if (!isAbstention && sessions.size === 0)
    throw new Error(`${place}.answer_session_ids: an empty list. Name one session at least`);
  const answers = turns.filter(({ answers }) => answers).map(({ memory }) => memory);
  const question = {
    text: text(fields, "question", place),
    kind: text(fields, "question_type", place),
    ...{ answers: answers.map((one) => one.id), part: "test" as const, now },
  };
  const memories = turns.map(({ memory }) => memory);
  return {
    id,
    isAbstention,
    asking: askingOf({ name: id, memories, questions: [question] }),
    sessionOf: new Map(memories.map((one) => [one.id, one.cluster!])),
    sessions,
    ofUser: new Set(answers.flatMap((one) => (one.speaker === "user" ? one.id : []))),
  };
}

/** Returns a turn and whether it answers; nothing for a turn without a text. */
function parseTurn(
  value: unknown,
  place: string,
  circumstances: Pick<SetMemory, "id" | "created_at" | "cluster">,
): { readonly memory: SetMemory; readonly answers: boolean }[] {
  const { role, content, has_answer = false } = record(value, place);
  if (!ROLES.includes(role))
    throw new Error(`${place}.role: ${shown(role)} is none of ${ROLES.join(", ")}`);
  if (typeof content !== "string")
    throw new Error(`${place}.content: ${shown(content)} is no text`);
  if (typeof has_answer !== "boolean")
    throw new Error(`${place}.has_answer: ${shown(has_answer)} is neither true nor false`);
  if (content.trim() === "") return [];
  const memory = { ...circumstances, text: content, speaker: role as string };
  return [{ memory, answers: has_answer }];
}

function texts(fields: Fields, name: string, place: string): string[] {
  return list(fields[name], `${place}.${name}`).map((one, i) => {
    if (typeof one !== "string" || one === "")
      throw new Error(`${place}.${name}[${i}]: ${shown(one)} is no text`);
    return one;
  });
}

/** Returns a list that has an item for each session. */
function paired(
  fields: Fields,
  name: string,
  place: string,
  sessions: readonly string[],
): readonly unknown[] {
  const found = list(fields[name], `${place}.${name}`);
  if (found.length !== sessions.length)
    throw new Error(
      `${place}.${name}: ${found.length} items, where haystack_session_ids has ${sessions.length}`,
    );
  return found;
}

/** A time such as `2023/05/20 (Sat) 02:21`. */
const DATE = /^(\d{4})\/(\d\d)\/(\d\d) \([A-Z][a-z]{2}\) ((?:[01]\d|2[0-3]):[0-5]\d)$/;

function instant(value: unknown, place: string): string {
  const [, year, month, day, time] = typeof value === "string" ? (DATE.exec(value) ?? []) : [];
  const date = `${year}-${month}-${day}`;
  if (time === undefined || !isDay(date))
    throw new Error(`${place}: ${shown(value)} is no time such as 2023/05/20 (Sat) 02:21`);
  return `${date}T${time}:00Z`;
}
