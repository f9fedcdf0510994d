// The overlap of texts, repetitions of a conversation, and the usage of memories. These rules of
// context, in full. Plain on purpose: this is the yardstick of the parity tests.

import type {
  DeduplicationResult,
  MemoryUsageStats,
  UsageFeedback,
  UsageRecord,
  UsageState,
} from "nous-wasm";
import { wellFormed } from "./context.ts";
import { WORD } from "./intent.ts";
import { STOP_WORDS } from "./stop-words.ts";
import type { ContextMode } from "./turn.ts";

export type {
  DeduplicationResult,
  MemoryUsageStats,
  UsageFeedback,
  UsageRecord,
  UsageState,
} from "nous-wasm";

const SHORTEST_WORD = 3;
const SAID_IN_WORDS = 0.5;
const SAID_IN_MEANING = 0.85;
const REFERENCED_FROM = 0.15;
const MS_PER_DAY = 86_400_000;
const HALF_LIFE_DAYS = 7;
const FEWEST_RECORDS = 2;
const MAX_RECORDS = 5000;
const OLD_DAYS = 21;

// ---- overlap ------------------------------------------------------------------------------------

function wordsOf(text: string, mode: ContextMode): Set<string> {
  const runs =
    wellFormed(text)
      .toLowerCase()
      .match(new RegExp(`${WORD}+`, "gu")) ?? [];
  const words = runs.filter((word) => [...word].length >= SHORTEST_WORD);
  return new Set(mode === "default" ? words.filter((word) => !STOP_WORDS.has(word)) : words);
}

/** The common words of both sets, as a share of the smaller set; 0 if one is empty. */
export function containment(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const fewer = Math.min(one.size, other.size);
  if (fewer === 0) return 0;
  return [...one].filter((word) => other.has(word)).length / fewer;
}

export function overlap(
  context: string,
  response: string,
  { mode = "default" }: { mode?: ContextMode } = {},
): number {
  return containment(wordsOf(context, mode), wordsOf(response, mode));
}

// ---- comparison with the conversation -----------------------------------------------------------

/** The cosine of two vectors, summed in order; 0 if one has no finite length above 0. */
export function cosine(one: ArrayLike<number>, other: ArrayLike<number>): number {
  const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
    let sum = 0;
    for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
    return sum;
  };
  const value = dot(one, other) / (Math.sqrt(dot(one, one)) * Math.sqrt(dot(other, other)));
  return Number.isFinite(value) ? value : 0;
}

/** With an embedding by the index of each text, memories first, or by words. */
export function deduplicate(
  memories: readonly { id: string; content: string }[],
  messages: readonly string[],
  {
    vectors,
    mode = "default",
  }: { vectors?: readonly ArrayLike<number>[] | undefined; mode?: ContextMode } = {},
): DeduplicationResult[] {
  return memories.map(({ id, content }, place) => {
    const similarities = messages.map((message, i) =>
      vectors === undefined
        ? overlap(content, message, { mode })
        : cosine(vectors[place]!, vectors[memories.length + i]!),
    );
    const max_similarity = similarities.length === 0 ? 0 : Math.max(...similarities);
    const limit = vectors === undefined || messages.length === 0 ? SAID_IN_WORDS : SAID_IN_MEANING;
    return { memory_id: id, content, max_similarity, is_redundant: max_similarity > limit };
  });
}

// ---- usage --------------------------------------------------------------------------------------

const typed = (type: string | null | undefined) => (type == null ? {} : { memory_type: type });

const decay = (age: number): number => Math.exp(-Math.LN2 * (age / MS_PER_DAY / HALF_LIFE_DAYS));

export class UsageTracker {
  readonly #mode: ContextMode;
  readonly #maxRecords: number;
  /** The oldest first, and of one instant the one that came first. */
  #records: UsageRecord[] = [];

  constructor({
    mode = "default",
    maxRecords = MAX_RECORDS,
  }: { mode?: ContextMode; maxRecords?: number } = {}) {
    this.#mode = mode;
    this.#maxRecords = maxRecords;
  }

  get size(): number {
    return this.#records.length;
  }

