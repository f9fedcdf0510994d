// Questions in another language than the memory that answers.
//
// - A memory of 125 short texts, 25 in each of English, German, French, Spanish and Japanese, and 40
//   questions. Half of them ask in English for a text in another language, half the other way.
//   Nothing is fitted on them.
// - The general memory, and 60 questions in German and Spanish for English texts of it. The head of
//   the multilingual transformer was chosen on their development half.

import { loadEmbedderSync } from "nous-embedder";
import { type Embedder, MemoryIndex } from "nous-wasm";
import { table } from "../results.ts";
import { draws, estimate } from "./bootstrap.ts";
import {
  BM25,
  evidence,
  type System,
  sentencesAlone,
  signals,
  type TextVectors,
} from "./contestants.ts";
import { JUDGED, shown } from "./evidence-report.ts";
import memories from "./languages/memory.json";
import questions from "./languages/questions.json";
import {
  askingOf,
  JUDGES,
  type Judge,
  judged,
  type Measured,
  measure,
  selected,
} from "./measure.ts";
import { DEPTH } from "./metrics.ts";
import { acrossSet } from "./own-sets.ts";
import { partOf, type QuestionSet } from "./question-set.ts";
import type { SentenceVectors } from "./sentences.ts";
import { mean } from "./summary.ts";
import { TABLES } from "./token-tables.ts";

/** The other languages than English, by ISO 639-1. */
const OTHERS = { de: "German", fr: "French", es: "Spanish", ja: "Japanese" } as const;
type Other = keyof typeof OTHERS;

/** Returns the memory with its questions. Each memory is of a day of its own. */
export function languageSet(): QuestionSet {
  const languageOf = new Map(memories.map(({ id, language }) => [id, language]));
  return {
    name: "languages",
    memories: memories.map((one) => ({ ...one, cluster: one.created_at })),
    questions: questions.map(({ text, language, answers }) => ({
      ...{ text, language, answers, part: partOf(text) },
      kind: `${language} → ${languageOf.get(answers[0]!)}`,
    })),
  };
}

/** Returns the nearest memories by the vectors of a table alone. */
function vectorsAlone(name: string, embedder: TextVectors): System {
  return {
    name: `vectors alone, ${name}`,
    isCalibrated: false,
    open({ memories }) {
      const index = new MemoryIndex({ dimensions: embedder.dimensions });
      index.upsert(
        memories.map(({ id, text, created_at }) => {
          const { vector, coverage } = embedder.embed(text);
          return { id, created_at, embedding: coverage === 0 ? null : vector };
        }),
      );
      return {
        ask(question) {
          const { vector, coverage } = embedder.embed(question);
          if (coverage === 0) return [];
          const { ids, scores } = index.similar(vector, { limit: DEPTH });
          return ids.map((id, place) => ({ id, score: scores[place]! }));
        },
        free: () => index.free(),
      };
    },
  };
}

/** Returns the systems that compare vectors of one table. */
const systemsBy = (name: string, embedder: Embedder): System[] => [
  vectorsAlone(name, embedder),
  { ...signals(embedder), name: `signals, ${name}` },
  evidence({ name: `evidence, ${name}`, embedder }),
];

/** Returns the cosines of a transformer alone, and the ranking of the server with it. */
const systemsWith = (
  name: "english" | "multilingual",
  embedder: Embedder,
  sentences: SentenceVectors,
): System[] => [
  { ...sentencesAlone(sentences), name: `transformer alone, ${name}` },
  evidence({ name: `evidence, ${name}`, embedder, sentences }),
];

/** The sentence transformers of the server. */
export interface Transformers {
  readonly english: SentenceVectors;
  readonly multilingual: SentenceVectors;
}

/**
 * Asks BM25, and the rankings of nous-wasm by the English and the multilingual table of 128
 * dimensions, without and with a transformer. Returns the tables, in Markdown: all questions, each
 * pair of languages, and the questions about the general memory.
 */
export function reportOnLanguages({ english, multilingual }: Transformers): string {
  const tables = (["english-128", "multilingual-128"] as const).map(
    (name) => [name, loadEmbedderSync(TABLES[name])] as const,
  );
  const [[, ofEnglish], [, ofMany]] = tables as [(typeof tables)[0], (typeof tables)[0]];
  const asking = askingOf(languageSet());
  const ofGeneral = acrossSet();
  const across = askingOf(ofGeneral);
  const systems = [
    BM25,
    ...tables.flatMap(([name, embedder]) => systemsBy(name, embedder)),
    ...systemsWith("english", ofEnglish, english),
    ...systemsWith("multilingual", ofMany, multilingual),
  ];
  const measured = measure(systems, [asking]);
  const onGeneral = measure(systems, [across]);
  for (const [, embedder] of tables) embedder.free();
  const overallOf = ({ cases }: Pick<typeof asking, "cases">, all: readonly Measured[]) => {
    const drawn = draws(cases.length);
    return all.map(({ system, found }) => [
      system.name,
      ...(Object.keys(JUDGES) as Judge[]).map((judge) =>
        shown(estimate(judged(cases, found, judge), drawn)),
      ),
    ]);
  };
  const ways = (Object.keys(OTHERS) as Other[]).flatMap((other) => [
    { kind: `${other} → en`, label: `${OTHERS[other]} → English` },
    { kind: `en → ${other}`, label: `English → ${OTHERS[other]}` },
  ]);
  const ofKind = (one: Measured, wanted: string): string => {
    const keeps = (place: number) => asking.cases[place]!.kind === wanted;
    const { cases, measured } = selected(asking.cases, [one], keeps);
    return mean(judged(cases, measured[0]!.found, JUDGED)).toFixed(3);
  };
  const byWay = measured.map((one) => [
    one.system.name,
    ...ways.map(({ kind }) => ofKind(one, kind)),
  ]);
  return [
    table(
      [`${asking.cases.length} questions`, ...Object.keys(JUDGES)],
      overallOf(asking, measured),
    ),
    `${JUDGED} by the languages of question and answer, five questions each:`,
    table(["question → answer", ...ways.map(({ label }) => label)], byWay),
    "Questions in German and Spanish about English texts of the general memory:",
    ...(["test", "dev"] as const).map((part) => {
      const half = selected(
        across.cases,
        onGeneral,
        (place) => ofGeneral.questions[place]!.part === part,
      );
      const title = `${half.cases.length} questions, ${part} half`;
      return table([title, ...Object.keys(JUDGES)], overallOf(half, half.measured));
    }),
  ].join("\n\n");
}
