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
} from "./measure.ts";

const JUDGED: Judge = "nDCG@10";
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

/** Returns a row for each system, with the nDCG@10 of each part; empty if it was not asked. */
export function shortTable(parts: readonly Part[]): string {
  const names = new Set(parts.flatMap(({ measured }) => measured.map(({ system }) => system.name)));
  const head = parts.map(({ title, cases }) => `${title} (${answerable(cases).length})`);
  const rows = [...names].map((name) => [
    name,
    ...parts.map(({ cases, measured }) => {
      const own = measured.find(({ system }) => system.name === name);
      return own === undefined ? "" : mean(judged(cases, own.found, JUDGED)).toFixed(3);
    }),
  ]);
  return table(["system", ...head], rows);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function answerable(cases: readonly Case[]): Case[] {
  return cases.filter(({ grades }) => grades.size > 0);
}

/** Returns a row for each system: the metrics, the calibration error, and the time of a question. */
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
 * Returns a table of the systems with a column for each kind of question, and the differences between
 * evidence and BM25.
 */
export function kindTables(cases: readonly Case[], measured: readonly Measured[]): string[] {
  const kinds = kindsOf(cases).map(({ kind, places }) => ({
    label: `${kind} (${places.length})`,
    own: places.map((place) => cases[place]!),
    places,
    drawn: draws(places.length),
  }));
  if (kinds.length < 2) return differencesTable(cases, measured, kinds);
  const rows = measured.map(({ system, found }) => [
    system.name,
    ...kinds.map(({ own, places, drawn }) => {
      const lists = places.map((place) => found[place]!);
      return shown(estimate(judged(own, lists, JUDGED), drawn));
    }),
  ]);
  return [
    `${JUDGED} by kind of question:`,
    table(["system", ...kinds.map(({ label }) => label)], rows),
    ...differencesTable(cases, measured, kinds),
  ];
}

interface Kind {
  readonly label: string;
  readonly own: readonly Case[];
  readonly places: readonly number[];
  readonly drawn: Uint32Array;
}

/** Returns the differences between evidence and BM25, question by question. */
function differencesTable(
  cases: readonly Case[],
  measured: readonly Measured[],
  kinds: readonly Kind[],
): string[] {
  const before = measured.find(({ system }) => system === BM25);
  const after = measured.find(({ system }) => system.name === EVIDENCE);
  if (before === undefined || after === undefined) return [];
  const all = { label: "all", own: cases, places: [...cases.keys()] };
  const rows = [{ ...all, drawn: draws(judged(cases, after.found, JUDGED).length) }, ...kinds].map(
    ({ label, own, places, drawn }) => {
      const valuesOf = ({ found }: Measured) =>
        judged(
          own,
          places.map((place) => found[place]!),
          JUDGED,
        );
      const old = valuesOf(before);
      const changes = valuesOf(after).map((value, place) => value - old[place]!);
      const better = changes.filter((change) => change > 0).length;
      const worse = changes.filter((change) => change < 0).length;
      return [label, shownDifference(estimate(changes, drawn)), `${better}`, `${worse}`];
    },
  );
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

function signed(value: number): string {
  const text = Math.abs(value).toFixed(3);
  return Number(text) === 0 ? text : `${value < 0 ? "−" : "+"}${text}`;
}
