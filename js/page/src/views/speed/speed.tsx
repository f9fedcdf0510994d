// Speed: the engine against TypeScript and tuned JavaScript, measured on the visitor's machine.

import { signal } from "@preact/signals";
import * as Comlink from "comlink";
import { useEffect } from "preact/hooks";
import { count } from "../../app/format.ts";
import type { ContestName } from "./contests.ts";
import type { Outcome, SpeedCalls } from "./speed-worker.ts";

const SIZES = [10, 100, 1_000, 10_000, 100_000];

/** The contestants by contest; the engine comes first. The worker has the same order. */
const CONTESTS: readonly {
  name: ContestName;
  title: string;
  unit: string;
  about: string;
  contestants: readonly string[];
}[] = [
  {
    name: "rank",
    title: "Ranking candidates",
    unit: "candidates",
    about:
      "Each contestant ranks the same candidates by six signals, with the weights of their " +
      "sections, and returns the best 20. The candidates are objects, except those of the resident " +
      "index, which names them by number.",
    contestants: ["nous-wasm", "nous-wasm, resident", "TypeScript", "tuned JavaScript"],
  },
  {
    name: "fade",
    title: "Fading memories",
    unit: "memories",
    about:
      "Each contestant computes how well every memory is still retrievable today, and its " +
      "lifecycle state. Input and output are columns of numbers.",
    contestants: ["nous-wasm", "TypeScript", "tuned JavaScript"],
  },
];

type Run = "idle" | "running" | "done" | { failed: string };

const run = signal<Run>("idle");
const outcomes = signal<readonly Outcome[]>([]);
let worker: Worker | undefined;

async function start(): Promise<void> {
  stop();
  const own = new Worker(new URL("./speed-worker.ts", import.meta.url), {
    type: "module",
    name: "speed",
  });
  worker = own;
  const calls = Comlink.wrap<SpeedCalls>(own);
  run.value = "running";
  outcomes.value = [];
  try {
    for (const { name } of CONTESTS)
      for (const size of SIZES) {
        const outcome = await calls.run(name, size);
        if (worker !== own) return;
        outcomes.value = [...outcomes.value, outcome];
      }
    run.value = "done";
  } catch (error) {
    if (worker === own) run.value = { failed: String(error) };
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
  const all = CONTESTS.length * SIZES.length;
  return (
    <div class="speed">
      <header class="intro">
        <h1>Speed on this machine</h1>
        <p class="lead">
          The engine runs against the same computation in TypeScript, and against the fastest
          JavaScript that we know how to write. They take turns, so that a busy machine slows all of
          them. A time is the median of a call; the ratio beside it is to nous-wasm, and below 1 for
          a contestant that is quicker.
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
              ? `Measured ${done} of ${all} …`
              : state === "done"
                ? "Done."
                : "It takes about ten seconds."}
          </span>
        </p>
        {typeof state === "object" ? (
          <p class="problem" role="alert">
            The measurement failed: {state.failed}
          </p>
        ) : null}
      </header>
      {CONTESTS.map((contest) => (
        <Contest
          key={contest.name}
          {...contest}
          outcomes={outcomes.value.filter((outcome) => outcome.contest === contest.name)}
        />
      ))}
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
  return `${value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : Math.round(value)} ${unit}`;
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
      {outcomes.length === 0 ? null : (
        <div class="scroll">
          <table>
            <caption class="hidden">{title}: medians, and ratios to nous-wasm</caption>
            <thead>
              <tr>
                <th scope="col">{unit}</th>
                {contestants.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {outcomes.map(({ size, medians, isEqual }) => (
                <tr key={size}>
                  <th scope="row">
                    {count(size)}
                    {isEqual ? null : <span class="differs">results differ</span>}
                  </th>
                  {medians.map((median, place) => (
                    <Cell
                      key={place}
                      median={median}
                      first={medians[0]!}
                      slowest={Math.max(...medians)}
                    />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Cell({ median, first, slowest }: { median: number; first: number; slowest: number }) {
  const ratio = median / first;
  return (
    <td>
      <span class="time">{time(median)}</span>
      <span class="ratio">{median === first ? "" : `${ratio.toFixed(ratio < 10 ? 2 : 1)}×`}</span>
      <span class="length" aria-hidden="true">
        <i style={{ width: `${(median / slowest) * 100}%` }} />
      </span>
    </td>
  );
}
