// Gathering: calls all functions of the caller that give parts of a prompt, at once. A call that
// fails is recorded, and the prompt is built without it.

import { listOf } from "../arguments.ts";
import type { CallerCalls, CallResult, SeamOptions } from "../caller-calls.ts";
import { withSignal } from "../deadline.ts";
import { invalid, invalidEntry, invalidShape, problemWith, reasonOf, show } from "../errors.ts";
import { moduleConstants } from "../generated/constants.ts";
import { toMilliseconds } from "../instant.ts";
import { firstOfEach } from "./entries.ts";
import { type FoundMemory, readMemory } from "./memory.ts";
import type { Request } from "./request.ts";
import type { RetrievalQuery } from "./turn.ts";
import type {
  Censor,
  ContextFailure,
  ContextMemory,
  Given,
  ProfileFact,
  RecentConversation,
  WorkingMemory,
} from "./types.ts";
import { budgetOf } from "./write.ts";

const HOUR = 3_600_000;
/** Share of the time limit after which searches start without a topic. */
const TOPIC_SHARE = 0.25;

/** The parts that the caller gave and that could be read. @internal */
export interface Gathered {
  profile: ProfileFact[];
  censors: Censor[];
  workingMemory: WorkingMemory | null;
  /** The newest first. */
  recent: RecentConversation[];
  /** In the order of the queries. */
  found: FoundMemory[];
  failed: ContextFailure[];
}

/** @internal */
export async function gather(
  request: Request,
  calls: CallerCalls,
  queries: readonly RetrievalQuery[],
): Promise<Gathered> {
  const failed: ContextFailure[] = [];
  const answerOr = <T>(part: ContextFailure["part"], answer: CallResult<T>, otherwise: T): T => {
    if (answer.failure === undefined) return answer.answer;
    failed.push({ part, reason: answer.failure });
    return otherwise;
  };
  const readable = <T>(part: ContextFailure["part"], answer: CallResult<Read<T>>): T[] => {
    const { entries, problems } = answerOr(part, answer, { entries: [], problems: [] });
    for (const problem of problems) failed.push({ part, reason: reasonOf(problem) });
    return entries;
  };
  const workingMemory = askFor(calls, request.workingMemory, readWorkingMemory);
  let topic: ReturnType<typeof topicIn> | undefined;
  const retrieve = async (query: RetrievalQuery): Promise<CallResult<readonly ContextMemory[]>> => {
    let { query_text } = query;
    if (query_text.trim() === "") {
      topic ??= topicIn(workingMemory, calls);
      query_text = topical(request.input, await topic);
    }
    return calls.ask(
      (options) => request.retrieve({ ...query, query_text }, options),
      (found) => Array.from(listOf("memories", found as readonly ContextMemory[])),
    );
  };
  const [profile, censors, working, recent, ...found] = await Promise.all([
    askFor(calls, request.profile, readProfile),
    askFor(calls, request.censors, readCensors),
    workingMemory,
    askForRecent(request, calls),
    ...queries.map(retrieve),
  ] as const);
  return {
    profile: readable("user_profile", profile),
    censors: readable("censors", censors),
    workingMemory: answerOr("working_memory", working, null),
    recent: readable("recent_conversations", recent),
    found: queries.flatMap((query, place) => {
      const part = budgetOf(query.memory_type);
      const memories: readonly ContextMemory[] = answerOr(part, found[place]!, []);
      return memories.flatMap((memory, at) => {
        try {
          return readMemory(memory, at, query.memory_type);
        } catch (error) {
          failed.push({ part, reason: reasonOf(error) });
          return [];
        }
      });
    }),
    failed,
  };
}

function askFor<T>(
  calls: CallerCalls,
  given: Given<unknown>,
  read: (value: unknown) => T,
): Promise<CallResult<T>> {
  const get =
    typeof given === "function" ? (given as (options: SeamOptions) => unknown) : () => given;
  return calls.ask(get, read);
}

function askForRecent(
  request: Request,
  calls: CallerCalls,
): Promise<CallResult<Read<RecentConversation>>> {
  const { recent, now } = request;
  const { recent_conversations: limit, recent_hours } = moduleConstants.context;
  const since = now - recent_hours * HOUR;
  const ask = (options: SeamOptions) => recent?.(withSignal(options, { since, limit }));
  return calls.ask(ask, (found) => readConversations(found, since, limit));
}

/**
 * Returns the topic of the working memory. Returns undefined if it does not arrive soon, so that
 * the searches still have time.
 */
async function topicIn(
  workingMemory: Promise<CallResult<WorkingMemory | null>>,
  calls: CallerCalls,
): Promise<string | null | undefined> {
  const known = await Promise.race([workingMemory, calls.passed(TOPIC_SHARE)]);
  return known === undefined || known.failure !== undefined
    ? undefined
    : known.answer?.current_topic;
}

