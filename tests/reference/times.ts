// Expressions of time in a text, as ranges; what a question seeks; numbers and names in a text. The
// rules, in full. Plain on purpose: this is the yardstick of the parity tests.
//
// The calendar is that of `Date`, in UTC.

import { CJK, WORD } from "./search.ts";

export type TimeGrain =
  | "minute"
  | "hour"
  | "day"
  | "week"
  | "month"
  | "quarter"
  | "season"
  | "year"
  | "decade";

export interface TimeExpression {
  text: string;
  start: number;
  end: number;
  grain: TimeGrain;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** The last instant of the calendar; the first is its negative. */
const LATEST = 8.64e15;

// ---- words --------------------------------------------------------------------------------------

type Unit =
  | "second"
  | "minute"
  | "hour"
  | "day"
  | "weekend"
  | "week"
  | "month"
  | "quarter"
  | "year"
  | "decade";

/** The meaning of a word or mark. `n` and `m` are its numbers. */
interface Word {
  is: string;
  n?: number;
  m?: number;
  unit?: Unit;
  /** Whether the word can only mean a month or weekday, also something else, or is short for it. */
  safety?: "safe" | "unsafe" | "short";
  letter?: string;
}

const WORDS: [Word, string][] = [
  [{ is: "month", n: 0, safety: "safe" }, "january januar jänner"],
  [{ is: "month", n: 1, safety: "safe" }, "february februar"],
  [{ is: "month", n: 2, safety: "unsafe" }, "march"],
  [{ is: "month", n: 2, safety: "safe" }, "märz"],
  [{ is: "month", n: 3, safety: "unsafe" }, "april"],
  [{ is: "month", n: 4, safety: "unsafe" }, "may mai"],
  [{ is: "month", n: 5, safety: "unsafe" }, "june"],
  [{ is: "month", n: 5, safety: "safe" }, "juni"],
  [{ is: "month", n: 6, safety: "safe" }, "july juli"],
  [{ is: "month", n: 7, safety: "unsafe" }, "august"],
  [{ is: "month", n: 8, safety: "safe" }, "september"],
  [{ is: "month", n: 9, safety: "safe" }, "october oktober"],
  [{ is: "month", n: 10, safety: "safe" }, "november"],
  [{ is: "month", n: 11, safety: "safe" }, "december dezember"],
  [{ is: "month", n: 0, safety: "short" }, "jan"],
  [{ is: "month", n: 1, safety: "short" }, "feb"],
  [{ is: "month", n: 2, safety: "short" }, "mar"],
  [{ is: "month", n: 3, safety: "short" }, "apr"],
  [{ is: "month", n: 5, safety: "short" }, "jun"],
  [{ is: "month", n: 6, safety: "short" }, "jul"],
  [{ is: "month", n: 7, safety: "short" }, "aug"],
  [{ is: "month", n: 8, safety: "short" }, "sep sept"],
  [{ is: "month", n: 9, safety: "short" }, "oct okt"],
  [{ is: "month", n: 10, safety: "short" }, "nov"],
  [{ is: "month", n: 11, safety: "short" }, "dec dez"],
  [{ is: "weekday", n: 0, safety: "safe" }, "monday montag 月曜日 月曜"],
  [{ is: "weekday", n: 1, safety: "safe" }, "tuesday dienstag 火曜日 火曜"],
  [{ is: "weekday", n: 2, safety: "safe" }, "wednesday mittwoch 水曜日 水曜"],
  [{ is: "weekday", n: 3, safety: "safe" }, "thursday donnerstag 木曜日 木曜"],
  [{ is: "weekday", n: 4, safety: "safe" }, "friday freitag 金曜日 金曜"],
  [{ is: "weekday", n: 5, safety: "safe" }, "saturday samstag sonnabend 土曜日 土曜"],
  [{ is: "weekday", n: 6, safety: "safe" }, "sunday sonntag 日曜日 日曜"],
  [{ is: "weekday", n: 0, safety: "short" }, "mon"],
  [{ is: "weekday", n: 1, safety: "short" }, "tue tues"],
  [{ is: "weekday", n: 2, safety: "short" }, "wed"],
  [{ is: "weekday", n: 3, safety: "short" }, "thu thur thurs"],
  [{ is: "weekday", n: 4, safety: "short" }, "fri"],
  [{ is: "weekday", n: 5, safety: "short" }, "sat"],
  [{ is: "weekday", n: 6, safety: "short" }, "sun"],
  [{ is: "season", n: 0 }, "spring springtime frühling frühjahr 春"],
  [{ is: "season", n: 1 }, "summer summertime sommer 夏"],
  [{ is: "season", n: 2 }, "autumn fall herbst 秋"],
  [{ is: "season", n: 3 }, "winter wintertime 冬"],
  [{ is: "day", n: 0 }, "today heute 今日"],
  [{ is: "day", n: -1 }, "yesterday gestern 昨日 きのう"],
  [{ is: "day", n: -2 }, "vorgestern 一昨日 おととい"],
  [{ is: "day", n: 1 }, "tomorrow 明日 あした"],
  [{ is: "day", n: 2 }, "übermorgen 明後日 あさって"],
  [{ is: "morgen" }, "morgen"],
  [{ is: "relative", n: -2, unit: "week" }, "先々週"],
  [{ is: "relative", n: -1, unit: "week" }, "先週"],
  [{ is: "relative", n: 0, unit: "week" }, "今週"],
  [{ is: "relative", n: 1, unit: "week" }, "来週"],
  [{ is: "relative", n: 2, unit: "week" }, "再来週"],
  [{ is: "relative", n: -2, unit: "month" }, "先々月"],
  [{ is: "relative", n: -1, unit: "month" }, "先月"],
  [{ is: "relative", n: 0, unit: "month" }, "今月"],
  [{ is: "relative", n: 1, unit: "month" }, "来月"],
  [{ is: "relative", n: -2, unit: "year" }, "一昨年 おととし"],
  [{ is: "relative", n: -1, unit: "year" }, "去年 昨年"],
  [{ is: "relative", n: 0, unit: "year" }, "今年"],
  [{ is: "relative", n: 1, unit: "year" }, "来年"],
  [
    { is: "which", n: -1 },
    "last previous letzte letzten letzter letztes letztem vorige vorigen voriger voriges vergangene vergangenen vergangener vergangenes",
  ],
  [{ is: "which", n: 0 }, "this current diese diesen dieser dieses diesem"],
  [
    { is: "which", n: 1 },
    "next coming upcoming nächste nächsten nächster nächstes nächstem kommende kommenden kommender kommendes",
  ],
  [{ is: "past" }, "past 過去 ここ"],
  [{ is: "unit", unit: "second" }, "seconds sec secs sekunde sekunden 秒"],
  [{ is: "unit", unit: "minute" }, "minute minutes mins minuten 分"],
  [{ is: "unit", unit: "hour" }, "hour hours hrs stunde stunden 時間"],
  [{ is: "unit", unit: "day" }, "day days tag tage tagen tages 日間"],
  [{ is: "unit", unit: "weekend" }, "weekend weekends wochenende wochenenden 週末"],
  [{ is: "unit", unit: "week" }, "week weeks woche wochen 週間 週"],
  [
    { is: "unit", unit: "month" },
    "month months monat monate monaten monats ヶ月 か月 カ月 ヵ月 ケ月 ヶ月間 か月間 カ月間",
  ],
  [{ is: "unit", unit: "quarter" }, "quarter quarters quartal quartale quartalen"],
  [{ is: "unit", unit: "year" }, "year years yrs jahr jahre jahren jahres 年間"],
  [{ is: "unit", unit: "decade" }, "decade decades jahrzehnt jahrzehnte jahrzehnten"],
  [{ is: "a" }, "a an ein eine einem einen einer"],
  [{ is: "count", n: 1, m: 1 }, "one 一"],
  [{ is: "count", n: 2, m: 2 }, "two zwei couple 二"],
  [{ is: "count", n: 3, m: 3 }, "three drei 三"],
  [{ is: "count", n: 4, m: 4 }, "four vier 四"],
  [{ is: "count", n: 5, m: 5 }, "five fünf 五"],
  [{ is: "count", n: 6, m: 6 }, "six sechs 六"],
  [{ is: "count", n: 7, m: 7 }, "seven sieben 七"],
  [{ is: "count", n: 8, m: 8 }, "eight acht 八"],
  [{ is: "count", n: 9, m: 9 }, "nine neun 九"],
  [{ is: "count", n: 10, m: 10 }, "ten zehn 十"],
  [{ is: "count", n: 11, m: 11 }, "eleven elf 十一"],
  [{ is: "count", n: 12, m: 12 }, "twelve zwölf 十二"],
  [{ is: "count", n: 15, m: 15 }, "fifteen fünfzehn"],
  [{ is: "count", n: 20, m: 20 }, "twenty zwanzig 二十"],
  [{ is: "count", n: 30, m: 30 }, "thirty dreißig 三十"],
  [{ is: "count", n: 2, m: 5 }, "few 数"],
  [{ is: "count", n: 2, m: 7 }, "several some einige einigen paar mehrere mehreren"],
  [
    { is: "large" },
    "thirteen fourteen sixteen seventeen eighteen nineteen forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million millions billion billions dozen dozens twice dreizehn vierzehn sechzehn siebzehn achtzehn neunzehn vierzig fünfzig sechzig siebzig achtzig neunzig hundert tausend millionen zweimal dutzend",
  ],
  [{ is: "ordinal", n: 1 }, "first erste ersten erstes"],
  [{ is: "ordinal", n: 2 }, "second zweite zweiten zweites"],
  [{ is: "ordinal", n: 3 }, "third dritte dritten drittes"],
  [{ is: "ordinal", n: 4 }, "fourth vierte vierten viertes"],
  [{ is: "ordinal", n: 5 }, "fifth"],
  [{ is: "ordinal", n: 6 }, "sixth"],
  [{ is: "ordinal", n: 7 }, "seventh"],
  [{ is: "ordinal", n: 8 }, "eighth"],
  [{ is: "ordinal", n: 9 }, "ninth"],
  [{ is: "ordinal", n: 10 }, "tenth"],
  [{ is: "part", n: 6, m: 12 }, "morning vormittag vormittags"],
  [{ is: "part", n: 5, m: 9 }, "früh"],
  [{ is: "part", n: 12, m: 13 }, "noon midday mittag mittags"],
  [{ is: "part", n: 12, m: 18 }, "afternoon nachmittag nachmittags"],
  [{ is: "part", n: 18, m: 24 }, "evening abend abends"],
  [{ is: "part", n: 18, m: 30 }, "night nacht nachts tonight 今夜 今晩"],
  [{ is: "part", n: 0, m: 1 }, "midnight mitternacht"],
  [{ is: "last_night" }, "昨夜 昨晩"],
  [{ is: "third", n: 0 }, "early beginning start anfang"],
  [{ is: "third", n: 1 }, "mid middle mitte"],
  [{ is: "third", n: 2 }, "late end ende"],
  [{ is: "meridiem", n: 12 }, "pm"],
  [{ is: "meridiem_before", n: 0 }, "午前"],
  [{ is: "meridiem_before", n: 12 }, "午後"],
  [{ is: "clock" }, "clock uhr 時"],
  [{ is: "letter", letter: "o" }, "o"],
  [{ is: "letter", letter: "p" }, "p"],
  [{ is: "letter", letter: "m" }, "m"],
  [{ is: "letter", letter: "s" }, "s"],
  [{ is: "letter", letter: "q" }, "q"],
  [{ is: "the" }, "the der die das dem den des"],
  [{ is: "in" }, "in im"],
  [{ is: "during" }, "during within over throughout während"],
  [{ is: "on" }, "on"],
  [{ is: "at" }, "at around um gegen"],
  [{ is: "of" }, "of の"],
  [{ is: "am" }, "am"],
  [{ is: "since" }, "since seit"],
  [{ is: "until" }, "until till by bis"],
  [{ is: "before" }, "before"],
  [{ is: "vor" }, "vor"],
  [{ is: "after" }, "after nach"],
  [{ is: "between" }, "between zwischen"],
  [{ is: "from" }, "from von vom"],
  [{ is: "to" }, "to through"],
  [{ is: "and" }, "and und"],
  [{ is: "ago" }, "ago 前"],
  [{ is: "now" }, "now"],
  [{ is: "year_mark" }, "年"],
  [{ is: "month_mark" }, "月"],
  [{ is: "day_mark" }, "日"],
  [{ is: "since_behind" }, "以来 以降 から"],
  [{ is: "until_behind" }, "まで"],
  [
    { is: "vague" },
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays montags dienstags mittwochs donnerstags freitags samstags sonntags recently lately nowadays currently soon earlier later everyday daily weekly monthly yearly kürzlich neulich damals früher bald 最近 毎日 毎週 毎月 毎年",
  ],
];

const MEANINGS = new Map<string, Word>();
for (const [meaning, words] of WORDS) {
  for (const word of words.split(" ")) {
    if (!MEANINGS.has(word)) MEANINGS.set(word, meaning);
  }
}

interface Token {
  text: string;
  start: number;
  end: number;
  word: Word;
  /** Whether it stands directly behind the token before it. */
  attached: boolean;
  capital: boolean;
  unspaced: boolean;
}

const OTHER: Word = { is: "other" };
const DIGITS = "0-9\\uff10-\\uff19";
/** Digits, a character of text without spaces, letters, or a mark. */
const TOKENS = new RegExp(
  `(?<digits>[${DIGITS}]+)|(?<unspaced>[${CJK}])|(?<letters>(?:(?![${DIGITS}${CJK}])[${WORD}])+)|(?<mark>\\S)`,
  "gu",
);
const UNSPACED = new RegExp(`^[${CJK}]+`, "u");

/** Whether a character is a capital letter of Latin, Greek or Cyrillic writing. */
function isCapital(character: string): boolean {
  if (/^[A-ZÀ-ÖØ-ÞΑ-ΩЀ-ЯŸ]/.test(character)) return true;
  const code = character.codePointAt(0)!;
  const isBetween = (from: number, to: number) => code >= from && code <= to;
  if (isBetween(0x100, 0x137) || isBetween(0x14a, 0x177)) return code % 2 === 0;
  return (isBetween(0x139, 0x148) || isBetween(0x179, 0x17e)) && code % 2 === 1;
}

const lower = (text: string): string => text.replace(/[A-ZÄÖÜ]/g, (letter) => letter.toLowerCase());

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let endBefore = -1;
  for (;;) {
    TOKENS.lastIndex = at;
    const match = TOKENS.exec(text);
    if (match === null) return tokens;
    const start = match.index;
    let [found] = match;
    let word = OTHER;
    const { digits, unspaced, letters, mark } = match.groups!;
    if (digits !== undefined) {
      const plain = digits.replace(/[\uff10-\uff19]/g, (digit) =>
        String(digit.charCodeAt(0) - 0xff10),
      );
      if (plain.length <= 4) word = { is: "number", n: Number(plain), m: plain.length };
    } else if (unspaced !== undefined) {
      const run = [...UNSPACED.exec(text.slice(start))![0]].slice(0, 4);
      while (run.length > 1 && !MEANINGS.has(run.join(""))) run.pop();
      found = run.join("");
      word = MEANINGS.get(found) ?? OTHER;
    } else if (letters !== undefined) {
      word = MEANINGS.get(lower(letters)) ?? OTHER;
    } else {
      word = { is: "mark", letter: mark! };
    }
    at = start + found.length;
    const attached = start === endBefore;
    endBefore = at;
    const last = tokens.at(-1);
    const isOrdinal =
      attached && letters !== undefined && word === OTHER && /^(?:st|nd|rd|th)$/.test(lower(found));
    if (isOrdinal && last?.word.is === "number" && last.word.n! > 0 && last.word.m! <= 2) {
      last.word = { is: "ordinal", n: last.word.n! };
      last.text += found;
      last.end = at;
      continue;
    }
    tokens.push({
      text: found,
      start,
      end: at,
      word,
      attached,
      capital: isCapital(found),
      unspaced: unspaced !== undefined,
    });
  }
}

