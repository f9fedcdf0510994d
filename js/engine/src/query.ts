// Understanding a question: what it asks, of whom, in how many parts. The rules run in the module.

import {
  countOf,
  finiteScore,
  flagOf,
  MAX_COUNT,
  presentOf,
  requireFinite,
  requireText,
} from "./arguments.ts";
import type { IntentMatcher } from "./config.ts";
import type { EngineContext } from "./engine-context.ts";
import { invalid, invalidShape, show } from "./errors.ts";
import { moduleConstants } from "./generated/constants.ts";
import {
  CLASSIFIED,
  CLASSIFIED_ATTRIBUTE,
  CLASSIFIED_CONFIDENCE,
  CLASSIFIED_ENTITY_END,
  CLASSIFIED_ENTITY_START,
  CLASSIFIED_PATTERN,
  CLASSIFIED_TYPE,
  CONFIDENCE,
  CONFIDENCE_CLARITY,
  CONFIDENCE_DISTINCTNESS,
  CONFIDENCE_FLAGS,
  CONFIDENCE_LEVEL,
  CONFIDENCE_QUALITY,
  CONFIDENCE_SCORE,
  FATE_BUDGET,
  FATE_KEPT,
  FATE_NO_TITLE,
  FATE_NOTHING_BETTER,
  FATE_TO_SEARCH,
  FATE_UNDECIDED,
  NOTHING,
  PART,
  PART_LEAD,
  PART_REST,
  PIECE_ATTRIBUTE,
  PIECE_END,
  PIECE_KIND,
  PIECE_START,
  PIECE_SYMBOL,
  PIECE_TEXT,
  REFORMULATED_ENTITY,
  REFORMULATED_NOT,
  SEARCHED_FAILED,
  SEARCHED_NO_TITLE,
  SEARCHED_NOT_YET,
  SPAN,
  SPAN_END,
  SPAN_START,
  TIME,
  TIME_END,
  TIME_GRAIN,
  TIME_SPAN,
  TIME_START,
  UNDERSTOOD,
  UNDERSTOOD_INTENTS,
} from "./generated/layout.ts";
import { sectionsOf, wantsWords } from "./intent.ts";
import type { EngineLease } from "./runtime.ts";
import { numeric } from "./runtime.ts";
import { slicesOf, withText } from "./text.ts";
import type { Instant, MemorySection } from "./types.ts";
import { endIn, instantIn, offsetIn } from "./zone.ts";

/**
 * Why a question is no plain lookup: D1 asks for reasons, D2 negates, D3 names a time, D4 has
 * several questions, D5 points at what was said before, D6 explores.
 */
export type DisqualifierCategory = "D1" | "D2" | "D3" | "D4" | "D5" | "D6";

/**
 * What keeps a question from being a plain lookup. If nothing does, `disqualified` is the only key
 * of the answer.
 */
export type Disqualification =
  | { disqualified: false; reason?: never; category?: never; pattern?: never }
  | {
      disqualified: true;
      /** The category in words. */
      reason: string;
      category: DisqualifierCategory;
      /** The entry of the category that was found, as the table writes it. */
      pattern: string;
    };

/** `LOOKUP`: one attribute of one thing is asked for. `AMBIGUOUS`: anything else. */
export type QueryType = "LOOKUP" | "AMBIGUOUS";

/** Whether a question is a lookup, and of what. */
export interface QueryTypeResult {
  type: QueryType;
  /** In [0, 1]. */
  confidence: number;
  /** Null if there is none. Empty if the question contains nothing but marks in its place. */
  entity: string | null;
  /** Null if there is none. Empty if the question contains nothing but marks in its place. */
  attribute: string | null;
}

/** Disqualification and type together, as `POST /classify-query` answers them. */
export interface QueryClassification {
  query: string;
  disqualified: boolean;
  disqualifier_category: DisqualifierCategory | null;
  disqualifier_reason: string | null;
  query_type: QueryType;
  confidence: number;
  entity: string | null;
  attribute: string | null;
}

/** As much of a classification as `decompose` and `reformulate` read. */
export interface ClassifiedQuery {
  disqualifier_category?: string | null | undefined;
  entity?: string | null | undefined;
}

/** How sure a retrieval is of its results, in one word. */
export type ConfidenceLevel = "HIGH" | "MEDIUM" | "LOW";
/** A reason to doubt the results of a retrieval. */
export type ConfidenceFlag =
  | "no_results"
  | "disambiguation_needed"
  | "sparse_results"
  | "attribute_unknown"
  | "perfect_match";

