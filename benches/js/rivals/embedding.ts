// Vectors of texts as users write them: a map of tokens, rows in a typed array, a loop over them.

import { numbersOf, wordsOf } from "../../../js/reference/embed.ts";

/** A token table, with its rows as bytes. */
export class PlainEmbedder {
  readonly dimensions: number;
  readonly #starts = new Map<string, number>();
  readonly #pieces = new Map<string, number>();
  readonly #scales: Float32Array;
  readonly #rows: Int8Array;

  /** Reads a table in the format NOUSEMB1 or NOUSEMB2. */
  constructor(table: Uint8Array) {
    const bytes = table.slice();
    const [tokens, dimensions, length] = new Uint32Array(bytes.buffer, bytes.byteOffset + 8, 3);
    this.dimensions = dimensions!;
    const end = 20 + length!;
    const vocabulary = new TextDecoder().decode(bytes.subarray(20, end));
    vocabulary.split("\n").forEach((token, code) => {
      if (token.startsWith("##")) this.#pieces.set(token.slice(2), code);
      else this.#starts.set(token, code);
    });
    const scales = Math.ceil(end / 4) * 4;
    this.#scales = new Float32Array(bytes.buffer, bytes.byteOffset + scales, tokens);
    const rows = bytes.subarray(scales + 4 * tokens!);
    this.#rows = bytes[7] === 0x32 ? numbersOf(rows) : Int8Array.from(rows);
  }

  /** Returns the vector of a text with length 1, or zeros. */
  embed(text: string): Float32Array {
    const vector = new Float32Array(this.dimensions);
    const isPlain = /^[\t\n\r\x20-\x7e]*$/.test(text);
    const words = isPlain ? (text.toLowerCase().match(/[a-z0-9]+|[!-~]/g) ?? []) : wordsOf(text);
    for (const word of words) {
      for (const code of this.#tokensOf(word)) {
        const scale = this.#scales[code]!;
        const row = code * this.dimensions;
        for (let at = 0; at < vector.length; at++) vector[at]! += scale * this.#rows[row + at]!;
      }
    }
    let squares = 0;
    for (const component of vector) squares += component * component;
    if (squares === 0) return vector;
    const factor = 1 / Math.sqrt(squares);
    for (let at = 0; at < vector.length; at++) vector[at]! *= factor;
    return vector;
  }

  #tokensOf(word: string): number[] {
    const whole = this.#starts.get(word);
    if (whole !== undefined) return [whole];
    const codes: number[] = [];
    for (let from = 0; from < word.length; ) {
      const tokens = from === 0 ? this.#starts : this.#pieces;
      let to = word.length;
      let code = tokens.get(word.slice(from, to));
      while (code === undefined && --to > from) code = tokens.get(word.slice(from, to));
      if (code === undefined) return [];
      codes.push(code);
      from = to;
    }
    return codes;
  }
}
