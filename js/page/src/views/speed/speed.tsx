// Speed: the engine against TypeScript and tuned JavaScript, measured on the visitor's machine.

import { signal } from "@preact/signals";
import * as Comlink from "comlink";
import { useEffect } from "preact/hooks";
import { count, NBSP } from "../../app/format.ts";
import type { ContestName } from "./contests.ts";
import type { Outcome, SpeedCalls } from "./speed-worker.ts";

const SIZES = [10, 100, 1_000, 10_000, 100_000];
/** Plain TypeScript takes a minute to index ten times as many in words. */
const SIZES_IN_WORDS = [10, 100, 1_000];

/** The contestants by contest; the engine comes first. The worker has the same order. */
const CONTESTS: readonly {
  name: ContestName;
  title: string;
  /** Its work, in a sentence. */
  verb: string;
  unit: string;
  sizes: readonly number[];
  /** The size that the result in a sentence tells of. */
  told: number;
  about: string;
  contestants: readonly string[];
}[] = [
  {
    name: "ask",
    title: "Answering a question",
    verb: "answer a question to",
    unit: "memories",
    sizes: SIZES_IN_WORDS,
    told: 1_000,
    about:
      "By evidence, the default ranking: words, word vectors, passages, times and runs. " +
      "Memories have forty words and questions eight. TypeScript is the plain form of the same " +
      "computation, by which the engine is tested.",
    contestants: ["nous-wasm", "TypeScript"],
  },
  {
    name: "rank",
    title: "Ranking candidates",
    verb: "rank",
    unit: "candidates",
    sizes: SIZES,
    told: 10_000,
    about:
      "Each contestant ranks the same candidates by six signals, and returns the best 20. " +
      "“Resident” means that the engine already holds the memories, as in the server. A call " +
      "names them by number. The other contestants get an object for each candidate.",
    contestants: ["nous-wasm", "resident nous-wasm", "TypeScript", "tuned JavaScript"],
  },
  {
    name: "fade",
    title: "Fading memories",
    verb: "fade",
    unit: "memories",
    sizes: SIZES,
    told: 10_000,
    about:
      "Each contestant computes the retrievability and the lifecycle state of every memory. " +
      "Input and output are columns of numbers.",
    contestants: ["nous-wasm", "TypeScript", "tuned JavaScript"],
  },
];

/** How many races there are. */
const RACES = CONTESTS.reduce((sum, { sizes }) => sum + sizes.length, 0);
/** Times that differ by less are called the same. */
const SAME = 1.05;

type Run = "idle" | "running" | "done" | { failed: string };

const run = signal<Run>("idle");
const outcomes = signal<readonly Outcome[]>([]);
let worker: Worker | undefined;

async function start(): Promise<void> {
  stop();
  const own = new Worker(new URL(__SPEED_WORKER__, import.meta.url), {
    type: "module",
    name: "speed",
  });
  worker = own;
  own.onerror = () => {
    if (worker === own) run.value = { failed: "its code could not be loaded. Try again." };
  };
  const calls = Comlink.wrap<SpeedCalls>(own);
  run.value = "running";
  outcomes.value = [];
  try {
    for (const { name, sizes } of CONTESTS)
      for (const size of sizes) {
        const outcome = await calls.run(name, size);
        if (worker !== own) return;
        outcomes.value = [...outcomes.value, outcome];
      }
    run.value = "done";
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (worker === own) run.value = { failed: why };
  }
  own.terminate();
}

function stop(): void {
  worker?.terminate();
  worker = undefined;
  if (run.value === "running") run.value = "idle";
}

export default function Speed() {
  useEffect(() => stop, []);
  const state = run.value;
  const done = outcomes.value.length;
  return (
    <div class="speed">
      <header class="intro">
        <h1>Speed on this machine</h1>
        <p class="lead">
          How long the engine takes in this browser, beside the same computation in TypeScript.
        </p>
        <p class="actions">
          <button
            type="button"
            class="primary"
            onClick={() => (state === "running" ? stop() : void start())}
          >
            {state === "running" ? "Stop" : done > 0 ? "Measure again" : "Measure"}
          </button>
          <span class="quiet" role="status">
            {state === "running"
              ? `Measured ${done} of ${RACES} …`
              : state === "done"
                ? `Done. ${CONTESTS.map(resultOf).filter(Boolean).join(" ")}`
                : "It takes about twenty seconds."}
          </span>
        </p>
        {typeof state === "object" ? (
          <p class="problem" role="alert">
            The measurement failed: {state.failed}
          </p>
        ) : null}
      </header>
      {CONTESTS.map((contest) => {
        const own = outcomes.value.filter((outcome) => outcome.contest === contest.name);
        return own.length === 0 ? null : <Contest key={contest.name} {...contest} outcomes={own} />;
      })}
      {done === 0 ? null : (
        <p class="quiet">
          Contestants get the same input and take turns, so that a busy machine slows all of them. A
          time is the median of a call. Tuned JavaScript is the fastest that we know how to write.
        </p>
      )}
    </div>
  );
}

