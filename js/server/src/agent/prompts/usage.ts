// The use of memories in earlier prompts.

import { parseInstant } from "nous-memory";
import { UsageTracker } from "nous-wasm";
import type { Agent } from "../agent.ts";

/**
 * Returns the usage records of these memories. They are read from the database for each prompt, so
 * that changes by other processes count.
 */
export function usageOf(agent: Agent, ids: readonly string[], now: number): UsageTracker {
  const tracker = new UsageTracker();
  tracker.record(
    agent.storage.usage
      .of(ids)
      .flatMap(({ memory_id, memory_type, retrieved_at, was_referenced }) => {
        const at = parseInstant(retrieved_at);
        return at === undefined
          ? []
          : [{ memory_id, memory_type, retrieved_at: at, was_referenced: was_referenced !== 0 }];
      }),
    now,
  );
  return tracker;
}
