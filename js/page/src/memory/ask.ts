// Answers questions over the memory that is open.

import {
  meaningInWords,
  probabilityKnown,
  reasonsOf as reasonsIn,
  understoodOf,
  wordsOfMemory,
} from "nous-memory";
import { ANSWERABLE, type Answer, type AskOptions } from "nous-wasm";
import type { Held } from "./held.ts";
import type { Answered, Mark, Named, Reasons, Shown } from "./records.ts";
import { aboutSubject } from "./words-of-asking.ts";

/** The number of answers whose reasons are computed at once. */
const DEFAULT_LIMIT = 10;

export interface AskRequest {
  question: string;
  limit?: number;
  diversity?: number;
}

/** Returns the memories that may answer a question, with reasons. */
export function ask(held: Held, { question, limit, diversity }: AskRequest): Answered {
  const { now, index } = held;
  const asking = held.asking(question);
  const options: AskOptions = {
    ...asking,
    limit: limit ?? DEFAULT_LIMIT,
    diversity: diversity ?? 0,
  };
  const start = performance.now();
  const answers = index.ask(question, options);
  const milliseconds = performance.now() - start;
  const probability = probabilityIn(held, question, answers);
  const list = answers.map((answer, place) => shownOf(held, question, answer, place));
  const words = list[0]?.reasons?.words ?? [];
  return {
    question,
    answers: list,
    ...{ probability, threshold: ANSWERABLE, isAnswerable: probability >= ANSWERABLE },
    understood: {
      ...understoodOf(held.engine, question, now),
      words: words.map(({ asked }) => asked),
    },
    milliseconds,
    among: index.textCount,
    awaited: held.awaited,
    isByMeaning: asking.embedding !== undefined,
  };
}

/** Returns the probability that a memory knows the answer to a question, by what it found. */
export const probabilityIn = (held: Held, question: string, answers: readonly Answer[]): number =>
  probabilityKnown(
    question,
    answers.map((answer) => ({ ...answer, text: wordsOfMemory(held.row(answer.id)!) })),
    { among: held.index.size, isByEnglish: true },
  );

/** Returns an answer with its reasons. */
export function shownOf(held: Held, question: string, answer: Answer, place: number): Shown {
  const { id, score } = answer;
  return {
    card: held.card(id),
    rank: place + 1,
    score,
    reasons: reasonsOf(held, id, question),
    ...standsBehind(held, answer),
  };
}

/** Returns the names of the memories that one stands behind. */
export function standsBehind(
  held: Held,
  { superseded_by, similar_to }: Pick<Answer, "superseded_by" | "similar_to">,
): Pick<Shown, "superseded_by" | "similar_to"> {
  return {
    ...(superseded_by === undefined ? {} : { superseded_by: named(held, superseded_by) }),
    ...(similar_to === undefined ? {} : { similar_to: named(held, similar_to) }),
  };
}

const named = (held: Held, id: string): Named => ({ id, title: held.titleOf(id) });

/** Returns why a memory has its place among the answers to a question. */
export function reasonsOf(held: Held, id: string, question: string): Reasons {
  const { superseded_by, replaced_by, replaces, similar_to, meaning, ...why } = reasonsIn(
    held.index,
    held.row(id)!,
    question,
    held.asking(question),
  );
  const words = aboutSubject(why.words);
  const marks = words.flatMap(({ asked, found, nearness, spans = [] }) =>
    spans.map((span) => ({ ...span, asked, found: found ?? asked, nearness })),
  );
  return {
    ...why,
    words,
    marks: withoutOverlaps(marks),
    meaning: meaning === undefined ? "" : meaningInWords(meaning).join(" "),
  };
}

/** Returns marks in order; of two that overlap, the nearer one. */
function withoutOverlaps(marks: readonly Mark[]): Mark[] {
  const byNearness = marks.toSorted((a, b) => (b.nearness ?? 0) - (a.nearness ?? 0));
  const kept: Mark[] = [];
  for (const mark of byNearness) {
    const overlaps = (other: Mark) =>
      other.field === mark.field && other.start < mark.end && mark.start < other.end;
    if (!kept.some(overlaps)) kept.push(mark);
  }
  return kept.sort((a, b) => a.start - b.start);
}
