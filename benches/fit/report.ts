// The figures of a fit, as Markdown and as lines of the fitted file.

import { draws, estimate } from "../quality/bootstrap.ts";
import { binsOf, calibrationError } from "../quality/calibration.ts";
import { calibrationTable, shown } from "../quality/evidence-report.ts";
import { DEPTH } from "../quality/metrics.ts";
import { table } from "../results.ts";
import { type EvidenceTable, sumsOf } from "./evidence-table.ts";
import { type Figures, JUDGE_NAMES, judge, mean } from "./judge.ts";
import type { WeightedTable } from "./listwise.ts";
import { firstOf, probabilityOf } from "./logistic.ts";
import { type Fitted, type FittedPreset, PRESETS, type Preset } from "./preset.ts";
import { ANSWERABLE, type ReportedSet } from "./rust-file.ts";
import type { FitSet } from "./sets.ts";

/** A set with its evidence. */
export interface TabledSet extends FitSet {
  readonly table: EvidenceTable;
  /** The same without clusters: runs end at gaps in time. */
  readonly gaps: EvidenceTable;
  /** The evidence over cut stores, by what was cut. */
  readonly cut: readonly EvidenceTable[];
}

/** Returns the sets that a preset is fitted on. */
export function uses(sets: readonly TabledSet[], preset: Preset): WeightedTable[] {
  return sets.flatMap(({ table, weights }) => {
    const weight = weights[preset];
    return weight === undefined ? [] : { table, weight };
  });
}

/** Returns the tables of cut stores by which the odds of a preset are fitted. */
export function cutFor(sets: readonly TabledSet[], preset: Preset): EvidenceTable[] {
  return sets.flatMap(({ cut, weights }) => (weights[preset] === undefined ? [] : cut));
}

/** What {@link reportOf} compares. */
export interface Fits {
  readonly sets: readonly TabledSet[];
  readonly presets: Readonly<Record<Preset, FittedPreset>>;
  /** `general` fitted without the set of this name. */
  readonly beside?: { readonly name: string; readonly fitted: FittedPreset } | undefined;
}

/** BM25 alone, over the best of each question. Its sums are no probabilities. */
const WORDS_ALONE: Fitted = {
  weights: { bm: 1 },
  scale: 1,
  ofBest: 0,
  ofGap: 0,
  ofSpread: 0,
  ofUnheld: 0,
  offset: 0,
  temperatures: [],
};

/** Returns the report, and what the fitted file says of each set. */
export function reportOf({ sets, presets, beside }: Fits): {
  text: string;
  reported: ReportedSet[];
} {
  const parts = sets.map((set) => {
    const rowOf = (label: string, { weights, ...scale }: Fitted, from: EvidenceTable): Row => ({
      label,
      figures: judge(from, weights, scale),
    });
    const both = (label: string, { plain, embedded }: FittedPreset, from: EvidenceTable) => [
      rowOf(label, plain, from),
      rowOf(`${label}, with embeddings`, embedded, from),
    ];
    const rows = [
      ...PRESETS.flatMap((preset) => both(`\`${preset}\``, presets[preset], set.table)),
      ...both(`\`${set.preset}\`, runs by gaps`, presets[set.preset], set.gaps),
      ...(beside === undefined
        ? []
        : both(`\`general\` without ${beside.name}`, beside.fitted, set.table)),
    ];
    const [plain, own] = rows.slice(2 * PRESETS.indexOf(set.preset)) as [Row, Row];
    return {
      text: setReport(
        set,
        presets[set.preset].embedded,
        rowOf("BM25 by the same words", WORDS_ALONE, set.table),
        rows,
        own,
      ),
      reported: {
        name: set.name,
        questions: set.table.questionKinds.length,
        figures: lineOf(plain.figures),
        embedded: lineOf(own.figures),
        fittedOn: presetsOf(set),
      },
    };
  });
  return {
    text: [weightsTable(presets, beside), ...parts.map(({ text }) => text)].join("\n\n"),
    reported: parts.map(({ reported }) => reported),
  };
}

function presetsOf({ weights }: FitSet): Preset[] {
  return PRESETS.filter((preset) => weights[preset] !== undefined);
}

function lineOf({ values, error }: Figures): string {
  const each = JUDGE_NAMES.map((name) => `${name} ${mean(values[name]).toFixed(3)}`);
  return [...each, `calibration error ${error.toFixed(3)}`].join(", ");
}

