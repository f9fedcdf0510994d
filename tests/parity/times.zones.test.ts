// Time zones: their offsets, local times, and days of questions by the clocks of a zone.

import fc from "fast-check";
import * as nous from "nous-wasm";
import { describe, expect, test } from "vitest";
import { amount, runs } from "../support/amount.ts";

const DAY = 86_400_000;
const MINUTE = 60_000;
const ZONES = [
  ...["UTC", "Europe/Berlin", "America/New_York", "America/Los_Angeles", "Asia/Tokyo"],
  ...["Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "America/St_Johns", "Africa/Cairo"],
];
const zone = fc.constantFrom(...ZONES);
const instant = fc.integer({ min: Date.UTC(1975, 0), max: Date.UTC(2037, 0) });
/** The day of an instant by the clocks of a zone, as "2026-05-31". */
const dayIn = (timeZone: string, at: number): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" }).format(at);

test("a zone has offsets that differ between summer and winter", () => {
  const [winter, summer] = [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)];
  const of = (name: string) => [winter, summer].map((at) => nous.offsetIn(name, at));
  expect(of("UTC")).toEqual([0, 0]);
  expect(of("Europe/Berlin")).toEqual([60, 120]);
  expect(of("America/St_Johns")).toEqual([-210, -150]);
  expect(of("Asia/Kathmandu")).toEqual([345, 345]);
});

test("a day that does not exist has neither a first nor a last instant", () => {
  for (const name of ["UTC", "Europe/Berlin"])
    for (const of of [nous.millisecondsIn, nous.lastMillisecondsIn])
      expect(of(name, "2026-02-31")).toBeNaN();
});

test("the first and the last days of dates are read, and years before the first", () => {
  for (const name of ZONES) {
    expect(nous.millisecondsIn(name, "+275760-09-13")).toBe(8.64e15);
    expect(nous.lastMillisecondsIn(name, "+275760-09-13")).toBe(8.64e15);
    expect(nous.millisecondsIn(name, "-271821-04-20")).toBe(-8.64e15);
    for (const day of ["+275760-09-12", "-271821-04-21", "-000001-12-31", "0000-01-01"]) {
      const [utc, first] = [Date.parse(day), nous.millisecondsIn(name, day)];
      const last = nous.lastMillisecondsIn(name, day);
      expect(Math.abs(first - utc)).toBeLessThan(DAY);
      expect(Math.abs(last - first - DAY)).toBeLessThan(DAY);
    }
  }
});

test("a name that is no zone is refused", () => {
  for (const name of ["", "Atlantis", "Europe/Atlantis", "+99:00"]) {
    expect(nous.isTimeZone(name)).toBe(false);
    const wrong = expect.objectContaining({ code: "invalid_argument" });
    expect(() => nous.offsetIn(name, 0)).toThrow(wrong);
    expect(() => nous.millisecondsIn(name, "2026-01-01")).toThrow(wrong);
    expect(() => nous.understand("yesterday", { now: 0, time_zone: name })).toThrow(wrong);
  }
});

test("a local time is the instant at which the clocks of the zone show it", () => {
  fc.assert(
    fc.property(zone, instant, (name, at) => {
      const local = new Date(at + nous.offsetIn(name, at) * MINUTE).toISOString().slice(0, -1);
      const read = nous.millisecondsIn(name, local);
      // In the night of a change, clocks show an hour twice: then it is the first of the two.
      const others = [0, 30, 60, 90, 120].map((minutes) => at - minutes * MINUTE);
      expect(others).toContain(read);
      const shown = new Date(read + nous.offsetIn(name, read) * MINUTE).toISOString().slice(0, -1);
      expect(shown).toBe(local);
    }),
    runs(amount(3000)),
  );
});

test("a time that clocks leave out counts by the clock before", () => {
  const read = nous.millisecondsIn("Europe/Berlin", "2026-03-29T02:30:00");
  expect(new Date(read).toISOString()).toBe("2026-03-29T01:30:00.000Z");
});

