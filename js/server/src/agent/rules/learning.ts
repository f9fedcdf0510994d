// Learning from the use of memories.

import type { LearningStep } from "nous-wasm";
import type { QuestionVector } from "../../api/operation.ts";
import { byTrait } from "../../portable/learned.ts";
import type { Agent } from "../agent.ts";
import { meaningOf } from "../question.ts";

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
 *
 * @throws {OtherModel} If the question's embedding is of another model.
 */
export function learnFrom(
  agent: Agent,
  use: Use,
  question: QuestionVector | undefined,
): LearningStep {
  if (!agent.learns) return { counted: 0, moved: byTrait(() => 0) };
  const { index, storage } = agent;
  const before = index.learned();
  const meaning = meaningOf(agent, use.question, question);
  const step = index.learn({ ...use, ...meaning, now: agent.now() });
  const learned = index.learned();
  // The index takes what was learned from the database after the commit, as it takes rows.
  index.setLearned(before);
  if (step.counted > 0) storage.learned.put(learned);
  return step;
}
