// Questions for fast-check: known forms, near misses, and any text; and the arguments of the
// functions that analyse them.

import fc from "fast-check";
import * as reference from "../../../js/reference/index.ts";
import { extractTerms } from "../../../js/reference/search.ts";
import { amount } from "../../support/amount.ts";

/** The number of questions in the long runs. */
export const QUESTIONS = amount(50_000);

// ---- pieces -------------------------------------------------------------------------------------

const MONTHS = ["January", "march", "MAY", "september", "December", "Marchy", "Sept"];
const WEEKDAYS = ["Monday", "wednesday", "SUNDAY", "Fridays"];
const YEARS = ["2024", "1999", "0000", "202", "20245", "٢٠٢٤"];

const SUBJECTS = [
  ...["BTC", "ETH", "sol", "Doge", "UNI", "BTCX", "John", "x", "a1_b", "?", "'", "’s"],
  ...[
    "my thesis",
    "the ETF flows",
    "Sunday volatility",
    "Café Müller",
    "naïve short",
    "Cafe\u0301",
    "Łódź",
    "İstanbul",
  ],
  ...[
    "\u212araken",
    "\u017fignal",
    "東京",
    "ビットコイン",
    "비트코인",
    "курс",
    "🚀",
    "👩‍👩‍👧",
    "\ud83d",
    "\ude80x",
  ],
  ...['"funding squeeze"', '"BTC"', '""', "“open interest”", "“ ETH ”"],
];

const ATTRIBUTES = [
  ...reference.ATTRIBUTE_WORDS,
  ...["phones", "identity", "e-mail", "entry", "price", "pnl", "stop-loss", "?", "name!?"],
  ...["größe", "価格", "lin\u212a", "date\u017f"],
];

const BLANKS = [
  ...["  ", "\t", "\n", "\r\n", " \n ", "\v", "\f"],
  ...["\u00a0", "\u1680", "\u2003", "\u2028", "\u2029", "\u202f", "\u3000", "\ufeff"],
  // These are not white space in ECMAScript.
  ...["\u0085", "\u180e", "\u200b"],
];
const MARKS = ["?", "??", "!", ".", ",", ",,", ";", ":", "?!", ", ,", "…", "、", "？"];
const APOSTROPHES = ["'", "’", "‘", "ʼ", "＇", "´", "'s", "''s", "’s"];
export const ODD = [
  ...BLANKS,
  ...MARKS,
  ...APOSTROPHES,
  ...["_", "-", "7", "(", "\\", "$&", '"', "“", "”", "\0"],
  ...["é", "\u0301", "\u200d", "ß", "Σ", "ς", "𝒶", "🚀", "\ud83d", "\ude80"],
];

/** Characters whose upper or lower case is an ASCII letter, and characters near these. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  k: "\u212a",
  s: "\u017f",
  i: "İ",
  I: "ı",
  a: "å",
  A: "\u212b",
};

/**
 * Characters with equal properties in every edition of Unicode since the fourteenth, so that the
 * tables of an engine and of the module agree; also lone surrogates, private and unassigned
 * characters.
 */
const SETTLED: readonly [first: number, last: number][] = [
  [0x0000, 0x007f],
  [0x0080, 0x024f],
  [0x02b0, 0x052f],
  [0x0590, 0x06ff],
  [0x0900, 0x097f],
  [0x0e00, 0x0e7f],
  [0x10ff, 0x1200],
  [0x1e00, 0x206f],
  [0x2460, 0x24ff],
  [0x2e7f, 0x2fe0],
  [0x3000, 0x3190],
  [0x31ee, 0x3200],
  [0x33ff, 0x3401],
  [0x4dbe, 0x4e01],
  [0x9ffe, 0xa001],
  [0xa95f, 0xa980],
  [0xabff, 0xac01],
  [0xd7a2, 0xe001],
  [0xf8ff, 0xfb06],
  [0xfdd0, 0xfdd1],
  [0xfe00, 0xffff],
  [0x10400, 0x1044f],
  [0x1aff0, 0x1b000],
  [0x1d400, 0x1d4ff],
  [0x1f300, 0x1f64f],
  [0x1fffe, 0x20001],
  [0x2a6d0, 0x2a6df],
  [0x3fffe, 0x40001],
  [0x10fffe, 0x10ffff],
];
export const anyCharacter = fc
  .oneof(...SETTLED.map(([min, max]) => fc.integer({ min, max })))
  .map((point) => String.fromCodePoint(point));

