// The estimate of tokens by script, against recorded counts of `o200k_base`.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { cutTo, tokensOf } from "nous-memory";
import { expect, test } from "vitest";

interface Counted {
  name: string;
  text: string;
  tokens: number;
}

const FILE = new URL("../golden/tokens/tokens.json", import.meta.url);
const TEXTS = JSON.parse(readFileSync(FILE, "utf8")) as Counted[];
/** The share of the recorded count by which the estimate may differ. */
const MARGIN = 0.2;

test.each(TEXTS)("the tokens of $name are estimated within a fifth", ({ text, tokens }) => {
  expect(Math.abs(tokensOf(text) / tokens - 1)).toBeLessThanOrEqual(MARGIN);
});

test("the lines of several texts are estimated together as each alone", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...TEXTS), { minLength: 1, maxLength: 12 }), (texts) => {
      const counted = texts.reduce((sum, { tokens }) => sum + tokens, 0);
      const estimated = tokensOf(texts.map(({ text }) => text).join("\n"));
      expect(Math.abs(estimated - counted)).toBeLessThanOrEqual(
        MARGIN * counted + 2 * texts.length,
      );
    }),
  );
});

test("any text is estimated, and cut to so many tokens", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.constantFrom(...TEXTS).map(({ text }) => text),
  );
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 80 }), (text, max) => {
      expect(tokensOf(text)).toBeGreaterThanOrEqual(1);
      const cut = cutTo(text, max);
      expect(text.startsWith(cut)).toBe(true);
      expect(tokensOf(cut)).toBeLessThanOrEqual(max);
    }),
  );
});
