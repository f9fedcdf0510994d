// Vectors of texts: the WASM build against recorded vectors, against plain TypeScript with recorded
// and with generated texts, to the bit; batches against single texts.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { loadEmbedderSync } from "nous-embedder";
import { Embedder } from "nous-wasm";
import { describe, expect, it } from "vitest";
import { PlainEmbedder } from "../../benches/js/rivals/embedding.ts";
import { numbersOf, ReferenceTable, wordsOf } from "../../js/reference/embed.ts";
import { runs } from "../support/amount.ts";

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url));
const golden = (name: string) =>
  JSON.parse(gunzipSync(read(`tests/golden/embed/${name}.json.gz`)).toString());
const tableOf = (name: string) => read(`js/embedder/tables/${name}.bin`);

const bits = (vector: ArrayLike<number>) =>
  Array.from(new Uint32Array(Float32Array.from(vector).buffer));

/** Texts with their words, joined by blanks, and their tokens. −1 is a word without tokens. */
type Recorded = [text: string, words: string, tokens: number[]][];
const RECORDED: Recorded = golden("tokens-nous-128");

/** Whether Unicode has added no class to characters of a text since the tokenizer's tables. */
const isLatin = (text: string) =>
  !/[^\0-\u024f\u2000-\u206f]/u.test(text.replace(/[\u0300-\u036f]/gu, ""));

describe.each([
  ["nous-128", {}],
  ["nous-256", { dimensions: 256 }],
  ["multilingual-128", { language: "multilingual" }],
] as const)("the table %s", (name, options) => {
  const embedder = loadEmbedderSync(options);
  const { dimensions } = embedder;

  it("gives the recorded vectors", () => {
    const recorded: [string, number, number[]][] = golden(`vectors-${name}`);
    expect(recorded.length).toBeGreaterThanOrEqual(50);
    for (const [text, coverage, expected] of recorded) {
      const found = embedder.embed(text);
      expect(found.coverage, text).toBe(coverage);
      expect(bits(found.vector), text).toEqual(expected);
    }
  });

  it("gives the vectors of plain TypeScript for texts of many scripts", () => {
    const reference = new ReferenceTable(tableOf(name));
    const part = RECORDED.slice(0, 4_000);
    const { vectors, coverages } = embedder.embedAll(part.map(([text]) => text));
    part.forEach(([text, words], place) => {
      const expected = reference.embedWords(words === "" ? [] : words.split(" "));
      const found = vectors.subarray(place * dimensions, (place + 1) * dimensions);
      if (isLatin(text)) expect(coverages[place], text).toBe(expected.coverage);
      expect(bits(found), text).toEqual(bits(expected.vector));
    });
  });
});

