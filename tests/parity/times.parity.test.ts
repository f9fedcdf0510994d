// The package finds the times of generated texts as the reference does, to the bit; and what it
// finds keeps the laws of ranges.

import fc from "fast-check";
import * as nous from "nous-wasm";
import { expect, test } from "vitest";
import * as reference from "../reference/index.ts";
import { amount, runs } from "../support/amount.ts";
import { asked, TEXTS } from "./inputs/times.ts";
import { same } from "./support/same.ts";

test(`times of ${TEXTS} texts`, () => {
  let named = 0;
  fc.assert(
    fc.property(asked, ({ text, now }) => {
      const { times } = nous.understand(text, { now });
      const difference = same(times, reference.findTimes(text, now));
      if (difference !== null) expect.fail(difference);
      if (times!.length > 0) named++;
    }),
    runs(TEXTS),
  );
  expect(named).toBeGreaterThan(TEXTS / 3);
});

test("`now` changes no other field", () => {
  fc.assert(
    fc.property(asked, ({ text, now }) => {
      const { times, ...others } = nous.understand(text, { now });
      expect(times).toBeDefined();
      const difference = same(others, nous.understand(text));
      if (difference !== null) expect.fail(difference);
    }),
    runs(amount(5000)),
  );
});

test("ranges are not empty, and the texts stand in the question in their order", () => {
  fc.assert(
    fc.property(asked, ({ text, now }) => {
      let at = 0;
      for (const found of nous.understand(text, { now }).times!) {
        expect(found.start).toBeLessThan(found.end);
        const place = text.indexOf(found.text, at);
        expect(place).toBeGreaterThanOrEqual(at);
        expect(found.text.trim()).toBe(found.text);
        at = place + found.text.length;
      }
    }),
    runs(amount(5000)),
  );
});

test("an expression means the same alone and in a sentence", () => {
  const texts = fc.constantFrom("last week", "May 7, 2023", "two months ago", "since Friday");
  fc.assert(
    fc.property(texts, fc.integer({ min: 0, max: 2e12 }), (text, now) => {
      const [alone] = nous.understand(text, { now }).times!;
      const [inside] = nous.understand(`We talked about it ${text}, did we?`, { now }).times!;
      expect(inside).toEqual(alone);
    }),
    runs(1000),
  );
});
