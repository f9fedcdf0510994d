// Writes the measurements as Markdown tables.

import { table } from "../results.ts";
import { draws, type Estimate, estimate } from "./bootstrap.ts";
import { SETS, type SetName } from "./labelled-set.ts";
import { METRIC_NAMES, METRICS, type Metric } from "./metrics.ts";
import { KINDS, type Labelled } from "./questions.ts";
import { EMBEDDINGS, type Embeddings, nameOf, WAYS, type Way } from "./systems.ts";
import { type Reweighed, WEIGHINGS } from "./why.ts";

/** The results of each system for each question, in the order of the questions. */
export type Found = Readonly<Record<Embeddings, Readonly<Record<Way, Lists>>>>;
type Lists = readonly (readonly string[])[];

/** Questions and their results. */
export interface Asked {
  questions: readonly Labelled[];
  found: Found;
  /** Results of the analysed weights, by memory. */
  reweighed: Readonly<Record<string, Reweighed>>;
}

/** Pairs of systems: each shows the effect of one addition. */
const STEPS: readonly { name: string; to: Way; from: Way }[] = [
  { name: "section weights for global ones", to: "sections", from: "global" },
  { name: "boost `words`", to: "words", from: "sections" },
  { name: "the orchestrator's parts", to: "unreplaced", from: "words" },
  { name: "replacing weak results", to: "orchestrator", from: "unreplaced" },
];
/** The metric of the steps and of the short table. */
const JUDGED: Metric = "nDCG@10";

const SET_TITLES: Readonly<Record<SetName, string>> = {
  test: "Test set",
  handwritten: "Handwritten",
  dev: "Development set",
};

/** Returns all tables. `held` is the test set and the handwritten questions together. */
export function report(sets: Readonly<Record<SetName, Asked>>, held: Asked): string {
  return [
    `## ${JUDGED} in short`,
    "Kinds are those of the test set and the handwritten questions together.",
    shortTable(sets, held),
    `## Test and handwritten together, ${held.questions.length} questions`,
    ...differences(held),
    "## Where section weights gain and lose",
    `${JUDGED} by global weights and, against it, what other weights make of the same candidates: those of sections, the same ` +
      "with single signals back at their global weight, and those of a single section for its own memories alone. " +
      "This explains; nothing was chosen by it.",
    ...whyTables("Test and handwritten:", held),
    ...whyTables("Development set:", sets.dev),
    ...SETS.flatMap((name) => [
      `## ${SET_TITLES[name]}, ${sets[name].questions.length} questions`,
      metricsTable(sets[name]),
      kindsTable(sets[name]),
      ...differences(sets[name]),
    ]),
  ].join("\n\n");
}

/** Returns all questions of a set, and those of each kind. */
function partsOf(questions: readonly Labelled[]) {
  return (["all", ...KINDS] as const).map((kind) => {
    const places = questions.flatMap((question, place) =>
      kind === "all" || question.kind === kind ? [place] : [],
    );
    return { kind, label: `${kind} (${places.length})`, places, drawn: draws(places.length) };
  });
}

const judge = (questions: readonly Labelled[], lists: Lists, metric: Metric): number[] =>
  questions.map(({ grades }, place) => METRICS[metric](lists[place]!, grades));

/** Returns the change of the metric of each question between two lists of results. */
function changesOf(questions: readonly Labelled[], to: Lists, from: Lists): number[] {
  const before = judge(questions, from, JUDGED);
  return judge(questions, to, JUDGED).map((value, place) => value - before[place]!);
}

const chosen = (series: readonly number[], places: readonly number[]): number[] =>
  places.map((place) => series[place]!);

/** Returns a table with a row for each system. */
function systemsTable(
  head: readonly string[],
  cells: (embeddings: Embeddings, way: Way) => string[],
): string {
  const rows = EMBEDDINGS.flatMap((one) =>
    WAYS.map((way) => [one, nameOf(way, one), ...cells(one, way)]),
  );
  return table(["embeddings", "system", ...head], rows);
}

function shortTable(
  { test, handwritten, dev }: Readonly<Record<SetName, Asked>>,
  held: Asked,
): string {
  const kinds = partsOf(held.questions).slice(1);
  const whole = (name: string, { questions }: Asked) => `${name} (${questions.length})`;
  return systemsTable(
    [
      whole("test", test),
      whole("handwritten", handwritten),
      ...kinds.map(({ label }) => label),
      whole("dev", dev),
    ],
    (embeddings, way) => {
      const values = ({ questions, found }: Asked) =>
        judge(questions, found[embeddings][way], JUDGED);
      const ofKinds = kinds.map(({ places }) => chosen(values(held), places));
      return [values(test), values(handwritten), ...ofKinds, values(dev)].map((series) =>
        mean(series).toFixed(3),
      );
    },
  );
}

function metricsTable({ questions, found }: Asked): string {
  const drawn = draws(questions.length);
  return systemsTable(METRIC_NAMES, (embeddings, way) =>
    METRIC_NAMES.map((metric) =>
      shown(estimate(judge(questions, found[embeddings][way], metric), drawn)),
    ),
  );
}

function kindsTable({ questions, found }: Asked): string {
  const kinds = partsOf(questions).slice(1);
  return systemsTable(
    kinds.map(({ label }) => `${JUDGED}, ${label}`),
    (embeddings, way) => {
      const values = judge(questions, found[embeddings][way], JUDGED);
      return kinds.map(({ places, drawn }) => shown(estimate(chosen(values, places), drawn)));
    },
  );
}

function differences({ questions, found }: Asked): string[] {
  const parts = partsOf(questions);
  const worse: string[] = [];
  const rows = EMBEDDINGS.flatMap((one) =>
    STEPS.map(({ name, to, from }) => {
      const changes = changesOf(questions, found[one][to], found[one][from]);
      const estimates = parts.map(({ places, drawn }) => estimate(chosen(changes, places), drawn));
      const where = parts.filter((_, part) => estimates[part]!.high < 0).map(({ kind }) => kind);
      if (where.length > 0) worse.push(`${one} embeddings ${name} (${where.join(", ")})`);
      return [one, name, ...estimates.map(shownDifference)];
    }),
  );
  return [
    `Differences of ${JUDGED}, question by question, that each step makes:`,
    table(["embeddings", "step", ...parts.map(({ label }) => label)], rows),
    ["Worse, with the whole interval below 0:", ...(worse.length === 0 ? ["none"] : worse)].join(
      "\n- ",
    ),
  ];
}

function whyTables(title: string, { questions, reweighed }: Asked): string[] {
  const drawn = draws(questions.length);
  const ways = Object.values(reweighed);
  const globals = ways.map(({ global }) => mean(judge(questions, global, JUDGED)).toFixed(3));
  const rows = WEIGHINGS.map(([name], which) => [
    name,
    ...ways.map(({ global, others }) =>
      shownDifference(estimate(changesOf(questions, others[which]!, global), drawn)),
    ),
  ]);
  return [
    title,
    table(["weights", ...Object.keys(reweighed)], [["global weights", ...globals], ...rows]),
  ];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function shown({ mean, low, high }: Estimate): string {
  return `${mean.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}

function shownDifference({ mean, low, high }: Estimate): string {
  return `${signed(mean)} (${signed(low)} to ${signed(high)})`;
}

function signed(value: number): string {
  const text = Math.abs(value).toFixed(3);
  return Number(text) === 0 ? text : `${value < 0 ? "−" : "+"}${text}`;
}