describe("an embedder", () => {
  const table = tableOf("nous-128");
  const embedder = new Embedder(table);
  const reference = new ReferenceTable(table);
  const word = fc.constantFrom(
    ..."Friday deploys FAIL unbelievably Été naïve ΣΑΣ straße qzxj tea 日本語 ½ 2026 don't ﬁn İzmir".split(
      " ",
    ),
    ..."a\u0301b \u0000x\u200by C++ привет ราคา 한글 👋🏽 x́y x_y".split(" "),
    "y".repeat(101),
  );
  const text = fc
    .array(fc.tuple(word, fc.constantFrom(" ", ", ", "", "\t", "。", "\u00A0")), { maxLength: 12 })
    .map((pieces) => pieces.flat().join(""));

  it("gives the words and vectors of plain TypeScript for generated texts", () => {
    fc.assert(
      fc.property(text, (text) => {
        const expected = reference.embed(text);
        const { vector, coverage } = embedder.embed(text);
        expect(coverage).toBe(expected.coverage);
        expect(bits(vector)).toEqual(bits(expected.vector));
      }),
      runs(2_000),
    );
  });

  it("gives the same for a batch, and for arrays of the caller's, as for single texts", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), fc.nat(40), (texts, offset) => {
        const { vectors, coverages } = embedder.embedAll(texts);
        expect([vectors.length, coverages.length]).toEqual([128 * texts.length, texts.length]);
        texts.forEach((text, place) => {
          const single = embedder.embed(text);
          expect(coverages[place]).toBe(single.coverage);
          expect(vectors.slice(128 * place, 128 * (place + 1))).toEqual(single.vector);
          const target = new Float32Array(200).fill(7);
          expect(embedder.embedInto(text, target, offset)).toBe(single.coverage);
          expect(target.slice(offset, offset + 128)).toEqual(single.vector);
          expect(target.subarray(0, offset).every((number) => number === 7)).toBe(true);
          expect(target.subarray(offset + 128).every((number) => number === 7)).toBe(true);
        });
      }),
      runs(200),
    );
  });

  it("embeds thousands of texts, and texts of megabytes, between others", () => {
    const long = "Deploys on Friday fail, ".repeat(100_000);
    const texts = Array.from({ length: 3_000 }, (_, place) =>
      place === 1_500 ? long : `memory ${place} of tea`,
    );
    const { vectors, coverages } = embedder.embedAll(texts);
    for (const place of [0, 1_023, 1_024, 1_499, 1_500, 1_501, 2_999]) {
      const single = embedder.embed(texts[place]!);
      expect(coverages[place]).toBe(single.coverage);
      expect(vectors.slice(128 * place, 128 * (place + 1))).toEqual(single.vector);
    }
    expect(coverages[1_500]).toBe(1);
  });

  it("gives the sum of the rows of a word", () => {
    // Internal, so the declarations leave it out.
    const wordVectorInto = (word: Uint8Array, target: Float32Array, offset?: number): boolean =>
      (embedder as unknown as { wordVectorInto: typeof wordVectorInto }).wordVectorInto(
        word,
        target,
        offset,
      );
    const encoder = new TextEncoder();
    for (const each of ["friday", "unbelievably", "qzxj", "日", "!", ""]) {
      const target = new Float32Array(130).fill(7);
      const codes = reference.tokensOf(each);
      expect(wordVectorInto(encoder.encode(each), target, 1), each).toBe(codes.length > 0);
      const expected = [7, ...reference.sumOf(codes), 7];
      expect(bits(target), each).toEqual(bits(expected));
    }
    const target = new Float32Array(128).fill(7);
    expect(wordVectorInto(Uint8Array.of(0xff), target)).toBe(false);
    expect(target.every((number) => number === 0)).toBe(true);
  });

  it("gives the same vectors for rows of eight bits", () => {
    const [tokens, , length] = new Uint32Array(table.buffer.slice(table.byteOffset + 8), 0, 3);
    const rows = Math.ceil((20 + length!) / 4) * 4 + 4 * tokens!;
    const numbers = Buffer.from(numbersOf(table.subarray(rows)).buffer);
    const wide = Buffer.concat([table.subarray(0, rows), numbers]);
    wide.write("NOUSEMB1");
    const eight = new Embedder(wide);
    const inEight = new ReferenceTable(wide);
    fc.assert(
      fc.property(text, (text) => {
        const [expected, found] = [embedder.embed(text), eight.embed(text)];
        expect(found.coverage).toBe(expected.coverage);
        expect(bits(found.vector)).toEqual(bits(expected.vector));
        expect(bits(inEight.embed(text).vector)).toEqual(bits(expected.vector));
      }),
      runs(200),
    );
    eight.free();
  });

  it("agrees with the plain JavaScript of the benches", () => {
    const plain = new PlainEmbedder(table);
    for (const [text] of RECORDED.slice(0, 500)) {
      const [one, other] = [plain.embed(text), embedder.embed(text)];
      const min = other.coverage === 0 ? 0 : 0.999_999;
      const cosine = one.reduce((sum, component, at) => sum + component * other.vector[at]!, 0);
      expect(cosine, text).toBeGreaterThanOrEqual(min);
    }
  });

  const cosineBy = (embedder: Embedder) => (a: string, b: string) => {
    const [one, other] = [embedder.embed(a).vector, embedder.embed(b).vector];
    return one.reduce((sum, component, at) => sum + component * other[at]!, 0);
  };

  it("puts texts of one meaning nearer than others", () => {
    const cosine = cosineBy(embedder);
    expect(cosine("i like dogs", "we love puppies")).toBeGreaterThan(
      cosine("i like dogs", "the database migration failed") + 0.2,
    );
  });

  it("with the multilingual table puts translations nearer than other texts", () => {
    const cosine = cosineBy(loadEmbedderSync({ language: "multilingual" }));
    const failed = "the database migration failed";
    for (const dogs of [
      "ich mag Hunde",
      "j’aime les chiens",
      "me gustan los perros",
      "犬が好きです",
    ])
      expect(cosine("i like dogs", dogs), dogs).toBeGreaterThan(cosine(failed, dogs) + 0.2);
  });
});

describe("plain TypeScript", () => {
  it.each([
    ["nous-128", RECORDED],
    ["multilingual-128", golden("tokens-multilingual-128") as Recorded],
  ])("finds the recorded tokens of the recorded words with the table %s", (name, recorded) => {
    const reference = new ReferenceTable(tableOf(name));
    for (const [text, words, tokens] of recorded) {
      const found = (words === "" ? [] : words.split(" ")).flatMap((word) => {
        const codes = reference.tokensOf(word);
        return codes.length > 0 ? codes : [-1];
      });
      expect(found, text).toEqual(tokens);
    }
  });

  it("finds the recorded words, but for characters that are newer than the tokenizer's tables", () => {
    const differing = RECORDED.filter(([text, words]) => wordsOf(text).join(" ") !== words);
    expect(differing.length).toBeLessThan(RECORDED.length / 50);
    expect(RECORDED.filter(([text]) => isLatin(text)).length).toBeGreaterThan(9_000);
    expect(differing.filter(([text]) => isLatin(text))).toEqual([]);
  });
});
