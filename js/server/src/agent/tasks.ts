// Periodic work on an agent. If several processes do periodic work, a lease in the database gives
// each turn to one of them.

import type { Agent } from "./agent.ts";
import { consolidate } from "./consolidation/consolidate.ts";
import { purgeExpired } from "./expiry.ts";
import { sweep } from "./sweep.ts";

/** How long a lease lasts, in milliseconds: after that another process may take the turn. */
const LEASE = 600_000;
/** The share of an interval after which a task is due: timers of processes are not in step. */
const DUE_AFTER = 0.8;

/** The tasks. Each returns the figures that are logged. */
const TASKS = {
  decay: (agent: Agent) => {
    const { processed, transitions_count } = sweep(agent, false);
    return { processed, transitions_count };
  },
  expire: async (agent: Agent) => ({ deleted: await purgeExpired(agent) }),
  consolidate: async (agent: Agent) => {
    const { errors, summaries, duplicates, ...figures } = await consolidate(agent);
    // Titles and ids do not belong into the log.
    const counts = {
      ...(summaries === undefined ? {} : { summaries: summaries.length }),
      ...(duplicates === undefined ? {} : { duplicates: duplicates.length }),
    };
    return { ...figures, ...counts, errors: errors.length };
  },
} satisfies Record<string, (agent: Agent) => object | Promise<object>>;

export type TaskName = keyof typeof TASKS;

/** The figures of a task that are logged. */
export type TaskFigures = Record<string, unknown>;

/**
 * Does a task if it is due and no other process does it; returns null otherwise. `interval` is in
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

/** Turns of a task, for work that is done in another thread. */
export const TURNS = {
  /**
   * Takes the turn of a task. Returns when it was taken; null if the task is not due or another
   * process holds the lease. `interval` is in milliseconds.
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

  /** Ends a turn. `done` is when it was taken; null if the task was not done. */
  leaveTurn: (agent: Agent, { task, done }: { task: TaskName; done: number | null }): null =>
    agent.write(() => {
      agent.storage.tasks.leave(task, done);
      return null;
    }),
};
