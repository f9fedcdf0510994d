// Periodic work of all agents, one task after another. Random delays keep several processes from
// doing it at the same time.

import type { TaskName } from "../agent/tasks.ts";
import type { Logger } from "../log.ts";
import type { Pool } from "../workers/pool.ts";

/** The random part of an interval, as a share of it. */
const JITTER = 0.1;
/** The longest delay of the first turn, in milliseconds. Tasks that are not due are skipped. */
const FIRST = 10_000;

export class Scheduler {
  readonly #pool: Pick<Pool, "list" | "run">;
  /** In milliseconds; 0 switches a task off. */
  readonly #intervals: Readonly<Record<TaskName, number>>;
  readonly #log: Logger;
  readonly #timers = new Map<TaskName, NodeJS.Timeout>();
  /** Settles when all work that was begun has ended. */
  #last = Promise.resolve();
  #isStopped = false;

  constructor(
    pool: Pick<Pool, "list" | "run">,
    intervals: Readonly<Record<TaskName, number>>,
    log: Logger,
  ) {
    this.#pool = pool;
    this.#intervals = intervals;
    this.#log = log;
    for (const [task, interval] of Object.entries(intervals) as [TaskName, number][]) {
      if (interval > 0) this.#after(Math.min(interval, FIRST) * Math.random(), task);
    }
  }

  #after(delay: number, task: TaskName): void {
    if (this.#isStopped) return;
    const begin = () => {
      this.#last = this.#last
        .then(() => this.#turn(task))
        .then(() =>
          this.#after(this.#intervals[task] * (1 - JITTER + 2 * JITTER * Math.random()), task),
        );
    };
    this.#timers.set(task, setTimeout(begin, delay));
  }

  /** Never rejects: a failure is logged, and the task is tried again at the next turn. */
  async #turn(task: TaskName): Promise<void> {
    try {
      for (const { agent } of await this.#pool.list()) {
        if (this.#isStopped) return;
        await this.#do(task, agent);
      }
    } catch (error) {
      this.#log.warn(
        { task, failure: { message: (error as Error).message } },
        "Periodic work could not be started",
      );
    }
  }

  async #do(task: TaskName, agent: string): Promise<void> {
    const start = performance.now();
    try {
      const figures = await this.#pool.run(agent, task, this.#intervals[task]);
      const ms = Math.round(performance.now() - start);
      if (figures !== null)
        this.#log.info({ task, agent, ...figures, ms }, "Periodic work is done");
    } catch (error) {
      this.#log.warn(
        { task, agent, failure: { message: (error as Error).message } },
        "Periodic work failed",
      );
    }
  }

  /** Begins no more work, and waits for the work under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await this.#last;
  }
}
