// The embedding of a question, as an agent uses it: compared with those of memories in searches by
// signals, and as evidence.

import type { JudgedMemory } from "nous-memory";
import type { AskOptions } from "nous-wasm";
import type { QuestionVector } from "../api/operation.ts";
import { ownModelOf } from "../embeddings/built-in.ts";
import { OtherModel } from "../embeddings/other-model.ts";
import { isSameModel, modelInUse } from "../embeddings/tasks.ts";
import { TRANSFORMERS } from "../embeddings/text.ts";
import { wrong } from "../refusal.ts";
import type { Agent } from "./agent.ts";

/**
 * Returns the embedding to compare memories with: the caller's, else the one that was made for the
 * question. Returns undefined if the memories have no embeddings but those that the server made by
 * itself, or if the one that was made has another length.
 *
 * @throws {Refusal} If the caller's embedding has another length than those of the memories.
 *
 * @throws {OtherModel} If the question's embedding is of another model.
 */
export function vectorOf(
  { dimensions, storage }: Agent,
  { embedding }: { embedding?: readonly number[] | null | undefined },
  question: QuestionVector | undefined,
): ArrayLike<number> | undefined {
  if (dimensions === 0) return undefined;
  if (embedding != null) {
    if (embedding.length === dimensions) return embedding;
    if (ownModelOf(storage) !== undefined) return undefined;
    throw wrong(
      "embedding",
      `must have ${dimensions} components, as those of the memories, found ${embedding.length}`,
    );
  }
  if (question === undefined) return undefined;
  const inUse = modelInUse(storage, dimensions, question.model);
  if (!isSameModel(inUse, question.model)) throw new OtherModel(inUse);
  return question.vector.length === dimensions ? question.vector : undefined;
}

/**
 * Returns the options of `MemoryIndex.ask`, `why` and `learn` by which the embedding of a question counts as
 * evidence for `query`: none if there is no embedding, or one of another text, or if no memory has one.
 *
 * @throws {OtherModel} If the question's embedding is of another model.
 */
export function meaningOf(
  agent: Agent,
  query: string,
  question: QuestionVector | undefined,
): Pick<AskOptions, "embedding" | "embedding_scale"> {
  const embedding = question?.text === query ? vectorOf(agent, {}, question) : undefined;
  return embedding === undefined ? {} : { embedding, embedding_scale: question!.scale };
}

/** Returns what the rule whether a memory knows an answer reads of an agent's memory. */
export const judgedMemory = (
  { index }: Agent,
  question: QuestionVector | undefined,
): JudgedMemory => ({
  among: index.size,
  isByEnglish: question?.model.name === TRANSFORMERS.english.name,
});
