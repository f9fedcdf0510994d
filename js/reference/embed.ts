// Vectors of texts from a token table. Plain on purpose: this is the yardstick of the parity tests.
// The classes of characters are Unicode's of today, which those of the tokenizer differ from for
// characters that were assigned after 2015.

const MARK = /^[!-/:-@[-`{-~\p{P}]$/u;
const DROPPED = /[\p{Mn}\p{Cf}\p{Co}\p{Cs}\uFFFD]|(?![\t\n\r])\p{Cc}/gu;
const IDEOGRAPH =
  "\\u{3400}-\\u{4DBF}\\u{4E00}-\\u{9FFF}\\u{F900}-\\u{FAFF}\\u{20000}-\\u{2A6DF}\\u{2A700}-\\u{2B81F}" +
  "\\u{2B920}-\\u{2CEAF}\\u{2F800}-\\u{2FA1F}";
const WORD = new RegExp(
  `[!-/:-@[-\`{-~\\p{P}${IDEOGRAPH}]|[^\\s!-/:-@[-\`{-~\\p{P}${IDEOGRAPH}]+`,
  "gu",
);
const { fround } = Math;

/** Returns the words of a text, in order. */
export function wordsOf(text: string): string[] {
  const decomposed = text.normalize("NFD").replace(DROPPED, "");
  // One by one, because the last sigma of a word has another lower case.
  const lower = Array.from(decomposed, (character) => character.toLowerCase()).join("");
  return lower.match(WORD) ?? [];
}

/** A token table in the format NOUSEMB1 or NOUSEMB2. */
export class ReferenceTable {
  readonly dimensions: number;
  readonly #codes: Map<string, number>;
  readonly #scales: number[];
  readonly #rows: Int8Array;

  constructor(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const [count, dimensions, length] = [8, 12, 16].map((at) => view.getUint32(at, true)) as [
      number,
      number,
      number,
    ];
    const vocabulary = new TextDecoder().decode(bytes.subarray(20, 20 + length));
    this.dimensions = dimensions;
    this.#codes = new Map(vocabulary.split("\n").map((token, code) => [token, code]));
    const scales = Math.ceil((20 + length) / 4) * 4;
    this.#scales = Array.from({ length: count }, (_, code) =>
      view.getFloat32(scales + 4 * code, true),
    );
    const rows = bytes.subarray(scales + 4 * count);
    this.#rows = bytes[7] === 0x32 ? numbersOf(rows) : Int8Array.from(rows);
  }

  /** Returns the codes of the tokens that cover a word, or none. */
  tokensOf(word: string): number[] {
    const characters = Array.from(word);
    if (characters.length > 100) return [];
    const codes: number[] = [];
    for (let from = 0; from < characters.length; ) {
      let to = characters.length;
      const token = () => `${from > 0 ? "##" : ""}${characters.slice(from, to).join("")}`;
      while (to > from && !this.#codes.has(token())) to--;
      if (to === from) return [];
      codes.push(this.#codes.get(token())!);
      from = to;
    }
    return codes;
  }

  /** Returns the sum of the vectors of tokens. Each product and each sum is rounded to f32. */
  sumOf(codes: readonly number[]): number[] {
    return Array.from({ length: this.dimensions }, (_, at) =>
      codes.reduce((sum, code) => {
        const product = fround(this.#scales[code]! * this.#rows[code * this.dimensions + at]!);
        return fround(sum + product);
      }, 0),
    );
  }

  /** Returns the vector of the words of a text, and the share of words that tokens cover. */
  embedWords(words: readonly string[]): { vector: number[]; coverage: number } {
    const sum = this.sumOf(words.flatMap((word) => this.tokensOf(word)));
    const counted = words.filter((word) => !MARK.test(word));
    const covered = counted.filter((word) => this.tokensOf(word).length > 0);
    const length = Math.sqrt(squares(sum));
    if (covered.length === 0 || length === 0) return { vector: sum.map(() => 0), coverage: 0 };
    return {
      vector: sum.map((component) => fround(component / length)),
      coverage: covered.length / counted.length,
    };
  }

  /** Returns the vector of a text, and the share of its words that tokens cover. */
  embed(text: string): { vector: number[]; coverage: number } {
    return this.embedWords(wordsOf(text));
  }
}

/** Returns the numbers of four bits: sixteen in eight bytes, the first eight in the low halves. */
export function numbersOf(bytes: Uint8Array): Int8Array {
  return Int8Array.from({ length: 2 * bytes.length }, (_, at) => {
    const byte = bytes[Math.floor(at / 16) * 8 + (at % 8)]!;
    return (at % 16 < 8 ? byte % 16 : Math.floor(byte / 16)) - 8;
  });
}

/** Returns the sum of squares in 16 lanes, which are then added in halves. */
function squares(vector: readonly number[]): number {
  const lanes = new Float32Array(16);
  vector.forEach((component, at) => {
    lanes[at % 16]! += fround(component * component);
  });
  for (const half of [8, 4, 2, 1])
    for (let lane = 0; lane < half; lane++) lanes[lane]! += lanes[lane + half]!;
  return lanes[0]!;
}
