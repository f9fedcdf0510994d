// Question analysis: type, entity, attribute and parts of a question; the confidence of a
// retrieval, and the handling of weak results. The rules for questions, in full. Plain on purpose:
// this is the yardstick of the parity tests.
//
// Patterns run on the original query. Their flag is `i` and never `u`: so case, \b and \w are those
// of ASCII (the Kelvin sign is no k, the long s no s), while \s and . are those of ECMAScript.
// Attribute words are searched in the lower case of all of Unicode, where the Kelvin sign is a k.

import type {
  ClassifiedQuery,
  ConfidenceFlag,
  ConfidenceLevel,
  Disqualification,
  DisqualifierCategory,
  QueryClassification,
  QueryTypeResult,
  RetrievalConfidence,
} from "nous-wasm";
import { classifyIntent, type IntentOptions } from "./intent.ts";
import { extractTerms } from "./search.ts";
import type { MemorySection } from "./sections.ts";

export type {
  ClassifiedQuery,
  ConfidenceFlag,
  ConfidenceLevel,
  Disqualification,
  DisqualifierCategory,
  QueryClassification,
  QueryType,
  QueryTypeResult,
  RetrievalConfidence,
} from "nous-wasm";

// ---- disqualifiers ------------------------------------------------------------------------------

/** An entry of the table: its name, and its pattern. */
export interface Pattern {
  name: string;
  regex: RegExp;
}

const phrases = (...names: string[]): Pattern[] =>
  names.map((name) => ({ name, regex: new RegExp(`\\b${name}\\b`, "i") }));