/** How far an answer can be trusted. */
export interface RetrievalConfidence {
  /** In [0, 1] for scores in [0, 1]. */
  score: number;
  level: ConfidenceLevel;
  /** Quality of the best match, distinctness of it, clarity of the question. */
  breakdown: { mq: number; dt: number; cm: number };
  flags: ConfidenceFlag[];
}

/** How to take a question apart. */
export interface DecomposeOptions {
  /** The most parts: a whole number of at least 1. Default 4. */
  maxParts?: number | undefined;
  /**
   * Whether a question that nothing else divides, but that names two or more known symbols or
   * quoted phrases and an attribute, has a part for each of them. Default false.
   */
  bySubject?: boolean | undefined;
}

/**
 * The unit of an expression of time. `hour` also stands for a part of the day ("this morning"), and
 * `day` for the two days of a weekend.
 */
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

/** An expression of time in a question, as a range in UTC. */
export interface TimeExpression {
  /**
   * The expression as the question writes it. Words that change the range belong to it ("since
   * Friday"), others do not ("in May").
   */
  text: string;
  /** Its place in the question, in UTF-16 units. */
  index: number;
  /**
   * The first instant, in milliseconds since 1970. −8.64e15, the first of the calendar, if there is
   * no other ("before 2020").
   */
  start: number;
  /**
   * The instant after the last, in milliseconds since 1970; greater than `start`. 8.64e15, the last
   * of the calendar, if there is no other ("after 2020"). `now` + 1 if the range ends at the
   * present ("since Friday").
   */
  end: number;
  /** The unit of the expression. Of two joined expressions it is that of the second. */
  grain: TimeGrain;
}

/** Everything about a question at once. */
export interface Understanding extends QueryClassification {
  /** The sections it asks for, in the order SIGNALS, EPISODIC, KNOWLEDGE, PROCEDURAL. */
  intents: MemorySection[];
  /** What to search for: its parts, or the question itself. */
  parts: string[];
  /** Its words for a full-text index: lower-case, of two characters or more, each once. */
  terms: string[];
  /** The times that it names, in order. Only if `now` is given. */
  times?: TimeExpression[];
  /** The time of what it asks for. Only if `now` is given. */
  era?: Era;
}

/**
 * The time of what a question asks for: what holds (`present`), what was before ("where did I live
 * before?"), what held at a time that it names (`then`: "in March"), or how it changed (`course`).
 */
export type Era = "present" | "before" | "then" | "course";

/** By their code in the module. */
const ERAS: readonly Era[] = ["present", "before", "then", "course"];

/** How to understand a question. */
export interface UnderstandOptions extends DecomposeOptions {
  /** How intent is read. Default: the configuration's. */
  matcher?: IntentMatcher | undefined;
  /**
   * Which characters make terms: letters, digits and `_` of ASCII, or letters, marks and digits of
   * every script, with Chinese, Japanese and Korean text as overlapping pairs. Default `ascii`.
   */
  terms?: "ascii" | "unicode" | undefined;
  /**
   * The present, to which expressions such as "last week" refer: a date, milliseconds since 1970,
   * or ISO 8601. Default: the answer has no `times` and no `era`.
   */
  now?: Instant | undefined;
  /**
   * The name of the zone, in the database of IANA, by whose clocks days are told: ranges are
   * instants. Default: UTC.
   */
  time_zone?: string | undefined;
}

/** What becomes of a selected result whose score is weak. @internal */
export type Fate =
  /**
   * It is not weak, or its search failed, or it is the best of a selection that would be empty
   * without it.
   */
  | { kind: "kept" }
  /** The result of this place, of those found for it, stands in for it. */
  | { kind: "replaced"; by: number }
  | { kind: "dropped"; why: "nothing_better" | "no_title" | "budget" }
  /** Its title is to be searched for now. */
  | { kind: "to_search" }
  /** Not decided before those to be searched are. */
  | { kind: "undecided" };

/** What the search for a selected result's title came to. @internal */
export type TitleSearch<Row> = "no_title" | "not_yet" | "failed" | readonly Row[];

/**
 * Decides on weak results in order: a result below the floor is replaced by the best that its
 * title's search found, is not selected yet and has a higher score, as long as fewer than `budget`
 * are replaced; else it is dropped, but never all are.
 *
 * @internal
 */
export type SettleWeak = (
  selected: readonly { id: string; score: number }[],
  searches: readonly TitleSearch<{ id?: string | null | undefined; score?: unknown }>[],
  options: { floor: number; budget: number },
) => Fate[];

