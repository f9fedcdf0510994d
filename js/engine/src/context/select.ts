// Selection: which of the retrieved memories a prompt gets. The rules run in the module.

import { moduleConstants } from "../generated/constants.ts";
import type { EnginePool } from "../runtime.ts";
import { answerOf, Batch } from "./batch.ts";
import type { FoundMemory } from "./memory.ts";
import type { LeftOut } from "./types.ts";
import { budgetOf } from "./write.ts";

/** The criteria of a selection. @internal */
export interface Selecting {
  isSeed: boolean;
  frame: string;
  /** Ids of the active censors. */
  censors: readonly string[];
  /** The lowest score of each type, in order. */
  minScores: readonly number[];
  /** The usage factor of each memory. */
  boosts: readonly number[];
  /** How strongly the turn means something recent, in [0, 1]. */
  recency: number;
  /** The present, in milliseconds since 1970. */
  now: number;
}

/** Returns the selected memories by type, best first, and the others with a reason. @internal */
export function selectMemories(
  pool: EnginePool,
  found: readonly FoundMemory[],
  by: Selecting,
): { selected: FoundMemory[]; leftOut: LeftOut[] } {
  // Ids are passed as numbers in their sort order.
  const ids = [...new Set(found.map(({ id }) => id))].sort();
  const numbers = new Map(ids.map((id, number) => [id, number]));
  const censors = new Map<string, number>();
  /** Returns the numbers of censors, each once. */
  const numbersOf = (ids: readonly string[]): number[] => {
    const each = ids.map((id) => {
      const number = censors.get(id) ?? censors.size;
      censors.set(id, number);
      return number;
    });
    return each.length < 2 ? each : [...new Set(each)];
  };
  const active = numbersOf(by.censors);
  const batch = new Batch();
  batch.numbers(by.minScores);
  batch.number(by.recency);
  batch.number(by.now);
  batch.number(active.length);
  batch.numbers(active);
  for (const [place, memory] of found.entries()) {
    const { id, type, score, text, outcome, topic, createdAt, frame } = memory;
    batch.number(moduleConstants.memory_types.names.indexOf(type));
    batch.number(numbers.get(id)!);
    batch.number(score);
    batch.number(frame === by.frame ? 1 : 0);
    batch.number(createdAt);
    batch.number(by.boosts[place]!);
    const stored = numbersOf(memory.censors);
    batch.number(stored.length);
    batch.numbers(stored);
    // Text and outcome decide only about decisions.
    batch.text(type === "decision" ? text : "");
    batch.text(type === "decision" ? outcome : "");
    batch.text(topic);
  }
  const fates = batch.ask(pool, found.length, (lease) => {
    lease.engine.select_memories(found.length, by.isSeed);
    return answerOf(lease, found.length);
  });
  const selected: FoundMemory[] = [];
  const leftOut: LeftOut[] = [];
  for (const [place, memory] of found.entries()) {
    const fate = fates[place]!;
    const reason = moduleConstants.context.unselected[-1 - fate];
    if (reason === undefined) selected[fate] = memory;
    else if (reason !== "repeated")
      leftOut.push({ id: memory.id, section: budgetOf(memory.type), reason });
  }
  return { selected, leftOut };
}
