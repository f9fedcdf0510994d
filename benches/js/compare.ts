// Compares contestants in one process, in turns, so that disturbances of the machine affect all of
// them equally.

import { measure } from "mitata";

/** A task, and the implementations that are compared. */
export interface Contest {
  name: string;
  /** The implementations by name. All return the same result. */
  contestants: Record<string, Contestant>;
  /** The number of turns of each contestant. Default 15. */
  rounds?: number;
  /** The least processor time of a turn, in nanoseconds. Default 8 ms. */
  turn?: number;
  /** Returns further results of the outcome, by name. */
  remarks?(outcome: Outcome): Record<string, string>;
  /** Frees resources that garbage collection does not. */
  close?(): void;
}

/** An implementation: a function that is timed in batches, or a `Lap`. */
export type Contestant = (() => unknown) | Lap;

/**
 * A call that is timed alone, because it is slow or consumes its input. Its preparation is not
 * timed.
 */
export interface Lap {
  prepare?(): void;
  run(): unknown;
}

/** A contest with large inputs, which are made just before it runs. */
export interface Deferred {
  name: string;
  make(): Contest;
}

/**
 * Defers making a contest. Collects garbage of the last contest before it is made, and garbage of
 * making it before it begins.
 */
export function deferred(name: string, make: () => Omit<Contest, "name">): Deferred {
  return {
    name,
    make() {
      globalThis.gc?.();
      const contest = { name, ...make() };
      globalThis.gc?.();
      return contest;
    },
  };
}

/** The result of a contest. */
export interface Outcome {
  name: string;
  /** Nanoseconds of a call by contestant: the median of the rounds. */
  nanoseconds: Record<string, number>;
  /**
   * Returns the time of `other` divided by that of `one`: the median of the rounds' ratios, and its
   * 95 % interval.
   */
  ratio(other: string, one: string): Ratio;
}

/** A ratio and its 95 % interval. */
export interface Ratio {
  median: number;
  low: number;
  high: number;
}

/** Runs a contest: every round gives each contestant a turn, in an order that rotates. */
export async function compare({
  name,
  contestants,
  rounds = 15,
  turn = 8e6,
}: Contest): Promise<Outcome> {
  const entries = Object.entries(contestants);
  const samples: Record<string, number[]> = Object.fromEntries(
    entries.map(([label]) => [label, []]),
  );
  for (const [, contestant] of entries) await warmUp(contestant);
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < entries.length; place++) {
      const [label, contestant] = entries[(place + round) % entries.length]!;
      samples[label]!.push(
        await (typeof contestant === "function"
          ? batches(contestant, turn)
          : laps(contestant, turn)),
      );
    }
  }
  return {
    name,
    nanoseconds: Object.fromEntries(entries.map(([label]) => [label, median(samples[label]!)])),
    ratio: (other, one) =>
      ratioOf(samples[other]!.map((nanoseconds, round) => nanoseconds / samples[one]![round]!)),
  };
}

/** Milliseconds of a warm-up. */
const WARM_UP = 100;

/** The most laps of a warm-up: the supply of prepared inputs may be limited. */
const WARM_UP_LAPS = 3;

/** Runs a contestant long enough for V8 to optimise it. */
async function warmUp(contestant: Contestant): Promise<void> {
  const end = performance.now() + WARM_UP;
  if (typeof contestant === "function") {
    do await contestant();
    while (performance.now() < end);
  } else {
    let done = 0;
    do lap(contestant);
    while (++done < WARM_UP_LAPS && performance.now() < end);
  }
}

/** Returns the nanoseconds of a call, timed in batches. */
async function batches(run: () => unknown, turn: number): Promise<number> {
  const { p50 } = await measure(run, {
    min_cpu_time: turn,
    min_samples: 3,
    warmup_samples: 1,
    batch_samples: 64,
    inner_gc: false,
    gc: false,
  });
  return p50;
}

/** Returns the nanoseconds of a call, each timed alone. */
function laps(contestant: Lap, turn: number): number {
  const times: number[] = [];
  let spent = 0;
  do {
    times.push(lap(contestant));
    spent += times.at(-1)!;
  } while (spent < turn);
  return median(times);
}

function lap(contestant: Lap): number {
  contestant.prepare?.();
  const start = performance.now();
  contestant.run();
  return (performance.now() - start) * 1e6;
}

/** Returns the median of the ratios, and the 95 % interval of the medians of 1,000 resamples. */
export function ratioOf(ratios: readonly number[]): Ratio {
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
  const resampled = Array.from({ length: 1000 }, () =>
    median(ratios.map(() => ratios[Math.floor(random() * ratios.length)]!)),
  ).sort((a, b) => a - b);
  return { median: median(ratios), low: resampled[24]!, high: resampled[974]! };
}

/** Returns the median of a list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
