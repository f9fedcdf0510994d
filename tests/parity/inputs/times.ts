// Texts with expressions of time for fast-check: forms of the grammar, the same forms with a word
// changed, loose sequences of their words, and any text.

import fc from "fast-check";
import { findTimes, holdsTime } from "../../../js/reference/found-times.ts";
import * as reference from "../../../js/reference/times.ts";

// ---- pieces -------------------------------------------------------------------------------------

const split = (words: string): string[] => words.split(" ");

const MONTHS = split(
  "January february März April may May MAI June july Dec Dec. Sept Mar. mar Oktober August",
);
const WEEKDAYS = split("Monday friday Sat sun Fri. Freitag Sonntag 金曜日 月曜 Mondays");
const SEASONS = split("summer Fall winter spring Sommer Herbst 夏 冬");
const UNITS = split(
  "day days week weeks month months year years weekend quarter decade hour hours minutes seconds second Tagen Wochen Jahr Monat 日 年 週間 ヶ月 時間",
);
const COUNTS = split(
  "a an one two three ten twelve few several couple some zwei drei ein einem 三 二 数 1 2 12 30 100 9999 0 ３",
);
const WHICH = split("last this next past previous coming letzte nächsten diesen vergangene 過去");
const LED = split(
  "in on at of since until before after by between from during am im seit vor bis nach vom the The ever early mid late",
);
const DAYS = split("1 3 7 7th 21st 31 30 29 0 32 first second third 7. 25");
const YEARS = split("2023 2019 1999 2024 1900 2100 999 3000 1000 20233 98 ２０２３");
const HOURS = [
  ...split("5pm 17:30 5:30 12am 12pm 13pm noon midnight 0:00 24:00 9:60"),
  ...["5 pm", "5 p.m.", "5 a.m", "9 o'clock", "9 o’clock", "17 Uhr", "午後3時", "3時30分"],
];
const PARTS = split("morning afternoon evening night früh Abend tonight Morgen morgen 今夜 昨夜");
const DATES = [
  ...split("2023-05-07 2023-02-29 2024-02-29 2023-13-01 2023-05 05/07/2023 25/07/2022 5/7/23"),
  ...split("31/02/2023 7.5.2023 07.05.23 5-7-2023 5-7-23 2023/05/07 2023.5.7 1.2.3 10.0.0.1 5/7"),
  ...split(
    "2023-05-07T10:15:00Z 2023年5月7日 2023年5月 5月7日 2月30日 五月 先週 去年 先月 一昨日 来年",
  ),
  ...split(
    "today yesterday tomorrow gestern vorgestern übermorgen 昨日 きのう 1990s 90s 2010's Q3 q1 Q5",
  ),
];
const GLUE = split(
  ", - – — . : / ' 's ’s s 's the of and to und through ~ 〜 の から まで 前 に ago now",
);
const OTHERS = [
  ...split(
    "I go old alt people meeting I'm Berlin Łódź naïve good guten 3x x3 _ 🚀 ß é 会議 $ % # €",
  ),
  "\u00a0",
  "\n",
  "\u3000",
];

const oneOf = (...lists: string[][]) => fc.constantFrom(...lists.flat());
const glued = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((texts) => texts.filter((text) => text !== "").join(" "));
const maybe = (part: fc.Arbitrary<string>): fc.Arbitrary<string> => fc.oneof(part, fc.constant(""));

const day = oneOf(DAYS);
const month = oneOf(MONTHS);
const year = oneOf(YEARS);
const quantity = glued(oneOf(COUNTS), maybe(oneOf(["of", "few", "couple of"])), oneOf(UNITS));
const which = glued(oneOf(WHICH), maybe(quantity), oneOf(UNITS, WEEKDAYS, MONTHS, SEASONS, PARTS));
const ofYear = maybe(
  fc.oneof(year, glued(oneOf([",", "of"]), year), glued(maybe(oneOf(["of"])), which)),
);

