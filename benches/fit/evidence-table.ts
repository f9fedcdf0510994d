// The evidence of all memories for all questions of a set, in one table.
//
// # Idea
//
// The engine says what speaks for a memory; nothing is computed a second time here. A kind of
// evidence that is 0 in the whole set takes no room, so that five thousand texts and eight hundred
// questions fit into 250 megabytes. What memories are like is left out: its weights are not fitted.
//
// # Invariants
//
// - Rows stand question by question, in the order of the set, and memory by memory within.
// - A question without an answer has rows, too: calibration needs them.

import { MemoryIndex, TRAITS, type WordVectors } from "nous-wasm";
import type { Asking } from "../quality/measure.ts";
import { type SentenceVectors, sentenceOf, servedVector } from "../quality/sentences.ts";

/** A set of questions with the evidence for each of their memories. */
export interface EvidenceTable {
  /** The name of the set. */
  readonly name: string;
  /** The kinds of evidence that are not 0 everywhere, in the engine's order. */
  readonly kinds: readonly string[];
  /** A row for each memory of each question, one value for each kind. */
  readonly values: Float32Array;
  /** The grade of each row: 2 for an exact answer, 1 for a related memory, else 0. */
  readonly grades: Uint8Array;
  /** The first row of each question, and the number of rows at the end. */
  readonly starts: Uint32Array;
  /** The kind of each question. */
  readonly questionKinds: readonly string[];
}

/** The evidence for the memories of a question. */
export interface AskedQuestion {
  /** The kind of the question. */
  readonly kind: string;
  /** The grade of each memory: 2 for an exact answer, 1 for a related memory, else 0. */
  readonly grades: readonly number[];
  /** A row for each memory, one value for each kind of evidence. */
  readonly values: Float64Array;
}

/** Takes questions one by one, and makes the table of all. */
export class TableBuilder {
  readonly #questions: {
    readonly kind: string;
    readonly grades: readonly number[];
    /** The values of each kind; null if all are 0. */
    readonly columns: readonly (Float32Array | null)[];
  }[] = [];

  /**
   * @param name - The name of the set.
   * @param kinds - The names of the kinds of evidence, in the order of the values.
   */
  constructor(
    readonly name: string,
    readonly kinds: readonly string[],
  ) {}

  /**
   * Adds a question.
   *
   * @throws {RangeError} If there is other than one value for each memory and kind.
   */
  add({ kind, grades, values }: AskedQuestion): void {
    const width = this.kinds.length;
    if (values.length !== grades.length * width)
      throw new RangeError(
        `${this.name}, question ${this.#questions.length}: ${values.length} values for ${grades.length} memories and ${width} kinds`,
      );
    const columns = this.kinds.map((_, k) => {
      const column = Float32Array.from(grades, (_, memory) => values[memory * width + k]!);
      return column.some((value) => value !== 0) ? column : null;
    });
    this.#questions.push({ kind, grades, columns });
  }

  /** Returns the table of the questions so far. */
  finish(): EvidenceTable {
    const questions = this.#questions;
    const used = this.kinds.flatMap((_, k) =>
      questions.some(({ columns }) => columns[k] !== null) ? k : [],
    );
    const starts = new Uint32Array(questions.length + 1);
    for (const [place, one] of questions.entries())
      starts[place + 1] = starts[place]! + one.grades.length;
    const rows = starts.at(-1)!;
    const values = new Float32Array(rows * used.length);
    const grades = new Uint8Array(rows);
    for (const [place, { grades: own, columns }] of questions.entries()) {
      const first = starts[place]!;
      grades.set(own, first);
      for (const [at, k] of used.entries())
        columns[k]?.forEach((value, memory) => {
          values[(first + memory) * used.length + at] = value;
        });
    }
    const kinds = used.map((k) => this.kinds[k]!);
    const questionKinds = questions.map(({ kind }) => kind);
    return { name: this.name, kinds, values, grades, starts, questionKinds };
  }
}

/** How {@link collect} asks. */
export interface CollectOptions {
  readonly embedder: WordVectors;
  /** Embeddings of memories and questions. Without them, evidence of embeddings is 0. */
  readonly sentences?: SentenceVectors | undefined;
  /** Whether the index knows the clusters. Without them, runs end at gaps in time. Default true. */
  readonly clusters?: boolean;
}

/**
 * Asks the engine for the evidence of every question of these stores.
 *
 * @throws {RangeError} If there is no question.
 */
export function collect(
  name: string,
  askings: readonly Asking[],
  { embedder, sentences, clusters = true }: CollectOptions,
): EvidenceTable {
  let builder: TableBuilder | undefined;
  for (const { store, cases } of askings) {
    const index = new MemoryIndex({ embedder, dimensions: sentences?.dimensions });
    const { memories, edges } = store;
    sentences?.embedAll(memories.map(sentenceOf), "passage");
    const questions = cases.map(({ text }) => text);
    sentences?.embedAll(questions, "question");
    index.upsert(
      memories.map((one) => ({
        ...one,
        ...(clusters ? {} : { clusters: [] }),
        embedding: sentences && servedVector(sentences, sentenceOf(one), "passage"),
      })),
    );
    index.link(edges);
    for (const { text, now, kind, grades } of cases) {
      const { ids, names, values } = index.evidence(text, {
        now,
        embedding: sentences && servedVector(sentences, text, "question"),
      });
      // Traits are the last kinds of evidence.
      const kinds = names.slice(0, names.length - TRAITS.length);
      const fittable = values.filter((_, place) => place % names.length < kinds.length);
      builder ??= new TableBuilder(name, kinds);
      builder.add({ kind, grades: ids.map((id) => grades.get(id) ?? 0), values: fittable });
    }
    index.free();
  }
  if (builder === undefined) throw new RangeError(`${name}: no questions to fit on`);
  return builder.finish();
}

/**
 * Returns the weighted sum of each row.
 *
 * @param weights - By kind of evidence. A kind without a weight counts 0.
 */
export function sumsOf(
  { kinds, values }: Pick<EvidenceTable, "kinds" | "values">,
  weights: Readonly<Record<string, number>>,
): Float64Array {
  const each = Float64Array.from(kinds, (kind) => weights[kind] ?? 0);
  const sums = new Float64Array(values.length / Math.max(kinds.length, 1));
  for (let row = 0, at = 0; row < sums.length; row++)
    for (let k = 0; k < each.length; k++) sums[row]! += each[k]! * values[at++]!;
  return sums;
}

/**
 * Returns the rows of a question with the largest sums, best first; of equal sums the earlier row
 * first.
 */
export function bestRows(
  { starts }: Pick<EvidenceTable, "starts">,
  sums: Float64Array,
  question: number,
  max: number,
): number[] {
  const best: number[] = [];
  for (let row = starts[question]!; row < starts[question + 1]!; row++) {
    const last = best.at(-1);
    if (best.length === max && !(last !== undefined && sums[row]! > sums[last]!)) continue;
    let place = best.length;
    while (place > 0 && sums[best[place - 1]!]! < sums[row]!) place--;
    best.splice(place, 0, row);
    if (best.length > max) best.pop();
  }
  return best;
}
