// Work in steps: the thread may do something else between two of them. One body serves callers that
// can wait and callers that cannot.

/** What work yields that cannot go on before other work has. */
export const BLOCKED = "blocked";

/** Work that can pause wherever it yields. */
export type Steps<T> = Generator<undefined | typeof BLOCKED, T, void>;

/**
 * Waits until other work had a turn. `isBlocked`: the work has nothing to do before that, even if its
 * own turn is not over.
 */
export type Pause = (isBlocked?: boolean) => Promise<void>;

/** Work without a pause. */
// biome-ignore lint/correctness/useYield: it has one step.
export function* oneStep<T>(work: () => T): Steps<T> {
  return work();
}

/** How many calls of `atOnce` are under way, one within the other. */
let unpaused = 0;

/** Does all steps one after another, without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  unpaused += 1;
  try {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
    }
  } finally {
    unpaused -= 1;
  }
}

/** Returns whether the running step is done by `atOnce`: nothing else happens while it yields. */
export const isAtOnce = (): boolean => unpaused > 0;

/** Awaits `pause` between two steps. An error of `pause` is thrown into the work, which ends. */
export async function inTurns<T>(steps: Steps<T>, pause: Pause): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    let failure: { error: unknown } | undefined;
    try {
      await pause(step.value === BLOCKED);
    } catch (error) {
      failure = { error };
    }
    step = failure === undefined ? steps.next() : steps.throw(failure.error);
  }
  return step.value;
}
