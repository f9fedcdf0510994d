// The cost of long texts is linear in their length.

import { overlap, overlaps, understand } from "nous-wasm";
import { describe, expect, test } from "vitest";

/** Text without spaces in which nearly every pair of characters is a separate term. */
const unspaced = (length: number) =>
  String.fromCharCode(
    ...Array.from({ length }, (_, place) => 0x4e00 + ((place * place + 7 * place) % 20_011)),
  );

test("overlapping terms take no longer than others", () => {
  const text = unspaced(60_000);
  const begun = performance.now();
  const { terms } = understand(text, { terms: "unicode" });
  // Counting from the start of the text for each term would take some seconds.
  expect(performance.now() - begun).toBeLessThan(1_000);
  expect(terms.length).toBeGreaterThan(15_000);
  expect(terms.slice(0, 2)).toEqual([text.slice(0, 2), text.slice(1, 3)]);
  for (const term of terms) expect(term).toHaveLength(2);
});

describe("comparing one text with many gives the same as single comparisons", () => {
  const texts = [
    "",
    "Funding squeeze",
    "the and of",
    "Größe ÉTÉ straße",
    "squeeze\nand more\n",
    "Ελλάδα ΣΟΦΟΣ σοφός",
    "漢字仮名",
  ];
  const answer = "A funding SQUEEZE of größe and été; ΣΟΦΟΣ\n漢字仮名 the end";

  test.each([{}, { mode: "seed-compatible" as const }])("%o", (options) => {
    expect(overlaps(texts, answer, options)).toEqual(
      texts.map((text) => overlap(text, answer, options)),
    );
    expect(overlaps([], answer, options)).toEqual([]);
  });

  test("and a value that is not text is refused by place", () => {
    const wrong = () => overlaps(["a", 7 as never], answer);
    expect(wrong).toThrow(
      expect.objectContaining({
        code: "invalid_argument",
        message: expect.stringContaining("7 at 1"),
      }),
    );
    expect(() => overlaps("a" as never, answer)).toThrow(
      expect.objectContaining({ code: "invalid_argument" }),
    );
    expect(() => overlaps(["a"], 7 as never)).toThrow(
      expect.objectContaining({ code: "invalid_argument" }),
    );
  });
});