const PATTERNS = moduleConstants.disqualifiers.flatMap(({ category, reason, patterns }) =>
  patterns.map((pattern) => ({ category, reason, pattern })),
);
const CATEGORIES = new Map(
  moduleConstants.disqualifiers.map(({ category }, place) => [category as string, place]),
);
/** A place that no category has. */
const NO_CATEGORY = moduleConstants.disqualifiers.length;

/** @internal */
export function checkDisqualifiers(context: EngineContext, query: string): Disqualification {
  const found = withText(context.pool, questionOf(query), CLASSIFIED, (lease, length) => {
    lease.engine.classify_query(length);
    lease.revalidateViews();
    return PATTERNS[lease.numbers[lease.numbersAt + CLASSIFIED_PATTERN]!];
  });
  return found === undefined ? { disqualified: false } : { disqualified: true, ...inOrder(found) };
}

/** The fields of a pattern in the order of the answer. */
const inOrder = ({ reason, category, pattern }: (typeof PATTERNS)[number]) => ({
  reason,
  category,
  pattern,
});

/** @internal */
export function classifyQueryType(context: EngineContext, query: string): QueryTypeResult {
  const { query_type: type, confidence, entity, attribute } = classifyQuery(context, query);
  return { type, confidence, entity, attribute };
}

/** @internal */
export function classifyQuery(context: EngineContext, query: string): QueryClassification {
  return withText(context.pool, questionOf(query), CLASSIFIED, (lease, length) => {
    lease.engine.classify_query(length);
    lease.revalidateViews();
    return classificationIn(lease, query);
  });
}

function classificationIn(
  { numbers, numbersAt: at }: EngineLease,
  query: string,
): QueryClassification {
  const pattern = PATTERNS[numbers[at + CLASSIFIED_PATTERN]!];
  const start = numbers[at + CLASSIFIED_ENTITY_START]!;
  return {
    query,
    disqualified: pattern !== undefined,
    disqualifier_category: pattern === undefined ? null : pattern.category,
    disqualifier_reason: pattern === undefined ? null : pattern.reason,
    query_type: moduleConstants.query_types[numbers[at + CLASSIFIED_TYPE]!]!,
    confidence: numbers[at + CLASSIFIED_CONFIDENCE]!,
    entity: start === NOTHING ? null : query.slice(start, numbers[at + CLASSIFIED_ENTITY_END]),
    attribute: pieceAt(query, numbers, at + CLASSIFIED_ATTRIBUTE, []),
  };
}

/** The piece at a place: a part of the question, an attribute word, a symbol, or null. */
function pieceAt(
  query: string,
  numbers: ArrayLike<number>,
  at: number,
  symbols: readonly string[],
): string | null {
  const start = numbers[at + PIECE_START]!;
  switch (numbers[at + PIECE_KIND]) {
    case PIECE_TEXT:
      return query.slice(start, numbers[at + PIECE_END]);
    case PIECE_ATTRIBUTE:
      return moduleConstants.attribute_words[start]!;
    case PIECE_SYMBOL:
      return symbols[start]!;
    default:
      return null;
  }
}

/** The `count` parts that begin at a place. */
function partsIn(
  context: EngineContext,
  query: string,
  numbers: Uint32Array,
  from: number,
  count: number,
): string[] {
  const parts: string[] = [];
  for (let at = from; at < from + count * PART; at += PART) {
    const lead = pieceAt(query, numbers, at + PART_LEAD, context.knownSymbols);
    const rest = pieceAt(query, numbers, at + PART_REST, context.knownSymbols);
    parts.push(lead === null ? rest! : `${lead} ${rest}`);
  }
  return parts;
}

/** @internal */
export function extractQueryEntities(context: EngineContext, query: string): string[] {
  const ends = withText(context.pool, questionOf(query), 0, ({ engine }, length) =>
    engine.extract_query_entities(length),
  );
  return slicesOf(query, ends, 0, ends.length / SPAN);
}

/** @internal */
export function extractQueryAttribute(context: EngineContext, query: string): string | null {
  const piece = withText(context.pool, questionOf(query), 0, ({ engine }, length) =>
    engine.extract_query_attribute(length),
  );
  return pieceAt(query, piece, 0, []);
}

/** @internal */
export function decompose(
  context: EngineContext,
  query: string,
  classification: ClassifiedQuery | null | undefined,
  options: DecomposeOptions = {},
): string[] {
  const { maxParts, bySubject } = partOptions(options);
  const { category, entity } = classified(classification);
  const parts = withText(context.pool, questionOf(query), 0, ({ engine }, length) =>
    engine.decompose(length, category, entity !== null, maxParts, bySubject),
  );
  return partsIn(context, query, parts, 0, parts.length / PART);
}