const words = [
  ...reference.DISQUALIFIERS.flatMap(({ patterns }) =>
    patterns.flatMap(({ name }) => name.match(/[\w']+/g) ?? []),
  ),
  ...reference.QUESTION_PHRASES.flatMap((phrase) => phrase.split(" ")),
  ...Object.values(reference.INTENT_STRINGS).flat(),
  ...["for", "and", "is", "s", "'s", "?", ",", ...MONTHS, ...WEEKDAYS, ...YEARS],
];

// ---- templates ----------------------------------------------------------------------------------

const anyOf = (values: readonly string[]) => fc.constantFrom(...values);
const subject = fc.oneof(
  { weight: 5, arbitrary: anyOf(SUBJECTS) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 8 }) },
);
const SLOTS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "[subject]": subject,
  "[attribute]": anyOf(ATTRIBUTES),
  "[ask]": anyOf(["what", "when", "where", "who", "how", "why", "What", "WHY", "whatever"]),
  "[mark]": anyOf(["", "?", " ?", ...MARKS]),
  "[month]": anyOf(MONTHS),
  "[weekday]": anyOf(WEEKDAYS),
  "[year]": anyOf(YEARS),
  "[...]": subject,
};

/** A template with its slots, in square brackets, filled. */
const filled = (template: string): fc.Arbitrary<string> =>
  fc
    .tuple(...template.split(/(\[[^\]]+\])/).map((piece) => SLOTS[piece] ?? fc.constant(piece)))
    .map((pieces) => pieces.join(""));
const filledAny = (templates: readonly string[]) => fc.oneof(...templates.map(filled));

/** Text around an entry of the disqualifiers that is harmless by itself. */
const FRAMES = [
  "*",
  "*[mark]",
  "[subject] * [subject]",
  "show me my trades *",
  "[attribute] * x[mark]",
  "so, * [subject]?",
];
const disqualified = fc
  .tuple(
    fc.oneof(
      ...reference.DISQUALIFIERS.flatMap(({ patterns }) => patterns).map(({ name }) =>
        filled(name.replace(" ... ", "[...]")),
      ),
    ),
    filledAny(FRAMES),
  )
  .map(([entry, frame]) => frame.replace("*", () => entry));

const lookup = filledAny([
  "what's [subject]'s [attribute][mark]",
  "what is the [subject]'s [attribute][mark]",
  "so what is x's [attribute] of",
  "[subject]'s [attribute][mark]",
  "my [subject]'s [attribute]",
  "[subject]'s [mark]",
  "'s [attribute]",
  "[attribute] for [subject][mark]",
  "my [attribute] for the [subject]",
  "[attribute] for [mark]",
  "x for y z [mark]",
  "who is [subject][mark]",
  "tell us who is the [subject]?",
  "who is [mark]",
  "where is [subject][mark]",
  "x where is [subject] [subject]",
  "when is [subject][mark]",
  "so when is the x[mark]",
  "tell us [subject]'s [attribute] and more[mark]",
  "all the [attribute] of [subject][mark]",
  "[attribute]",
]);

const compound = filledAny([
  "[subject] [attribute], and [ask] [subject][mark]",
  "why is x and [ask]'s [subject] and [ask] [attribute] and [ask]",
  "and [ask] and [ask] [subject][mark]",
  "explain [subject]'s [attribute] and  [ask]",
  "x,and [ask],y",
  "[subject]? [attribute]?",
  "is [subject] up? and [subject]? or [subject]?",
  "a? b? [subject][mark]",
  "?[mark]?[mark]",
  "[subject], also [subject][mark] also [attribute]?",
  "also [subject]? also",
  "how is x also[mark] [subject]",
  "compare [subject]'s [attribute] and [subject]",
  "relate [attribute] for [subject] and x,",
  "vs [subject] and [subject]",
  "explain [subject] and [subject] and [subject][mark]",
  "who is [subject] and [subject], and how do",
]);

const subjects = filledAny([
  "compare BTC or [subject] [attribute]",
  'explain "[subject]" vs “[subject]” vs eth [attribute][mark]',
  "tell me about [subject], [subject], [subject]: [attribute]",
  "difference: sol/OP/[subject]/BTC [attribute]",
]);

