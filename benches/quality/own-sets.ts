// The labelled questions over the general memory and over the trader's memory, as question sets.
//
// The questions over the general memory stand in general/*.json, one file per group:
//
// - facts: one fact, several answers, who, where, when, how many, preferences, procedures and
//   decisions, in English, German and Japanese.
// - paraphrases: no content word, by stem, is in the answer.
// - times: the question names a time, relative to its `now` or by the calendar.
// - unanswerable: no memory answers. The kind `unanswerable-close` asks about people and things of
//   the memory.
// - corrections: the newest memory answers. The memories that it replaces are `outdated`.
//
// Those of across.json ask in German and Spanish for English texts. They are a set of their own.

import {
  clusterOf,
  GENERAL_END,
  GENERAL_MEMORIES,
  type GeneralMemory,
} from "../../js/sample/general/index.ts";
import { type Sample, textOf } from "../../js/sample/trader/index.ts";
import { factsOf } from "./facts.ts";
import across from "./general/across.json";
import corrections from "./general/corrections.json";
import facts from "./general/facts.json";
import paraphrases from "./general/paraphrases.json";
import times from "./general/times.json";
import unanswerable from "./general/unanswerable.json";
import { generated } from "./generated.ts";
import { handwritten } from "./handwritten.ts";
import { isTest } from "./labelled-set.ts";
import { partOf, type QuestionSet, type SetMemory, type SetQuestion } from "./question-set.ts";
import { GRADE, type Labelled } from "./questions.ts";
import { PARAPHRASES, UNANSWERABLE } from "./trader-questions.ts";

/** A question as it stands in a file. */
interface Written {
  readonly text: string;
  readonly kind: string;
  readonly answers: readonly string[];
  readonly language?: string | undefined;
  readonly now?: string | undefined;
  readonly outdated?: readonly string[] | undefined;
}

/** The files of questions over the general memory, by group. */
export const GENERAL_QUESTIONS: Readonly<Record<string, readonly Written[]>> = {
  facts,
  paraphrases,
  times,
  unanswerable,
  corrections,
};

/**
 * Returns the general memory with its questions. A question without a time is asked at the end of
 * the memory. A memory without a cluster belongs to the day of its making.
 */
export function generalSet(): QuestionSet {
  return {
    name: "general",
    memories: GENERAL_MEMORIES.map(generalMemory),
    questions: Object.values(GENERAL_QUESTIONS).flat().map(generalQuestion),
  };
}

/** Returns the general memory with the questions in another language than their answers. */
export function acrossSet(): QuestionSet {
  return {
    name: "across",
    memories: GENERAL_MEMORIES.map(generalMemory),
    questions: across.map(generalQuestion),
  };
}

function generalMemory(memory: GeneralMemory): SetMemory {
  const { id, text, created_at, title, subtype, speaker, language = "en", event_time } = memory;
  return {
    id,
    text,
    created_at,
    cluster: clusterOf(memory),
    subtype,
    language,
    ...(title === undefined ? {} : { title }),
    ...(speaker === undefined ? {} : { speaker }),
    ...(event_time === undefined ? {} : { event_time }),
  };
}

function generalQuestion(question: Written): SetQuestion {
  const { text, kind, answers, now = GENERAL_END, language = "en", outdated } = question;
  const part = partOf(text);
  return {
    ...{ text, answers, kind, part, now, language },
    ...(outdated === undefined ? {} : { outdated }),
  };
}

/**
 * Returns the trader's memory with its questions: the exact answers of the labelled questions, the
 * paraphrases, and the questions that it cannot answer. All are asked at the end of the sample. The
 * handwritten questions belong to the test half.
 *
 * @throws {RangeError} If a paraphrase names a title that no memory of the sample has.
 */
export function traderSet(sample: Sample): QuestionSet {
  const now = new Date(sample.truth.end).toISOString();
  const known = factsOf(sample);
  const exact = ({ text, kind, grades }: Labelled) => ({
    text,
    kind,
    answers: [...grades].flatMap(([id, grade]) => (grade === GRADE.exact ? id : [])),
  });
  const titled = (title: string): string[] => {
    const ids = sample.nodes.flatMap((node) => (node.content_title === title ? node.id : []));
    if (ids.length === 0) throw new RangeError(`no memory of the sample has the title “${title}”`);
    return ids;
  };
  const questions: readonly Omit<SetQuestion, "now">[] = [
    ...generated(known).map((one) => ({
      ...exact(one),
      part: isTest(one.text) ? ("test" as const) : ("dev" as const),
    })),
    ...handwritten(known).map((one) => ({ ...exact(one), part: "test" as const })),
    ...PARAPHRASES.map(({ text, titles }) => ({
      text,
      kind: "paraphrase",
      answers: titles.flatMap(titled),
      part: partOf(text),
    })),
    ...UNANSWERABLE.map(({ text, kind }) => ({ text, kind, answers: [], part: partOf(text) })),
  ];
  return {
    name: "trader",
    memories: sample.nodes.map((node) => ({
      id: node.id,
      text: textOf(node.content_body),
      created_at: new Date(node.created_at).toISOString(),
      cluster: node.provenance_created_at.slice(0, "2026-03-14".length),
      title: node.content_title,
      subtype: node.subtype,
      language: "en",
    })),
    questions: questions.map((one) => ({ ...one, now, language: "en" })),
  };
}

/** Returns the general set and the trader's set. */
export function ownSets(sample: Sample): QuestionSet[] {
  return [generalSet(), traderSet(sample)];
}
