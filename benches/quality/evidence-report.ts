// Writes what systems found as Markdown tables.

import { table } from "../results.ts";
import { draws, type Estimate, estimate } from "./bootstrap.ts";
import { type Bin, binsOf, calibrationError } from "./calibration.ts";
import { BM25, EVIDENCE } from "./contestants.ts";
import {
  type Case,
  JUDGES,
  type Judge,
  judged,
  type Measured,
  type Part,
  results,
  selected,
} from "./measure.ts";

/** The metric by which kinds of questions are compared. */
export const JUDGED: Judge = "nDCG@10";
const JUDGE_NAMES = Object.keys(JUDGES) as Judge[];

/** Returns a head with the number of questions that have an answer, and the tables. */
export function reportOf({ title, cases, measured }: Part): string {
  return [
    `## ${title}: ${answerable(cases).length} questions`,
    overallTable(cases, measured),
    ...kindTables(cases, measured),
    ...calibrationTables(cases, measured),
  ].join("\n\n");
}

/** Returns the questions that have an answer. */
export function answerable(cases: readonly Case[]): Case[] {
  return cases.filter(({ grades }) => grades.size > 0);
}

/**
 * Returns a row for each system: the metrics, the calibration error, and the time of a question.
 */
export function overallTable(cases: readonly Case[], measured: readonly Measured[]): string {
  const drawn = draws(answerable(cases).length);
  return table(
    ["system", ...JUDGE_NAMES, "calibration error", "µs"],
    measured.map(({ system, found, micros }) => [
      system.name,
      ...JUDGE_NAMES.map((judge) => shown(estimate(judged(cases, found, judge), drawn))),
      system.isCalibrated ? calibrationError(binsOf(results(cases, found))).toFixed(3) : "",
      median(micros).toFixed(0),
    ]),
  );
}

/** Returns the kinds of the questions with answers, and the places of their cases. */
export function kindsOf(cases: readonly Case[]): { kind: string; places: number[] }[] {
  const kinds = new Map<string, number[]>();
  for (const [place, { kind, grades }] of cases.entries())
    if (grades.size > 0) kinds.set(kind, [...(kinds.get(kind) ?? []), place]);
  return [...kinds].map(([kind, places]) => ({ kind, places }));
}

/**
 * Returns a table of the systems with a column for each kind of question, and the differences
 * between evidence and BM25.
 */
export function kindTables(cases: readonly Case[], measured: readonly Measured[]): string[] {
  const kinds = kindsOf(cases);
  const differences = differencesTable(cases, measured);
  if (kinds.length < 2) return differences;
  const columns = kinds.map(({ kind, places }) => ({
    label: `${kind} (${places.length})`,
    places: new Set(places),
    drawn: draws(places.length),
  }));
  const rows = measured.map((one) => [
    one.system.name,
    ...columns.map(({ places, drawn }) => {
      const own = selected(cases, [one], (place) => places.has(place));
      return shown(estimate(judged(own.cases, own.measured[0]!.found, JUDGED), drawn));
    }),
  ]);
  return [
    `${JUDGED} by kind of question:`,
    table(["system", ...columns.map(({ label }) => label)], rows),
    ...differences,
  ];
}

/** The differences of nDCG@10 between evidence and BM25, of the questions of a kind. */
export interface Difference {
  /** The kind, with the number of its questions; `all` for all questions. */
  readonly label: string;
  /** nDCG@10 of BM25, question by question. */
  readonly before: readonly number[];
  /** nDCG@10 of evidence, question by question. */
  readonly after: readonly number[];
  readonly changes: readonly number[];
  readonly estimate: Estimate;
}

/**
 * Returns the differences of all questions, then of each kind if there are several. Empty if one of
 * the two systems was not asked.
 */
export function differencesOf(cases: readonly Case[], measured: readonly Measured[]): Difference[] {
  const before = measured.find(({ system }) => system === BM25);
  const after = measured.find(({ system }) => system.name === EVIDENCE);
  if (before === undefined || after === undefined) return [];
  const kinds = kindsOf(cases);
  const all = { label: "all", places: kinds.flatMap(({ places }) => places) };
  const labelled = kinds.map(({ kind, places }) => ({
    label: `${kind} (${places.length})`,
    places,
  }));
  return [all, ...(kinds.length < 2 ? [] : labelled)].map(({ label, places }) => {
    const kept = new Set(places);
    const valuesOf = (one: Measured): number[] => {
      const part = selected(cases, [one], (place) => kept.has(place));
      return judged(part.cases, part.measured[0]!.found, JUDGED);
    };
    const [old, own] = [valuesOf(before), valuesOf(after)];
    const changes = own.map((value, place) => value - old[place]!);
    const drawn = draws(changes.length);
    return { label, before: old, after: own, changes, estimate: estimate(changes, drawn) };
  });
}

function differencesTable(cases: readonly Case[], measured: readonly Measured[]): string[] {
  const rows = differencesOf(cases, measured).map(({ label, changes, estimate }) => [
    label,
    shownDifference(estimate),
    `${changes.filter((change) => change > 0).length}`,
    `${changes.filter((change) => change < 0).length}`,
  ]);
  if (rows.length === 0) return [];
  return [
    `${JUDGED} of ${EVIDENCE} less that of ${BM25.name}:`,
    table(["kind", "difference", "questions better", "questions worse"], rows),
  ];
}

/** Returns the bins of the whole ranking by evidence. */
function calibrationTables(cases: readonly Case[], measured: readonly Measured[]): string[] {
  const whole = measured.find(({ system }) => system.name === EVIDENCE);
  if (whole === undefined) return [];
  return [
    `Calibration of ${EVIDENCE}, over the first ten results of each question:`,
    calibrationTable(binsOf(results(cases, whole.found))),
  ];
}

const BAR = 20;

/** Returns a row for each bin: its scores, the share of answers, and the share as a bar. */
export function calibrationTable(bins: readonly Bin[]): string {
  const rows = bins
    .filter(({ count }) => count > 0)
    .map(({ from, to, count, score, share }) => [
      `${from.toFixed(1)}–${to.toFixed(1)}`,
      `${count}`,
      score.toFixed(3),
      share.toFixed(3),
      `\`${bar(share, score)}\``,
    ]);
  return table(["scores", "results", "mean score", "share that answers", "share █, score ◆"], rows);
}

/** Returns a bar of the share, with a mark at the score. */
function bar(share: number, score: number): string {
  const mark = Math.round(score * BAR);
  return Array.from({ length: BAR + 1 }, (_, place) =>
    place === mark ? "◆" : place < Math.round(share * BAR) ? "█" : "·",
  ).join("");
}

/** Returns the middle value; of an even number of values the upper one. 0 without values. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Returns a mean with its interval. */
export function shown({ mean, low, high }: Estimate): string {
  return `${mean.toFixed(3)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}

/** Returns a difference with its interval. */
export function shownDifference({ mean, low, high }: Estimate): string {
  return `${signed(mean)} (${signed(low)} to ${signed(high)})`;
}

/**
 * Returns the mean of some figures; beside others of the same questions also the interval of the
 * difference from these.
 */
export function meanBeside(values: readonly number[], others?: readonly number[]): string {
  const mean = (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(3);
  if (others === undefined) return mean;
  const differences = values.map((value, place) => value - others[place]!);
  const { low, high } = estimate(differences, draws(values.length));
  return `${mean} (${signed(low)} to ${signed(high)})`;
}

/** Returns a difference with its sign. */
export function signed(value: number): string {
  const text = Math.abs(value).toFixed(3);
  return Number(text) === 0 ? text : `${value < 0 ? "−" : "+"}${text}`;
}
