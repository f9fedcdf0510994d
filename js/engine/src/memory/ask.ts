// Questions in words. The question was read before: no code of the caller runs here, except the
// embedder, which gives words their vectors.

import {
  ANSWER,
  ANSWER_REPLACED_BY,
  ANSWER_REPLACES,
  ANSWER_ROW,
  ANSWER_SCORE,
  ANSWER_SIMILAR_TO,
  ANSWER_SUM,
  ANSWER_SUPERSEDED_BY,
  NO_END,
} from "../generated/layout.ts";
import type { Glue } from "../instance.ts";
import type { PlainData } from "../runtime.ts";
import { maxBytes, writeText } from "../text.ts";
import type { ReadQuestion, ReadText } from "./read.ts";
import { refusedSearch } from "./refusals.ts";
import { writeSearch } from "./search.ts";
import type { MemoryState } from "./state.ts";
import type { Answer, EvidenceMatrix, Replacement, TextSpan, Why } from "./types.ts";

/** Configurations up to this many units of JSON need no asking for room. */
const SHORT = 2048;
/** The most bytes that a unit takes in the module. */
const BYTES_PER_UNIT = 8;

let kinds: readonly string[] | undefined;

/** The names of the kinds of evidence, in order. */
function namesOf(glue: Glue): readonly string[] {
  kinds ??= Object.freeze(glue.evidence_names().split(" "));
  return kinds;
}

/** Replaces the weights of evidence by those of a configuration. @internal */
export function weighEvidence({ resident }: MemoryState, config: PlainData): void {
  const units = JSON.stringify(config).length;
  if (units > SHORT && !resident.module.affords(units * BYTES_PER_UNIT)) throw resident.refusal();
  if (!resident.module.weigh(config)) throw resident.refusal();
}

/** @internal */
export function answerQuestion(state: MemoryState, question: ReadQuestion): Answer[] {
  const { resident, ids } = state;
  const length = writeQuestion(state, question);
  const count = resident.module.ask(length, question.minScore, question.diversity, state.addWord);
  if (count < 0) throw refusedSearch(state);
  resident.relocate();
  const names = namesOf(resident.instance.glue);
  const { numbers } = resident;
  const answers = new Array<Answer>(count);
  let at = resident.numbersAt;
  for (let place = 0; place < count; place++, at += ANSWER + names.length) {
    const evidence: Record<string, number> = {};
    for (let kind = 0; kind < names.length; kind++) {
      const value = numbers[at + ANSWER + kind]!;
      if (value !== 0) evidence[names[kind]!] = value;
    }
    const newer = numbers[at + ANSWER_SUPERSEDED_BY]!;
    const like = numbers[at + ANSWER_SIMILAR_TO]!;
    const replaced_by = replacementAt(state, at + ANSWER_REPLACED_BY);
    const replaces = replacementAt(state, at + ANSWER_REPLACES);
    answers[place] = {
      id: ids[numbers[at + ANSWER_ROW]!]!,
      score: numbers[at + ANSWER_SCORE]!,
      sum: numbers[at + ANSWER_SUM]!,
      evidence,
      ...(newer === NO_END ? {} : { superseded_by: ids[newer]! }),
      ...(replaced_by === undefined ? {} : { replaced_by }),
      ...(replaces === undefined ? {} : { replaces }),
      ...(like === NO_END ? {} : { similar_to: ids[like]! }),
    };
  }
  resident.shrinkAfterAnswer();
  return answers;
}

/** The memory and the probability of a guess that one replaces another, if there is one. */
function replacementAt({ resident, ids }: MemoryState, at: number): Replacement | undefined {
  const row = resident.numbers[at]!;
  return row === NO_END ? undefined : { id: ids[row]!, probability: resident.numbers[at + 1]! };
}

/** Explains the place of the memory of a row. @internal */
export function explainAnswer(
  state: MemoryState,
  question: ReadQuestion,
  row: number,
  text: ReadText | undefined,
): Why {
  const { title = "", body = "" } = text ?? {};
  const length = writeQuestion(state, question, title.length + body.length);
  const { resident } = state;
  const titleLength = writeText(title, resident.bytes, resident.bytesAt + length);
  const at = resident.bytesAt + length + titleLength;
  const bodyLength = writeText(body, resident.bytes, at);
  const why: ModuleWhy | undefined = resident.module.why(
    row,
    length,
    text === undefined ? -1 : titleLength,
    bodyLength,
    question.diversity,
    state.addWord,
  );
  if (why === undefined) throw refusedSearch(state);
  state.resident.relocate();
  const { passage, meaning, superseded_by: newer, similar_to: like, ...others } = why;
  const { replaced_by, replaces, ...rest } = others;
  const replacementOf = ({ row, probability }: ModuleReplacement): Replacement => ({
    ...{ id: state.ids[row]!, probability },
  });
  return {
    ...rest,
    ...(meaning === null ? {} : { meaning }),
    ...(newer === null ? {} : { superseded_by: state.ids[newer]! }),
    ...(replaced_by === null ? {} : { replaced_by: replacementOf(replaced_by) }),
    ...(replaces === null ? {} : { replaces: replacementOf(replaces) }),
    ...(like === null ? {} : { similar_to: state.ids[like]! }),
    passage: {
      index: passage.passage,
      first_word: passage.first_word,
      words: passage.words,
      ...(passage.spans === undefined ? {} : { spans: passage.spans }),
    },
  };
}

interface ModuleReplacement {
  row: number;
  probability: number;
}

type ToRead = "passage" | "meaning" | "superseded_by" | "replaced_by" | "replaces" | "similar_to";

interface ModuleWhy extends Omit<Why, ToRead> {
  meaning: NonNullable<Why["meaning"]> | null;
  /** A row. */
  superseded_by: number | null;
  replaced_by: ModuleReplacement | null;
  replaces: ModuleReplacement | null;
  /** A row. */
  similar_to: number | null;
  passage: { passage: number; first_word: number; words: number; spans?: TextSpan[] };
}

/** @internal */
export function collectEvidence(state: MemoryState, question: ReadQuestion): EvidenceMatrix {
  const { resident } = state;
  const length = writeQuestion(state, question);
  const count = resident.module.evidence(length, state.addWord);
  if (count < 0) throw refusedSearch(state);
  resident.relocate();
  const names = namesOf(resident.instance.glue);
  const rows = resident.rows.subarray(resident.rowsAt, resident.rowsAt + count);
  const values = resident.numbers.slice(
    resident.numbersAt,
    resident.numbersAt + count * names.length,
  );
  const matrix = { ids: Array.from(rows, (row) => state.ids[row]!), names, values };
  resident.shrinkAfterAnswer();
  return matrix;
}

/**
 * Writes a question into the scratch, with room for so many UTF-16 units after it. Returns its
 * length in bytes.
 */
function writeQuestion(state: MemoryState, { text, search }: ReadQuestion, after = 0): number {
  writeSearch(state, search, maxBytes(text.length + after));
  const { resident } = state;
  return writeText(text, resident.bytes, resident.bytesAt);
}
