// The order in which each contestant beside libraries and databases is measured. `peers.py` has the
// same for Python.

import type { Data, Plan } from "./data.ts";

/** What was measured of a contestant: nanoseconds and bytes. */
export interface Measured {
  /** From the call that opens the files to the first answer. */
  opening: number;
  searches: number[];
  writes: number[];
  /** Resident bytes of the process, after the searches. */
  resident: number;
  /** Places of the memories that questions found, in order of the questions, where they are told. */
  found?: number[][];
}

type Found = number | number[];

/** A contestant that is open. */
export interface Opened {
  /** Finds the first answers of a question. Returns their places, or else their number. */
  ask(question: number): Found | Promise<Found>;
  /** Stores a new memory. */
  write(fresh: number): unknown;
  /** Returns the resident bytes of the process. */
  resident(): number;
  close(): unknown;
}

/**
 * Opens a contestant, asks all questions once, measures questions and then writes, and closes it.
 *
 * @throws {Error} If no question finds anything.
 */
export async function measure(data: Data, open: () => Opened | Promise<Opened>): Promise<Measured> {
  const { plan } = data;
  const questions = plan.questions.map((_, question) => question);
  const again = Array.from({ length: plan.rounds }, () => questions).flat();
  const began = performance.now();
  const peer = await open();
  try {
    await peer.ask(0);
    const opening = since(began);
    const found: Found[] = [];
    await timesOf(questions, plan, async (question) => found.push(await peer.ask(question)));
    if (found.every((answers) => answers === 0 || (answers as number[]).length === 0))
      throw new Error("no question finds anything");
    const searches = await timesOf(again, plan, (question) => peer.ask(question));
    const resident = peer.resident();
    const writes = await timesOf([...data.fresh.keys()], plan, (fresh) => peer.write(fresh));
    const places = found.filter((answers) => Array.isArray(answers));
    return { opening, searches, writes, resident, ...(places.length > 0 ? { found: places } : {}) };
  } finally {
    await peer.close();
  }
}

const since = (began: number): number => (performance.now() - began) * 1e6;

/** Runs something for each of a list, and stops when it has taken long. Returns nanoseconds. */
async function timesOf(
  list: readonly number[],
  { seconds, least }: Plan,
  run: (one: number) => unknown,
): Promise<number[]> {
  const times: number[] = [];
  const first = performance.now();
  for (const one of list) {
    if (times.length >= least && since(first) > seconds * 1e9) break;
    const began = performance.now();
    await run(one);
    times.push(since(began));
  }
  return times;
}

/** Returns the share of the nearest memories of each question that it found. */
export function recallOf(found: readonly number[][], nearest: readonly number[][]): number {
  const judged = nearest.slice(0, found.length);
  const right = judged.flatMap((places, question) =>
    places.filter((place) => found[question]!.includes(place)),
  );
  return right.length / judged.flat().length;
}
