// V8's regular expressions as a second opinion on question analysis. Hynous reads questions with
// regular expressions; this file rebuilds them from its behaviour. The package, which scans by
// hand, and the reference must give equal answers.

import * as nous from "nous-wasm";
import { expect, test } from "vitest";
import * as reference from "../../js/reference/query.ts";
import { makeRandom } from "../../js/reference/random.ts";
import { amount, SEED } from "../support/amount.ts";
import { same } from "./support/same.ts";

const QUESTIONS = amount(300_000);

// ---- the expressions ----------------------------------------------------------------------------

const insensitive = (source: string): RegExp => new RegExp(source, "i");

/** Entries that match literally, as whole words. */
const plain = (entries: string): [name: string, found: RegExp][] =>
  entries.split(", ").map((entry) => [entry, insensitive(`\\b${entry}\\b`)]);

const MONTHS =
  "january|february|march|april|may|june|july|august|september|october|november|december";
const WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday";

/**
 * The disqualifiers of a question: category, reason, and the entries in the order in which they are
 * tried.
 */
const DISQUALIFIERS: [
  nous.DisqualifierCategory,
  reason: string,
  entries: [name: string, found: RegExp][],
][] = [
  [
    "D1",
    "Reasoning query (how/why/explain)",
    plain(
      "how does, how do, how is, why does, why is, why did, relate, relationship, connection, compare, comparison, difference, " +
        "versus, vs, explain, summarize, describe, what do I know about, tell me about",
    ),
  ],
  [
    "D2",
    "Negation query (not/never/except)",
    plain(
      "not in, not included, missing from, never, without, except, what don't I, what haven't I",
    ),
  ],
  [
    "D3",
    "Time reference (last week/in September)",
    [
      ...plain(
        "last week, yesterday, recently, last month, last year, today, this week, this month",
      ),
      ["in [month]", insensitive(`\\bin (?:${MONTHS})\\b`)],
      ["on [weekday]", insensitive(`\\bon (?:${WEEKDAYS})\\b`)],
      ["in [year]", /\bin [0-9]{4}\b/i],
      ...plain("between"),
      ["from [...] to", /\bfrom .+ to\b/i],
      ...plain("during"),
    ],
  ],
  [
    "D4",
    "Compound query (multiple questions)",
    [
      ["? ... ?", /\?\s*\S.*\?/],
      ...plain("and what, and when, and where, and who, and how, and why"),
      ["also ... ?", /\balso\b.*\?/i],
    ],
  ],
  [
    "D5",
    "Unresolved reference (their/his/it)",
    plain("their, his, her, its, that, this, the same, the other"),
  ],
  [
    "D6",
    "Exploration query (what else/similar to)",
    [
      ...plain("what else, anything related, more about, similar to"),
      ["like [...]", /\blike \S+\b/i],
      ...plain("brainstorm, ideas for, suggest"),
    ],
  ],
];

const TWO = "(\\S+(?:\\s+\\S+)?)";
/** The forms of a lookup, in the order in which they are tried. */
const FORMS: [name: string, form: RegExp][] = [
  ["what's", insensitive(`\\bwhat(?:'s| is)\\s+${TWO}'s\\s+(\\S+)`)],
  ["possessive", insensitive(`^${TWO}'s\\s+(\\S+)\\??$`)],
  ["for", insensitive(`\\b(\\S+)\\s+for\\s+${TWO}\\??$`)],
  ["who is", insensitive(`\\bwho is\\s+${TWO}\\??$`)],
  ["where is", insensitive(`\\bwhere is\\s+${TWO}\\??$`)],
  ["when is", insensitive(`\\bwhen is\\s+${TWO}\\??$`)],
];
const ANY_POSSESSIVE = insensitive(`${TWO}'s\\s+(\\S+)`);
const ATTRIBUTES =
  "phone email address birthday number date name title location id link url contact age status role position company team project".split(
    " ",
  );

const attributeIn = (text: string): string | undefined => {
  const lower = text.toLowerCase();
  return ATTRIBUTES.find((word) => lower.includes(word));
};
const cleaned = (text: string): string => text.replace(/[?!.,;:]+$/, "").trim();
const cleanedOrNull = (text: string | undefined): string | null => (text && cleaned(text)) || null;

