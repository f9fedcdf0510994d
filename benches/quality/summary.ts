// The tables that docs/quality.md quotes.

import { ANSWERABLE } from "nous-wasm";
import { table } from "../results.ts";
import { answerableRows } from "./answer-tables.ts";
import { binsOf, calibrationError } from "./calibration.ts";
import { BM25, EVIDENCE } from "./contestants.ts";
import { answerable, differencesOf, JUDGED, shownDifference } from "./evidence-report.ts";
import { judged, type Part, results } from "./measure.ts";

/** A difference to BM25 that counts as a loss. */
const LOSS = -0.02;

/**
 * Returns the nDCG@10 of all systems, the calibration of evidence, the kinds of questions, and
 * where evidence loses.
 */
export function summaryOf(parts: readonly Part[]): string {
  const tables = [
    shortTable(parts),
    calibrationTable(parts),
    ...kindsTable(parts),
    lossesTable(parts),
  ];
  return tables.join("\n\n");
}

/** Returns a row for each system, with the nDCG@10 of each part; empty if it was not asked. */
function shortTable(parts: readonly Part[]): string {
  const names = new Set(parts.flatMap(({ measured }) => measured.map(({ system }) => system.name)));
  const head = parts.map(({ title, cases }) => `${title} (${answerable(cases).length})`);
  const rows = [...names].map((name) => [
    name,
    ...parts.map(({ cases, measured }) => {
      const own = measured.find(({ system }) => system.name === name);
      return own === undefined ? "" : mean(judged(cases, own.found, JUDGED)).toFixed(3);
    }),
  ]);
  return table([JUDGED, ...head], rows);
}

/** Returns the calibration error of evidence, and what its threshold lets through and loses. */
function calibrationTable(parts: readonly Part[]): string {
  const answered = parts.map(({ cases, measured }) => ({
    cases,
    found: measured.find(({ system }) => system.name === EVIDENCE)?.found,
  }));
  const errors = answered.map(({ cases, found }) =>
    found === undefined ? "" : calibrationError(binsOf(results(cases, found))).toFixed(3),
  );
  const head = [`${EVIDENCE}, threshold ${ANSWERABLE}`, ...parts.map(({ title }) => title)];
  return table(head, [["calibration error", ...errors], ...answerableRows(answered)]);
}

/** Parts with this word in their titles stand in the whole report only. */
const LEFT_OUT = "development";

/** Returns the nDCG@10 of BM25 and evidence by kind of question, for parts with several kinds. */
function kindsTable(parts: readonly Part[]): string[] {
  const rows = parts
    .filter(({ title }) => !title.includes(LEFT_OUT))
    .flatMap(({ title, cases, measured }) => {
      const [, ...kinds] = differencesOf(cases, measured);
      return kinds.map(({ label, before, after, estimate }) => [
        title,
        label,
        mean(before).toFixed(3),
        mean(after).toFixed(3),
        shownDifference(estimate),
      ]);
    });
  if (rows.length === 0) return [];
  const head = ["questions", "kind", BM25.name, EVIDENCE, "difference"];
  return [`${JUDGED} by kind of question, the development halves left out:`, table(head, rows)];
}

/** Returns the kinds of questions for which evidence is below BM25 by more than 0.02. */
export function lossesTable(parts: readonly Part[]): string {
  const rows = parts.flatMap(({ title, cases, measured }) =>
    differencesOf(cases, measured)
      .filter(({ estimate }) => estimate.mean < LOSS)
      .map(({ label, estimate }) => [title, label, shownDifference(estimate)]),
  );
  if (rows.length === 0) return "No kind of question is below BM25 by more than 0.02.";
  return [
    `Kinds of questions for which ${EVIDENCE} is below BM25 by more than 0.02:`,
    table(["questions", "kind", `difference of ${JUDGED}`], rows),
  ].join("\n\n");
}

/** Returns the mean of values. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
