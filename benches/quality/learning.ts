// `npm run quality -- learning FILE …`: simulates feedback on the questions of files, and writes
// how good answers are with and without learning from it to benches/results/. Every run gives the
// same numbers.

import { basename } from "node:path";
import { parseArgs } from "node:util";
import { loadEmbedderSync } from "nous-embedder";
import { TRAITS } from "nous-wasm";
import { Random } from "../../js/sample/trader/random.ts";
import { table, today, writeInto, writeResults } from "../results.ts";
import { CONFIDENCE, draws, type Estimate, estimate, RESAMPLES } from "./bootstrap.ts";
import { binsOf, calibrationError } from "./calibration.ts";
import { shown, shownDifference } from "./evidence-report.ts";
import { askingOf, type Judge, judged, results } from "./measure.ts";
import { readSet } from "./read-set.ts";
import { type Simulated, simulateUse } from "./simulated-use.ts";

const USAGE = `npm run quality -- learning --set FILE …   JSON, or JSON compressed by gzip`;
/** The page that quotes the figures. */
const PAGE = "docs/quality.md";
/** Each set is simulated so often, with other wrong feedback. */
const RUNS = 5;
/** Learning is on by default if no set loses more than this, and … */
const MAX_LOST = 0.005;
/** … so many sets gain more than this. */
const MIN_GAIN = 0.02;
const MIN_GAINING = 2;

const HOW = `\`npm run quality -- learning --set FILE …\`. The questions of each store are asked in order of time. Of the ten memories shown the answers are
used; one time in ten a wrong one is used instead. After each question the index learns. The second half of the questions of each
store is judged, with and without learning: means of ${RUNS} runs that differ in which feedback is wrong. In brackets are
${100 * CONFIDENCE} % intervals of ${RESAMPLES} bootstrap resamples over questions. The calibration error is the expected one over ten bins of the scores
of all first ten memories; *uncentred*: without taking off what traits contribute to the memories shown on average.`;

/** The figures of a set. */
interface Row {
  readonly name: string;
  readonly questions: number;
  readonly stores: number;
  readonly without: Estimate;
  readonly learning: Estimate;
  readonly difference: Estimate;
  readonly hits: readonly [without: number, learning: number];
  readonly errors: readonly [without: number, learning: number, uncentred: number];
  /** The mean shift of each trait at the end of a store. */
  readonly shifts: readonly number[];
}

const { values, positionals } = parseArgs({
  options: { set: { type: "string", multiple: true }, help: { type: "boolean" } },
  allowPositionals: true,
});
const files = [...(values.set ?? []), ...positionals];
if (values.help === true || files.length === 0) console.log(USAGE);
else run();

function run(): void {
  const embedder = loadEmbedderSync();
  const rows = files.map((file) => {
    const name = basename(file).replace(/\.json(\.gz)?$/, "");
    const start = performance.now();
    const askings = readSet(file).map(askingOf);
    const runs = Array.from({ length: RUNS }, (_, seed) =>
      askings.map((asking, store) =>
        simulateUse(asking, embedder, new Random(seed, `use of ${name} ${store}`)),
      ),
    );
    console.error(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
    return rowOf(name, runs);
  });
  const summary = [
    table(
      ["set", "questions", "without", "with learning", "difference"],
      rows.map(({ name, questions, without, learning, difference }) => [
        name,
        `${questions}`,
        shown(without),
        shown(learning),
        shownDifference(difference),
      ]),
    ),
    `nDCG@10 of the second half of the questions. ${verdictOf(rows)}`,
  ].join("\n\n");
  const text = [
    summary,
    table(
      ["set", "stores", "hit@1 without", "with", "calibration error without", "with", "uncentred"],
      rows.map(({ name, stores, hits, errors }) => [
        name,
        `${stores}`,
        ...[...hits, ...errors].map((value) => value.toFixed(3)),
      ]),
    ),
    "The mean shifts of the weights at the end of a store:",
    table(
      ["set", ...TRAITS],
      rows.map(({ name, shifts }) => [name, ...shifts.map((shift) => shift.toFixed(3))]),
    ),
  ].join("\n\n");
  console.log(text);
  const path = writeResults("learning", "Learning from use", `${HOW}\n\n${text}`);
  writeInto(PAGE, "figures of learning", `${summary}\n\nMeasured on ${today()}.`);
  console.log(`\nwritten to ${path}, in short to ${PAGE}`);
}

function rowOf(name: string, runs: readonly (readonly Simulated[])[]): Row {
  const all = runs.flat();
  const stores = runs[0]!;
  /** The metric of each question, as the mean of the runs. */
  const meansOf = (of: (one: Simulated) => Simulated["learning"], judge: Judge) => {
    const each = runs.map((run) => run.flatMap((one) => judged(one.cases, of(one), judge)));
    return each[0]!.map((_, place) => mean(each.map((values) => values[place]!)));
  };
  const errorOf = (of: (one: Simulated) => Simulated["learning"]) =>
    calibrationError(binsOf(all.flatMap((one) => results(one.cases, of(one)))));
  const without = meansOf((one) => one.without, "nDCG@10");
  const learning = meansOf((one) => one.learning, "nDCG@10");
  const places = draws(without.length);
  return {
    name,
    questions: without.length,
    stores: stores.length,
    without: estimate(without, places),
    learning: estimate(learning, places),
    difference: estimate(
      learning.map((value, place) => value - without[place]!),
      places,
    ),
    hits: [
      mean(meansOf((one) => one.without, "hit@1")),
      mean(meansOf((one) => one.learning, "hit@1")),
    ],
    errors: [
      errorOf((one) => one.without),
      errorOf((one) => one.learning),
      errorOf((one) => one.uncentred),
    ],
    shifts: TRAITS.map((trait) => mean(all.map(({ learned }) => learned.shifts[trait]))),
  };
}

/** Says whether learning may be on by default. */
function verdictOf(rows: readonly Row[]): string {
  const losing = rows.filter(({ difference }) => difference.mean < -MAX_LOST);
  const gaining = rows.filter(({ difference }) => difference.mean > MIN_GAIN);
  const isOn = losing.length === 0 && gaining.length >= MIN_GAINING;
  return (
    `Sets that lose more than ${MAX_LOST}: ${losing.length}; that gain more than ${MIN_GAIN}: ` +
    `${gaining.length}. By the rule that no set may lose so much and ${MIN_GAINING} must gain so ` +
    `much, learning is ${isOn ? "on" : "off"} by default.`
  );
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
