// The words of times in a text; what a question seeks; numbers and names in a text. Plain on
// purpose: this is the yardstick of the parity tests. Ranges of time have no twin here, they are
// recorded in tests/golden: see found-times.ts.

import { CJK, WORD } from "./search.ts";

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
  [{ is: "half" }, "half halb halbe halben halber halbes hälfte 半"],
  [{ is: "count", n: 12, m: 12 }, "twelve zwölf 十二"],
  [{ is: "count", n: 15, m: 15 }, "fifteen fünfzehn"],
  [{ is: "count", n: 20, m: 20 }, "twenty zwanzig 二十"],
  [{ is: "count", n: 30, m: 30 }, "thirty dreißig 三十"],
  [{ is: "count", n: 2, m: 5 }, "few 数"],
  [{ is: "count", n: 2, m: 7 }, "several some einige einigen paar mehrere mehreren"],
  [
    { is: "large" },
    "thirteen fourteen sixteen seventeen eighteen nineteen forty fifty sixty seventy eighty " +
      "ninety hundred hundreds thousand thousands million millions billion billions dozen " +
      "dozens twice dreizehn vierzehn sechzehn siebzehn achtzehn neunzehn vierzig fünfzig " +
      "sechzig siebzig achtzig neunzig hundert tausend millionen zweimal dutzend",
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
  [{ is: "letter", letter: "h" }, "h"],
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
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays montags dienstags " +
      "mittwochs donnerstags freitags samstags sonntags recently lately nowadays currently soon " +
      "earlier later everyday daily weekly monthly yearly kürzlich neulich damals früher bald " +
      "最近 毎日 毎週 毎月 毎年",
  ],
];

const MEANINGS = new Map<string, Word>();
for (const [meaning, words] of WORDS) {
  for (const word of words.split(" ")) {
    if (!MEANINGS.has(word)) MEANINGS.set(word, meaning);
  }
}

export interface Token {
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

/** The words and marks of a text. */
export function tokensOf(text: string): Token[] {
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

// ---- the time of what a question asks for -------------------------------------------------------

/** What holds, what held before, what held until an instant, or how it changed. */
export type Era = "present" | "before" | "course" | { until: number };

const words = (list: string): string[] => list.split(" ");
const BEFORE = words(
  "previously previous formerly former earlier originally initially früher frühere früherer " +
    "früheren früheres vorher vorherige vorheriger vorherigen vorheriges zuvor damals " +
    "damalige damaliger damaligen ehemals ehemalige ehemaliger ehemaligen einst ursprünglich " +
    "anfangs anteriormente previamente antes anterior anteriores antaño originalmente " +
    "inicialmente solía solías solíamos solían auparavant autrefois jadis précédemment " +
    "précédent précédente initialement anciennement ancien ancienne",
);
const COMPARES = words("als de than que");
const BEFORE_IN_WORDS = [
  "back then",
  "at first",
  "in the past",
  "in those days",
  "at the time",
  "at that time",
  "in der vergangenheit",
  "al principio",
  "en el pasado",
  "dans le passé",
].map(words);
const BEFORE_AT_END = words("before avant");
const WAS = words("did was were had");
const IS = words("is are be been being get getting am s re m");
const OLD = words("old alte alten altes antiguo antigua");
const OWNERS = words(
  "my our your his her its their the s meine meinen meiner mein unsere unseren unserer unser ihre ihren seine seinen das die mi nuestra nuestro su la el",
);
const HOW = words("how what wie was cómo como qué que comment");
const HAS = words("did does has have had hat haben ha han a ont est sont");
const CHANGED = words(
  "change changed changes develop developed evolve evolved verändert geändert gewandelt entwickelt cambiado cambió cambiaron evolucionado evolucionó changé évolué",
);
const COURSE = words("timeline historial evolución historique verlauf werdegang");
const COURSE_IN_WORDS = [
  "over time",
  "over the years",
  "over the months",
  "history of",
  "since when",
  "seit wann",
  "im laufe",
  "geschichte von",
  "desde cuándo",
  "a lo largo",
  "historia de",
  "depuis quand",
  "au fil",
].map(words);
const JAPANESE_BEFORE = ["以前", "昔", "かつて", "前は"];
const JAPANESE_COURSE = ["変化", "推移", "履歴", "経緯", "いつから", "どう変わ"];

/** The time of what the last line of a question asks for, which is asked at `now`. */
export function era(
  question: string,
  times: readonly { index: number; end: number }[],
  now: number,
): Era {
  const ended = question.replace(/[ \r\n]+$/, "");
  const from = ended.lastIndexOf("\n") + 1;
  const asked = ended.slice(from);
  const tokens = tokensOf(asked);
  const all = tokens.map(({ text }) => lower(text));
  const isOf = (at: number, list: readonly string[]) =>
    all[at] !== undefined && list.includes(all[at]);
  const some = (is: (at: number) => boolean) => all.some((_, at) => is(at));
  const says = (phrases: string[][]) =>
    some((at) => phrases.some((phrase) => phrase.every((word, of) => all[at + of] === word)));
  const isUnspaced = tokens.some(({ unspaced }) => unspaced);
  const holds = (strings: string[]) =>
    isUnspaced && strings.some((string) => asked.includes(string));
  const changes = (at: number) =>
    isOf(at, HOW) &&
    (isOf(at + 1, CHANGED) ||
      (isOf(at + 1, HAS) && all.slice(at + 2).some((word) => CHANGED.includes(word))));
  if (says(COURSE_IN_WORDS) || holds(JAPANESE_COURSE)) return "course";
  if (some((at) => isOf(at, COURSE) || changes(at))) return "course";
  const over = Math.max(...times.filter(({ index }) => index >= from).map(({ end }) => end));
  if (over > Number.NEGATIVE_INFINITY && over < Math.floor(now)) return { until: over };
  const isBefore = (at: number): boolean => {
    if (isOf(at, BEFORE) && !isOf(at + 1, COMPARES)) return true;
    const ends = tokens[at + 1] === undefined || tokens[at + 1]!.word.is === "mark";
    const was = (list: readonly string[]) => all.slice(0, at).some((word) => list.includes(word));
    if (isOf(at, BEFORE_AT_END) && (ends || was(WAS))) return true;
    if (isOf(at, OLD) && isOf(at - 1, OWNERS)) return true;
    if (all[at + 1] !== "to") return false;
    return (all[at] === "used" && !isOf(at - 1, IS)) || (all[at] === "use" && was(["did"]));
  };
  return says(BEFORE_IN_WORDS) || holds(JAPANESE_BEFORE) || some(isBefore) ? "before" : "present";
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
