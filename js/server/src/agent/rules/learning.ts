// Learning from the use of memories.

import type { LearningStep } from "nous-wasm";
import type { Agent } from "../agent.ts";
import { byTrait } from "../replica/learned.ts";

/** The use of memories that were shown for a question. */
export interface Use {
  question: string;
  shown: readonly string[];
  used: readonly string[];
}

/** Loads what `learnFrom` needs; see `Agent.prepare`. */
export function prepareToLearn(agent: Agent): Promise<void> | undefined {
  return agent.learns ? agent.prepare("evidence") : undefined;
}

/**
 * Learns from the use of memories, within a `write`. Learns nothing if the setting is off. Call
 * `prepareToLearn` before.
 */
export function learnFrom(agent: Agent, use: Use): LearningStep {
  if (!agent.learns) return { counted: 0, moved: byTrait(() => 0) };
  const { index, storage } = agent;
  const before = index.learned();
  const step = index.learn({ ...use, now: agent.now() });
  const learned = index.learned();
  // The index takes what was learned from the database after the commit, as it takes rows.
  index.setLearned(before);
  if (step.counted > 0) storage.learned.put(learned);
  return step;
}
