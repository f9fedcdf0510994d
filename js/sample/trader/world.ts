// The state that the writers of all kinds of memories share.

import type { Journal } from "./journal.ts";
import type { Market } from "./market.ts";
import type { Random } from "./random.ts";
import type { SampleTruth } from "./types.ts";

/** The number of memories of each kind. */
export interface Quota {
  entries: number;
  scalps: number;
  signals: number;
  watchpoints: number;
  lessons: number;
  theses: number;
  curiosities: number;
  playbooks: number;
  missed: number;
  passes: number;
  events: number;
  sessions: number;
}

/** The market, the journal, the random numbers and the quota of a sample. */
export interface World {
  market: Market;
  journal: Journal;
  truth: SampleTruth;
  quota: Quota;
  random: Random;
}

export const MINUTE = 60_000;
