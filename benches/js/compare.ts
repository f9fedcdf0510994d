// Contestants measured against each other: in one process, taking turns, so that whatever the machine does befalls all.

import { measure } from "mitata";

/** Something that can be done in several ways, and the ways. */
export interface Contest {
  name: string;
  /** By name; all give the same answer. */
  contestants: Record<string, () => unknown>;
  /** Turns that each contestant gets. Default 15. */
  rounds?: number;
  /** Nanoseconds of processor time that a turn takes at least. Default 8 ms. */
  turn?: number;
}

export interface Outcome {
  name: string;
  /** Nanoseconds a call: the median over the rounds. */
  nanoseconds: Record<string, number>;
  /** How many times as long `other` takes as `one`: the median of the rounds' ratios, and its 95 % interval. */
  ratio(other: string, one: string): Ratio;
}

export interface Ratio {
  median: number;
  low: number;
  high: number;
}

/** Runs a contest: every round gives each contestant a turn, in an order that rotates. */
export async function compare({ name, contestants, rounds = 15, turn = 8e6 }: Contest): Promise<Outcome> {
  const entries = Object.entries(contestants);
  const samples: Record<string, number[]> = Object.fromEntries(entries.map(([label]) => [label, []]));
  for (const [, run] of entries) warmUp(run);
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < entries.length; place++) {
      const [label, run] = entries[(place + round) % entries.length]!;
      const { p50 } = await measure(run, {
        min_cpu_time: turn,
        min_samples: 3,
        warmup_samples: 1,
        batch_samples: 64,
        inner_gc: false,
        gc: false,
      });
      samples[label]!.push(p50);
    }
  }
  return {
    name,
    nanoseconds: Object.fromEntries(entries.map(([label]) => [label, median(samples[label]!)])),
    ratio: (other, one) => ratioOf(samples[other]!.map((nanoseconds, round) => nanoseconds / samples[one]![round]!)),
  };
}

/** Long enough for the optimising compiler to have seen the code, a tenth of a second at most. */
function warmUp(run: () => unknown): void {
  const end = performance.now() + 100;
  do run();
  while (performance.now() < end);
}

/** The median of the ratios, and the interval that the medians of 1,000 resamples mostly fall in. */
function ratioOf(ratios: number[]): Ratio {
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