const leading = fc
  .tuple(
    anyOf([...reference.QUESTION_PHRASES]),
    filledAny([" [subject][mark]", " [attribute] [subject]?", "[mark] x", ""]),
  )
  .map(([phrase, rest]) => phrase + rest);

const joined = fc
  .tuple(
    fc.array(fc.oneof(anyOf(words), anyOf(words), subject, anyOf(ATTRIBUTES), anyOf(ODD)), {
      maxLength: 10,
    }),
    anyOf([" ", " ", " ", "", "  ", "\n", "? "]),
  )
  .map(([pieces, glue]) => pieces.join(glue));

// ---- disguises ----------------------------------------------------------------------------------

const spliced = (text: string, at: number, drop: number, insert: string) =>
  text.slice(0, at % (text.length + 1)) + insert + text.slice((at % (text.length + 1)) + drop);

/** The text with the match that `at` falls on replaced. */
function replaceOne(
  text: string,
  pattern: RegExp,
  at: number,
  by: (match: string) => string,
): string {
  const matches = [...text.matchAll(pattern)];
  const match = matches[at % matches.length];
  return match === undefined ? text : spliced(text, match.index, match[0].length, by(match[0]));
}

/** The lengths at which rules change, and those beside them. */
const LENGTHS = [2, 3, 49, 50, 499, 500, 501];

/** An edit of a text at a position, with a piece of `ODD`. */
const DISGUISES: readonly ((text: string, at: number, odd: string) => string)[] = [
  (text) => text.toUpperCase(),
  (text, at) =>
    text.replace(/[a-z]/gi, (letter, place) =>
      place % (at % 3 || 1) ? letter : letter.toUpperCase(),
    ),
  (text, at) =>
    replaceOne(
      text,
      /[ksiaKSIA]/g,
      at,
      (letter) => LOOKALIKES[letter] ?? LOOKALIKES[letter.toLowerCase()]!,
    ),
  (text, at) => replaceOne(text, /'/g, at, () => APOSTROPHES[at % APOSTROPHES.length]!),
  (text) => text.replaceAll("'", "’"),
  (text, at) => replaceOne(text, / /g, at, () => BLANKS[at % BLANKS.length]!),
  (text, at) => text.replaceAll(" ", BLANKS[at % BLANKS.length]!),
  (text, at) => replaceOne(text, / /g, at, () => ""),
  (text, at) => replaceOne(text, / /g, at, () => "? "),
  (text, at) => replaceOne(text, /\w/g, at, (letter) => letter + letter),
  (text, at) => spliced(text, at, 1, ""),
  (text, at, odd) => spliced(text, at, 0, odd),
  (text, at, odd) => spliced(text, at, 1, odd),
  (text, _, odd) => odd + text,
  (text, _, odd) => text + odd,
  (text, _, odd) => `${odd} ${text} ${odd}`,
  (text, at) => text.repeat(1 + (at % 3)),
  (text, at) => text.padEnd(LENGTHS[at % LENGTHS.length]!, " x"),
];

const disguises = fc.array(
  fc.tuple(fc.constantFrom(...DISGUISES), fc.nat({ max: 200 }), anyOf(ODD)),
  { maxLength: 2 },
);

/** Texts, some of them in disguise. */
export const disguised = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(text, disguises)
    .map(([plain, applied]) =>
      applied.reduce((now, [disguise, at, odd]) => disguise(now, at, odd), plain),
    );

/** Any question. */
export const question: fc.Arbitrary<string> = disguised(
  fc.oneof(
    { weight: 7, arbitrary: disqualified },
    { weight: 4, arbitrary: lookup },
    { weight: 3, arbitrary: compound },
    { weight: 1, arbitrary: subjects },
    { weight: 2, arbitrary: leading },
    { weight: 3, arbitrary: joined },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 60 }) },
  ),
);

// ---- arguments about questions ------------------------------------------------------------------

