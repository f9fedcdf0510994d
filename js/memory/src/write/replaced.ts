// The memories that a memory may replace, found by the index: the answers to its text, by the rule of
// replacing.

import type { Answer, AskOptions, Engine } from "nous-wasm";
import { createdAtOf, textOf, textsOf } from "../index-rows.ts";
import type { GradeOfGuess } from "../replacing-edges.ts";
import type { NodeRow } from "../rows.ts";
import { wholeOf } from "./replacing/features.ts";
import {
  type ComparedMemory,
  canReplace,
  comparedAmong,
  type Grade,
  guessesAmong,
  MAX_REPLACED_ANSWERS,
  readAmong,
  readingsOf,
  replacedAmong,
  replacingCandidates,
} from "./replacing/rule.ts";

/** An older memory that a new one may replace. */
export interface Replaced {
  /** The id of the older memory. */
  id: string;
  /** The probability that the new memory replaces it, from 0 to 1. */
  probability: number;
  /**
   * `likely`: answers rank the newer one first. `possible`: a conflict waits in the queue. `faint`: it
   * is not told; a prompt shows the newer one beside the older one.
   */
  grade: GradeOfGuess;
}

/** What a store tells of a new memory: not what is faint. */
export type ToldReplaced = Replaced & { grade: Grade };

/** Returns the guesses that are told. */
export const toldAmong = (found: readonly Replaced[]): ToldReplaced[] =>
  found.filter((one): one is ToldReplaced => one.grade !== "faint");

/** What the comparison needs of a store of memories. */
export interface ComparedStore {
  readonly engine: Pick<Engine, "getSectionForSubtype">;
  /** Returns the memories that answer a text, as of now. */
  ask(
    question: string,
    options: Pick<AskOptions, "limit" | "filters" | "embedding" | "embedding_scale">,
  ): readonly Answer[];
  /** Returns the rows of memories, in any order; none for an id that no memory has. */
  rows(ids: readonly string[]): readonly NodeRow[];
  /** Returns the memories that are likely to replace a memory, by their edges. */
  likelySuccessorsOf(id: string): readonly string[];
}

/** What is known beside the memory. */
export interface Comparing extends Pick<AskOptions, "embedding" | "embedding_scale"> {
  /** What the agent learned from confirmed and rejected guesses, in log-odds. Default 0. */
  offset?: number | undefined;
}

/** Two statements, for a model that reads both at once. */
export interface PairOfStatements {
  readonly older: string;
  readonly newer: string;
}

/** What a memory was compared with, before a model has read it. */
export interface Comparison {
  /** The pairs that are worth a reading: none to six. */
  readonly pairs: readonly PairOfStatements[];
  /**
   * Returns the memories that the memory may replace, the most probable first. Of a chain of them only
   * the last.
   *
   * @param readings - A number for each of the pairs, as `Minilm.replacing` returns them. Without them
   *   words decide alone.
   */
  guesses(readings?: ArrayLike<number>): Replaced[];
}

/** Compares a memory with older ones of the same user. */
export function comparisonOf(
  row: NodeRow,
  store: ComparedStore,
  { offset, ...meaning }: Comparing = {},
): Comparison {
  const newer = comparedOf(row, store);
  if (!canReplace(newer)) return NOTHING;
  const answers = store.ask(wholeOf(newer), {
    limit: MAX_REPLACED_ANSWERS,
    filters: { created_before: newer.created_at },
    ...meaning,
  });
  // A memory that another one supersedes is replaced already.
  const older = answers.filter(
    (answer) => answer.id !== row.id && answer.superseded_by === undefined,
  );
  const rows = new Map(store.rows(older.map(({ id }) => id)).map((row) => [row.id, row]));
  const there = new Set(older.map(({ id }) => id));
  const candidates = replacingCandidates(
    newer,
    older.flatMap(({ id, evidence }) => {
      const its = rows.get(id);
      if (its === undefined || its.user_id !== row.user_id) return [];
      const successors = store.likelySuccessorsOf(id).filter((by) => there.has(by));
      const isReplaced = successors.length > 0;
      return { id, ...comparedOf(its, store), evidence, successors, isReplaced };
    }),
  );
  const isEmbedded = meaning.embedding != null;
  const compared = comparedAmong(newer, candidates, isEmbedded);
  const read = readAmong(compared);
  const text = wholeOf(newer);
  return {
    pairs: read.map(({ place }) => ({ older: wholeOf(candidates[place]!), newer: text })),
    guesses(given) {
      const readings = given && readingsOf(read, given, candidates);
      const among = replacedAmong(newer, candidates, compared, { isEmbedded, offset, readings });
      const found = among.map(({ place, ...one }) => ({ ...one, ...candidates[place]! }));
      const told = new Set(found.flatMap(({ id, grade }) => (grade === undefined ? [] : id)));
      const last = found.filter(({ successors }) => !successors.some((by) => told.has(by)));
      return guessesAmong(last).map(({ id, probability, grade }) => ({ id, probability, grade }));
    },
  };
}

const NOTHING: Comparison = { pairs: [], guesses: () => [] };

/** Returns the memories that a memory may replace, by their words alone: see {@link comparisonOf}. */
export const possiblyReplacedBy = (
  row: NodeRow,
  store: ComparedStore,
  comparing?: Comparing,
): Replaced[] => comparisonOf(row, store, comparing).guesses();

function comparedOf(row: NodeRow, { engine }: Pick<ComparedStore, "engine">): ComparedMemory {
  const subtype = textOf(row.subtype);
  return {
    // Without kind and tags, which the index adds to the title.
    title: textOf(row.content_title) ?? "",
    text: textsOf(row).text ?? "",
    ...{ subtype, section: engine.getSectionForSubtype(subtype) },
    created_at: createdAtOf(row) ?? 0,
  };
}
