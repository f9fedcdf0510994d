// Tables of questions without an answer, and of questions about memories that others replaced.

import { ANSWERABLE } from "nous-wasm";
import { table } from "../results.ts";
import type { Case, Measured } from "./measure.ts";
import { correctionShares, falseAnswers, missedAnswers } from "./shares.ts";

/** The thresholds of the table of false answers. `ANSWERABLE` is the server's. */
const THRESHOLDS = [...new Set([0.1, 0.2, 0.3, 0.4, 0.5, ANSWERABLE])].sort((a, b) => a - b);

/** Returns the shares of false and of missed answers by threshold; nothing without such questions. */
export function unanswerableTables(
  cases: readonly Case[],
  measured: readonly Measured[],
): string[] {
  const none = cases.filter(({ grades }) => grades.size === 0);
  const close = none.filter(({ kind }) => kind.endsWith("-close"));
  if (none.length === 0) return [];
  const rows = measured
    .filter(({ system }) => system.isCalibrated)
    .flatMap(({ system, found }) =>
      THRESHOLDS.map((threshold) => [
        system.name,
        `${threshold}${threshold === ANSWERABLE ? " (`ANSWERABLE`)" : ""}`,
        percent(falseAnswers(cases, found, threshold, ({ kind }) => !kind.endsWith("-close"))),
        percent(falseAnswers(cases, found, threshold, ({ kind }) => kind.endsWith("-close"))),
        percent(missedAnswers(cases, found, threshold)),
      ]),
    );
  return [
    "False answers: the share of questions without an answer whose first memory reaches the threshold. " +
      "Missed: the share of questions with an answer whose first memory does not.",
    table(
      [
        "system",
        "threshold",
        `false, far from the memory (${none.length - close.length})`,
        `false, close to it (${close.length})`,
        `missed (${cases.length - none.length})`,
      ],
      rows,
    ),
  ];
}

/** Returns the shares of corrections by system; nothing without such questions. */
export function correctionTables(cases: readonly Case[], measured: readonly Measured[]): string[] {
  const count = cases.filter(({ outdated }) => outdated.length > 0).length;
  if (count === 0) return [];
  const rows = measured.map(({ system, found }) => {
    const { newer, older, neither } = correctionShares(cases, found);
    return [system.name, percent(newer), percent(older), percent(neither)];
  });
  return [
    `Corrections (${count}): which memory comes first among the first ten, the new one or the one that it replaced.`,
    table(["system", "the new one", "the old one", "neither is found"], rows),
  ];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