/** By category, in the order in which they are tried. */
export const DISQUALIFIERS: readonly {
  category: DisqualifierCategory;
  reason: string;
  patterns: Pattern[];
}[] = [
  {
    category: "D1",
    reason: "Reasoning query (how/why/explain)",
    patterns: [
      ...phrases(
        "how does",
        "how do",
        "how is",
        "why does",
        "why is",
        "why did",
        "relate",
        "relationship",
      ),
      ...phrases(
        "connection",
        "compare",
        "comparison",
        "difference",
        "versus",
        "vs",
        "explain",
        "summarize",
      ),
      ...phrases("describe", "what do I know about", "tell me about"),
    ],
  },
  {
    category: "D2",
    reason: "Negation query (not/never/except)",
    patterns: [
      ...phrases("not in", "not included", "missing from", "never", "without", "except"),
      ...phrases("what don't I", "what haven't I"),
    ],
  },
  {
    category: "D3",
    reason: "Time reference (last week/in September)",
    patterns: [
      ...phrases(
        "last week",
        "yesterday",
        "recently",
        "last month",
        "last year",
        "today",
        "this week",
        "this month",
      ),
      {
        name: "in [month]",
        regex:
          /\bin (?:january|february|march|april|may|june|july|august|september|october|november|december)\b/i,
      },
      {
        name: "on [weekday]",
        regex: /\bon (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/i,
      },
      { name: "in [year]", regex: /\bin \d{4}\b/i },
      ...phrases("between"),
      { name: "from [...] to", regex: /\bfrom .+ to\b/i },
      ...phrases("during"),
    ],
  },
  {
    category: "D4",
    reason: "Compound query (multiple questions)",
    patterns: [
      { name: "? ... ?", regex: /\?\s*\S+.*\?/ },
      ...phrases("and what", "and when", "and where", "and who", "and how", "and why"),
      { name: "also ... ?", regex: /\balso\b.*\?/i },
    ],
  },
  {
    category: "D5",
    reason: "Unresolved reference (their/his/it)",
    patterns: phrases("their", "his", "her", "its", "that", "this", "the same", "the other"),
  },
  {
    category: "D6",
    reason: "Exploration query (what else/similar to)",
    patterns: [
      ...phrases("what else", "anything related", "more about", "similar to"),
      // The run needs a letter, a digit or _ of ASCII: other characters have no boundary.
      { name: "like [...]", regex: /\blike \S+\b/i },
      ...phrases("brainstorm", "ideas for", "suggest"),
    ],
  },
];

/** The first pattern found, in the order of the table. */
export function checkDisqualifiers(query: string): Disqualification {
  for (const { category, reason, patterns } of DISQUALIFIERS) {
    const found = patterns.find(({ regex }) => regex.test(query));
    if (found !== undefined) return { disqualified: true, reason, category, pattern: found.name };
  }
  return { disqualified: false };
}

// ---- lookup or ambiguous ------------------------------------------------------------------------

/** Found inside words too. */
export const ATTRIBUTE_WORDS: readonly string[] = [
  ...[
    "phone",
    "email",
    "address",
    "birthday",
    "number",
    "date",
    "name",
    "title",
    "location",
    "id",
    "link",
    "url",
  ],
  ...["contact", "age", "status", "role", "position", "company", "team", "project"],
];

/**
 * The forms of a lookup, in the order in which they are tried. Groups: the entity, and the
 * attribute if there is one.
 */
export const FORMS: readonly RegExp[] = [
  /\b(?:what's|what is)\s+(\S+(?:\s+\S+)?)'s\s+(\S+)/i,
  /^(\S+(?:\s+\S+)?)'s\s+(\S+)\??$/i,
  // The thing becomes the entity, and its owner the attribute.
  /\b(\S+)\s+for\s+(\S+(?:\s+\S+)?)\??$/i,
  /\bwho is\s+(\S+(?:\s+\S+)?)\??$/i,
  /\bwhere is\s+(\S+(?:\s+\S+)?)\??$/i,
  /\bwhen is\s+(\S+(?:\s+\S+)?)\??$/i,
];

/** Something's something, anywhere. */
const POSSESSIVE = /(\S+(?:\s+\S+)?)'s\s+(\S+)/i;

/** The first attribute word of the list that the text contains, in any case that Unicode knows. */
function attributeWordIn(text: string): string | null {
  const lower = text.toLowerCase();
  return ATTRIBUTE_WORDS.find((word) => lower.includes(word)) ?? null;
}

/** Without punctuation at its end. */
const stripped = (value: string): string => value.replace(/[?!.,;:]+$/, "").trim();

/** A form that matched remains the form even if its groups are empty. */
export function classifyQueryType(query: string): QueryTypeResult {
  for (const form of FORMS) {
    const match = form.exec(query);
    if (match === null) continue;
    const entity = stripped(match[1]!) || null;
    const attribute = stripped(match[2] ?? "") || null;
    let confidence = 0.7;
    if (attribute !== null && attributeWordIn(attribute) !== null)
      confidence = Math.min(confidence + 0.15, 1);
    if (query.trim().endsWith("?")) confidence = Math.min(confidence + 0.05, 1);
    if (query.length < 50) confidence = Math.min(confidence + 0.05, 1);
    return { type: "LOOKUP", confidence, entity, attribute };
  }

  const word = attributeWordIn(query);
  if (word === null) return { type: "AMBIGUOUS", confidence: 0.3, entity: null, attribute: null };
  const match = POSSESSIVE.exec(query);
  if (match === null) return { type: "LOOKUP", confidence: 0.5, entity: null, attribute: word };
  return {
    type: "LOOKUP",
    confidence: 0.6,
    entity: stripped(match[1]!),
    attribute: stripped(match[2]!),
  };
}

export function classifyQuery(query: string): QueryClassification {
  const found = checkDisqualifiers(query);
  const { type, confidence, entity, attribute } = classifyQueryType(query);
  return {
    query,
    disqualified: found.disqualified,
    disqualifier_category: found.disqualified ? found.category : null,
    disqualifier_reason: found.disqualified ? found.reason : null,
    query_type: type,
    confidence,
    entity,
    attribute,
  };
}

/** Options of question analysis. */
export interface QueryConfig {
  adjacentPossessives?: boolean | undefined;
}

/**
 * The entities of the question: before 's, after `for`, after `who is` and similar phrases; in that
 * order, each once. A possessive consumes the white space after it, so that another right after it
 * has no white space before it and does not match, unless the configuration allows adjacent
 * possessives.
 */
export function extractQueryEntities(
  query: string,
  { adjacentPossessives = false }: QueryConfig = {},
): string[] {
  const found = [
    ...query.matchAll(adjacentPossessives ? /(?<=^|\s)(\w+)(?='s\s)/gi : /(?:^|\s)(\w+)'s\s+/gi),
    ...query.matchAll(/\bfor\s+(\w+(?:\s+\w+)?)/gi),
    ...query.matchAll(/\b(?:who|where|when) is\s+(\w+(?:\s+\w+)?)/gi),
  ];
  return [...new Set(found.map((match) => match[1]!))];
}

/** The attribute: after 's, or before `for`, or an attribute word as the list has it. */
export function extractQueryAttribute(query: string): string | null {
  const match = /\S+'s\s+(\w+)/i.exec(query) ?? /^(\w+)\s+for\s/i.exec(query);
  return match?.[1] ?? attributeWordIn(query);
}

// ---- confidence of a retrieval ------------------------------------------------------------------

export function getConfidenceLevel(score: number): ConfidenceLevel {
  if (score >= 0.7) return "HIGH";
  return score >= 0.45 ? "MEDIUM" : "LOW";
}

/** The best result's share of the attention, by the number of results. */
function focusOf(resultCount: number): number {
  if (resultCount === 1) return 1;
  if (resultCount <= 5) return 0.8;
  return resultCount <= 15 ? 0.5 : 0.3;
}

export function calculateRetrievalConfidence(
  topScore: number,
  secondScore: number | null,
  resultCount: number,
  hasAttribute: boolean,
): RetrievalConfidence {
  if (resultCount === 0) {
    return { score: 0, level: "LOW", breakdown: { mq: 0, dt: 0, cm: 0 }, flags: ["no_results"] };
  }
  const gap = secondScore === null ? 1 : topScore - secondScore;
  const mq = topScore;
  const dt = Math.min(gap / 0.3, 1) * 0.5 + focusOf(resultCount) * 0.5;
  const cm = hasAttribute ? 1 : 0.5;

  let score = Math.max(mq, 0.1) ** 0.4 * Math.max(dt, 0.1) ** 0.35 * Math.max(cm, 0.1) ** 0.25;
  if (mq < 0.3 || dt < 0.2) score = Math.min(score, 0.4);
  if (!hasAttribute) score = Math.min(score, 0.7);

  const flags: ConfidenceFlag[] = [];
  if (resultCount > 1 && gap < 0.15) flags.push("disambiguation_needed");
  if (resultCount < 3 && mq < 0.6) flags.push("sparse_results");
  if (!hasAttribute) flags.push("attribute_unknown");
  if (mq > 0.95 && dt > 0.8 && hasAttribute) flags.push("perfect_match");
  return { score, level: getConfidenceLevel(score), breakdown: { mq, dt, cm }, flags };
}

// ---- decomposition ------------------------------------------------------------------------------

export interface DecomposeOptions {
  maxParts?: number | undefined;
  /** Whether a question without other divisions has a part for each subject that it names. */
  bySubject?: boolean | undefined;
  /** Symbols that are subjects without quotes, in capitals. */
  symbols?: readonly string[] | undefined;
}

export const KNOWN_SYMBOLS: readonly string[] = [
  ...["BTC", "ETH", "SOL", "DOGE", "ARB", "OP", "AVAX", "MATIC", "LINK", "UNI"],
  ...["AAVE", "APT", "SUI", "SEI", "WIF", "PEPE", "BONK", "JUP", "TIA", "INJ"],
];

/** The division of a question. */
export type Strategy = "question words" | "question marks" | "also" | "and" | "subjects";

/** The default maximum number of parts. */
export const MAX_PARTS = 4;
const MAX_DIVISIBLE_LENGTH = 500;
const MIN_PART_LENGTH = 3;

const withoutTrailingCommas = (text: string): string => text.trim().replace(/,+$/, "").trim();
const isLongEnough = (part: string): boolean => part.length >= MIN_PART_LENGTH;

function atQuestionWords(query: string): string[] {
  // The captured word is among the parts of the split: first part, word, rest, word, rest …
  const [first, ...pieces] = query.split(/\band\s+(what|when|where|who|how|why)\b/i);
  const parts = [withoutTrailingCommas(first!)];
  for (let i = 0; i < pieces.length; i += 2) {
    const [word, rest] = [pieces[i]!, pieces[i + 1]!];
    if (rest.trim() !== "") parts.push(`${word} ${rest.trim()}`);
  }
  return parts.filter(isLongEnough);
}

function atQuestionMarks(query: string): string[] {
  const parts = query.split("?");
  return parts.length > 2 ? parts.map((part) => part.trim()).filter(isLongEnough) : [];
}

/** Commas at the end of a piece do not belong to it, but count for its length. */
function atWord(query: string, word: RegExp): string[] {
  const pieces = query.split(word).map((piece) => piece.trim());
  return pieces.filter(isLongEnough).map(withoutTrailingCommas);
}

/**
 * A pattern of a text; with the flag `i` a symbol's letters beyond ASCII would have two cases too.
 */
const inAnyCase = (text: string): string =>
  text
    .replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
    .replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);

/**
 * Known symbols, and text in double quotes, in which no symbols are searched. In the order of the
 * text, each once.
 */
function subjectsOf(query: string, symbols: readonly string[]): string[] {
  const known = symbols.map(inAnyCase).join("|");
  const subject = new RegExp(`"([^"]*)"|“([^”]*)”|\\b(${known})\\b`, "g");
  const found = [...query.matchAll(subject)].map(
    ([, straight, typographic, symbol]) =>
      symbol?.toUpperCase() ?? (straight ?? typographic)!.trim(),
  );
  return [...new Set(found.filter((text) => text !== ""))];
}

function bySubjects(query: string, symbols: readonly string[]): string[] {
  const attribute = extractQueryAttribute(query);
  const subjects = subjectsOf(query, symbols);
  return attribute === null || subjects.length < 2
    ? []
    : subjects.map((subject) => `${subject} ${attribute}`);
}

/** The first strategy that gives two parts or more, with those parts; null if none does. */
export function divide(
  query: string,
  { disqualifier_category, entity }: ClassifiedQuery,
  { maxParts = MAX_PARTS, bySubject = false, symbols = KNOWN_SYMBOLS }: DecomposeOptions = {},
): { strategy: Strategy; parts: string[] } | null {
  if (disqualifier_category !== "D4" && disqualifier_category !== "D1") return null;
  if (query.length > MAX_DIVISIBLE_LENGTH) return null;

  const hasEntity = typeof entity === "string" && entity !== "";
  const attempts: [Strategy, string[]][] = [
    ["question words", atQuestionWords(query)],
    ["question marks", atQuestionMarks(query)],
    ["also", atWord(query, /\balso\b/i)],
    ["and", hasEntity && / and /i.test(query) ? atWord(query, /\band\b/i) : []],
    ["subjects", bySubject ? bySubjects(query, symbols) : []],
  ];
  for (const [strategy, pieces] of attempts) {
    // The limit comes before the check for two parts.
    const parts = pieces.slice(0, maxParts);
    if (parts.length >= 2) return { strategy, parts };
  }
  return null;
}

/** The parts of a question, or the whole question. */
export function decompose(
  query: string,
  classification: ClassifiedQuery,
  options?: DecomposeOptions,
): string[] {
  return divide(query, classification, options)?.parts ?? [query];
}

// ---- reformulation ------------------------------------------------------------------------------

const after = (words: string[], endings: string[]) =>
  words.flatMap((word) => endings.map((ending) => word + ending));

/** Phrases that a question may begin with and that do not change its meaning. */
export const QUESTION_PHRASES: readonly string[] = [
  ...after(
    ["what", "how", "why", "when", "where"],
    ["", "'s", " is", " are", " was", " were", " do", " does", " did"],
  ),
  ...after(["who"], ["", "'s", " is", " are", " was", " were"]),
  ...[
    "how much",
    "how many",
    "can you",
    "could you",
    "do you",
    "tell me about",
    "show me",
    "is there",
    "are there",
  ],
  ...["did", "does", "has", "have"],
].sort((a, b) => b.length - a.length);

/** At the very start, the longer phrase first, with the white space that must follow. */
const LEADING_PHRASE = new RegExp(`^(?:${QUESTION_PHRASES.join("|")})\\s+`, "i");

/** Another wording for a search that found too little, or the entity; null if there is neither. */
export function reformulate(query: string, { entity }: ClassifiedQuery): string | null {
  const statement = query.replace(LEADING_PHRASE, "").trim().replace(/\?+$/, "").trim();
  if (statement.length >= 3 && statement.toLowerCase() !== query.toLowerCase()) return statement;
  return typeof entity === "string" && entity.length >= 2 ? entity : null;
}

// ---- all results about a question ---------------------------------------------------------------

export interface Understanding extends QueryClassification {
  intents: MemorySection[];
  parts: string[];
  terms: string[];
}

export interface UnderstandOptions extends DecomposeOptions {
  matcher?: IntentOptions["matcher"];
  terms?: "ascii" | "unicode" | undefined;
}

export function understand(query: string, options: UnderstandOptions = {}): Understanding {
  const classification = classifyQuery(query);
  return {
    ...classification,
    intents: classifyIntent(query, { matcher: options.matcher }),
    parts: decompose(query, classification, options),
    terms: extractTerms(query, options.terms),
  };
}

// ---- weak results -------------------------------------------------------------------------------

export type Fate =
  | { kind: "kept" }
  | { kind: "replaced"; by: number }
  | { kind: "dropped"; why: "nothing_better" | "no_title" | "budget" }
  | { kind: "to_search" }
  | { kind: "undecided" };

/** The result of a search for a title. */
export interface FoundRow {
  id?: string | null | undefined;
  score?: unknown;
}

export type TitleSearch = "no_title" | "not_yet" | "failed" | readonly FoundRow[];

/** As merging reads it: a finite number, also as a string; anything else is 0. */
function scoreOf({ score }: FoundRow): number {
  const value = typeof score === "string" ? Number(score) : score;
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/**
 * The index of the best unused row that is better than the result to replace; −1 if there is none.
 */
function bestOf(rows: readonly FoundRow[], min: number, taken: ReadonlySet<string>): number {
  let best = -1;
  let highest = min;
  rows.forEach((row, place) => {
    if (row.id == null || row.id === "" || taken.has(row.id) || scoreOf(row) <= highest) return;
    best = place;
    highest = scoreOf(row);
  });
  return best;
}

/**
 * The outcome of each selected result; results below the floor are weak. Called again once titles
 * were searched.
 */
export function settleWeak(
  selected: readonly { id: string; score: number }[],
  searches: readonly TitleSearch[],
  { floor, budget }: { floor: number; budget: number },
): Fate[] {
  const taken = new Set(selected.map(({ id }) => id));
  let replaced = 0;
  let toSearch = 0;

  const fates = selected.map(({ score }, i): Fate => {
    const search = searches[i]!;
    if (!(score < floor)) return { kind: "kept" };
    if (search === "no_title") return { kind: "dropped", why: "no_title" };
    if (replaced >= budget) return { kind: "dropped", why: "budget" };
    if (search === "not_yet") {
      if (replaced + toSearch >= budget) return { kind: "undecided" };
      toSearch++;
      return { kind: "to_search" };
    }
    // The searches for earlier results may add the same node, or use up the budget.
    if (toSearch > 0) return { kind: "undecided" };
    if (search === "failed") return { kind: "kept" };
    const by = bestOf(search, score, taken);
    if (by === -1) return { kind: "dropped", why: "nothing_better" };
    taken.add(search[by]!.id!);
    replaced++;
    return { kind: "replaced", by };
  });

  // At least one result is kept.
  if (selected.length > 0 && fates.every(({ kind }) => kind === "dropped")) {
    const highest = Math.max(...selected.map(({ score }) => score));
    fates[selected.findIndex(({ score }) => score === highest)] = { kind: "kept" };
  }
  return fates;
}
