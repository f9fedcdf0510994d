// Measures all systems on our own questions over the general memory.

import { correctionTables, unanswerableTables } from "./answer-tables.ts";
import { evidenceByParts, type Models, othersThanEvidence, type System } from "./contestants.ts";
import { kindTables, reportOf } from "./evidence-report.ts";
import { askingOf, measure, type Part, selected } from "./measure.ts";
import type { QuestionSet } from "./question-set.ts";

/** What was measured on the general memory. */
export interface OnGeneral {
  readonly halves: readonly Part[];
  /** The tables, in Markdown. */
  readonly tables: readonly string[];
}

const TITLES = { test: "Test half", dev: "Development half" } as const;
const LANGUAGE_NAMES: Readonly<Record<string, string>> = { de: "German", ja: "Japanese" };

/** Asks all systems the questions of the general memory. */
export function measureGeneral(set: QuestionSet, models: Models): OnGeneral {
  const kinds = set.questions.map(({ kind }) => kind);
  const systems = [...othersThanEvidence(models), ...evidenceByParts(models)];
  const { asking, measured, halves } = measureHalves(set, systems);
  const facts = selected(
    asking.cases.map((one, place) => ({ ...one, kind: kinds[place]! })),
    measured,
    (place) => asking.cases[place]!.kind.startsWith(FACT),
  );
  return {
    halves,
    tables: [
      ...halves.flatMap((half) => [
        reportOf(half),
        ...unanswerableTables(half.cases, half.measured),
        ...correctionTables(half.cases, half.measured),
      ]),
      "## Kinds of facts, both halves and all languages together",
      ...kindTables(facts.cases, facts.measured),
    ],
  };
}

/** Asks systems the questions of the general memory. Facts have their language as kind. */
export function measureHalves(set: QuestionSet, systems: readonly System[]) {
  const questions = set.questions.map((one) => ({ ...one, kind: broadKindOf(one) }));
  const asking = askingOf({ ...set, questions });
  const measured = measure(systems, [asking]);
  const halves = (["test", "dev"] as const).map((part) => ({
    title: TITLES[part],
    ...selected(asking.cases, measured, (place) => questions[place]!.part === part),
  }));
  return { asking, measured, halves };
}

const FACT = "fact";
/** Kinds that stand by themselves in the tables of a half. */
const BROAD = ["paraphrase", "time", "correction"];

/** Returns the kind of a question; for facts the language, since their kinds hold few questions. */
export function broadKindOf({ kind, language = "en" }: QuestionSet["questions"][number]): string {
  if (BROAD.includes(kind) || kind.startsWith("unanswerable")) return kind;
  return `${FACT}, ${LANGUAGE_NAMES[language] ?? "English"}`;
}