interface Row {
  readonly label: string;
  readonly figures: Figures;
}

/** Returns the tables of a set; `own` is the row whose calibration is shown. */
function setReport(
  set: TabledSet,
  fitted: Fitted,
  words: Row,
  rows: readonly Row[],
  own: Row,
): string {
  const { kinds } = words.figures;
  const used = presetsOf(set);
  const use = used.length === 0 ? "measured only" : `fitted on: ${used.join(", ")}`;
  const title = `## ${set.name}: ${set.table.questionKinds.length} questions, ${kinds.length} with answers (${use})`;
  const calibration = [
    `Calibration of ${own.label}, over the first ten memories of each question:`,
    calibrationTable(own.figures.bins),
  ];
  if (kinds.length === 0) return [title, ...calibration].join("\n\n");
  const drawn = draws(kinds.length);
  const names = [...new Set(kinds)];
  const overall = [words, ...rows].map((row) => [
    row.label,
    ...JUDGE_NAMES.map((name) => shown(estimate(row.figures.values[name], drawn))),
    row === words ? "" : row.figures.error.toFixed(3),
  ]);
  const byKind = [words, ...rows].map(({ label, figures }) => [
    label,
    ...names.map((kind) => {
      const own = figures.values["nDCG@10"].filter((_, q) => kinds[q] === kind);
      return mean(own).toFixed(3);
    }),
  ]);
  const counted = (kind: string) => `${kind} (${kinds.filter((one) => one === kind).length})`;
  return [
    title,
    table(["weights", ...JUDGE_NAMES, "calibration error"], overall),
    ...(set.cut.length === 0 ? [] : [CUT, cutTable(set.cut, fitted)]),
    ...(names.length < 2 ? [] : [table(["nDCG@10", ...names.map(counted)], byKind)]),
    ...calibration,
  ].join("\n\n");
}

const CUT = `Over cut stores, with embeddings. *Denied*: the first memory answers, and its probability is below ${ANSWERABLE}. *Affirmed*:
nothing answers, and a probability is ${ANSWERABLE} or more.`;

/** Returns a row for each table of cut stores. */
function cutTable(tables: readonly EvidenceTable[], { weights, ...scale }: Fitted): string {
  const rows = tables.map((one) => {
    const firsts = one.questionKinds.map((_, question) => {
      const judged = firstOf(one, sumsOf(one, weights), DEPTH, question);
      return judged.map((it) => ({ score: probabilityOf(scale, it), isAnswer: it.isAnswer }));
    });
    const isYes = (judged: (typeof firsts)[number]) => (judged[0]?.score ?? 0) >= ANSWERABLE;
    const right = firsts.filter(([first]) => first?.isAnswer === true);
    const empty = firsts.filter((judged) => !judged.some(({ isAnswer }) => isAnswer));
    return [
      one.name,
      `${right.length} of ${firsts.length}`,
      `${right.filter((judged) => !isYes(judged)).length}`,
      `${empty.filter(isYes).length} of ${empty.length}`,
      calibrationError(binsOf(firsts.flat())).toFixed(3),
    ];
  });
  return table(["store", "right first", "denied", "affirmed", "calibration error"], rows);
}

function weightsTable(presets: Fits["presets"], beside: Fits["beside"]): string {
  const both = (label: string, { plain, embedded }: FittedPreset) =>
    [
      [label, plain],
      [`${label}, with embeddings`, embedded],
    ] as const;
  const columns = [
    ...PRESETS.flatMap((preset) => both(`\`${preset}\``, presets[preset])),
    ...(beside === undefined ? [] : both(`without ${beside.name}`, beside.fitted)),
  ];
  const kinds = Object.keys(presets.general.plain.weights);
  return table(
    ["evidence", ...columns.map(([label]) => label)],
    [
      ...kinds.map((kind) => [kind, ...columns.map(([, { weights }]) => String(weights[kind]))]),
      ["scale", ...columns.map(([, { scale }]) => String(scale))],
      ["of best", ...columns.map(([, { ofBest }]) => String(ofBest))],
      ["of gap", ...columns.map(([, { ofGap }]) => String(ofGap))],
      ["of spread", ...columns.map(([, { ofSpread }]) => String(ofSpread))],
      ["of unheld", ...columns.map(([, { ofUnheld }]) => String(ofUnheld))],
      ["offset", ...columns.map(([, { offset }]) => String(offset))],
    ],
  );
}