const moment: fc.Arbitrary<string> = fc.oneof(
  oneOf(DATES),
  glued(month, maybe(day), ofYear),
  glued(day, maybe(oneOf(["of"])), month, ofYear),
  glued(oneOf(SEASONS), ofYear),
  glued(
    oneOf(WEEKDAYS),
    maybe(oneOf([",", "of", "the"])),
    maybe(fc.oneof(which, day)),
    maybe(month),
  ),
  which,
  glued(quantity, oneOf(["ago", "前", "before", "after", "from now"]), maybe(which)),
  glued(oneOf(["the week", "day", "the month"]), oneOf(["before", "after"]), oneOf(WHICH, DATES)),
  glued(day, oneOf(["week", "weekend", "quarter"]), oneOf(["of", "in"]), month, ofYear),
  glued(oneOf(["early", "mid", "mid-", "late", "the end of", "Anfang"]), month, ofYear),
  oneOf(YEARS, HOURS, PARTS),
);
const withHours = fc.oneof(
  moment,
  glued(moment, maybe(oneOf(["at", ",", "in the", "um", "の"])), oneOf(HOURS, PARTS)),
  glued(oneOf(HOURS, PARTS), maybe(oneOf(["on", "of", "am"])), moment),
);
const form: fc.Arbitrary<string> = fc.oneof(
  withHours,
  glued(oneOf(LED), maybe(oneOf(["the"])), withHours),
  glued(maybe(oneOf(LED)), fc.oneof(moment, day), oneOf(GLUE), fc.oneof(moment, day), ofYear),
  glued(oneOf(["in", "seit", "vor", "since"]), quantity),
);

/** A text with one of its words dropped, doubled or changed, or its spaces gone. */
const changed = fc
  .tuple(form, fc.nat(), fc.constantFrom("drop", "double", "upper", "swap", "join", "compact"))
  .map(([text, at, change]) => {
    const words = text.split(" ");
    const place = at % words.length;
    const word = words[place]!;
    if (change === "drop") words.splice(place, 1);
    if (change === "double") words.splice(place, 0, word);
    if (change === "upper") words[place] = word.toUpperCase();
    if (change === "swap") words.splice(place, 1, words[0]!);
    if (change === "join") words.splice(place, 2, words.slice(place, place + 2).join(""));
    return words.join(change === "compact" ? "" : " ");
  });

const piece = oneOf(
  ...[MONTHS, WEEKDAYS, SEASONS, UNITS, COUNTS, WHICH, LED, DAYS, YEARS],
  ...[HOURS, PARTS, DATES, GLUE, GLUE, OTHERS],
);
const loose = fc
  .array(fc.tuple(piece, fc.constantFrom(" ", " ", " ", "")), { maxLength: 12 })
  .map((pieces) => pieces.flat().join(""));

const QUESTION_WORDS = [
  ...split("when where who how what which many much long old wann wo wie viele wer 何人 いつ"),
  ...split("did is do the date city know say and , ? price friend"),
];
const questions = fc
  .array(oneOf(QUESTION_WORDS, OTHERS, UNITS), { maxLength: 8 })
  .map((words) => words.join(" "));

/** Texts that name times, mostly. */
export const timed: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: form },
  { weight: 3, arbitrary: changed },
  { weight: 4, arbitrary: loose },
  { weight: 1, arbitrary: questions },
  { weight: 1, arbitrary: fc.tuple(form, form).map((texts) => texts.join(" and ")) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
);

const DAY_MS = 86_400_000;
/** Instants: of this century, at the seams of days and years, and far away. */
export const present: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: 0, max: 2_500_000_000_000 }),
  fc.nat({ max: 30_000 }).map((day) => day * DAY_MS),
  fc.nat({ max: 30_000 }).map((day) => day * DAY_MS - 1),
  fc.double({ min: -1e15, max: 1e15, noNaN: true }),
);

/** A text and the present. */
export const asked = fc.record({ text: timed, now: present });

/** The answers to a text, to be recorded: times of the package, the rest of the reference. */
export function answersTo({ text, now }: { text: string; now: number }) {
  return {
    text,
    now,
    times: findTimes(text, now).map(({ text: found, start, end, grain }) => [
      found,
      start,
      end,
      grain,
    ]),
    sought: namesOf({ ...reference.sought(text) }),
    holds: namesOf({
      time: holdsTime(text),
      number: reference.holdsNumber(text),
      name: reference.holdsName(text),
    }),
  };
}

/** The names whose flags are set. */
export const namesOf = (flags: Readonly<Record<string, boolean>>): string[] =>
  Object.entries(flags).flatMap(([name, flag]) => (flag ? [name] : []));
