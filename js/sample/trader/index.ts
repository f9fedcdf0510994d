// A generated sample memory: a trading agent's memory of some months. The same options give the
// same sample, to the byte, on every machine. Nothing here reads a clock.

import { writeCuriosities } from "./curiosities.ts";
import { linkEvents, writeEvents } from "./events.ts";
import { Journal } from "./journal.ts";
import { writeLessons } from "./lessons.ts";
import { DAY, makeMarket } from "./market.ts";
import { finishPlaybooks, writePlaybooks } from "./playbooks.ts";
import { Random } from "./random.ts";
import { recallAll } from "./recalls.ts";
import { writeSessions } from "./sessions.ts";
import { writeWatchpoints } from "./signals.ts";
import { writeTheses } from "./theses.ts";
import { writeTrades } from "./trades.ts";
import { writeTurns } from "./turns.ts";
import type { Sample } from "./types.ts";
import type { Quota, World } from "./world.ts";

export { sampleAt } from "./as-of.ts";
export { EDGE_STRENGTH } from "./memory-model.ts";
export { SETUPS, type SetupKey } from "./setups.ts";
export { kindOf, type SearchedText, searchedText, searchedTitle, textOf } from "./texts.ts";
export * from "./types.ts";

/** Options of a sample. */
export interface SampleOptions {
  seed?: number;
  /** The number of memories, at least 100. */
  memories?: number;
  /** The number of days that they span, at least 14. */
  days?: number;
  /** The end of the last day, ISO 8601. */
  end?: string;
}

/** The options of the sample that tests, benches and `npm run ask` use. */
export const SAMPLE_DEFAULTS = {
  seed: 7,
  memories: 2000,
  days: 200,
  end: "2026-03-15T00:00:00.000Z",
} as const;

const FEWEST_MEMORIES = 100;
const FEWEST_DAYS = 14;

/** Memories of each kind in a sample of 2,000; turn summaries make up the rest. */
const SHARES: Readonly<Record<keyof Quota, number>> = {
  entries: 150,
  scalps: 42,
  signals: 360,
  watchpoints: 145,
  lessons: 118,
  theses: 84,
  curiosities: 48,
  playbooks: 20,
  missed: 60,
  passes: 60,
  events: 125,
  sessions: 160,
};

function quotaFor(memories: number, days: number): Quota {
  const quota = {} as Quota;
  for (const [kind, share] of Object.entries(SHARES) as [keyof Quota, number][]) {
    quota[kind] = Math.max(1, Math.round((share * memories) / 2000));
  }
  quota.sessions = Math.min(quota.sessions, days);
  return quota;
}

/**
 * Generates a sample.
 *
 * @throws {RangeError} If an option is out of range.
 */
export function generateSample(options: SampleOptions = {}): Sample {
  const { seed, memories, days, end } = { ...SAMPLE_DEFAULTS, ...options };
  const until = Date.parse(end);
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new RangeError(`seed: ${seed} is no whole number from 0 on`);
  if (!Number.isInteger(memories) || memories < FEWEST_MEMORIES)
    throw new RangeError(`memories: ${memories} is fewer than ${FEWEST_MEMORIES}`);
  if (!Number.isInteger(days) || days < FEWEST_DAYS)
    throw new RangeError(`days: ${days} is fewer than ${FEWEST_DAYS}`);
  if (Number.isNaN(until)) throw new RangeError(`end: ${end} is no date`);

  const random = new Random(seed, "sample");
  const start = until - days * DAY;
  const quota = quotaFor(memories, days);
  const market = makeMarket(
    start,
    until,
    { shocks: quota.events, occurrences: Math.ceil(quota.signals * 1.9) },
    random.fork("market"),
  );
  const world: World = {
    market,
    journal: new Journal(random.fork("ids")),
    quota,
    random,
    truth: {
      seed,
      start,
      end: until,
      trades: [],
      scalps: [],
      signals: [],
      watchpoints: [],
      lessons: [],
      theses: [],
      playbooks: [],
      missed: [],
      passes: [],
      events: [],
      curiosities: [],
      sessions: [],
      turns: [],
    },
  };

  writeEvents(world);
  writePlaybooks(world);
  writeTheses(world);
  writeWatchpoints(world);
  writeTrades(world);
  writeLessons(world);
  finishPlaybooks(world);
  writeCuriosities(world);
  writeSessions(world);
  writeTurns(world, memories - world.journal.nodes.length);
  linkEvents(world);
  recallAll(world);

  const { journal, truth } = world;
  return {
    nodes: journal.nodes.sort((a, b) => a.created_at - b.created_at),
    edges: journal.edges.sort((a, b) => a.created_at - b.created_at),
    truth,
  };
}
