// The worker of the Speed view: it measures, so that the page stays free.

import * as Comlink from "comlink";
import tableAddress from "nous-embedder/tables/nous-128.bin";
import { Embedder, init } from "nous-wasm";
import moduleAddress from "nous-wasm/nous_wasm.wasm";
import { type ContestName, prepare, type Words } from "./contests.ts";
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

/** The text whose words memories are made of. */
const TEXT = "../samples/general.jsonl";

async function fetched(address: string): Promise<Response> {
  const answer = await fetch(new URL(address, import.meta.url));
  if (!answer.ok) throw new Error(`${new URL(answer.url).pathname} answered ${answer.status}.`);
  return answer;
}

let words: Promise<Words> | undefined;

/** Returns the words, which are fetched once. */
function wordsOf(): Promise<Words> {
  words ??= (async () => {
    const [text, table] = await Promise.all([fetched(TEXT), fetched(tableAddress)]);
    const lines = (await text.text()).trim().split("\n");
    return {
      words: lines.flatMap((line) => JSON.parse(line).content_body?.split(/\s+/) ?? []),
      embedder: new Embedder(new Uint8Array(await table.arrayBuffer())),
    };
  })();
  return words;
}

const calls = {
  async run(contest: ContestName, size: number): Promise<Outcome> {
    await init(new URL(moduleAddress, import.meta.url));
    const { calls, isEqual, free } = await prepare(contest, size, wordsOf);
    try {
      return { contest, size, isEqual, medians: measure(calls, BUDGET) };
    } finally {
      free();
    }
  },
};

export type SpeedCalls = typeof calls;

Comlink.expose(calls);
