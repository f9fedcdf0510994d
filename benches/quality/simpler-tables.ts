// Tables that compare evidence with simpler rankings.

import { ANSWERABLE } from "nous-wasm";
import { table } from "../results.ts";
import { correctionTables, percent, unanswerableTables } from "./answer-tables.ts";
import { draws, type Estimate, estimate } from "./bootstrap.ts";
import { BY_GAPS, EVIDENCE } from "./contestants.ts";
import { answerable, JUDGED, kindsOf, overallTable, shownDifference } from "./evidence-report.ts";
import { type Case, judged, type Measured, type Part, selected } from "./measure.ts";
import { correctionShares, falseAnswers, isCorrection, missedAnswers } from "./shares.ts";
import { mean } from "./summary.ts";

/** Questions, what rankings found for them, and the store of each question. */
export interface Compared extends Part {
  /** The name of the store of each case; empty if the stores are not told apart. */
  readonly stores: readonly string[];
}

/** How many stores have rows of their own at most. */
const MAX_STORES = 4;
/** How far a simpler ranking is ahead at least where the summary names it. */
const AHEAD = 0.02;

/** The heads of the columns of {@link Group.ahead} and {@link Group.aheadOfGaps}. */
const LESS = [`less ${EVIDENCE}`, `less ${BY_GAPS}`];

/** Questions that are compared together. */
export interface Group {
  /** The kind or the store, with the number of questions; `all` for all questions. */
  readonly label: string;
  /** nDCG@10 of each ranking, in the order in which they were measured. */
  readonly means: readonly number[];
  /** The name of the best ranking that is simpler than evidence. */
  readonly best: string;
  /** nDCG@10 of that ranking less that of evidence, whose index knows the clusters. */
  readonly ahead: Estimate;
  /** The same where the index does not know the clusters. */
  readonly aheadOfGaps: Estimate;
}

/**
 * Returns all questions with answers, then those of each kind if there are several, then those of
 * each store if there are two to four.
 *
 * @throws {Error} If evidence was not asked, with and without clusters.
 */
export function groupsOf({ cases, measured, stores }: Compared): Group[] {
  const kinds = kindsOf(cases);
  const names = [...new Set(stores)];
  const ofStores = names.map((store) => ({
    label: store,
    places: cases.flatMap(({ grades }, i) => (grades.size > 0 && stores[i] === store ? i : [])),
  }));
  return [
    { label: "all", places: kinds.flatMap(({ places }) => places) },
    ...(kinds.length < 2 ? [] : kinds.map(({ kind, places }) => ({ label: kind, places }))),
    ...(names.length < 2 || names.length > MAX_STORES ? [] : ofStores),
  ].flatMap(({ label, places }) =>
    places.length === 0 ? [] : groupOf(`${label} (${places.length})`, places, cases, measured),
  );
}

function groupOf(
  label: string,
  places: readonly number[],
  cases: readonly Case[],
  measured: readonly Measured[],
): Group {
  const kept = new Set(places);
  const part = selected(cases, measured, (place) => kept.has(place));
  const values = part.measured.map(({ system, found }) => ({
    name: system.name,
    series: judged(part.cases, found, JUDGED),
  }));
  const simpler = values.filter(({ name }) => !name.startsWith(EVIDENCE));
  const best = simpler.reduce((a, b) => (mean(b.series) > mean(a.series) ? b : a));
  const aheadOf = (wanted: string): Estimate => {
    const own = values.find(({ name }) => name === wanted);
    if (own === undefined) throw new Error(`${label}: ${wanted} was not asked`);
    const changes = best.series.map((value, place) => value - own.series[place]!);
    return estimate(changes, draws(changes.length));
  };
  return {
    label,
    means: values.map(({ series }) => mean(series)),
    best: best.name,
    ahead: aheadOf(EVIDENCE),
    aheadOfGaps: aheadOf(BY_GAPS),
  };
}

/** Returns the tables of a set: metrics, groups, questions without an answer, and corrections. */
export function simplerReport(part: Compared): string {
  const { title, cases, measured } = part;
  const names = measured.map(({ system }) => system.name);
  return [
    `# ${title}: ${answerable(cases).length} questions`,
    overallTable(cases, measured),
    `${JUDGED} by kind of question, and by store:`,
    table(
      ["questions", ...names, "best simpler ranking", ...LESS],
      groupsOf(part).map(({ label, means, best, ...less }) => [
        ...[label, ...means.map((value) => value.toFixed(3))],
        ...[best, shownDifference(less.ahead), shownDifference(less.aheadOfGaps)],
      ]),
    ),
    ...unanswerableTables(cases, measured),
    ...correctionTables(cases, measured),
  ].join("\n\n");
}

/**
 * Returns the nDCG@10 of each ranking, where a simpler one is ahead, and what the threshold and the
 * order of corrections do.
 */
export function simplerSummary(parts: readonly Compared[]): string {
  const groups = parts.flatMap((part) =>
    groupsOf(part).map((group) => ({ title: part.title, ...group })),
  );
  const ahead = groups.filter((one) => Math.max(one.ahead.mean, one.aheadOfGaps.mean) > AHEAD);
  const names = parts[0]!.measured.map(({ system }) => system.name);
  return [
    table(
      [JUDGED, ...names],
      parts.map((part) => {
        const { label, means } = groupsOf(part)[0]!;
        return [label.replace("all", part.title), ...means.map((value) => value.toFixed(3))];
      }),
    ),
    ahead.length === 0
      ? `No simpler ranking is ahead of ${EVIDENCE} by more than ${AHEAD}.`
      : [
          `Where the best simpler ranking is ahead by more than ${AHEAD} (${JUDGED}):`,
          table(
            ["set", "questions", "simpler ranking", ...LESS],
            ahead.map(({ title, label, best, ahead, aheadOfGaps }) => [
              ...[title, label, best],
              ...[shownDifference(ahead), shownDifference(aheadOfGaps)],
            ]),
          ),
        ].join("\n\n"),
    ...affirmedTable(parts),
    ...orderTable(parts),
  ].join("\n\n");
}

/** Returns how many questions with and without an answer evidence affirms. */
function affirmedTable(parts: readonly Compared[]): string[] {
  const rows = parts.flatMap(({ title, cases, measured }) => {
    const none = cases.length - answerable(cases).length;
    if (none === 0) return [];
    return measured
      .filter(({ system }) => system.isCalibrated)
      .map(({ system, found }) => [
        title,
        system.name,
        `${percent(falseAnswers(cases, found, ANSWERABLE))} of ${none}`,
        `${percent(1 - missedAnswers(cases, found, ANSWERABLE))} of ${cases.length - none}`,
      ]);
  });
  if (rows.length === 0) return [];
  return [
    `Questions that are affirmed, so that the first memory reaches ${ANSWERABLE}:`,
    table(["set", "ranking", "nothing answers", "something answers"], rows),
  ];
}

/** Returns the share of questions whose answer comes before all outdated memories. */
function orderTable(parts: readonly Compared[]): string[] {
  const of = parts.filter(({ cases }) => cases.some(isCorrection));
  const names = parts[0]!.measured.map(({ system }) => system.name);
  if (of.length === 0) return [];
  return [
    "Questions whose answer comes before all memories that it replaced, or that were deleted or belong to another scope:",
    table(
      ["set", ...names],
      of.map(({ title, cases, measured }) => [
        `${title} (${cases.filter(isCorrection).length})`,
        ...measured.map(({ found }) => percent(correctionShares(cases, found).newer)),
      ]),
    ),
  ];
}
