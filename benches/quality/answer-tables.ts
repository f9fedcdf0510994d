// Tables of questions without an answer, and of questions about memories that others replaced.

import { ANSWERABLE } from "nous-wasm";
import { table } from "../results.ts";
import type { Case, Measured } from "./measure.ts";
import {
  correctionShares,
  falseAnswers,
  isCorrection,
  lostAnswers,
  missedAnswers,
} from "./shares.ts";

/** The thresholds of the table of false answers. `ANSWERABLE` is the server's. */
const THRESHOLDS = [...new Set([0.1, 0.2, 0.3, 0.4, 0.5, ANSWERABLE])].sort((a, b) => a - b);

/** What the columns of false, missed and lost answers mean. */
const MEANING =
  "False answers: the share of questions without an answer whose first memory reaches the threshold. " +
  "Missed: the share of questions with an answer whose first memory does not. " +
  "Lost: the share of right first memories that do not.";

/** Whether a question asks about people and things of the memory, though nothing answers it. */
const isClose = ({ kind }: Case): boolean => kind.endsWith("-close");
const isFar = (one: Case): boolean => !isClose(one);

/**
 * Returns the shares of false, missed and lost answers by threshold; nothing without such
 * questions.
 */
export function unanswerableTables(
  cases: readonly Case[],
  measured: readonly Measured[],
): string[] {
  const none = cases.filter(({ grades }) => grades.size === 0);
  const close = none.filter(isClose);
  if (none.length === 0) return [];
  const rows = measured
    .filter(({ system }) => system.isCalibrated)
    .flatMap(({ system, found }) =>
      THRESHOLDS.map((threshold) => [
        system.name,
        `${threshold}${threshold === ANSWERABLE ? " (`ANSWERABLE`)" : ""}`,
        percent(falseAnswers(cases, found, threshold, isFar)),
        percent(falseAnswers(cases, found, threshold, isClose)),
        percent(missedAnswers(cases, found, threshold)),
        percent(lostAnswers(cases, found, threshold)),
      ]),
    );
  return [
    MEANING,
    table(
      [
        "system",
        "threshold",
        `false, far from the memory (${none.length - close.length})`,
        `false, close to it (${close.length})`,
        `missed (${cases.length - none.length})`,
        "lost",
      ],
      rows,
    ),
  ];
}

/** A part of the questions, and what a system found for them. */
export interface Answered {
  readonly cases: readonly Case[];
  /** Undefined if the system was not asked. */
  readonly found: Measured["found"] | undefined;
}

/**
 * Returns rows with the shares of false, missed and lost answers at `ANSWERABLE`, a column for each
 * part. A cell is empty where a part has no such questions.
 */
export function answerableRows(parts: readonly Answered[]): string[][] {
  const rows: readonly (readonly [
    label: string,
    counts: (one: Case) => boolean,
    share: (cases: readonly Case[], found: Measured["found"]) => number,
  ])[] = [
    [
      "false answers, far from the memory",
      (one) => one.grades.size === 0 && isFar(one),
      (cases, found) => falseAnswers(cases, found, ANSWERABLE, isFar),
    ],
    [
      "false answers, close to it",
      (one) => one.grades.size === 0 && isClose(one),
      (cases, found) => falseAnswers(cases, found, ANSWERABLE, isClose),
    ],
    [
      "missed",
      ({ grades }) => grades.size > 0,
      (cases, found) => missedAnswers(cases, found, ANSWERABLE),
    ],
    [
      "right first memories lost",
      ({ grades }) => grades.size > 0,
      (cases, found) => lostAnswers(cases, found, ANSWERABLE),
    ],
  ];
  return rows.flatMap(([label, counts, share]) => {
    const cells = parts.map(({ cases, found }) =>
      found === undefined || !cases.some(counts) ? "" : percent(share(cases, found)),
    );
    return cells.every((cell) => cell === "") ? [] : [[label, ...cells]];
  });
}

/** Returns the shares of corrections by system; nothing without such questions. */
export function correctionTables(cases: readonly Case[], measured: readonly Measured[]): string[] {
  const count = cases.filter(isCorrection).length;
  if (count === 0) return [];
  const rows = measured.map(({ system, found }) => {
    const { newer, older, neither } = correctionShares(cases, found);
    return [system.name, percent(newer), percent(older), percent(neither)];
  });
  return [
    `Corrections (${count}): which memory comes first among the first ten, an answer or a memory that it replaced.`,
    table(["system", "an answer", "an outdated one", "neither is found"], rows),
  ];
}

/** Returns a share in per cent. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
