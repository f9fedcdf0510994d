// Work in steps: the thread may do something else between two of them. One body serves callers that
// can wait and callers that cannot.

/** Work that can pause wherever it yields. */
export type Steps<T> = Generator<void, T, void>;

/** Work without a pause. */
// biome-ignore lint/correctness/useYield: it has one step.
export function* oneStep<T>(work: () => T): Steps<T> {
  return work();
}

/** Does all steps one after another, without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Awaits `pause` between two steps. An error of `pause` is thrown into the work, which ends. */
export async function inTurns<T>(steps: Steps<T>, pause: () => Promise<void>): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    let failure: { error: unknown } | undefined;
    try {
      await pause();
    } catch (error) {
      failure = { error };
    }
    step = failure === undefined ? steps.next() : steps.throw(failure.error);
  }
  return step.value;
}