/** @internal */
export function reformulate(
  context: EngineContext,
  query: string,
  classification: ClassifiedQuery | null | undefined,
): string | null {
  const { entity } = classified(classification);
  return withText(context.pool, questionOf(query), SPAN, (lease, length) => {
    const kind = lease.engine.reformulate(length, entity === null ? undefined : entity.length);
    if (kind === REFORMULATED_NOT) return null;
    if (kind === REFORMULATED_ENTITY) return entity;
    lease.revalidateViews();
    return slicesOf(query, lease.numbers, lease.numbersAt, 1)[0]!;
  });
}

/** @internal */
export function understand(
  context: EngineContext,
  query: string,
  options: UnderstandOptions = {},
): Understanding {
  const { maxParts, bySubject } = partOptions(options);
  const words = wantsWords(context, options.matcher);
  const { terms = "ascii", time_zone = "UTC" } = options;
  const now = options.now === undefined ? undefined : presentOf(options.now);
  if (terms !== "ascii" && terms !== "unicode") {
    throw invalid("terms", `must be "ascii" or "unicode", found ${show(terms)}`);
  }
  return withText(context.pool, questionOf(query), UNDERSTOOD, (lease, length) => {
    const answer = lease.engine.understand(length, words, maxParts, bySubject, terms === "unicode");
    lease.revalidateViews();
    const parts = answer[0]!;
    const termsAt = 1 + parts * PART;
    const understanding = Object.assign(classificationIn(lease, query), {
      intents: sectionsOf(lease.numbers[lease.numbersAt + UNDERSTOOD_INTENTS]!),
      parts: partsIn(context, query, answer, 1, parts),
      terms: slicesOf(query.toLowerCase(), answer, termsAt, (answer.length - termsAt) / SPAN),
    });
    if (now === undefined) return understanding;
    return Object.assign(understanding, timesIn(lease, query, length, now, time_zone));
  });
}

/** The last instant of the calendar; its negative is the first. */
const LAST_INSTANT = 8.64e15;

/** The expressions of time in the text that an engine has in its scratch, and its era. */
function timesIn(
  { engine }: EngineLease,
  query: string,
  length: number,
  now: number,
  zone: string,
): Required<Pick<Understanding, "times" | "era">> {
  // The module reads the clocks of the zone as if they were those of UTC.
  const wall = now + 60_000 * offsetIn(zone, now);
  const numbers = engine.find_times(length, wall);
  const instantOf = (bound: number, of: typeof instantIn) => {
    if (zone === "UTC" || Math.abs(bound) === LAST_INSTANT) return bound;
    return bound === Math.floor(wall) + 1 ? Math.floor(now) + 1 : of(zone, bound);
  };
  const times: TimeExpression[] = [];
  for (let at = 1; at < numbers.length; at += TIME) {
    times.push({
      text: query.slice(numbers[at + TIME_SPAN + SPAN_START]!, numbers[at + TIME_SPAN + SPAN_END]!),
      index: numbers[at + TIME_SPAN + SPAN_START]!,
      start: instantOf(numbers[at + TIME_START]!, instantIn),
      end: instantOf(numbers[at + TIME_END]!, endIn),
      grain: moduleConstants.grains[numbers[at + TIME_GRAIN]!]!,
    });
  }
  return { times, era: ERAS[numbers[0]!]! };
}

/** @internal */
export function calculateRetrievalConfidence(
  context: EngineContext,
  topScore: number,
  secondScore: number | null | undefined,
  resultCount: number,
  hasAttribute: boolean,
): RetrievalConfidence {
  if (!(Number.isInteger(resultCount) && resultCount >= 0)) {
    throw invalid(
      "resultCount",
      `must be a whole number of at least 0, found ${show(resultCount)}`,
    );
  }
  requireFinite("topScore", topScore);
  if (secondScore != null) requireFinite("secondScore", secondScore);
  if (typeof hasAttribute !== "boolean") {
    throw invalid("hasAttribute", `must be true or false, found ${show(hasAttribute)}`);
  }
  const lease = context.pool.acquire();
  try {
    lease.reserve(CONFIDENCE, 0, 0);
    lease.engine.retrieval_confidence(
      topScore,
      secondScore ?? undefined,
      resultCount,
      hasAttribute,
    );
    lease.revalidateViews();
    const { numbers, numbersAt: at } = lease;
    const flags = numbers[at + CONFIDENCE_FLAGS]!;
    return {
      score: numbers[at + CONFIDENCE_SCORE]!,
      level: moduleConstants.confidence_levels[numbers[at + CONFIDENCE_LEVEL]!]!,
      breakdown: {
        mq: numbers[at + CONFIDENCE_QUALITY]!,
        dt: numbers[at + CONFIDENCE_DISTINCTNESS]!,
        cm: numbers[at + CONFIDENCE_CLARITY]!,
      },
      flags: moduleConstants.confidence_flags.filter((_, bit) => flags & (1 << bit)),
    };
  } finally {
    context.pool.release(lease);
  }
}