test("a time with a zone of its own is the same everywhere", () => {
  fc.assert(
    fc.property(zone, instant, (name, at) => {
      for (const text of [new Date(at).toISOString(), "2026-05-31T12:00:00-08:00"])
        expect(nous.millisecondsIn(name, text)).toBe(nous.toMilliseconds(text));
    }),
    runs(amount(500)),
  );
});

test("a day of a zone begins with its first instant and ends with its last", () => {
  fc.assert(
    fc.property(zone, instant, (name, at) => {
      const day = dayIn(name, at);
      const [first, last] = [nous.millisecondsIn(name, day), nous.lastMillisecondsIn(name, day)];
      expect([dayIn(name, first), dayIn(name, last)]).toEqual([day, day]);
      expect(dayIn(name, first - 1) < day && dayIn(name, last + 1) > day).toBe(true);
      expect(at >= first && at <= last).toBe(true);
    }),
    runs(amount(1000)),
  );
});

test.each([
  // Clocks go back at the end of the day, and after its first minute.
  ["Africa/Cairo", "1997-09-25", "1997-09-24T21:00:00.000Z", "1997-09-25T21:59:59.999Z"],
  ["America/St_Johns", "2006-10-28", "2006-10-28T02:30:00.000Z", "2006-10-29T03:29:59.999Z"],
  // Clocks leave out the first hour of the next day, and the next day itself.
  ["Africa/Cairo", "2023-04-27", "2023-04-26T22:00:00.000Z", "2023-04-27T21:59:59.999Z"],
  ["Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00.000Z", "2011-12-30T09:59:59.999Z"],
])("in %s %s begins at %s and ends at %s", (name, day, first, last) => {
  expect(new Date(nous.millisecondsIn(name, day)).toISOString()).toBe(first);
  expect(new Date(nous.lastMillisecondsIn(name, day)).toISOString()).toBe(last);
  const [today] = nous.understand("today", { now: Date.parse(last), time_zone: name }).times!;
  expect([today!.start, today!.end - 1]).toEqual([Date.parse(first), Date.parse(last)]);
});

describe("a question in a zone", () => {
  test("names days by the clocks of the zone", () => {
    fc.assert(
      fc.property(zone, instant, (time_zone, now) => {
        const [today] = nous.understand("today", { now, time_zone }).times!;
        const day = dayIn(time_zone, now);
        expect([today!.start, today!.end - 1]).toEqual([
          nous.millisecondsIn(time_zone, day),
          nous.lastMillisecondsIn(time_zone, day),
        ]);
        const [past] = nous.understand("the past week", { now, time_zone }).times!;
        expect(past!.end).toBe(now + 1);
        const [open] = nous.understand("before 2020", { now, time_zone }).times!;
        expect(open!.start).toBe(-8.64e15);
      }),
      runs(amount(1000)),
    );
  });

  test("finds what happened on a day by the clock of each memory", () => {
    fc.assert(
      fc.property(
        zone,
        fc.array(fc.tuple(instant, fc.boolean()), { minLength: 1, maxLength: 8 }),
        (time_zone, made) => {
          const index = new nous.MemoryIndex({ maxBytes: 2 ** 26 });
          try {
            index.upsert(
              made.map(([at, isEvent], place) => ({
                ...{ id: `m${place}`, text: "Supper.", utc_offset: nous.offsetIn(time_zone, at) },
                ...(isEvent ? { event_time: at, created_at: DAY } : { created_at: at }),
              })),
            );
            const now = Date.UTC(2038, 0);
            for (const [at] of made) {
              const day = dayIn(time_zone, at);
              const answers = index.ask(`What did I do on ${day}?`, { now, time_zone, limit: 20 });
              const found = answers.map(({ id }) => id).sort();
              const expected = made.flatMap(([other], place) =>
                dayIn(time_zone, other) === day ? [`m${place}`] : [],
              );
              expect(found).toEqual(expected);
            }
          } finally {
            index.free();
          }
        },
      ),
      runs(amount(300)),
    );
  });
});
