// Periodic work on an agent. Several processes may be set to do it: a lease in the database gives
// each turn to one of them.

import { figuresOf } from "../api/consolidation.ts";
import type { Agent } from "./agent.ts";
import { consolidate } from "./handlers/consolidation.ts";
import { sweep } from "./sweep.ts";

/** How long others leave it to a process that says nothing any more, in milliseconds. */
const LEASE = 600_000;
/**
 * The share of an interval after which it is due again: timers of several processes are not in
 * step.
 */
const DUE_AFTER = 0.8;

/** What is done, and what the log tells of it. */
const TASKS = {
  decay: (agent: Agent) => {
    const { processed, transitions_count } = sweep(agent, false);
    return { processed, transitions_count };
  },
  consolidate: async (agent: Agent) => figuresOf(await consolidate(agent)),
} satisfies Record<string, (agent: Agent) => object | Promise<object>>;

export type TaskName = keyof typeof TASKS;

/** Figures of a task, in an agent. */
export type TaskFigures = Record<string, unknown>;

/**
 * Does a task where it is due and nobody else is at it; null where not. `interval` is in
 * milliseconds.
 */
export async function doIfDue(
  agent: Agent,
  task: TaskName,
  interval: number,
): Promise<TaskFigures | null> {
  const takenAt = TURNS.takeTurn(agent, { task, interval });
  if (takenAt === null) return null;
  let done: number | null = null;
  try {
    const figures = await TASKS[task](agent);
    done = takenAt;
    return { ...figures };
  } finally {
    TURNS.leaveTurn(agent, { task, done });
  }
}

/** The turns of a task whose work is done in another thread. */
export const TURNS = {
  /**
   * When it was taken, where it is due and nobody else is at it; null where not. `interval` is in
   * milliseconds.
   */
  takeTurn: (
    agent: Agent,
    { task, interval }: { task: TaskName; interval: number },
  ): number | null => {
    const now = agent.now();
    return agent.write(() => agent.storage.tasks.take(task, now, interval * DUE_AFTER, LEASE))
      ? now
      : null;
  },

  /** `done` is when it was taken; null where it was not done. */
  leaveTurn: (agent: Agent, { task, done }: { task: TaskName; done: number | null }): null =>
    agent.write(() => {
      agent.storage.tasks.leave(task, done);
      return null;
    }),
};