// ---- the calendar -------------------------------------------------------------------------------

interface Range {
  from: number;
  to: number;
  grain: TimeGrain;
}

/** The start of a day of a month, counted from January of the year 0. */
function startOf(month: number, day = 1): number {
  const date = new Date(0);
  date.setUTCFullYear(Math.floor(month / 12), month - Math.floor(month / 12) * 12, day);
  return date.getTime();
}

const startOfDay = (instant: number): number => Math.floor(instant / DAY_MS) * DAY_MS;

function monthOf(instant: number): number {
  const date = new Date(instant);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

const yearOf = (instant: number): number => new Date(instant).getUTCFullYear();
/** From 0 for Monday. */
const weekdayOf = (instant: number): number => (new Date(instant).getUTCDay() + 6) % 7;

const daysFrom = (from: number, count: number, grain: TimeGrain): Range => ({
  from,
  to: from + count * DAY_MS,
  grain,
});

const monthsFrom = (month: number, count: number, grain: TimeGrain): Range => ({
  from: startOf(month),
  to: startOf(month + count),
  grain,
});

/** A day of a month; undefined if the month has no such day. */
function dateOf(month: number, day: number): Range | undefined {
  const from = startOf(month, day);
  return day >= 1 && monthOf(from) === month ? daysFrom(from, 1, "day") : undefined;
}

/** The unit that holds an instant, or the unit `steps` after that. */
function unitAt(instant: number, unit: Unit, steps: number): Range {
  const fixed = (length: number, grain: TimeGrain): Range => {
    const from = (Math.floor(instant / length) + steps) * length;
    return { from, to: from + length, grain };
  };
  const ofMonths = (count: number, grain: TimeGrain): Range =>
    monthsFrom((Math.floor(monthOf(instant) / count) + steps) * count, count, grain);
  const monday = startOfDay(instant) - weekdayOf(instant) * DAY_MS + steps * 7 * DAY_MS;
  switch (unit) {
    case "second": {
      const from = Math.floor((instant + steps * 1000) / MINUTE_MS) * MINUTE_MS;
      return { from, to: from + MINUTE_MS, grain: "minute" };
    }
    case "minute":
      return fixed(MINUTE_MS, "minute");
    case "hour":
      return fixed(HOUR_MS, "hour");
    case "day":
      return fixed(DAY_MS, "day");
    case "weekend":
      return daysFrom(monday + 5 * DAY_MS, 2, "day");
    case "week":
      return daysFrom(monday, 7, "week");
    case "month":
      return ofMonths(1, "month");
    case "quarter":
      return ofMonths(3, "quarter");
    case "year":
      return ofMonths(12, "year");
    case "decade":
      return ofMonths(120, "decade");
  }
}

/** The instant that lies `steps` units after another; of a shorter month the last day. */
function shifted(instant: number, unit: Unit, steps: number): number {
  const LENGTHS: Partial<Record<Unit, number>> = {
    second: 1000,
    minute: MINUTE_MS,
    hour: HOUR_MS,
    day: DAY_MS,
    weekend: 7 * DAY_MS,
    week: 7 * DAY_MS,
  };
  const length = LENGTHS[unit];
  if (length !== undefined) return instant + steps * length;
  const MONTHS: Partial<Record<Unit, number>> = { month: 1, quarter: 3, year: 12, decade: 120 };
  const month = monthOf(instant) + steps * MONTHS[unit]!;
  const lastDay = new Date(startOf(month + 1) - 1).getUTCDate();
  const day = Math.min(new Date(instant).getUTCDate(), lastDay);
  return startOf(month, day) + (instant - startOfDay(instant));
}

/** A stretch of time that comes again and again. */
type Recurring =
  | { each: "weekday" | "month" | "day" | "season" | "quarter"; n: number }
  | { each: "date"; month: number; day: number };

function ofYear(recurring: Recurring, year: number): Range | undefined {
  const january = year * 12;
  switch (recurring.each) {
    case "weekday":
    case "day":
      return undefined;
    case "month":
      return monthsFrom(january + recurring.n, 1, "month");
    case "season":
      return monthsFrom(january + 2 + 3 * recurring.n, 3, "season");
    case "quarter":
      return monthsFrom(january + 3 * recurring.n, 3, "quarter");
    case "date":
      return dateOf(january + recurring.month, recurring.day);
  }
}

/** All that begin within some years of an instant, in order. */
function near(recurring: Recurring, instant: number): Range[] {
  const found: (Range | undefined)[] = [];
  if (recurring.each === "weekday") {
    const monday = startOfDay(instant) - weekdayOf(instant) * DAY_MS;
    for (const week of [-1, 0, 1])
      found.push(daysFrom(monday + (week * 7 + recurring.n) * DAY_MS, 1, "day"));
  } else if (recurring.each === "day") {
    for (const month of [-2, -1, 0, 1, 2])
      found.push(dateOf(monthOf(instant) + month, recurring.n));
  } else {
    for (let year = -8; year <= 8; year++) found.push(ofYear(recurring, yearOf(instant) + year));
  }
  return found.filter((range) => range !== undefined);
}

/** The one that begins last, but not after the day of an instant. */
const latest = (recurring: Recurring, instant: number): Range | undefined =>
  near(recurring, instant).findLast(({ from }) => from <= startOfDay(instant));

/** The one that begins first, but not before the day of an instant. */
const first = (recurring: Recurring, instant: number): Range | undefined =>
  near(recurring, instant).find(({ from }) => from >= startOfDay(instant));

// ---- forms --------------------------------------------------------------------------------------

type Hours = Range;

/** A range, or one that recurs; hours of its day; and the token behind the form. */
interface Moment {
  range?: Range;
  recurring?: Recurring;
  hours?: Hours;
  next: number;
}

interface Amount {
  min: number;
  max: number;
  unit: Unit;
  next: number;
}

type Found = { range: Range; next: number };

const APOSTROPHES = ["'", "’"];

class Reader {
  readonly tokens: Token[];
  readonly now: number;

  constructor(text: string, now: number) {
    this.tokens = tokensOf(text);
    this.now = now;
  }

  expression(at: number): Found | undefined {
    if (["other", "mark", "end"].includes(this.is(at)) || !this.begins(at)) return undefined;
    const found = this.any(at);
    if (found === undefined) return undefined;
    const { from, to } = found.range;
    const isSound = from < to && from >= -LATEST && to <= LATEST;
    return isSound && this.ends(found.next) ? found : undefined;
  }

  /** The token behind a number of units. */
  duration(at: number): number | undefined {
    const amount = this.amount(at);
    if (amount === undefined) return undefined;
    const isShort = amount.unit === "second" || amount.unit === "minute";
    const counts = this.begins(at) && this.ends(amount.next) && !(this.is(at) === "a" && isShort);
    return counts ? amount.next : undefined;
  }

  any(at: number): Found | undefined {
    const is = this.is(at);
    if (is === "since") {
      const behind = this.behindArticle(at + 1);
      const moment = this.moment(behind, true);
      if (moment !== undefined) {
        const range = this.resolve(moment, this.now);
        return range && { range: this.upToNow(range), next: moment.next };
      }
      const amount = this.amount(behind);
      return amount && { range: this.upToNow(this.stretchBefore(amount)), next: amount.next };
    }
    if (is === "vor") {
      const amount = this.amount(at + 1);
      if (amount !== undefined) return { range: this.away(amount, -1), next: amount.next };
    }
    if (["until", "before", "vor", "after"].includes(is)) {
      const moment = this.moment(this.behindArticle(at + 1), true);
      const range = moment && this.resolve(moment, this.now);
      if (range === undefined) return undefined;
      const { from, to, grain } = range;
      const { next } = moment!;
      if (is === "until") return { range: { from: -LATEST, to, grain }, next };
      if (is === "after") return { range: { from: to, to: LATEST, grain }, next };
      return { range: { from: -LATEST, to: from, grain }, next };
    }
    if (is === "between" || is === "from") return this.pair(at + 1, true);
    if (is === "in" && !["which", "past"].includes(this.is(at + 1))) {
      const amount = this.amount(at + 1);
      if (amount === undefined) return undefined;
      const isShort = ["second", "minute", "hour", "day", "weekend"].includes(amount.unit);
      if (this.is(at + 1) === "a" && isShort) return undefined;
      if (this.is(amount.next) === "ago") return undefined;
      return { range: this.away(amount, 1), next: amount.next };
    }
    return this.plain(at);
  }

  plain(at: number): Found | undefined {
    if (this.is(at) === "the") return undefined;
    const moment = this.moment(at, this.isLed(at));
    let next = moment?.next;
    if (next === undefined && this.is(at) === "month" && this.tokens[at]!.capital) next = at + 1;
    next ??= this.dayNumber(at)?.next;
    if (next === undefined) return undefined;
    const range = moment && this.resolve(moment, this.now);
    if (this.connector(next, false) !== undefined) {
      const pair = this.pair(at, false);
      if (pair && (moment === undefined || range?.grain === pair.range.grain)) return pair;
    }
    if (moment === undefined || range === undefined) return undefined;
    switch (this.is(moment.next)) {
      case "since_behind":
        return { range: this.upToNow(range), next: moment.next + 1 };
      case "until_behind":
        return { range: { ...range, from: -LATEST }, next: moment.next + 1 };
      default:
        return { range, next: moment.next };
    }
  }

  pair(start: number, withAnd: boolean): Found | undefined {
    const at = this.behindArticle(start);
    const day = this.dayNumber(at);
    if (day !== undefined) {
      const second = this.connector(day.next, withAnd);
      const last = second === undefined ? second : this.moment(this.behindArticle(second), true);
      const begin = last && this.withDay(last, day.day);
      if (begin !== undefined) return this.join(begin, last!);
    }
    const begin = this.moment(at, true);
    const connector = begin && this.connector(begin.next, withAnd);
    if (connector === undefined) return undefined;
    const second = this.behindArticle(connector);
    const last = this.moment(second, true);
    if (last !== undefined) return this.join(begin!, last);
    const number = this.dayNumber(second);
    const sameMonth = number && this.withDay(begin!, number.day);
    if (sameMonth === undefined) return undefined;
    const year = this.yearBehind(number!.next);
    if (begin!.recurring !== undefined && year !== undefined) {
      const from = ofYear(begin!.recurring, year.year);
      const to = ofYear(sameMonth.recurring!, year.year);
      if (from === undefined || to === undefined) return undefined;
      return this.join({ range: from, next: year.next }, { range: to, next: year.next });
    }
    return this.join({ ...begin!, next: number!.next }, { ...sameMonth, next: number!.next });
  }

  join(begin: Moment, last: Moment): Found | undefined {
    let after = begin.range;
    if (begin.recurring?.each === "date" && last.recurring?.each === "weekday") {
      after = latest(begin.recurring, this.now);
      if (after === undefined) return undefined;
    }
    let end: Range | undefined;
    if (after !== undefined && last.recurring !== undefined) {
      const range = first(last.recurring, after.from);
      end = range && withHours(range, last.hours);
    } else {
      end = this.resolve(last, this.now);
    }
    const from = end && this.resolve(begin, end.from)?.from;
    if (from === undefined || from >= end!.to) return undefined;
    const next = last.next + (this.is(last.next) === "until_behind" ? 1 : 0);
    return { range: { from, to: end!.to, grain: end!.grain }, next };
  }

  connector(at: number, withAnd: boolean): number | undefined {
    const is = this.is(at);
    const isOne =
      ["to", "until", "since_behind"].includes(is) ||
      (is === "and" && withAnd) ||
      this.isMark(at, ["-", "–", "—", "~", "〜", "～"]);
    return isOne ? at + 1 : undefined;
  }

  moment(start: number, led: boolean): Moment | undefined {
    const at = this.behindArticle(start);
    const { is, n } = this.word(at);
    let found: Moment | undefined;
    if (is === "third") found = this.third(at, n!);
    if (is === "ordinal") found = this.weekOf(at, n!);
    if (is === "which" && n === -1) found = this.weekOf(at, 0);
    return found ?? this.beside(at) ?? this.base(at, led);
  }

  third(at: number, third: number): Moment | undefined {
    const isLink = this.isMark(at + 1, ["-"]) || ["of", "in"].includes(this.is(at + 1));
    const whole = this.base(this.behindArticle(at + (isLink ? 2 : 1)), true);
    const range = whole && this.resolve(whole, this.now);
    if (range === undefined) return undefined;
    const month = monthOf(range.from);
    const count = monthOf(range.to) - month;
    if (range.grain === "month") {
      const from = startOf(month) + 10 * third * DAY_MS;
      const to = third === 2 ? startOf(month + 1) : from + 10 * DAY_MS;
      return { range: { from, to, grain: "day" }, next: whole!.next };
    }
    if (!["quarter", "season", "year", "decade"].includes(range.grain)) return undefined;
    const begin = month + Math.floor((count * third) / 3);
    return { range: monthsFrom(begin, Math.floor(count / 3), "month"), next: whole!.next };
  }

  weekOf(at: number, place: number): Moment | undefined {
    const { unit } = this.word(at + 1);
    if (this.is(at + 1) !== "unit" || !(unit === "week" || unit === "weekend")) return undefined;
    if (!["of", "in"].includes(this.is(at + 2))) return undefined;
    const whole = this.base(this.behindArticle(at + 3), true);
    const month = whole && this.resolve(whole, this.now);
    if (month === undefined || month.grain !== "month" || place > 5) return undefined;
    // A stretch of months may be of this grain: only the first month counts.
    const end = startOf(monthOf(month.from) + 1);
    let range: Range;
    if (unit === "weekend") {
      const saturday = month.from + ((5 - weekdayOf(month.from) + 7) % 7) * DAY_MS;
      const lastPlace = Math.floor((end - DAY_MS - saturday) / (7 * DAY_MS));
      const from = saturday + (place === 0 ? lastPlace : place - 1) * 7 * DAY_MS;
      range = daysFrom(from, 2, "day");
    } else if (place === 0) {
      range = daysFrom(end - 7 * DAY_MS, 7, "week");
    } else {
      const from = month.from + (place - 1) * 7 * DAY_MS;
      range = place < 5 ? daysFrom(from, 7, "week") : { from, to: end, grain: "week" };
    }
    return range.from < end ? { range, next: whole!.next } : undefined;
  }

  beside(at: number): Moment | undefined {
    let amount = this.amount(at);
    if (amount === undefined) {
      const { is, unit } = this.word(at);
      if (is !== "unit") return undefined;
      amount = { min: 1, max: 1, unit: unit!, next: at + 1 };
    }
    const { unit, next } = amount;
    const is = this.is(next);
    if (is === "from" && this.is(next + 1) === "now")
      return { range: this.away(amount, 1), next: next + 2 };
    if (is !== "before" && is !== "after") return undefined;
    const sign = is === "before" ? -1 : 1;
    const which = this.word(next + 1);
    if (which.is === "which" && which.n === sign) {
      if (!["unit", "weekday", "month"].includes(this.is(next + 2)))
        return { range: unitAt(this.now, unit, 2 * sign), next: next + 2 };
    }
    const whole = this.base(this.behindArticle(next + 1), true);
    const range = whole && this.resolve(whole, this.now);
    if (range === undefined) return undefined;
    const anchor = sign < 0 ? range.from : range.to - 1;
    const ends = [amount.min, amount.max].map((steps) =>
      unitAt(shifted(anchor, unit, sign * steps), unit, 0),
    );
    return { range: around(ends[0]!, ends[1]!), next: whole!.next };
  }

  base(at: number, led: boolean): Moment | undefined {
    const hours = this.hours(at);
    if (hours !== undefined) {
      const link = ["on", "of", "am"].includes(this.is(hours.next)) ? 1 : 0;
      const day = this.day(this.behindArticle(hours.next + link), true);
      if (day !== undefined && isDay(day)) return { ...day, hours: hours.hours };
      const { from, to } = hours.hours;
      const isPart = ["part", "morgen"].includes(this.is(at));
      const isAlone =
        !isPart ||
        ["tonight", "Tonight", "今夜", "今晩"].includes(this.text(at)) ||
        (to - from === HOUR_MS && this.is(at - 1) === "at");
      const range = unitAt(this.now, "day", 0);
      return isAlone ? { range, hours: hours.hours, next: hours.next } : undefined;
    }
    const day = this.day(at, led);
    if (day === undefined || !isDay(day) || day.hours !== undefined) return day;
    const comma = this.isMark(day.next, [","]) ? 1 : 0;
    const link = ["at", "in", "am", "of"].includes(this.is(day.next + comma)) ? 1 : 0;
    const behind = this.hours(this.behindArticle(day.next + comma + link));
    return behind === undefined ? day : { ...day, hours: behind.hours, next: behind.next };
  }

  hours(at: number): { hours: Hours; next: number } | undefined {
    const part = (from: number, to: number): Hours => ({
      from: from * HOUR_MS,
      to: to * HOUR_MS,
      grain: "hour",
    });
    const { is, n, m } = this.word(at);
    if (is === "part") return { hours: part(n!, m!), next: at + 1 };
    if (is === "morgen" && ["day", "weekday", "am"].includes(this.is(at - 1)))
      return { hours: part(6, 12), next: at + 1 };
    let half = is === "meridiem_before" ? n : undefined;
    let isClock = half !== undefined;
    const place = at + (isClock ? 1 : 0);
    const number = this.word(place);
    if (number.is !== "number" || number.m! > 2) return undefined;
    let next = place + 1;
    let minute: number | undefined;
    const minutes = this.word(next + 1);
    if (
      this.isMark(next, [":"]) &&
      this.isAttached(next) &&
      this.isAttached(next + 1) &&
      minutes.is === "number" &&
      minutes.m === 2 &&
      minutes.n! < 60
    ) {
      minute = minutes.n;
      next += 2;
    }
    const meridiem = this.meridiem(next);
    if (meridiem !== undefined) {
      half = meridiem.half;
      next = meridiem.next;
    } else if (this.is(next) === "clock") {
      isClock = true;
      next++;
      const behind = this.word(next);
      const isMinute =
        behind.is === "number" &&
        behind.m! <= 2 &&
        behind.n! < 60 &&
        this.word(next + 1).unit === "minute";
      if (isMinute) {
        minute = behind.n;
        next += 2;
      }
    } else if (
      this.isLetter(next, "o") &&
      this.isApostrophe(next + 1) &&
      this.is(next + 2) === "clock"
    ) {
      isClock = true;
      next += 3;
    }
    if (!isClock && half === undefined && minute === undefined) return undefined;
    let hour = number.n!;
    if (half !== undefined) {
      if (hour < 1 || hour > 12) return undefined;
      hour = (hour % 12) + half;
    } else if (hour > 23) {
      return undefined;
    }
    const from = hour * HOUR_MS + (minute ?? 0) * MINUTE_MS;
    const hours: Hours =
      minute === undefined
        ? { from, to: from + HOUR_MS, grain: "hour" }
        : { from, to: from + MINUTE_MS, grain: "minute" };
    return { hours, next };
  }

  meridiem(at: number): { half: number; next: number } | undefined {
    const { is, n } = this.word(at);
    if (is === "meridiem") return { half: n!, next: at + 1 };
    if (is === "am") return { half: 0, next: at + 1 };
    if (is !== "a" && !this.isLetter(at, "p")) return undefined;
    const isDotted =
      this.isMark(at + 1, ["."]) &&
      this.isAttached(at + 1) &&
      this.isLetter(at + 2, "m") &&
      this.isAttached(at + 2);
    if (!isDotted) return undefined;
    const dot = this.isMark(at + 3, ["."]) && this.isAttached(at + 3) ? 1 : 0;
    return { half: is === "a" ? 0 : 12, next: at + 3 + dot };
  }

  day(at: number, led: boolean): Moment | undefined {
    const { is, n, unit, letter } = this.word(at);
    switch (is) {
      case "number":
      case "ordinal":
      case "count":
      case "a":
        return (
          this.numeric(at) ??
          this.dayAndMonth(at) ??
          this.ago(at) ??
          this.japanese(at) ??
          this.ordinalQuarter(at) ??
          this.decade(at) ??
          this.ledNumber(at, led)
        );
      case "month":
        return this.monthFirst(at, led);
      case "weekday":
        return this.weekdayFirst(at, led);
      case "season":
        return this.seasonFirst(at, led);
      case "letter":
        return letter === "q" ? this.quarterFirst(at) : undefined;
      case "which":
      case "past":
        return this.whichFirst(at);
      case "relative":
        return this.within(unitAt(this.now, unit!, n!), unit!, at + 1);
      case "day":
        return { range: unitAt(this.now, "day", n!), next: at + 1 };
      case "morgen":
        if (this.tokens[at]!.capital && at > 0) return undefined;
        return { range: unitAt(this.now, "day", 1), next: at + 1 };
      case "last_night":
        return this.lastNight(at + 1);
      case "unit": {
        const year = unit === "year" ? this.year(at + 1) : undefined;
        return year && { range: monthsFrom(year.year * 12, 12, "year"), next: year.next };
      }
      default:
        return undefined;
    }
  }

  lastNight(next: number): Moment {
    const hours: Hours = { from: 18 * HOUR_MS, to: 30 * HOUR_MS, grain: "hour" };
    return { range: unitAt(this.now, "day", -1), hours, next };
  }

  numeric(at: number): Moment | undefined {
    // The tokens from here on as long as they are attached, with their numbers as digits.
    const parts: string[] = [];
    for (let i = at; i < at + 5 && (i === at || this.isAttached(i)); i++) {
      const { is, n, m, letter } = this.word(i);
      if (is === "number") parts.push(String(n).padStart(m!, "0"));
      else if (is === "mark") parts.push(letter!);
      else break;
    }
    const text = parts.join("");
    let year: number;
    let month: number;
    let day: number;
    const iso = /^(\d{4})([-/.])(\d\d?)\2(\d\d?)$/.exec(text);
    const other = /^(\d\d?)([-/.])(\d\d?)\2(\d\d(?:\d\d)?)$/.exec(text);
    if (iso) {
      [year, month, day] = [Number(iso[1]), Number(iso[3]), Number(iso[4])];
    } else if (other && !(other[2] === "-" && other[4]!.length === 2)) {
      const [one, two] = [Number(other[1]), Number(other[3])];
      year = Number(other[4]);
      if (other[4]!.length === 2) year += year < 70 ? 2000 : 1900;
      [month, day] = other[2] === "." || one > 12 ? [two, one] : [one, two];
    } else {
      const short = /^(\d{4})-(\d\d?)(?!\d|-\d)/.exec(text);
      const isMonth = short && Number(short[2]) >= 1 && Number(short[2]) <= 12;
      if (!isMonth) return undefined;
      return {
        range: monthsFrom(Number(short[1]) * 12 + Number(short[2]) - 1, 1, "month"),
        next: at + 3,
      };
    }
    const range = month >= 1 && month <= 12 ? dateOf(year * 12 + month - 1, day) : undefined;
    if (range === undefined) return undefined;
    let next = at + 5;
    if (this.isAttached(next) && ["T", "t"].includes(this.text(next))) {
      while (this.isAttached(next) && !this.isMark(next, [",", ")", "?"])) next++;
    }
    return { range, next };
  }

  dayAndMonth(at: number): Moment | undefined {
    const number = this.dayNumber(at);
    if (number === undefined) return undefined;
    const isOrdinal = this.is(at) === "ordinal" || number.next > at + 1;
    const of = this.is(number.next) === "of" && !this.tokens[number.next]!.unspaced;
    const place = number.next + (of ? 1 : 0);
    const { is, n, safety } = this.word(place);
    if (is !== "month") return undefined;
    const isSure = safety === "safe" || this.tokens[place]!.capital || (isOrdinal && of);
    const recurring: Recurring = { each: "date", month: n!, day: number.day };
    const dot = safety === "short" && this.isMark(place + 1, ["."]) && this.isAttached(place + 1);
    const year = this.yearBehind(place + (dot ? 2 : 1));
    if (year !== undefined) {
      const range = ofYear(recurring, year.year);
      return range && { range, next: year.next };
    }
    return isSure ? this.dated(recurring, place + 1) : undefined;
  }

  /** A day that some year has. */
  dated(recurring: Recurring, next: number): Moment | undefined {
    return ofYear(recurring, 2000) && { recurring, next };
  }

  ago(at: number): Moment | undefined {
    const amount = this.amount(at);
    if (amount === undefined || this.is(amount.next) !== "ago") return undefined;
    return { range: this.away(amount, -1), next: amount.next + 1 };
  }

  japanese(at: number): Moment | undefined {
    const { is, n, m } = this.word(at);
    if (is === "number" && m === 4 && this.is(at + 1) === "year_mark")
      return this.within(monthsFrom(n! * 12, 12, "year"), "year", at + 2);
    return this.japaneseMonth(at);
  }

  japaneseMonth(at: number): Moment | undefined {
    const value = (place: number): number | undefined => {
      const { is, n, m } = this.word(place);
      if (is === "number" && m! <= 2) return n;
      return is === "count" && n === m && this.tokens[place]!.unspaced ? n : undefined;
    };
    const month = value(at);
    if (month === undefined || this.is(at + 1) !== "month_mark") return undefined;
    if (month < 1 || month > 12) return undefined;
    const day = value(at + 2);
    if (day !== undefined && this.is(at + 3) === "day_mark")
      return this.dated({ each: "date", month: month - 1, day }, at + 4);
    return { recurring: { each: "month", n: month - 1 }, next: at + 2 };
  }

  ordinalQuarter(at: number): Moment | undefined {
    const { is, n } = this.word(at);
    if (is !== "ordinal" || n! < 1 || n! > 4) return undefined;
    const place = at + (this.isMark(at + 1, ["."]) ? 2 : 1);
    if (this.is(place) !== "unit" || this.word(place).unit !== "quarter") return undefined;
    return this.ofSomeYear({ each: "quarter", n: n! - 1 }, place + 1);
  }

  decade(at: number): Moment | undefined {
    const { is, n, m } = this.word(at);
    if (is !== "number" || n! % 10 !== 0) return undefined;
    const place = at + (this.isApostrophe(at + 1) ? 2 : 1);
    if (!this.isLetter(place, "s") || !this.isAttached(place)) return undefined;
    let year = n!;
    if (m === 2) {
      if (this.is(at - 1) !== "the") return undefined;
      year += year >= 30 ? 1900 : 2000;
    } else if (m !== 4 || year < 1000) {
      return undefined;
    }
    return { range: monthsFrom(year * 12, 120, "decade"), next: place + 1 };
  }

  ledNumber(at: number, led: boolean): Moment | undefined {
    const { is, n } = this.word(at);
    if (is === "ordinal" && n! >= 1 && n! <= 31) {
      const isLed = this.is(at - 1) === "the" && this.is(at - 2) === "on";
      const isLast = ["end", "mark"].includes(this.is(at + 1));
      const hasDigit = /^[0-9]/.test(this.text(at));
      return isLed && isLast && hasDigit
        ? { recurring: { each: "day", n: n! }, next: at + 1 }
        : undefined;
    }
    const year = this.year(at);
    if (year === undefined || !led || year.year < 1800 || year.year >= 2200) return undefined;
    if (this.is(year.next) === "unit") return undefined;
    const last = this.year(year.next + 1);
    const isPair = this.isMark(year.next, ["-"]) && this.isAttached(year.next + 1);
    if (last !== undefined && isPair && last.year > year.year) {
      const count = (last.year + 1 - year.year) * 12;
      return { range: monthsFrom(year.year * 12, count, "year"), next: year.next + 2 };
    }
    return { range: monthsFrom(year.year * 12, 12, "year"), next: year.next };
  }

  monthFirst(at: number, led: boolean): Moment | undefined {
    const { n, safety } = this.word(at);
    const { capital } = this.tokens[at]!;
    // "OCT4" is a name, and no day of October.
    if (this.isAttached(at + 1) && ["number", "ordinal"].includes(this.is(at + 1)))
      return undefined;
    const dot = safety === "short" && this.isMark(at + 1, ["."]) && this.isAttached(at + 1);
    const next = at + (dot ? 2 : 1);
    const day = this.monthAndDay(next, n!, capital || safety === "safe");
    if (day !== "none") return day;
    if (this.isBehindDay(at)) return undefined;
    const recurring: Recurring = { each: "month", n: n! };
    const inYear = this.inSomeYear(recurring, next);
    if (inYear !== undefined) return inYear;
    let isMeant = safety === "safe";
    if (!isMeant && led && !this.isApostrophe(at + 1)) {
      isMeant =
        capital ||
        (safety === "unsafe" && ["in", "of", "since", "during", "third"].includes(this.is(at - 1)));
    }
    return isMeant ? { recurring, next: at + 1 } : undefined;
  }

  /** The day behind a month; "none" if no number of a day is there. */
  monthAndDay(at: number, month: number, isSure: boolean): Moment | undefined | "none" {
    const place = this.behindArticle(at);
    const { is, n, m } = this.word(place);
    const isOrdinal = is === "ordinal";
    if (!isOrdinal && !(is === "number" && m! <= 2 && place === at)) return "none";
    const next = place + 1;
    const isTime =
      this.isMark(next, [":"]) ||
      ["month_mark", "unit", "clock"].includes(this.is(next)) ||
      this.meridiem(next) !== undefined;
    if (isTime) return "none";
    const recurring: Recurring = { each: "date", month, day: n! };
    const year = this.yearBehind(next);
    if (year !== undefined) {
      const range = ofYear(recurring, year.year);
      return range && { range, next: year.next };
    }
    return isSure || isOrdinal ? this.dated(recurring, next) : "none";
  }

  isBehindDay(at: number): boolean {
    const { is, m } = this.word(this.is(at - 1) === "of" ? at - 2 : at - 1);
    return is === "ordinal" || (is === "number" && m! <= 2);
  }

  weekdayFirst(at: number, led: boolean): Moment | undefined {
    const { n, safety } = this.word(at);
    const dot = safety === "short" && this.isMark(at + 1, ["."]) && this.isAttached(at + 1);
    let next = at + (dot ? 2 : 1);
    if (this.isMark(next, [","])) next++;
    if (this.is(next) === "am") next++;
    next = this.behindArticle(next);
    let date: Moment | undefined;
    if (["number", "ordinal"].includes(this.is(next)))
      date = this.numeric(next) ?? this.dayAndMonth(next) ?? this.japaneseMonth(next);
    if (this.is(next) === "month") date = this.monthFirst(next, false);
    if (date !== undefined && isDay(date)) return date;
    if (safety === "short") {
      const isLed = led || ["on", "which"].includes(this.is(at - 1));
      if (!isLed || !this.tokens[at]!.capital) return undefined;
    }
    const week = this.relative(at + (this.is(at + 1) === "of" ? 2 : 1), "week");
    if (week !== undefined)
      return { range: daysFrom(week.range.from + n! * DAY_MS, 1, "day"), next: week.next };
    return { recurring: { each: "weekday", n: n! }, next: at + 1 };
  }

  seasonFirst(at: number, led: boolean): Moment | undefined {
    const recurring: Recurring = { each: "season", n: this.word(at).n! };
    const inYear = this.inSomeYear(recurring, at + 1);
    if (inYear !== undefined) return inYear;
    const isMeant = this.tokens[at]!.unspaced
      ? ["に", "は", "から", "まで", "以来"].includes(this.text(at + 1))
      : led && this.is(at + 1) !== "of" && !this.isApostrophe(at + 1);
    return isMeant ? { recurring, next: at + 1 } : undefined;
  }

  quarterFirst(at: number): Moment | undefined {
    const { is, n, m } = this.word(at + 1);
    if (is !== "number" || m !== 1 || n! < 1 || n! > 4) return undefined;
    if (!this.isAttached(at + 1) || !this.tokens[at]!.capital) return undefined;
    const recurring: Recurring = { each: "quarter", n: n! - 1 };
    const next = at + (this.isMark(at + 2, ["/", "-", ","]) ? 3 : 2);
    return this.inSomeYear(recurring, next) ?? { recurring, next: at + 2 };
  }

  whichFirst(at: number): Moment | undefined {
    let which = this.word(at);
    let next = at + 1;
    if (which.is === "which" && which.n === 0 && ["past", "which"].includes(this.is(next))) {
      which = this.word(next);
      next++;
    }
    const isPast = which.is === "past";
    const steps = isPast ? -1 : which.n!;
    const amount = this.amount(next);
    if (steps !== 0 && amount !== undefined) {
      const range = steps < 0 ? this.stretchBefore(amount) : this.stretchAfter(amount);
      return { range, next: amount.next };
    }
    const { is, n, m, unit, safety } = this.word(next);
    let recurring: Recurring;
    if (is === "unit") {
      const isShort = ["second", "minute", "hour", "day"].includes(unit!);
      if (isShort && !(isPast && unit !== "second")) return undefined;
      if (isPast && unit !== "weekend") {
        const one: Amount = { min: 1, max: 1, unit: unit!, next: next + 1 };
        return { range: this.stretchBefore(one), next: next + 1 };
      }
      return this.within(unitAt(this.now, unit!, steps), unit!, next + 1);
    }
    if (is === "part") {
      if (steps === 1) return undefined;
      if (steps === -1 && n === 18 && m === 30) return this.lastNight(next + 1);
      const hours: Hours = { from: n! * HOUR_MS, to: m! * HOUR_MS, grain: "hour" };
      return { range: unitAt(this.now, "day", steps), hours, next: next + 1 };
    }
    let behind = next + 1;
    if (is === "weekday" || is === "season") {
      recurring = { each: is, n: n! };
    } else if (is === "month") {
      if (safety !== "safe" && !this.tokens[next]!.capital && steps === 0) return undefined;
      const day = this.monthAndDay(next + 1, n!, false);
      recurring = { each: "month", n: n! };
      if (day !== "none" && day?.recurring !== undefined) {
        recurring = day.recurring;
        behind = day.next;
      }
    } else {
      return undefined;
    }
    const today = unitAt(this.now, "day", 0);
    let range: Range | undefined;
    if (steps === -1) {
      range = latest(recurring, this.now);
      if (range !== undefined && range.to > today.from) range = latest(recurring, range.from - 1);
    } else if (steps === 1) {
      range = first(recurring, today.to);
    } else if (recurring.each === "weekday") {
      const monday = unitAt(this.now, "week", 0).from;
      range = daysFrom(monday + recurring.n * DAY_MS, 1, "day");
    } else {
      range = ofYear(recurring, yearOf(this.now));
    }
    return range && { range, next: behind };
  }

  /** A part of a week, month or year that follows it, else the whole. */
  within(whole: Range, unit: Unit, next: number): Moment {
    let part = next;
    if (this.is(part) === "of" || this.isMark(part, [","])) part++;
    else if (this.isApostrophe(part) && this.isLetter(part + 1, "s")) part += 2;
    const { is, n, m, safety } = this.word(part);
    let range: Range | undefined;
    let behind = part + 1;
    if (unit === "week" && is === "weekday" && safety === "safe")
      range = daysFrom(whole.from + n! * DAY_MS, 1, "day");
    if (unit === "year" && is === "season")
      range = ofYear({ each: "season", n: n! }, yearOf(whole.from));
    if (unit === "year" && (is === "number" || is === "count")) {
      const month = this.japaneseMonth(part);
      range = month?.recurring && ofYear(month.recurring, yearOf(whole.from));
      behind = month?.next ?? behind;
    }
    if (unit === "month" && is === "number" && m! <= 2 && this.is(part + 1) === "day_mark") {
      range = dateOf(monthOf(whole.from), n!);
      behind = part + 2;
    }
    return range === undefined ? { range: whole, next } : { range, next: behind };
  }

  ofSomeYear(recurring: Recurring, next: number): Moment {
    return this.inSomeYear(recurring, next) ?? { recurring, next };
  }

  inSomeYear(recurring: Recurring, at: number): { range: Range; next: number } | undefined {
    const year = this.yearBehind(at);
    if (year !== undefined) {
      const range = ofYear(recurring, year.year);
      return range && { range, next: year.next };
    }
    const place = this.behindArticle(at + (this.is(at) === "of" ? 1 : 0));
    const other = this.relative(place, "year");
    const range = other && ofYear(recurring, yearOf(other.range.from));
    return range && { range, next: other!.next };
  }

  relative(at: number, sought: Unit): { range: Range; next: number } | undefined {
    const { is, n, unit } = this.word(at);
    const behind = this.word(at + 1);
    if (is === "which" && behind.is === "unit" && behind.unit === sought)
      return { range: unitAt(this.now, sought, n!), next: at + 2 };
    if (is === "relative" && unit === sought)
      return { range: unitAt(this.now, sought, n!), next: at + 1 };
    return undefined;
  }

  amount(at: number): Amount | undefined {
    const { is, n, m } = this.word(at);
    let min = n;
    let max = is === "number" ? n : m;
    let next = at + 1;
    if (is === "a") {
      const behind = this.word(next);
      const isDouble = behind.is === "count" && behind.n === 2;
      [min, max] = isDouble ? [2, behind.m] : [1, 1];
      if (isDouble) next++;
    } else if (is !== "count" && is !== "number") {
      return undefined;
    }
    if (this.is(next) === "of") next++;
    const { is: kind, unit } = this.word(next);
    let counted: Unit;
    if (kind === "unit") counted = unit!;
    else if (kind === "year_mark") counted = "year";
    else if (kind === "day_mark") counted = "day";
    else return undefined;
    return { min: min!, max: max!, unit: counted, next: next + 1 };
  }

  away(amount: Amount, sign: number): Range {
    return around(
      unitAt(this.now, amount.unit, sign * amount.min),
      unitAt(this.now, amount.unit, sign * amount.max),
    );
  }

  stretchBefore({ unit, max }: Amount): Range {
    const begin = shifted(this.now, unit, -max);
    const { grain } = unitAt(this.now, unit, 0);
    const whole = grain === "minute" || grain === "hour" ? "minute" : "day";
    return { from: unitAt(begin, whole, 0).from, to: this.now + 1, grain };
  }

  stretchAfter({ unit, max }: Amount): Range {
    const end = shifted(this.now, unit, max);
    const { grain } = unitAt(this.now, unit, 0);
    const whole = grain === "minute" || grain === "hour" ? "minute" : "day";
    return { from: this.now, to: unitAt(end, whole, 0).to, grain };
  }

  /** From the beginning of a range to the present; the range itself if it is yet to come. */
  upToNow(range: Range): Range {
    return range.from > this.now ? range : { ...range, to: this.now + 1 };
  }

  resolve({ range, recurring, hours }: Moment, anchor: number): Range | undefined {
    const whole = range ?? latest(recurring!, anchor);
    return whole && withHours(whole, hours);
  }

  /** This day of the same month. */
  withDay({ range, recurring, next }: Moment, day: number): Moment | undefined {
    if (recurring?.each === "date")
      return { recurring: { each: "date", month: recurring.month, day }, next };
    if (range === undefined || !isDay({ range, next })) return undefined;
    const date = dateOf(monthOf(range.from), day);
    return date && { range: date, next };
  }

  dayNumber(at: number): { day: number; next: number } | undefined {
    const { is, n, m } = this.word(at);
    if (!(is === "ordinal" || (is === "number" && m! <= 2)) || n! < 1 || n! > 31) return undefined;
    const dot = is === "number" && this.isMark(at + 1, ["."]) && this.isAttached(at + 1);
    return { day: n!, next: at + (dot ? 2 : 1) };
  }

  year(at: number): { year: number; next: number } | undefined {
    const { is, n, m } = this.word(at);
    const isYear = is === "number" && m === 4 && n! >= 1000 && n! < 3000;
    return isYear ? { year: n!, next: at + 1 } : undefined;
  }

  yearBehind(at: number): { year: number; next: number } | undefined {
    return this.year(at + (this.isMark(at, [","]) || this.is(at) === "of" ? 1 : 0));
  }

  isLed(at: number): boolean {
    const before = this.is(at - 1) === "the" ? at - 2 : at - 1;
    return (
      "in during of since until before vor after between from third".split(" ") as string[]
    ).includes(this.is(before));
  }

  word(at: number): Word {
    return this.tokens[at]?.word ?? { is: "end" };
  }

  is(at: number): string {
    return this.word(at).is;
  }

  text(at: number): string {
    return this.tokens[at]?.text ?? "";
  }

  isMark(at: number, marks: readonly string[]): boolean {
    const { is, letter } = this.word(at);
    return is === "mark" && marks.includes(letter!);
  }

  isLetter(at: number, letter: string): boolean {
    return this.is(at) === "letter" && this.word(at).letter === letter;
  }

  isAttached(at: number): boolean {
    return this.tokens[at]?.attached ?? false;
  }

  isApostrophe(at: number): boolean {
    return this.isMark(at, APOSTROPHES) && this.isAttached(at);
  }

  behindArticle(at: number): number {
    return at + (this.is(at) === "the" ? 1 : 0);
  }

  begins(at: number): boolean {
    const token = this.tokens[at]!;
    if (!token.attached || token.unspaced || at === 0) return true;
    const before = this.tokens[at - 1]!;
    if (before.word.is !== "mark") return before.unspaced;
    if ("$€£¥#@+".includes(before.text)) return false;
    const joins = ".,:/-".includes(before.text) && this.is(at) === "number";
    return !(joins && before.attached && this.endsInDigit(at - 2));
  }

  ends(next: number): boolean {
    const token = this.tokens[next];
    if (token === undefined || !token.attached || token.unspaced) return true;
    if (this.tokens[next - 1]!.unspaced) return true;
    if (token.word.is !== "mark") return false;
    if (!this.endsInDigit(next - 1)) return true;
    if ("%$€£¥".includes(token.text)) return false;
    const joins = ".,:/-".includes(token.text) && this.isAttached(next + 1);
    return !(joins && this.endsInDigit(next + 1));
  }

  endsInDigit(at: number): boolean {
    return /[0-9]$/.test(this.text(at));
  }
}

const withHours = (range: Range, hours: Hours | undefined): Range =>
  hours === undefined
    ? range
    : { from: range.from + hours.from, to: range.from + hours.to, grain: hours.grain };

const around = (one: Range, other: Range): Range => ({
  from: Math.min(one.from, other.from),
  to: Math.max(one.to, other.to),
  grain: one.grain,
});

/** Whether a moment is one day. */
const isDay = ({ range, recurring }: Moment): boolean =>
  range === undefined
    ? ["weekday", "date", "day"].includes(recurring!.each)
    : range.grain === "day" && range.to - range.from === DAY_MS;

/** The expressions of time in a text, relative to an instant in milliseconds since 1970. */
export function findTimes(text: string, now: number): TimeExpression[] {
  if (!(Math.abs(now) <= LATEST)) return [];
  const reader = new Reader(text, Math.floor(now));
  const found: TimeExpression[] = [];
  let at = 0;
  while (at < reader.tokens.length) {
    const expression = reader.expression(at);
    if (expression === undefined) {
      at++;
      continue;
    }
    const { from, to, grain } = expression.range;
    const [begin, end] = [reader.tokens[at]!.start, reader.tokens[expression.next - 1]!.end];
    found.push({ text: text.slice(begin, end), start: from, end: to, grain });
    at = expression.next;
  }
  return found;
}

/**
 * Whether a text holds any expression of time: also durations, parts of the day and vague words.
 */
export function holdsTime(text: string): boolean {
  const reader = new Reader(text, 0);
  return reader.tokens.some(({ word }, at) => {
    if (word.is === "vague") return true;
    const isGreeting = /^(?:[Gg]ood|[Gg]uten?)$/.test(reader.text(at - 1));
    if (word.is === "part" && !isGreeting) return true;
    const next = reader.duration(at);
    if (next !== undefined) {
      const behind = reader.isMark(next, ["-"]) ? reader.text(next + 1) : reader.text(next);
      const isAge = behind === "old" || (behind === "alt" && !reader.isMark(next, ["-"]));
      if (!isAge) return true;
    }
    return reader.expression(at) !== undefined;
  });
}

// ---- what a question seeks ----------------------------------------------------------------------

export interface Sought {
  time: boolean;
  number: boolean;
  place: boolean;
  person: boolean;
}

const AUXILIARIES =
  "did do does is was were are am will would has have had can could should shall may might must s d re ll didn doesn isn wasn aren ist war waren wird werden hat habe haben hatte kann kam".split(
    " ",
  );
const BEFORE_QUESTIONS =
  "and or but know knows remember tell me us exactly recall wonder ask since until till from by with to for of about at in on und oder seit bis mit von für zu".split(
    " ",
  );
const BEFORE_WHEN =
  "know knows remember tell me us exactly recall wonder ask since until till seit bis".split(" ");
const TIMES =
  "time day date month year week weekday hour season uhrzeit tag datum monat jahr woche wochentag".split(
    " ",
  );
const NUMBERS =
  "number amount percentage percent price cost total count score age size distance height weight rate share fraction zahl anzahl preis".split(
    " ",
  );
const PLACES =
  "place city country town village state region area location street address continent restaurant hotel ort stadt land straße gegend".split(
    " ",
  );
const PERSONS =
  "person people friend friends colleague man woman relative person leute freund freundin kollege kollegin".split(
    " ",
  );
const HOW_LONG = "long often lange oft".split(" ");
const HOW_MUCH =
  "many much old far tall big large high heavy deep wide fast viel viele vielen alt weit groß hoch schwer".split(
    " ",
  );
const WHERE = "where wo wohin woher".split(" ");
const WHO = "who whom whose wer wen wem wessen".split(" ");
/** Strings that ask in Japanese. */
const JAPANESE: Record<keyof Sought, string[]> = {
  time: ["いつ", "何時", "何日", "何月", "何年", "何曜日", "何週", "どのくらい", "どれくらい"],
  number: [
    "いくつ",
    "いくら",
    "何人",
    "何個",
    "何回",
    "何枚",
    "何台",
    "何本",
    "何匹",
    "何歳",
    "何度",
  ],
  place: ["どこ", "どちら"],
  person: ["誰", "だれ", "どなた"],
};

/** What a question asks for: when, how many, where, who. */
export function sought(question: string): Sought {
  const tokens = tokensOf(question);
  const found: Sought = { time: false, number: false, place: false, person: false };
  const word = (at: number): string => lower(tokens[at]?.text ?? "");
  const isOf = (at: number, list: string[]): boolean =>
    tokens[at] !== undefined && list.includes(word(at));
  const isMark = (at: number): boolean => tokens[at]?.word.is === "mark";
  /** Whether a question word begins a clause, or follows a verb such as "know" or a preposition. */
  const asks = (at: number): boolean =>
    at === 0 || isMark(at - 1) || isOf(at - 1, BEFORE_QUESTIONS);
  for (const at of tokens.keys()) {
    if (isOf(at, ["when", "wann"])) {
      const goesOn =
        tokens[at + 1] === undefined ||
        isMark(at + 1) ||
        isOf(at + 1, AUXILIARIES) ||
        isOf(at - 1, BEFORE_WHEN);
      found.time ||= asks(at) && goesOn;
    }
    if (isOf(at, ["how", "wie"])) {
      const isMuch = isOf(at + 1, HOW_MUCH);
      const isUnit = tokens[at + 2]?.word.is === "unit";
      found.time ||= isOf(at + 1, HOW_LONG) || (isMuch && isUnit);
      found.number ||= isMuch;
    }
    if (isOf(at, ["what", "which", "welche", "welcher", "welches", "welchem", "welchen"])) {
      let noun = at + 1;
      if (isOf(noun, ["is", "was", "s", "are", "were", "ist", "war"])) noun++;
      if (isOf(noun, ["the", "her", "his", "their", "my", "der", "die", "das"])) noun++;
      found.time ||= isOf(noun, TIMES);
      found.number ||= isOf(noun, NUMBERS);
      found.place ||= isOf(noun, PLACES);
      found.person ||= isOf(noun, PERSONS);
    }
    if (isOf(at, WHERE)) found.place ||= asks(at);
    if (isOf(at, WHO)) found.person ||= asks(at);
  }
  if (tokens.some(({ unspaced }) => unspaced)) {
    for (const [kind, strings] of Object.entries(JAPANESE))
      found[kind as keyof Sought] ||= strings.some((string) => question.includes(string));
  }
  return found;
}

/** Whether a text holds a number other than "one". */
export function holdsNumber(text: string): boolean {
  if (/[0-9]/.test(text)) return true;
  const tokens = tokensOf(text);
  return tokens.some(({ word: { is, n, m }, unspaced }, at) => {
    if (is === "number" || is === "large") return true;
    if (is !== "count" || n !== m) return false;
    if (!unspaced) return n! > 1;
    const behind = tokens[at + 1];
    if (behind === undefined) return false;
    const counters = ["unit", "year_mark", "month_mark", "day_mark", "clock"];
    return (
      counters.includes(behind.word.is) || "つ人個回枚本円冊匹台歳度杯軒".includes(behind.text)
    );
  });
}

/** The number of words that begin with a capital letter, and of all words and numbers. */
export function capitals(text: string): { capitals: number; words: number } {
  const tokens = tokensOf(text);
  return {
    capitals: tokens.filter(({ capital }) => capital).length,
    words: tokens.filter(({ word }) => word.is !== "mark").length,
  };
}

/** Whether a text holds a word with a capital letter that does not begin a sentence. */
export function holdsName(text: string): boolean {
  const tokens = tokensOf(text);
  return tokens.some((token, at) => {
    const before = tokens[at - 1];
    if (before === undefined || !token.capital || [...token.text].length < 2) return false;
    if (["month", "weekday", "vague"].includes(token.word.is)) return false;
    return before.word.is !== "mark" || ",-–/&('’@#".includes(before.text);
  });
}
