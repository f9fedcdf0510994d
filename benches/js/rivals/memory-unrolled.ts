// The best search among embeddings we know to write in JavaScript without WASM: all rows in one
// typed array, four rows at a time with two sums each, and a short sorted list of the best. Sums
// are doubles.

import { normalise, quantise, quantiseQuery } from "../../../js/reference/search.ts";
import type { GraphNode } from "../../../tests/parity/inputs/graphs.ts";
import type { Top } from "./memory-obvious.ts";

/** Rows of an iteration. Rows of zeros pad the end. */
const ROWS = 4;

/** Components of an iteration. */
const COMPONENTS = 2;

const filledUp = (count: number, to: number) => Math.ceil(count / to) * to;

/** The best rows of a stream. Ties keep the order of the stream. */
class Best {
  readonly #scores: Float64Array;
  readonly #rows: Uint32Array;
  #filled = 0;
  /** The score that a row has to beat. */
  last: number;

  constructor(limit: number) {
    this.#scores = new Float64Array(limit);
    this.#rows = new Uint32Array(limit);
    this.last = limit === 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  }

  add(row: number, score: number): void {
    const scores = this.#scores;
    const rows = this.#rows;
    let place = this.#filled < scores.length ? this.#filled++ : scores.length - 1;
    while (place > 0 && scores[place - 1]! < score) {
      scores[place] = scores[place - 1]!;
      rows[place] = rows[place - 1]!;
      place--;
    }
    scores[place] = score;
    rows[place] = row;
    if (this.#filled === scores.length) this.last = scores[scores.length - 1]!;
  }

  named(ids: readonly string[]): Top {
    return { ids: Array.from(this.#rows, (row) => ids[row]!), scores: this.#scores };
  }
}

/** Embeddings in f32, with sums in f64. */
export class UnrolledVectors {
  readonly #ids: string[];
  readonly #width: number;
  readonly #components: Float32Array;

  constructor(nodes: readonly GraphNode[], dimensions: number) {
    const embedded = nodes.filter((node) => node.embedding !== null);
    this.#ids = embedded.map((node) => node.id);
    this.#width = filledUp(dimensions, COMPONENTS);
    this.#components = new Float32Array(filledUp(embedded.length, ROWS) * this.#width);
    embedded.forEach((node, row) => {
      this.#components.set(normalise(node.embedding!), row * this.#width);
    });
  }

  similar(embedding: Float32Array, limit: number): Top {
    const components = this.#components;
    const width = this.#width;
    const query = new Float64Array(width);
    query.set(normalise(embedding));
    const count = this.#ids.length;
    const best = new Best(Math.min(limit, count));
    for (let row = 0; row < count; row += ROWS) {
      const at0 = row * width;
      const at1 = at0 + width;
      const at2 = at1 + width;
      const at3 = at2 + width;
      let [a0, b0, a1, b1, a2, b2, a3, b3] = [0, 0, 0, 0, 0, 0, 0, 0];
      for (let i = 0; i < width; i += COMPONENTS) {
        const x = query[i]!;
        const y = query[i + 1]!;
        a0 += components[at0 + i]! * x;
        a1 += components[at1 + i]! * x;
        a2 += components[at2 + i]! * x;
        a3 += components[at3 + i]! * x;
        b0 += components[at0 + i + 1]! * y;
        b1 += components[at1 + i + 1]! * y;
        b2 += components[at2 + i + 1]! * y;
        b3 += components[at3 + i + 1]! * y;
      }
      if (a0 + b0 > best.last) best.add(row, a0 + b0);
      if (a1 + b1 > best.last && row + 1 < count) best.add(row + 1, a1 + b1);
      if (a2 + b2 > best.last && row + 2 < count) best.add(row + 2, a2 + b2);
      if (a3 + b3 > best.last && row + 3 < count) best.add(row + 3, a3 + b3);
    }
    return best.named(this.#ids);
  }
}

/** Like `UnrolledVectors`, with a byte for each component. Sums are integers. */
export class UnrolledCodes {
  readonly #ids: string[];
  readonly #width: number;
  readonly #codes: Int8Array;
  readonly #scales: Float64Array;

  constructor(nodes: readonly GraphNode[], dimensions: number) {
    const embedded = nodes.filter((node) => node.embedding !== null);
    this.#ids = embedded.map((node) => node.id);
    this.#width = filledUp(dimensions, COMPONENTS);
    this.#codes = new Int8Array(filledUp(embedded.length, ROWS) * this.#width);
    this.#scales = new Float64Array(filledUp(embedded.length, ROWS));
    embedded.forEach((node, row) => {
      const { codes, scale } = quantise(normalise(node.embedding!));
      this.#codes.set(codes, row * this.#width);
      this.#scales[row] = scale;
    });
  }

  similar(embedding: Float32Array, limit: number): Top {
    const codes = this.#codes;
    const scales = this.#scales;
    const width = this.#width;
    const { codes: queryCodes, scale } = quantiseQuery(normalise(embedding));
    const query = new Int32Array(width);
    query.set(queryCodes);
    const count = this.#ids.length;
    const best = new Best(Math.min(limit, count));
    for (let row = 0; row < count; row += ROWS) {
      const at0 = row * width;
      const at1 = at0 + width;
      const at2 = at1 + width;
      const at3 = at2 + width;
      let [sum0, sum1, sum2, sum3] = [0, 0, 0, 0];
      for (let i = 0; i < width; i += COMPONENTS) {
        const x = query[i]!;
        const y = query[i + 1]!;
        sum0 = (sum0 + Math.imul(codes[at0 + i]!, x) + Math.imul(codes[at0 + i + 1]!, y)) | 0;
        sum1 = (sum1 + Math.imul(codes[at1 + i]!, x) + Math.imul(codes[at1 + i + 1]!, y)) | 0;
        sum2 = (sum2 + Math.imul(codes[at2 + i]!, x) + Math.imul(codes[at2 + i + 1]!, y)) | 0;
        sum3 = (sum3 + Math.imul(codes[at3 + i]!, x) + Math.imul(codes[at3 + i + 1]!, y)) | 0;
      }
      const score0 = sum0 * scales[row]! * scale;
      const score1 = sum1 * scales[row + 1]! * scale;
      const score2 = sum2 * scales[row + 2]! * scale;
      const score3 = sum3 * scales[row + 3]! * scale;
      if (score0 > best.last) best.add(row, score0);
      if (score1 > best.last && row + 1 < count) best.add(row + 1, score1);
      if (score2 > best.last && row + 2 < count) best.add(row + 2, score2);
      if (score3 > best.last && row + 3 < count) best.add(row + 3, score3);
    }
    return best.named(this.#ids);
  }
}