/** HIGH from 0.70, MEDIUM from 0.45, else LOW. */
export function getConfidenceLevel(score: number): ConfidenceLevel {
  requireFinite("score", score);
  return moduleConstants.confidence_levels[numeric().confidence_level(score)]!;
}

/** Codes of title searches without results. */
const SEARCHED = {
  no_title: SEARCHED_NO_TITLE,
  not_yet: SEARCHED_NOT_YET,
  failed: SEARCHED_FAILED,
} as const;
/** Fates that are no replacement, by code. */
const FATES = new Map<number, Fate>([
  [FATE_KEPT, { kind: "kept" }],
  [FATE_NOTHING_BETTER, { kind: "dropped", why: "nothing_better" }],
  [FATE_NO_TITLE, { kind: "dropped", why: "no_title" }],
  [FATE_BUDGET, { kind: "dropped", why: "budget" }],
  [FATE_TO_SEARCH, { kind: "to_search" }],
  [FATE_UNDECIDED, { kind: "undecided" }],
]);

/** @internal */
export function settleWeak(
  context: EngineContext,
  ...[selected, searches, { floor, budget }]: Parameters<SettleWeak>
): Fate[] {
  const count = selected.length;
  const found = searches.flatMap((search) => (typeof search === "string" ? [] : search));
  const codes = new Map<string, number>();
  const codeOf = (id: string): number => {
    const code = codes.get(id) ?? codes.size;
    codes.set(id, code);
    return code;
  };
  const lease = context.pool.acquire();
  try {
    lease.reserve(3 * count + 2 * found.length, 0, 0);
    const { numbers, numbersAt } = lease;
    const foundAt = numbersAt + 3 * count;
    for (let place = 0; place < count; place++) {
      const { id, score } = selected[place]!;
      const search = searches[place]!;
      numbers[numbersAt + place] = codeOf(id);
      numbers[numbersAt + count + place] = score;
      numbers[numbersAt + 2 * count + place] =
        typeof search === "string" ? SEARCHED[search] : search.length;
    }
    for (let place = 0; place < found.length; place++) {
      const row = found[place]!;
      if (typeof row !== "object" || row === null) throw invalidShape("found", place, row);
      const { id } = row;
      const isNamed = id != null && id !== "";
      numbers[foundAt + place] = isNamed ? codeOf(id) : 0;
      // Nothing is worse, so that what has no id replaces nothing.
      numbers[foundAt + found.length + place] = isNamed ? finiteScore(row.score) : -Infinity;
    }
    lease.engine.settle_weak(count, found.length, floor, Math.min(budget, MAX_COUNT));
    lease.revalidateViews();
    const fates: Fate[] = [];
    for (let place = 0; place < count; place++) {
      const fate = lease.numbers[numbersAt + place]!;
      fates.push(FATES.get(fate) ?? { kind: "replaced", by: fate });
    }
    return fates;
  } finally {
    context.pool.release(lease);
  }
}

function questionOf(query: string): string {
  requireText("query", query);
  return query;
}

function partOptions(options: DecomposeOptions): { maxParts: number; bySubject: boolean } {
  if (options === null) throw invalid("options", "must be an object, found null");
  return {
    maxParts: countOf("maxParts", options.maxParts, moduleConstants.max_parts, 1),
    bySubject: flagOf("bySubject", options.bySubject, false),
  };
}

/**
 * What is read of a classification: the place of its category, and an entity that says something.
 */
function classified(classification: ClassifiedQuery | null | undefined): {
  category: number;
  entity: string | null;
} {
  if (classification == null) return { category: NO_CATEGORY, entity: null };
  if (typeof classification !== "object") {
    throw invalid("classification", `must be an object, found ${show(classification)}`);
  }
  const { disqualifier_category: category, entity } = classification;
  return {
    category: CATEGORIES.get(category ?? "") ?? NO_CATEGORY,
    entity: typeof entity === "string" && entity !== "" ? entity : null,
  };
}
