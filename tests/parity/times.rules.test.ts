// Expressions of time one by one, written by hand.

import { readFileSync } from "node:fs";
import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import { findTimes, holdsTime } from "../../js/reference/found-times.ts";
import * as reference from "../../js/reference/times.ts";

type Case = [text: string, ...rest: string[]];

const FILE: { now: string; cases: Case[]; sought: Case[]; eras: Case[]; holds: Case[] } =
  JSON.parse(readFileSync(new URL("../golden/times.json", import.meta.url), "utf8"));
const NOW = Date.parse(`${FILE.now}Z`);
const ENDS: Readonly<Record<string, number>> = { "-": -8.64e15, "+": 8.64e15, now: NOW + 1 };

/** "2023-06-20" or "2023-06-20T10:00", or a name of `ENDS`. */
const instant = (text: string): number =>
  ENDS[text] ?? Date.parse(text.includes("T") ? `${text}Z` : text);

function expressions(fields: string[]): object[] {
  const found: object[] = [];
  for (let at = 0; at < fields.length; at += 4) {
    const [text, start, end, grain] = fields.slice(at, at + 4);
    found.push({ text, start: instant(start!), end: instant(end!), grain });
  }
  return found;
}

test("there are at least 300 cases", () => {
  expect(FILE.cases.length).toBeGreaterThanOrEqual(300);
});

test.each(FILE.cases)("%j", (text, ...fields) => {
  const found = nous.understand(text, { now: NOW }).times!;
  expect(found.map(({ index: _, ...others }) => others)).toEqual(expressions(fields));
  for (const { text: its, index } of found) expect(text.slice(index, index + its.length)).toBe(its);
});

describe("the reference", () => {
  test.each(FILE.sought)("says what %j seeks", (text, ...kinds) => {
    const found = Object.entries(reference.sought(text)).filter(([, sought]) => sought);
    expect(found.map(([kind]) => kind)).toEqual(kinds);
  });

  test.each(FILE.eras)("says for which time %j asks", (text, ...fields) => {
    const [wanted] = fields as [string];
    const found = reference.era(text, findTimes(text, NOW), NOW);
    const isNamed = /^\d/.test(wanted);
    expect(found).toEqual(isNamed ? { until: instant(wanted) } : wanted);
    expect(nous.understand(text, { now: NOW }).era).toBe(isNamed ? "then" : wanted);
  });

  test.each(FILE.holds)("says what %j holds", (text, ...kinds) => {
    const found = {
      time: holdsTime(text),
      number: reference.holdsNumber(text),
      name: reference.holdsName(text),
    };
    const names = Object.entries(found).filter(([, holds]) => holds);
    expect(names.map(([kind]) => kind)).toEqual(kinds);
  });
});

test("an instant may be a date or ISO 8601", () => {
  const times = nous.understand("yesterday", { now: NOW }).times;
  expect(times).toHaveLength(1);
  expect(nous.understand("yesterday", { now: new Date(NOW) }).times).toEqual(times);
  expect(nous.understand("yesterday", { now: "2023-06-20T10:00:00Z" }).times).toEqual(times);
});

test("without an instant there are no times", () => {
  expect(nous.understand("yesterday")).not.toHaveProperty("times");
  expect(nous.understand("yesterday", { now: undefined })).not.toHaveProperty("times");
});

test("places count in UTF-16 units, also behind other planes", () => {
  const [found] = nous.understand("🚀🚀 since Friday 🚀", { now: NOW }).times!;
  expect(found).toMatchObject({ text: "since Friday", index: 5 });
});
