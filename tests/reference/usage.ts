// What texts have in common, what a conversation says already, and which memories have proved useful.
// These rules of context, in full. Plain on purpose: this is the yardstick of the parity tests.

import { wellFormed } from "./context.ts";
import { WORD } from "./intent.ts";
import { type ContextMode, STOP_WORDS } from "./turn.ts";

const SHORTEST_WORD = 3;
const SAID_IN_WORDS = 0.5;
const SAID_IN_MEANING = 0.85;
const REFERENCED_FROM = 0.15;
const MS_PER_DAY = 86_400_000;
const HALF_LIFE_DAYS = 7;
const FEWEST_RECORDS = 2;
const MAX_RECORDS = 5000;

// ---- overlap ------------------------------------------------------------------------------------

function wordsOf(text: string, mode: ContextMode): Set<string> {
  const runs =
    wellFormed(text)
      .toLowerCase()
      .match(new RegExp(`${WORD}+`, "gu")) ?? [];
  const words = runs.filter((word) => [...word].length >= SHORTEST_WORD);
  return new Set(mode === "default" ? words.filter((word) => !STOP_WORDS.has(word)) : words);
}

/** Words that both sets have, as a share of the smaller set; 0 when one is empty. */
export function containment(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const fewer = Math.min(one.size, other.size);
  if (fewer === 0) return 0;
  return [...one].filter((word) => other.has(word)).length / fewer;
}

export function overlap(context: string, response: string, { mode = "default" }: { mode?: ContextMode } = {}): number {
  return containment(wordsOf(context, mode), wordsOf(response, mode));
}

// ---- what the conversation says -----------------------------------------------------------------

export interface DeduplicationResult {
  memory_id: string;
  content: string;
  max_similarity: number;
  is_redundant: boolean;
}

/** The cosine of two vectors, summed in order; 0 when one has no length, or none that is finite. */
export function cosine(one: ArrayLike<number>, other: ArrayLike<number>): number {
  const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
    let sum = 0;
    for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
    return sum;
  };
  const value = dot(one, other) / (Math.sqrt(dot(one, one)) * Math.sqrt(dot(other, other)));
  return Number.isFinite(value) ? value : 0;
}

/** With an embedding by the place of each text, memories first, or by words. */
export function deduplicate(
  memories: readonly { id: string; content: string }[],
  messages: readonly string[],
  { vectors, mode = "default" }: { vectors?: readonly ArrayLike<number>[] | undefined; mode?: ContextMode } = {},
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

export interface UsageRecord {
  memory_id: string;
  retrieved_at: number;
  was_referenced: boolean;
}

export interface UsageFeedback extends UsageRecord {
  overlap_score: number;
}

export interface MemoryUsageStats {
  memory_id: string;
  times_retrieved: number;
  times_referenced: number;
  rate: number;
  usage_score: number;
  last_retrieved: number;
}

export interface UsageState {
  version: 1;
  mode: ContextMode;
  max_records: number;
  records: UsageRecord[];
}

const decay = (age: number): number => Math.exp(-Math.LN2 * (age / MS_PER_DAY / HALF_LIFE_DAYS));

export class UsageTracker {
  readonly #mode: ContextMode;
  readonly #maxRecords: number;
  /** The oldest first, and of one moment the one that came first. */
  #records: UsageRecord[] = [];

  constructor({ mode = "default", maxRecords = MAX_RECORDS }: { mode?: ContextMode; maxRecords?: number } = {}) {
    this.#mode = mode;
    this.#maxRecords = maxRecords;
  }

  get size(): number {
    return this.#records.length;
  }

  feedback(recalled: Readonly<Record<string, string>>, response: string, now: number): UsageFeedback[] {
    const feedback = Object.entries(recalled)
      .filter(([id, text]) => id !== "" && text !== "")
      .map(([memory_id, text]): UsageFeedback => {
        const overlap_score = overlap(text, response, { mode: this.#mode });
        return { memory_id, retrieved_at: now, was_referenced: overlap_score >= REFERENCED_FROM, overlap_score };
      });
    this.record(feedback);
    return feedback;
  }

  record(records: readonly UsageRecord[]): void {
    for (const { memory_id, retrieved_at, was_referenced } of records) {
      this.#records.push({ memory_id, retrieved_at, was_referenced });
    }
    this.#records.sort((one, other) => one.retrieved_at - other.retrieved_at);
    this.#records = this.#records.slice(-this.#maxRecords);
  }

  boost(ids: readonly string[]): number[] {
    return ids.map((id) => {
      const records = this.#of(id);
      if (records.length < FEWEST_RECORDS) return 1;
      return this.#mode === "default" ? 0.3 + 1.7 * this.#rate(records) : 0.5 + this.#rate(records);
    });
  }

  usageScore(id: string, now: number): number {
    return this.#of(id)
      .filter((record) => record.was_referenced)
      .reduce((sum, { retrieved_at }) => sum + decay(Math.max(now - retrieved_at, 0)), 0);
  }

  stats(id: string, now: number): MemoryUsageStats | null {
    const records = this.#of(id);
    if (records.length === 0) return null;
    return {
      memory_id: id,
      times_retrieved: records.length,
      times_referenced: records.filter((record) => record.was_referenced).length,
      rate: this.#rate(records),
      usage_score: this.usageScore(id, now),
      last_retrieved: records.at(-1)!.retrieved_at,
    };
  }

  save(): UsageState {
    return { version: 1, mode: this.#mode, max_records: this.#maxRecords, records: [...this.#records] };
  }

  static load({ mode, max_records, records }: UsageState): UsageTracker {
    const tracker = new UsageTracker({ mode, maxRecords: max_records });
    tracker.record(records);
    return tracker;
  }

  #of(id: string): UsageRecord[] {
    return this.#records.filter((record) => record.memory_id === id);
  }

  /** The newest record weighs 1, so that old ones do not all weigh nothing. */
  #rate(records: readonly UsageRecord[]): number {
    const newest = Math.max(...records.map(({ retrieved_at }) => retrieved_at));
    const weight = ({ retrieved_at }: UsageRecord) => (this.#mode === "default" ? decay(newest - retrieved_at) : 1);
    const sum = (list: readonly UsageRecord[]) => list.reduce((total, record) => total + weight(record), 0);
    return sum(records.filter((record) => record.was_referenced)) / sum(records);
  }
}