/** Returns a time with a sensible unit: "2.64 µs", "1.3 ms". */
function time(milliseconds: number): string {
  const [value, unit] =
    milliseconds < 0.001
      ? [milliseconds * 1e6, "ns"]
      : milliseconds < 1
        ? [milliseconds * 1e3, "µs"]
        : [milliseconds, "ms"];
  const digits = value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : Math.round(value);
  return `${digits}${NBSP}${unit}`;
}

/** Returns a ratio in words: "7.1×", "62×". */
const times = (ratio: number): string => `${ratio < 10 ? ratio.toFixed(1) : Math.round(ratio)}×`;

/** Returns how a time compares with that of nous-wasm. */
function compared(median: number, ofEngine: number, isFastest: boolean): string {
  const ratio = median / ofEngine;
  if (ratio < SAME && ratio > 1 / SAME)
    return isFastest ? "barely ahead of nous-wasm" : "as fast as nous-wasm";
  return ratio > 1
    ? `${times(ratio)} slower than nous-wasm`
    : `${times(1 / ratio)} faster than nous-wasm`;
}

/** Returns who won a contest and by how much, in a sentence. */
function resultOf({ name, verb, unit, told, contestants }: (typeof CONTESTS)[number]): string {
  const outcome = outcomes.value.find(({ contest, size }) => contest === name && size === told);
  if (outcome === undefined) return "";
  const order = contestants
    .map((contestant, place) => ({ contestant, median: outcome.medians[place]! }))
    .sort((a, b) => a.median - b.median);
  const [first, ...others] = order;
  const behind = others.map(({ contestant, median }) =>
    median / first!.median < SAME
      ? `as fast as ${contestant}`
      : `${times(median / first!.median)} faster than ${contestant}`,
  );
  const last = behind.pop();
  const by = behind.length === 0 ? last : `${behind.join(", ")} and ${last}`;
  return `To ${verb} ${count(told)} ${unit}, ${first!.contestant} takes ${time(first!.median)}: ${by}.`;
}

interface ContestProps {
  title: string;
  about: string;
  unit: string;
  contestants: readonly string[];
  outcomes: readonly Outcome[];
}

function Contest({ title, about, unit, contestants, outcomes }: ContestProps) {
  return (
    <section class="contest" aria-label={title}>
      <h2>{title}</h2>
      <p class="lead">{about}</p>
      <div class="races">
        {outcomes.map(({ size, medians, isEqual }) => (
          <section class="race" key={size} aria-label={`${title}: ${count(size)} ${unit}`}>
            <h3>
              {count(size)} {unit}
              {isEqual ? null : <span class="differs">results differ</span>}
            </h3>
            <ul>
              {contestants.map((name, place) => (
                <Runner key={name} name={name} place={place} medians={medians} />
              ))}
            </ul>
          </section>
        ))}
      </div>
    </section>
  );
}

interface RunnerProps {
  name: string;
  place: number;
  medians: readonly number[];
}

/** A contestant: all bars of a race have one scale. */
function Runner({ name, place, medians }: RunnerProps) {
  const median = medians[place]!;
  const [min, max] = [Math.min(...medians), Math.max(...medians)];
  const isFastest = median === min;
  return (
    <li class={isFastest ? "fastest" : undefined}>
      <span class="name">{name}</span>
      <span class="length" aria-hidden="true">
        <i style={{ width: `${(median / max) * 100}%` }} />
      </span>
      <span class="time">{time(median)}</span>
      <span class="ratio">
        {isFastest ? <strong>fastest</strong> : null}
        {isFastest && place > 0 ? ", " : null}
        {place === 0 ? null : compared(median, medians[0]!, isFastest)}
      </span>
    </li>
  );
}
