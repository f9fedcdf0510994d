// Usage tracking, tuned by hand: splits the answer into words once, and keeps records in lists by
// id, so that no other records are read.

import { STOP_WORDS } from "../../../js/reference/stop-words.ts";
import type { UsageFeedback, UsageRecord } from "../../../js/reference/usage.ts";

const WORDS = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]{3,}/gu;
const DAY = 86_400_000;
const HALF_LIFE_DAYS = 7;

function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(WORDS))
    if (!STOP_WORDS.has(word)) words.add(word);
  return words;
}

/** The usage records of one agent. */
export class UsageTracker {
  readonly #records = new Map<string, UsageRecord[]>();
  /** The ids of all records, the oldest first. */
  readonly #order: string[] = [];
  #dropped = 0;

  constructor(readonly maxRecords: number) {}

  record(records: readonly UsageRecord[]): void {
    for (const record of records) {
      const known = this.#records.get(record.memory_id);
      if (known === undefined) this.#records.set(record.memory_id, [record]);
      else known.push(record);
      this.#order.push(record.memory_id);
      if (this.#order.length - this.#dropped <= this.maxRecords) continue;
      const oldest = this.#order[this.#dropped++]!;
      const rest = this.#records.get(oldest)!;
      rest.shift();
      if (rest.length === 0) this.#records.delete(oldest);
    }
  }

  feedback(
    recalled: Readonly<Record<string, string>>,
    response: string,
    now: number,
  ): UsageFeedback[] {
    const answer = wordsOf(response);
    const feedback = Object.entries(recalled).map(([memory_id, text]) => {
      const words = wordsOf(text);
      let shared = 0;
      for (const word of words) if (answer.has(word)) shared++;
      const fewer = Math.min(words.size, answer.size);
      const overlap_score = fewer === 0 ? 0 : shared / fewer;
      return { memory_id, retrieved_at: now, was_referenced: overlap_score >= 0.15, overlap_score };
    });
    this.record(feedback);
    return feedback;
  }

  boost(ids: readonly string[]): number[] {
    return ids.map((id) => {
      const records = this.#records.get(id) ?? [];
      if (records.length < 2) return 1;
      let newest = Number.NEGATIVE_INFINITY;
      for (const { retrieved_at } of records) if (retrieved_at > newest) newest = retrieved_at;
      let [referenced, all] = [0, 0];
      for (const { retrieved_at, was_referenced } of records) {
        const weight = Math.exp(-Math.LN2 * ((newest - retrieved_at) / DAY / HALF_LIFE_DAYS));
        all += weight;
        if (was_referenced) referenced += weight;
      }
      return 0.3 + 1.7 * (referenced / all);
    });
  }
}