  feedback(
    recalled: Readonly<Record<string, string>>,
    response: string,
    now: number,
    recalledIds: Readonly<Record<string, readonly string[]>> = {},
  ): UsageFeedback[] {
    const typeOf = (id: string) =>
      Object.keys(recalledIds).findLast((type) => recalledIds[type]!.includes(id));
    const feedback = Object.entries(recalled)
      .filter(([id, text]) => id !== "" && text !== "")
      .map(([memory_id, text]): UsageFeedback => {
        const overlap_score = overlap(text, response, { mode: this.#mode });
        const was_referenced = overlap_score >= REFERENCED_FROM;
        return {
          memory_id,
          ...typed(typeOf(memory_id)),
          retrieved_at: now,
          was_referenced,
          overlap_score,
        };
      });
    this.record(feedback, now);
    return feedback;
  }

  /**
   * Without the caller's `now`, ages count up to the latest of these records that is not in the
   * future.
   */
  record(records: readonly UsageRecord[], now?: number): void {
    const latest = records.reduce(
      (latest, { retrieved_at }) => Math.max(latest, retrieved_at),
      Number.NEGATIVE_INFINITY,
    );
    const present = now ?? Math.min(Date.now(), latest);
    const isRecent = ({ retrieved_at }: UsageRecord) =>
      present - retrieved_at < OLD_DAYS * MS_PER_DAY;
    for (const { memory_id, memory_type, retrieved_at, was_referenced } of records) {
      const place =
        this.#records.findLastIndex((record) => record.retrieved_at <= retrieved_at) + 1;
      this.#records.splice(place, 0, {
        memory_id,
        ...typed(memory_type),
        retrieved_at,
        was_referenced,
      });
      if (this.#records.length <= this.#maxRecords) continue;
      if (this.#mode === "default") this.#records.shift();
      else this.#records = this.#records.filter(isRecent);
    }
    if (this.#mode === "default") this.#records = this.#records.filter(isRecent);
  }

  boost(ids: readonly string[], now = Number.POSITIVE_INFINITY): number[] {
    return ids.map((id) => {
      const records = this.#of(id, now);
      if (records.length < FEWEST_RECORDS) return 1;
      return this.#mode === "default" ? 0.3 + 1.7 * this.#rate(records) : 0.5 + this.#rate(records);
    });
  }

  usageScore(id: string, now: number): number {
    return this.#of(id, now)
      .filter((record) => record.was_referenced)
      .reduce((sum, { retrieved_at }) => sum + decay(now - retrieved_at), 0);
  }

  stats(id: string, now: number): MemoryUsageStats | null {
    const records = this.#of(id, now);
    if (records.length === 0) return null;
    return {
      memory_id: id,
      ...typed(records.findLast(({ memory_type }) => memory_type != null)?.memory_type),
      times_retrieved: records.length,
      times_referenced: records.filter((record) => record.was_referenced).length,
      rate: this.#rate(records),
      usage_score: this.usageScore(id, now),
      last_retrieved: records.at(-1)!.retrieved_at,
    };
  }

  save(): UsageState {
    return {
      version: 1,
      mode: this.#mode,
      max_records: this.#maxRecords,
      records: [...this.#records],
    };
  }

  static load({ mode, max_records, records }: UsageState): UsageTracker {
    const tracker = new UsageTracker({ mode, maxRecords: max_records });
    tracker.#records = records.map((record) => ({ ...record }));
    return tracker;
  }

  /** A record in the future counts as one of now. */
  #of(id: string, now: number): UsageRecord[] {
    const records = this.#records.filter((record) => record.memory_id === id);
    return records.map((record) => ({
      ...record,
      retrieved_at: Math.min(record.retrieved_at, now),
    }));
  }

  /** The newest record weighs 1, so that old records do not all weigh 0. */
  #rate(records: readonly UsageRecord[]): number {
    const newest = Math.max(...records.map(({ retrieved_at }) => retrieved_at));
    const weight = ({ retrieved_at }: UsageRecord) =>
      this.#mode === "default" ? decay(newest - retrieved_at) : 1;
    const sum = (list: readonly UsageRecord[]) =>
      list.reduce((total, record) => total + weight(record), 0);
    return sum(records.filter((record) => record.was_referenced)) / sum(records);
  }
}
