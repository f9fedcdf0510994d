// Expressions of time that are built from known days: the package finds the range that the calendar of
// `Date` gives, for any day, present and form.

import fc from "fast-check";
import { understand } from "nous-wasm";
import { expect, test } from "vitest";
import { amount, runs } from "../support/amount.ts";

const DAY = 86_400_000;
const MONTHS =
  "January February March April May June July August September October November December".split(
    " ",
  );
const WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");
const PLACES = ["first", "second", "third", "fourth", "last"];

/** A range by days of the calendar. `to` is the day after it. */
type Expected = [text: string, from: number, to: number];

const dayOf = (year: number, month: number, day = 1): number => Date.UTC(year, month, day);
/** The place of a weekday in the week, from 0 for Monday. */
const weekdayOf = (instant: number): number => (new Date(instant).getUTCDay() + 6) % 7;
const twoDigits = (value: number): string => String(value % 100).padStart(2, "0");

const year = fc.integer({ min: 1950, max: 2049 });
const month = fc.nat({ max: 11 });
const present = fc.integer({ min: dayOf(2000, 0), max: dayOf(2040, 0) });
/** A day of a year of two digits. */
const date = fc
  .integer({ min: dayOf(1950, 0) / DAY, max: dayOf(2049, 11, 31) / DAY })
  .map((day) => new Date(day * DAY));

/** Days of a month that are this weekday. */
const those = (of: number, month: number, weekday: number): number[] =>
  Array.from({ length: 31 }, (_, place) => dayOf(of, month, place + 1)).filter(
    (day) => new Date(day).getUTCMonth() === month && weekdayOf(day) === weekday,
  );