const understandOptions: fc.Arbitrary<reference.UnderstandOptions> = fc.record(
  {
    // Seldom by words: for these the reference compiles each of its patterns again.
    matcher: fc.constantFrom(
      "substring" as const,
      "substring" as const,
      "substring" as const,
      "words" as const,
    ),
    terms: fc.constantFrom("ascii" as const, "unicode" as const),
    maxParts: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(1000)),
    bySubject: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** A question, a classification (the right one, or another), and how to decompose it. */
export interface Asked {
  query: string;
  classified: reference.ClassifiedQuery;
  options: reference.UnderstandOptions;
}

const otherwise: fc.Arbitrary<reference.ClassifiedQuery> = fc.record(
  {
    disqualifier_category: fc.constantFrom("D4", "D4", "D1", "D2", "d4", "", null, undefined),
    entity: fc.oneof(subject, fc.constantFrom("", null, undefined)),
  },
  { requiredKeys: [] },
);

export const asked: fc.Arbitrary<Asked> = fc
  .tuple(question, fc.option(otherwise), understandOptions)
  .map(([query, other, options]) => ({
    query,
    classified: other ?? reference.classifyQuery(query),
    options,
  }));

/** The reference's answers about a question, as the native tests read them. */
export function answersTo({ query, classified, options }: Asked) {
  const {
    matcher = "substring",
    terms: term_mode = "ascii",
    maxParts: max_parts = reference.MAX_PARTS,
    bySubject: by_subject = false,
  } = options;
  const found = reference.checkDisqualifiers(query);
  const { disqualifier_category = null, entity = null } = classified;
  return {
    query,
    category: found.disqualified ? found.category : null,
    pattern: found.disqualified ? found.pattern : null,
    ...reference.classifyQueryType(query),
    extracted: {
      entities: reference.extractQueryEntities(query),
      attribute: reference.extractQueryAttribute(query),
    },
    classified: { disqualifier_category, entity },
    max_parts,
    by_subject,
    parts: reference.decompose(query, classified, options),
    reformulation: reference.reformulate(query, classified),
    matcher,
    intents: reference.classifyIntent(query, { matcher }),
    term_mode,
    terms: extractTerms(query, term_mode),
  };
}

/** The bounds of the rules of confidence, and values next to them. */
const BOUNDS = [0, 0.1, 0.15, 0.2, 0.3, 0.45, 0.6, 0.7, 0.85, 0.95, 1]
  .flatMap((bound) => [bound - Number.EPSILON, bound, bound + Number.EPSILON])
  .filter((score) => score >= 0 && score <= 1);
const score = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.constantFrom(...BOUNDS),
  // Merging boosts scores, and stores may have negative ones.
  fc.constantFrom(-0, 5e-324, 1.3, 1e300, -0.5, -1e300),
);

/** The arguments of a retrieval's confidence. */
export const retrieval: fc.Arbitrary<[number, number | null, number, boolean]> = fc.tuple(
  score,
  fc.option(score),
  fc.oneof(fc.nat({ max: 17 }), fc.nat()),
  fc.boolean(),
);

/** Selected results, and the results of the searches for their titles. */
export const weakResults = fc
  .array(
    fc.record({
      score: fc.oneof(
        fc.constantFrom(0, 0.1, 0.2, 0.25, 0.5),
        fc.double({ min: -1, max: 1, noNaN: true }),
      ),
      search: fc.oneof(
        fc.constantFrom("no_title" as const, "not_yet" as const, "failed" as const),
        fc.array(
          fc.record(
            {
              id: fc.oneof(
                fc.nat({ max: 12 }).map((id) => `n${id}`),
                fc.constantFrom(null, undefined, ""),
              ),
              score: fc.oneof(
                fc.constantFrom<unknown>(
                  0.1,
                  0.2,
                  0.25,
                  "0.3",
                  "",
                  " 1 ",
                  "high",
                  Number.NaN,
                  Infinity,
                  null,
                  true,
                ),
                fc.double({ min: 0, max: 1, noNaN: true }),
              ),
            },
            { requiredKeys: [] },
          ),
          { maxLength: 4 },
        ),
      ),
    }),
    { maxLength: 7 },
  )
  .chain((rows) =>
    fc.record({
      selected: fc.constant(rows.map(({ score }, i) => ({ id: `n${i}`, score }))),
      searches: fc.constant(rows.map(({ search }): reference.TitleSearch => search)),
      options: fc.record({ floor: fc.constantFrom(0, 0.25, 0.3, 1), budget: fc.nat({ max: 4 }) }),
    }),
  );
