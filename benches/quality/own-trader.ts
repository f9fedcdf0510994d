// Measures all systems on our own questions over the trader's memory.

import { kindOf, type Sample } from "../../js/sample/trader/index.ts";
import { unanswerableTables } from "./answer-tables.ts";
import {
  evidence,
  evidenceByParts,
  type Models,
  OF_SECTIONS,
  othersThanEvidence,
} from "./contestants.ts";
import { reportOf } from "./evidence-report.ts";
import { labelledSet } from "./labelled-set.ts";
import { type Asking, askingOf, type Case, measure, type Part, selected } from "./measure.ts";
import { clustersOf, type QuestionSet } from "./question-set.ts";

/** What was measured on the trader's memory. */
export interface OnTrader {
  readonly parts: readonly Part[];
  /** The tables, in Markdown. */
  readonly tables: readonly string[];
}

const TITLES = {
  test: "Templates, test",
  handwritten: "Handwritten",
  dev: "Templates, development",
  more: "Paraphrases",
} as const;
type Group = keyof typeof TITLES;

/** A case of the trader's memory. */
interface TraderCase extends Case {
  readonly group: Group;
}

/** Asks all systems the questions of the trader's memory. */
export function measureTrader(sample: Sample, set: QuestionSet, models: Models): OnTrader {
  const asking = traderAsking(sample, set);
  const preset = "trading";
  const systems = [
    ...othersThanEvidence(models),
    ...evidenceByParts(models, preset),
    evidence({ name: "… without sections", preset, ...models, off: OF_SECTIONS }),
    evidence({ name: "evidence, weights `general`", preset: "general", ...models }),
  ];
  const measured = measure(systems, [asking]);
  const parts = (Object.keys(TITLES) as Group[]).map((group) => ({
    title: TITLES[group],
    ...selected(asking.cases, measured, (place) => asking.cases[place]!.group === group),
  }));
  return {
    parts,
    tables: [
      ...parts.map(reportOf),
      "## Questions without an answer, beside all others",
      ...unanswerableTables(asking.cases, measured),
    ],
  };
}

/** Returns the sample with its graded questions, and those of the set that have no grades. */
function traderAsking(sample: Sample, set: QuestionSet): Asking & { cases: readonly TraderCase[] } {
  const { nodes, edges, truth } = sample;
  const labelled = labelledSet(sample);
  const texts = new Map(set.memories.map((memory) => [memory.id, memory]));
  const graded = (["test", "handwritten", "dev"] as const).flatMap((group) =>
    labelled[group].map(({ text, kind, grades }) => ({
      ...{ text, kind, grades, group },
      now: truth.end,
      outdated: [],
    })),
  );
  const known = new Set(graded.map(({ text }) => text));
  const more = set.questions.filter(({ text }) => !known.has(text));
  const kinds = more.map(({ kind, part }) => (kind === "paraphrase" ? `${kind}, ${part}` : kind));
  const rest = askingOf({ ...set, questions: more }).cases.map((one, place) => ({
    ...one,
    group: "more" as const,
    kind: kinds[place]!,
  }));
  return {
    store: {
      memories: nodes.map((node) => {
        const memory = texts.get(node.id)!;
        const { title = "", text } = memory;
        const labels = `${kindOf(node)} ${node.tags.join(" ")}`;
        return { ...node, title, text, clusters: clustersOf(memory), labels };
      }),
      edges,
    },
    cases: [...graded, ...rest],
  };
}
