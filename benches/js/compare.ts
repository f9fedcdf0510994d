// Contestants measured against each other: in one process, taking turns, so that whatever the
// machine does befalls all.

import { measure } from "mitata";

/** Something that can be done in several ways, and the ways. */
export interface Contest {
  name: string;
  /** By name; all give the same answer. */
  contestants: Record<string, Contestant>;
  /** Turns that each contestant gets. Default 15. */
  rounds?: number;
  /** Nanoseconds of processor time that a turn takes at least. Default 8 ms. */
  turn?: number;
  /** What else the outcome tells, by name. */
  remarks?(outcome: Outcome): Record<string, string>;
  /** Gives back what garbage collection does not. */
  close?(): void;
}

export type Contestant = (() => unknown) | Lap;

/**
 * A call that is timed by itself: it takes long, or spends what was made for it, which no clock
 * sees.
 */
export interface Lap {
  prepare?(): void;
  run(): unknown;
}

/** A contest whose input is large, so that it is made when its turn comes. */
export interface Deferred {
  name: string;
  make(): Contest;
}

/**
 * What the last contest left is given back before this one is made, and what making it left before
 * it begins.
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

export interface Outcome {
  name: string;
  /** Nanoseconds a call: the median over the rounds. */
  nanoseconds: Record<string, number>;
  /**
   * How many times as long `other` takes as `one`: the median of the rounds' ratios, and its 95 %
   * interval.
   */
  ratio(other: string, one: string): Ratio;
}

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

/** A tenth of a second. */
const WARM_UP = 100;

/** Laps that a contestant warms up with, at most: what is prepared for them may not be endless. */
const WARM_UP_LAPS = 3;

/** Long enough for the optimising compiler to have seen the code. */
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

/** Nanoseconds of a call, in batches of many. */
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

/** Nanoseconds of a call, each timed by itself. */
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

/**
 * The median of the ratios, and the interval that the medians of 1,000 resamples mostly fall in.
 */
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

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
