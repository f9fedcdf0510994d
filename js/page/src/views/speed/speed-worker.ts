// The worker of the Speed view: it measures, so that the page stays free.

import * as Comlink from "comlink";
import { init } from "nous-wasm";
import moduleAddress from "nous-wasm/nous_wasm.wasm";
import { type ContestName, prepare } from "./contests.ts";
import { measure } from "./measure.ts";

/** How long a contest is measured, in milliseconds. */
const BUDGET = 700;

/** The outcome of a contest of one size. */
export interface Outcome {
  contest: ContestName;
  size: number;
  /** The median of a call, in milliseconds, by contestant. */
  medians: number[];
  /** Whether all contestants gave the same results. */
  isEqual: boolean;
}

const calls = {
  async run(contest: ContestName, size: number): Promise<Outcome> {
    await init(new URL(moduleAddress, import.meta.url));
    const { calls, isEqual, free } = prepare(contest, size);
    try {
      return { contest, size, isEqual, medians: measure(calls, BUDGET) };
    } finally {
      free();
    }
  },
};

export type SpeedCalls = typeof calls;

Comlink.expose(calls);