/** Returns the text to search for without keywords: the turn, after its topic. */
function topical(input: string, topic: string | null | undefined): string {
  const same = (text: string) => text.trim().toLowerCase();
  return topic == null || same(topic) === "" || same(topic) === same(input)
    ? input
    : `${topic}: ${input}`;
}

/** The readable entries of a list, and the errors of the others. */
interface Read<T> {
  entries: T[];
  problems: unknown[];
}

/** Copies and checks the entries of a list. A wrong entry does not affect the others. */
function readEntries<T extends object>(
  field: string,
  list: unknown,
  read: (entry: Record<string, unknown>, text: (name: string) => string, wrong: Wrong) => T,
): Read<T> {
  const entries: T[] = [];
  const problems: unknown[] = [];
  const readEntry = (entry: unknown, place: number): T => {
    if (typeof entry !== "object" || entry === null) throw invalidShape(field, place, entry);
    const fields = entry as Record<string, unknown>;
    const wrong: Wrong = (name, wanted, found) =>
      invalidEntry(field, place, entry, name, problemWith(`must be ${wanted}`, found));
    const text = (name: string): string => {
      const value = fields[name];
      if (typeof value !== "string") throw wrong(name, "a string", value);
      return value;
    };
    return read(fields, text, wrong);
  };
  for (const [place, entry] of listOf(field, (list ?? []) as readonly unknown[]).entries()) {
    try {
      entries.push(readEntry(entry, place));
    } catch (error) {
      problems.push(error);
    }
  }
  return { entries, problems };
}

type Wrong = (name: string, wanted: string, found: unknown) => Error;

const readProfile = (given: unknown): Read<ProfileFact> =>
  readEntries("profile", given, (_, text) => ({
    id: text("id"),
    text: text("text"),
    category: text("category"),
  }));

const readCensors = (given: unknown): Read<Censor> =>
  readEntries("censors", given, (_, text, wrong) => {
    const action = text("action");
    if (!isAction(action))
      throw wrong("action", `one of ${moduleConstants.context.censor_actions.join(", ")}`, action);
    return { id: text("id"), text: text("text"), action };
  });

const isAction = (action: string): action is Censor["action"] =>
  (moduleConstants.context.censor_actions as readonly string[]).includes(action);

/**
 * Returns the newest conversations since an instant, each once. One in the future counts as new.
 */
function readConversations(given: unknown, since: number, limit: number): Read<RecentConversation> {
  const { entries, problems } = readEntries("recent", given, (fields, text, wrong) => {
    const { created_at, summary } = fields as {
      created_at: RecentConversation["created_at"];
      summary: unknown;
    };
    const createdAt = toMilliseconds(created_at);
    if (!Number.isFinite(createdAt)) throw wrong("created_at", "an instant", created_at);
    if (summary != null && typeof summary !== "string") throw wrong("summary", "a string", summary);
    return {
      id: text("id"),
      title: text("title"),
      summary: summary ?? null,
      created_at: createdAt,
    };
  });
  const recent = entries.filter(({ created_at }) => created_at >= since);
  recent.sort((one, other) => other.created_at - one.created_at);
  return { entries: firstOfEach(recent).slice(0, limit), problems };
}

function readWorkingMemory(given: unknown): WorkingMemory | null {
  if (given == null) return null;
  if (typeof given !== "object")
    throw invalid("workingMemory", `must be an object, found ${show(given)}`);
  const memory = given as Record<keyof WorkingMemory, unknown>;
  const textIn = (field: "current_task" | "current_frame" | "current_topic"): string | null => {
    const text = memory[field];
    if (text != null && typeof text !== "string") {
      throw invalid(`workingMemory.${field}`, `must be a string, found ${show(text)}`);
    }
    return text ?? null;
  };
  const threads = Array.from(
    listOf("workingMemory.open_threads", (memory.open_threads ?? []) as readonly unknown[]),
  );
  for (const thread of threads) {
    if (typeof thread !== "string") {
      throw invalid(
        "workingMemory.open_threads",
        `must be a list of strings, found ${show(thread)}`,
      );
    }
  }
  const { entries: items, problems } = readEntries(
    "workingMemory.items",
    memory.items,
    ({ relevance }, text, wrong) => {
      if (!Number.isFinite(relevance)) throw wrong("relevance", "a finite number", relevance);
      return { text: text("text"), relevance: relevance as number };
    },
  );
  if (problems.length > 0) throw problems[0];
  return {
    current_task: textIn("current_task"),
    current_frame: textIn("current_frame"),
    current_topic: textIn("current_topic"),
    open_threads: threads as string[],
    items,
  };
}
