// Measures all systems on our own questions: over the general memory and over the trader's.

import { ANSWERABLE, type WordVectors } from "nous-wasm";
import type { Sample } from "../../js/demo/sample/index.ts";
import { kindOf } from "../../js/demo/terminal/library.ts";
import { whole } from "../js/units.ts";
import { table } from "../results.ts";
import { CONFIDENCE, RESAMPLES } from "./bootstrap.ts";
import { evidence, evidenceByParts, OF_SECTIONS, othersThanEvidence } from "./contestants.ts";
import { kindTables, reportOf } from "./evidence-report.ts";
import { labelledSet } from "./labelled-set.ts";
import { type Asking, askingOf, type Case, type Measured, measure, selected } from "./measure.ts";
import { generalSet, traderSet } from "./own-sets.ts";
import type { QuestionSet } from "./question-set.ts";
import { correctionShares, falseAnswers, missedAnswers } from "./shares.ts";

/** Returns the tables of the general memory and of the trader's memory. */
export function reportOnOwn(sample: Sample, embedder: WordVectors): string {
  const general = generalSet();
  const trader = traderSet(sample);
  return [
    howOver(general, trader),
    "# The general memory",
    ...onGeneral(general, embedder),
    "# The trader's memory",
    ...onTrader(sample, trader, embedder),
  ].join("\n\n");
}

const howOver = (
  general: QuestionSet,
  trader: QuestionSet,
) => `\`npm run quality\`: questions with known answers over two memories that are made up. The *general memory* holds
${whole(general.memories.length)} memories of a person, a household and a software project over one year, in English, German and Japanese; memories and
questions were written by hand. The *trader's memory* is the sample of ${whole(trader.memories.length)} memories. A hash of a question's words says whether it
belongs to the development half, on which weights may be fitted, or to the test half, which fitting never sees.

hit@1 is the share of questions whose first memory answers; recall@10 is the share of all answers of a question among its first ten
memories; nDCG@10 has gains 2^grade − 1: an answer has grade 2, a memory that bears on the question grade 1. In brackets are
${100 * CONFIDENCE} % intervals of ${whole(RESAMPLES)} bootstrap resamples over questions. The calibration error is the expected one over ten bins of the scores
of all first ten memories, those of questions without an answer included. µs is the median time of a question in microseconds.

*BM25* has k1 1.2, b 0.75, Snowball stems and the stop words of the crate. *FTS5* and *MiniSearch* get the whole question. Over the
trader's memory these three read kind and tags as words of the title, too. *Signals* is
ranking by six signals without embeddings. *Evidence* has the table of 128 dimensions, and the weights \`general\` for the general memory,
\`trading\` for the trader's. *Runs by gaps*: the index does not know the clusters. Rows with … are evidence whose group weighs 0; the
other weights stay, so that they show what a group adds, not what weights fitted without it would reach.`;

const PART_TITLES = { test: "Test half", dev: "Development half" } as const;
const LANGUAGE_NAMES: Readonly<Record<string, string>> = { de: "German", ja: "Japanese" };

function onGeneral(set: QuestionSet, embedder: WordVectors): string[] {
  const kinds = set.questions.map(({ kind }) => kind);
  const questions = set.questions.map((one) => ({ ...one, kind: broadKindOf(one) }));
  const asking = askingOf({ ...set, questions });
  const measured = measure([...othersThanEvidence(), ...evidenceByParts(embedder)], [asking]);
  const halves = (["test", "dev"] as const).flatMap((part) => {
    const half = selected(asking.cases, measured, (place) => questions[place]!.part === part);
    return [
      reportOf(PART_TITLES[part], half.cases, half.measured),
      ...unanswerableTables(half.cases, half.measured),
      ...correctionTables(half.cases, half.measured),
    ];
  });
  const narrow = selected(
    asking.cases.map((one, place) => ({ ...one, kind: kinds[place]! })),
    measured,
    (place) => questions[place]!.kind.startsWith(FACT),
  );
  return [
    ...halves,
    "## Kinds of facts, both halves and all languages together",
    ...kindTables(narrow.cases, narrow.measured),
  ];
}

const FACT = "fact";
/** Kinds that stand by themselves in the tables of a half. */
const BROAD = ["paraphrase", "time", "correction"];

/** Returns the kind of a question; for facts the language, since their kinds hold few questions. */
function broadKindOf({ kind, language = "en" }: QuestionSet["questions"][number]): string {
  if (BROAD.includes(kind) || kind.startsWith("unanswerable")) return kind;
  return `${FACT}, ${LANGUAGE_NAMES[language] ?? "English"}`;
}

/** The thresholds of the table of false answers. The last but one is the server's. */
const THRESHOLDS = [...new Set([0.1, 0.2, 0.3, 0.4, 0.5, ANSWERABLE])].sort((a, b) => a - b);

function unanswerableTables(cases: readonly Case[], measured: readonly Measured[]): string[] {
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

function correctionTables(cases: readonly Case[], measured: readonly Measured[]): string[] {
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

function onTrader(sample: Sample, set: QuestionSet, embedder: WordVectors): string[] {
  const labelled = labelledSet(sample);
  const asking = traderAsking(sample, set, labelled);
  const systems = [
    ...othersThanEvidence(),
    ...evidenceByParts(embedder, "trading"),
    evidence({ name: "… without sections", preset: "trading", embedder, off: OF_SECTIONS }),
    evidence({ name: "evidence, weights `general`", preset: "general", embedder }),
  ];
  const measured = measure(systems, [asking]);
  const report = (title: string, group: Group, and: Report = () => []) => {
    const own = selected(asking.cases, measured, (place) => asking.cases[place]!.group === group);
    return [reportOf(title, own.cases, own.measured), ...and(own.cases, own.measured)];
  };
  return [
    ...report("Questions from templates, test", "test"),
    ...report("Handwritten questions", "handwritten"),
    ...report("Questions from templates, development", "dev"),
    ...report("Paraphrases, and questions without an answer", "more", unanswerableTables),
  ];
}

type Report = (cases: readonly Case[], measured: readonly Measured[]) => string[];
type Group = "test" | "handwritten" | "dev" | "more";

/** A case of the trader's memory. */
interface TraderCase extends Case {
  readonly group: Group;
}

/** Returns the sample with its graded questions, and those of the set that have no grades. */
function traderAsking(
  { nodes, edges, truth }: Sample,
  set: QuestionSet,
  labelled: ReturnType<typeof labelledSet>,
): Asking & { cases: readonly TraderCase[] } {
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
        const { title = "", text, cluster } = texts.get(node.id)!;
        const labels = `${kindOf(node)} ${node.tags.join(" ")}`;
        return { ...node, title, text, clusters: [cluster], labels };
      }),
      edges,
    },
    cases: [...graded, ...rest],
  };
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
