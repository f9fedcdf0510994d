// Measures contestants of a contest in turn, so that a busy machine slows all of them. Browsers
// show the time in steps of up to 0.1 ms, so that short calls are measured many at once.

/** The shortest stretch that is measured, in milliseconds. */
const MIN = 4;
/** The most rounds of a contest. */
const ROUNDS = 31;

/**
 * Runs a contest for about `budget` milliseconds. Returns the median of a call, in milliseconds, by
 * contestant.
 */
export function measure(calls: readonly (() => unknown)[], budget: number): number[] {
  const repeats = calls.map(repeatsOf);
  const taken = calls.map((): number[] => []);
  const end = performance.now() + budget;
  // Three rounds at least: a median of less says nothing.
  for (let round = 0; round < ROUNDS && (round < 3 || performance.now() < end); round += 1)
    for (const [place, call] of calls.entries())
      taken[place]!.push(timeOf(call, repeats[place]!) / repeats[place]!);
  return taken.map(median);
}

/**
 * Returns how many calls take long enough to be measured. The first calls are slow, since the code
 * is not compiled yet, so that a number counts only if it is enough twice.
 */
function repeatsOf(call: () => unknown): number {
  let repeats = 1;
  while (Math.min(timeOf(call, repeats), timeOf(call, repeats)) < MIN && repeats < 2 ** 20)
    repeats *= 2;
  return repeats;
}

function timeOf(call: () => unknown, repeats: number): number {
  const start = performance.now();
  for (let n = 0; n < repeats; n += 1) call();
  return performance.now() - start;
}

function median(times: number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