const inYears: fc.Arbitrary<Expected> = fc.oneof(
  fc.tuple(date, fc.constantFrom(" ", "-")).map(([day, between]): Expected => {
    const name = MONTHS[day.getUTCMonth()]!.slice(0, 3);
    const text = [day.getUTCDate(), name, twoDigits(day.getUTCFullYear())].join(between);
    return [text, day.getTime(), day.getTime() + DAY];
  }),
  fc.tuple(year, month, fc.constantFrom("'", "’")).map(([of, its, apostrophe]): Expected => {
    const text = `${MONTHS[its]} ${apostrophe}${twoDigits(of)}`;
    return [text, dayOf(of, its), dayOf(of, its + 1)];
  }),
  fc.tuple(year, fc.nat({ max: 3 }), fc.nat({ max: 4 })).map(([of, quarter, form]): Expected => {
    const name = `Q${quarter + 1}`;
    const short = twoDigits(of);
    const texts = [
      `${name} '${short}`,
      `${name}/${short}`,
      `${of} ${name}`,
      `${of}-${name}`,
      `${name} ${of}`,
    ];
    return [texts[form]!, dayOf(of, 3 * quarter), dayOf(of, 3 * quarter + 3)];
  }),
  fc.tuple(year, fc.nat({ max: 1 }), fc.nat({ max: 2 })).map(([of, half, form]): Expected => {
    const place = ["first", "second"][half]!;
    const texts = [`${place} half of ${of}`, `${place} half ${of}`, `H${half + 1} ${of}`];
    return [texts[form]!, dayOf(of, 6 * half), dayOf(of, 6 * half + 6)];
  }),
  fc
    .tuple(year, month, fc.nat({ max: 6 }), fc.nat({ max: 4 }), fc.constantFrom("of", "in"))
    .map(([of, its, weekday, place, preposition]): Expected => {
      const day = those(of, its, weekday).at(place === 4 ? -1 : place)!;
      const text = `${PLACES[place]} ${WEEKDAYS[weekday]} ${preposition} ${MONTHS[its]} ${of}`;
      return [text, day, day + DAY];
    }),
  fc.tuple(year, month, fc.boolean()).map(([of, its, isLast]): Expected => {
    const day = isLast ? dayOf(of, its + 1, 0) : dayOf(of, its);
    return [`${isLast ? "last" : "first"} day of ${MONTHS[its]} ${of}`, day, day + DAY];
  }),
  fc.tuple(date, fc.constantFrom("week of", "week of the")).map(([day, opening]): Expected => {
    const monday = day.getTime() - weekdayOf(day.getTime()) * DAY;
    const name = `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
    return [`${opening} ${name}`, monday, monday + 7 * DAY];
  }),
);

const foundIn = (text: string, now: number) =>
  understand(text, { now }).times!.map(({ text: found, start, end }) => [found, start, end]);

test("a part of a year, a year of two digits, a weekday of a month and the week of a day", () => {
  const sentence = fc.constantFrom(
    ["We met in the ", "."],
    ["What happened in the ", "?"],
    ["in the ", ""],
  );
  fc.assert(
    fc.property(inYears, present, sentence, ([text, from, to], now, [before, behind]) => {
      expect(foundIn(before + text + behind, now)).toEqual([[text, from, to]]);
    }),
    runs(amount(5000)),
  );
});

test("halves of units are counted back from the present", () => {
  const counts = ["one", "two", "three", "four", "five", "six"];
  fc.assert(
    fc.property(present, fc.nat({ max: 5 }), fc.nat({ max: 3 }), (now, count, form) => {
      const years = counts[count]!;
      const [text, halves] = (
        [
          ["half a year ago", 1],
          ["a half year ago", 1],
          [`${years} and a half years ago`, 2 * count + 3],
          ["a year and a half ago", 3],
        ] as const
      )[form]!;
      const at = new Date(now);
      const months = (steps: number) => dayOf(at.getUTCFullYear(), at.getUTCMonth() + steps);
      expect(foundIn(`I was there ${text}.`, now)).toEqual([
        [text, months(-6 * halves), months(1 - 6 * halves)],
      ]);
    }),
    runs(amount(1000)),
  );
});

test("the weekday before last lies a week before the last one, and that after next a week after the next", () => {
  fc.assert(
    fc.property(present, fc.nat({ max: 6 }), (now, weekday) => {
      const name = WEEKDAYS[weekday]!;
      const [[, last]] = foundIn(`last ${name}`, now) as [Expected];
      const [[, next]] = foundIn(`next ${name}`, now) as [Expected];
      expect(foundIn(`the ${name} before last`, now)).toEqual([
        [`${name} before last`, last - 7 * DAY, last - 6 * DAY],
      ]);
      expect(foundIn(`the ${name} after next`, now)).toEqual([
        [`${name} after next`, next + 7 * DAY, next + 8 * DAY],
      ]);
    }),
    runs(amount(1000)),
  );
});

test("a weekday of a month without a year is the latest that has begun", () => {
  fc.assert(
    fc.property(present, month, fc.nat({ max: 6 }), (now, its, weekday) => {
      const text = `last ${WEEKDAYS[weekday]} of ${MONTHS[its]}`;
      const of = new Date(now).getUTCFullYear();
      const days = [of, of - 1].map((its_year) => those(its_year, its, weekday).at(-1)!);
      const day = days.find((one) => one <= now)!;
      expect(foundIn(`On the ${text} we met`, now)).toEqual([[text, day, day + DAY]]);
    }),
    runs(amount(1000)),
  );
});

test("numeric dates of one text have one order: the day first if one of them begins with its day", () => {
  const slashed = (day: Date, dayFirst: boolean): string => {
    const [d, m] = [day.getUTCDate(), day.getUTCMonth() + 1];
    return `${dayFirst ? `${d}/${m}` : `${m}/${d}`}/${day.getUTCFullYear()}`;
  };
  fc.assert(
    fc.property(
      fc.array(date, { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      present,
      (days, dayFirst, now) => {
        const text = days.map((day) => slashed(day, dayFirst)).join(" and ");
        const isSettled = days.some((day) => day.getUTCDate() > 12);
        const found = foundIn(`Visits: ${text}`, now).map(([, start]) => start);
        const expected = days.map((day) => {
          const [of, m, d] = [day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()];
          // Without a day above 12 the month is first.
          return isSettled || !dayFirst ? day.getTime() : dayOf(of, d - 1, m + 1);
        });
        expect(found).toEqual(expected);
      },
    ),
    runs(amount(2000)),
  );
});
