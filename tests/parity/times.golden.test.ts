// The package finds the times of generated texts that are recorded, to the bit; and what it finds
// keeps the laws of ranges.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import * as nous from "nous-wasm";
import { expect, test } from "vitest";
import { holdsTime } from "../../js/reference/found-times.ts";
import { holdsName, holdsNumber, sought } from "../../js/reference/times.ts";
import { amount, runs } from "../support/amount.ts";
import { asked, namesOf } from "./inputs/times.ts";
import { same } from "./support/same.ts";

interface Recorded {
  text: string;
  now: number;
  times: [text: string, start: number, end: number, grain: string][];
  sought: string[];
  holds: string[];
}
const RECORDED: Recorded[] = JSON.parse(
  readFileSync(new URL("../golden/generated_times.json", import.meta.url), "utf8"),
);

test(`times of ${RECORDED.length} recorded texts`, () => {
  for (const { text, now, times } of RECORDED) {
    // The crate finds nothing outside the calendar; the package takes no such instant.
    const found = Math.abs(now) <= 8.64e15 ? nous.understand(text, { now }).times! : [];
    const rows = found.map(({ text, start, end, grain }) => [text, start, end, grain]);
    const difference = same(rows, times);
    if (difference !== null) expect.fail(`${JSON.stringify(text)} at ${now}: ${difference}`);
  }
  const named = RECORDED.filter(({ times }) => times.length > 0);
  expect(named.length).toBeGreaterThan(3000);
});

test("the reference says of the recorded texts what they seek and hold", () => {
  for (const { text, sought: seeks, holds } of RECORDED) {
    expect(namesOf({ ...sought(text) }), text).toEqual(seeks);
    const found = { time: holdsTime(text), number: holdsNumber(text), name: holdsName(text) };
    expect(namesOf(found), text).toEqual(holds);
  }
});

test("a lone surrogate is read as any character that is in no word", () => {
  fc.assert(
    fc.property(
      fc.tuple(asked, asked),
      fc.integer({ min: 0xd800, max: 0xdfff }),
      ([one, other], unit) => {
        const spans = (between: string) =>
          nous.understand(`${one.text} ${between} ${other.text}`, { now: one.now }).times;
        expect(spans(String.fromCharCode(unit))).toEqual(spans("\ufffd"));
      },
    ),
    runs(amount(5000)),
  );
});

test("`now` changes no other field", () => {
  fc.assert(
    fc.property(asked, ({ text, now }) => {
      const { times, era: _, ...others } = nous.understand(text, { now });
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
      expect(inside).toEqual({ ...alone, index: 19 });
    }),
    runs(amount(1000)),
  );
});