/** All results of the expressions on a question, and the name of its form. */
function expected(query: string) {
  let disqualification: nous.Disqualification = { disqualified: false };
  search: for (const [category, reason, entries] of DISQUALIFIERS) {
    for (const [pattern, found] of entries) {
      if (!found.test(query)) continue;
      disqualification = { disqualified: true, reason, category, pattern };
      break search;
    }
  }
  const { form, type } = typeOf(query);
  const matched = [
    ...query.matchAll(/(?:^|\s)(\w+)'s\s+/gi),
    ...query.matchAll(/\bfor\s+(\w+(?:\s+\w+)?)\b/gi),
    ...query.matchAll(/\b(?:who|where|when) is\s+(\w+(?:\s+\w+)?)\b/gi),
  ];
  const attribute = /\S+'s\s+(\w+)/i.exec(query) ?? /^(\w+)\s+for\s+/i.exec(query);
  return {
    form,
    disqualification,
    type,
    entities: [...new Set(matched.map(([, entity]) => entity!))],
    attribute: attribute?.[1] ?? attributeIn(query) ?? null,
  };
}

function typeOf(query: string): { form: string; type: nous.QueryTypeResult } {
  for (const [form, expression] of FORMS) {
    const match = expression.exec(query);
    if (match === null) continue;
    const attribute = cleanedOrNull(match[2]);
    let confidence = 0.7;
    if (attribute !== null && attributeIn(attribute) !== undefined)
      confidence = Math.min(1, confidence + 0.15);
    if (query.trim().endsWith("?")) confidence = Math.min(1, confidence + 0.05);
    if (query.length < 50) confidence = Math.min(1, confidence + 0.05);
    return {
      form,
      type: { type: "LOOKUP", confidence, entity: cleanedOrNull(match[1]), attribute },
    };
  }
  const word = attributeIn(query);
  if (word === undefined) {
    return {
      form: "ambiguous",
      type: { type: "AMBIGUOUS", confidence: 0.3, entity: null, attribute: null },
    };
  }
  const match = ANY_POSSESSIVE.exec(query);
  if (match === null) {
    return {
      form: "attribute",
      type: { type: "LOOKUP", confidence: 0.5, entity: null, attribute: word },
    };
  }
  const [, entity, attribute] = match;
  const type = {
    type: "LOOKUP",
    confidence: 0.6,
    entity: cleaned(entity!),
    attribute: cleaned(attribute!),
  } as const;
  return { form: "any possessive", type };
}

// ---- questions ----------------------------------------------------------------------------------

const random = makeRandom(SEED);
const below = (end: number): number => Math.floor(random() * end);
const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
const perhaps = (share: number, make: () => string): string => (random() < share ? make() : "");

// The last three are not white space in ECMAScript.
const BLANKS = [
  ...[
    "  ",
    "\t",
    "\n",
    "\r\n",
    " \n ",
    "\v",
    "\f",
    "\u00a0",
    "\u1680",
    "\u2003",
    "\u2028",
    "\u2029",
    "\u202f",
  ],
  ...["\u3000", "\ufeff", "\u0085", "\u180e", "\u200b"],
];
const MARKS = ["?", "??", "!", ".", ",", ";", ":", "?!", "…", "？"];
const NAMES = [
  ...[
    "John",
    "BTC",
    "eth",
    "my",
    "the",
    "a1_b",
    "x",
    "What",
    "for",
    "is",
    "identity",
    "7",
    "_",
    "like",
    "who",
  ],
  ...[
    "Müller",
    "Café",
    "東京",
    "日本",
    "курс",
    "\u212araken",
    "\u017fol",
    "İd",
    "🚀",
    "\ud83d",
    "\ude80x",
    "x-y",
    "(x",
    "x)",
    "é",
  ],
  ...["?", "'", "-", "…", ";."],
];
const POSSESSIVES = ["'s", "'s", "'s", "'s", "'S", "’s", "''s", "'ss", "s'", "?'s", "'s's"];
const ASKED = [
  ...ATTRIBUTES,
  "phones",
  "e-mail",
  "entry-price",
  "pnl",
  "größe",
  "lin\u212a",
  "\u212aname",
  "date\u017f",
  "價格",
];
const ENTRIES = [
  ...DISQUALIFIERS.flatMap(([, , entries]) => entries.map(([name]) => name)),
  ...[
    "like",
    "like 日本",
    "like …x",
    "like -",
    "from",
    " to",
    "in [year]",
    "in 20245",
    "also",
    "? x",
    "unlike x",
  ],
];

const blank = (): string => (random() < 0.8 ? " " : pick(BLANKS));
const mark = (): string => perhaps(0.5, () => pick(MARKS));
const name = (): string => pick(NAMES);
const owner = (): string =>
  random() < 0.5 ? `${pick(["John", "BTC", "What", "a1_b", "x"])}'s` : name() + pick(POSSESSIVES);
const asked = (): string => pick(random() < 0.8 ? ASKED : NAMES);
const several = (max: number, make: () => string): string[] =>
  Array.from({ length: 1 + below(max) }, make);
const join = (words: string[]): string =>
  words.reduce((text, word) => text + perhaps(0.97, blank) + word);
const entry = (): string =>
  pick(ENTRIES)
    .replace("[month]", () => pick(MONTHS.split("|")))
    .replace("[weekday]", () => pick(WEEKDAYS.split("|")))
    .replace("[year]", () => String(1900 + below(200)))
    .replace("[...]", () => join(several(2, name)))
    .replace("...", () => join(several(2, name)));

/** Templates of questions, of words with white space between them. */
const SHAPES: (() => string[])[] = [
  () => [
    pick(["what's", "What is", "so what's", "somewhat is", "whats"]),
    ...several(3, owner),
    asked(),
  ],
  () => [pick(["what's", "WHAT IS"]), name(), owner(), ...several(2, asked)],
  () => [...several(4, owner), asked()],
  () => [name(), owner(), asked()],
  () => [...several(3, owner), name(), ...several(3, owner), asked()],
  () => [asked(), "for", ...several(2, name)],
  () => [...several(2, name), asked(), pick(["for", "For", "forx", "xfor"]), ...several(3, name)],
  () => [pick(["who", "Where", "when", "xwho"]), "is", ...several(3, name)],
  () => [...several(2, name), `${pick(["who", "where", "WHEN"])} is`, ...several(2, name)],
  () => [entry(), ...several(3, name)],
  () => [...several(2, name), entry(), asked()],
  () => [entry(), entry(), name()],
  () =>
    several(7, () =>
      pick([name, owner, asked, entry, blank, () => "for", () => "who is", () => "what's"])(),
    ),
];

const MUTATIONS: ((text: string, at: number) => string)[] = [
  (text) => text.toUpperCase(),
  (text, at) => text.slice(0, at) + text.slice(at + 1),
  (text, at) =>
    text.slice(0, at) + pick([...BLANKS, ...MARKS, ...NAMES, "'s ", " "]) + text.slice(at),
  (text) => text.replaceAll(" ", pick(BLANKS)),
  (text) => text.replace(/k/i, "\u212a").replace(/s/i, (letter) => pick([letter, "\u017f"])),
  (text) => `${text} ${pick(["x", "xx"]).repeat(below(30))}`,
];

function question(): string {
  const text = perhaps(0.05, blank) + join(pick(SHAPES)()) + mark() + perhaps(0.05, blank);
  return random() < 0.8 ? text : pick(MUTATIONS)(text, below(text.length));
}

// ---- the comparison -----------------------------------------------------------------------------

test(`${QUESTIONS} questions give equal answers`, { timeout: 120_000 }, () => {
  const seen = new Map<string, number>();
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  const readers = { "the package": nous, "the reference": reference };

  for (let asked = 0; asked < QUESTIONS; asked++) {
    const query = question();
    const { form, disqualification, type, entities, attribute } = expected(query);
    for (const [
      reader,
      { checkDisqualifiers, classifyQueryType, extractQueryEntities, extractQueryAttribute },
    ] of Object.entries(readers)) {
      const difference =
        same(checkDisqualifiers(query), disqualification, "checkDisqualifiers") ??
        same(classifyQueryType(query), type, "classifyQueryType") ??
        same(extractQueryEntities(query), entities, "extractQueryEntities") ??
        same(extractQueryAttribute(query), attribute, "extractQueryAttribute");
      if (difference !== null) expect.fail(`${reader} on ${JSON.stringify(query)}: ${difference}`);
    }
    count(form);
    count(disqualification.disqualified ? disqualification.pattern : "not disqualified");
    if (/(?:^|\s)\w+'s\s+\w+'s\s/i.test(query)) count("adjacent possessives");
    if (/[^\S ]/.test(query)) count("odd white space");
  }

  // Every rule decided often enough to reveal a wrong one.
  const rules = [...FORMS, ...DISQUALIFIERS.flatMap(([, , entries]) => entries)].map(
    ([name]) => name,
  );
  for (const rule of [...rules, "any possessive", "attribute", "ambiguous", "not disqualified"]) {
    expect(seen.get(rule), rule).toBeGreaterThan(amount(200));
  }
  expect(seen.get("adjacent possessives")).toBeGreaterThan(amount(20_000));
  expect(seen.get("odd white space")).toBeGreaterThan(amount(50_000));
});
