// Understanding a question: what it asks, of whom, in how many parts. The rules run in the module.

import { own } from "./constants.ts";
import { invalid, invalidShape, show } from "./errors.ts";
import { type IntentMatcher, sectionsOf, wantsWords } from "./intent.ts";
import { numberOf } from "./merge.ts";
import type { Handle } from "./runtime.ts";
import { numeric } from "./runtime.ts";
import type { Sections } from "./sections.ts";
import { withText } from "./text.ts";
import type { MemorySection } from "./types.ts";

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

/** Everything about a question at once. */
export interface Understanding extends QueryClassification {
  /** The sections it asks for, in the order SIGNALS, EPISODIC, KNOWLEDGE, PROCEDURAL. */
  intents: MemorySection[];
  /** What to search for: its parts, or the question itself. */
  parts: string[];
  /** Its words for a full-text index: lower-case, of two characters or more, each once. */
  terms: string[];
}

/** How to understand a question. */
export interface UnderstandOptions extends DecomposeOptions {
  /** How intent is read. Default: the configuration's. */
  matcher?: IntentMatcher | undefined;
  /**
   * Which characters make terms: letters, digits and `_` of ASCII, or letters, marks and digits of
   * every script, with Chinese, Japanese and Korean text as overlapping pairs. Default `ascii`.
   */
  terms?: "ascii" | "unicode" | undefined;
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

/** Numbers that tell of a classification, and of all that `understand` puts there. */
const CLASSIFIED = 8;
const UNDERSTOOD = CLASSIFIED + 1;
/** Numbers that tell of a part of a question. */
const PART = 6;
const CONFIDENCE = 6;
/** More parts than any question has, and within 32 bits. */
const UNLIMITED = 2 ** 32 - 1;

const PATTERNS = own.disqualifiers.flatMap(({ category, reason, patterns }) =>
  patterns.map((pattern) => ({ category, reason, pattern })),
);
const CATEGORIES = new Map(
  own.disqualifiers.map(({ category }, place) => [category as string, place]),
);
/** A place that no category has. */
const NO_CATEGORY = own.disqualifiers.length;

/** @internal */
export function checkDisqualifiers(sections: Sections, query: string): Disqualification {
  const found = withText(sections.slot, textOf(query), CLASSIFIED, (handle, length) => {
    handle.engine.classify_query(length);
    handle.refresh();
    return PATTERNS[handle.numbers[handle.numbersAt]!];
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
export function classifyQueryType(sections: Sections, query: string): QueryTypeResult {
  const { query_type: type, confidence, entity, attribute } = classifyQuery(sections, query);
  return { type, confidence, entity, attribute };
}

/** @internal */
export function classifyQuery(sections: Sections, query: string): QueryClassification {
  return withText(sections.slot, textOf(query), CLASSIFIED, (handle, length) => {
    handle.engine.classify_query(length);
    handle.refresh();
    return classificationIn(handle, query);
  });
}

function classificationIn({ numbers, numbersAt: at }: Handle, query: string): QueryClassification {
  const pattern = PATTERNS[numbers[at]!];
  const start = numbers[at + 3]!;
  return {
    query,
    disqualified: pattern !== undefined,
    disqualifier_category: pattern === undefined ? null : pattern.category,
    disqualifier_reason: pattern === undefined ? null : pattern.reason,
    query_type: own.queryTypes[numbers[at + 1]!]!,
    confidence: numbers[at + 2]!,
    entity: start < 0 ? null : query.slice(start, numbers[at + 4]),
    attribute: piece(query, numbers[at + 5]!, numbers[at + 6]!, numbers[at + 7]!, []),
  };
}

/** A piece of an answer: a stretch of the question, an attribute word, a symbol, or none. */
function piece(
  query: string,
  kind: number,
  a: number,
  b: number,
  symbols: readonly string[],
): string | null {
  if (kind === 1) return query.slice(a, b);
  if (kind === 2) return own.attributeWords[a]!;
  return kind === 3 ? symbols[a]! : null;
}

/** Parts that begin at a place, so many of them. */
function partsIn(
  sections: Sections,
  query: string,
  told: Uint32Array,
  from: number,
  count: number,
): string[] {
  const parts: string[] = [];
  for (let at = from; at < from + count * PART; at += PART) {
    const lead = piece(query, told[at]!, told[at + 1]!, told[at + 2]!, sections.knownSymbols);
    const rest = piece(query, told[at + 3]!, told[at + 4]!, told[at + 5]!, sections.knownSymbols);
    parts.push(lead === null ? rest! : `${lead} ${rest}`);
  }
  return parts;
}

/** @internal */
export function extractQueryEntities(sections: Sections, query: string): string[] {
  const ends = withText(sections.slot, textOf(query), 0, ({ engine }, length) =>
    engine.extract_query_entities(length),
  );
  return slices(query, ends, 0);
}

/** The stretches of a text whose ends stand in a list. */
function slices(text: string, ends: Uint32Array, from: number): string[] {
  const found: string[] = [];
  for (let at = from; at < ends.length; at += 2) found.push(text.slice(ends[at], ends[at + 1]));
  return found;
}

/** @internal */
export function extractQueryAttribute(sections: Sections, query: string): string | null {
  const [kind, a, b] = withText(sections.slot, textOf(query), 0, ({ engine }, length) =>
    engine.extract_query_attribute(length),
  );
  return piece(query, kind!, a!, b!, []);
}

/** @internal */
export function decompose(
  sections: Sections,
  query: string,
  classification: ClassifiedQuery | null | undefined,
  options: DecomposeOptions = {},
): string[] {
  const { maxParts, bySubject } = partOptions(options);
  const { category, entity } = classified(classification);
  const told = withText(sections.slot, textOf(query), 0, ({ engine }, length) =>
    engine.decompose(length, category, entity !== null, maxParts, bySubject),
  );
  return partsIn(sections, query, told, 0, told.length / PART);
}

/** @internal */
export function reformulate(
  sections: Sections,
  query: string,
  classification: ClassifiedQuery | null | undefined,
): string | null {
  const { entity } = classified(classification);
  return withText(sections.slot, textOf(query), 2, (handle, length) => {
    const kind = handle.engine.reformulate(length, entity === null ? undefined : entity.length);
    if (kind === 0) return null;
    if (kind === 2) return entity;
    handle.refresh();
    return query.slice(handle.numbers[handle.numbersAt], handle.numbers[handle.numbersAt + 1]);
  });
}

/** @internal */
export function understand(
  sections: Sections,
  query: string,
  options: UnderstandOptions = {},
): Understanding {
  const { maxParts, bySubject } = partOptions(options);
  const words = wantsWords(sections, options.matcher);
  const { terms = "ascii" } = options;
  if (terms !== "ascii" && terms !== "unicode") {
    throw invalid("terms", `must be "ascii" or "unicode", found ${show(terms)}`);
  }
  return withText(sections.slot, textOf(query), UNDERSTOOD, (handle, length) => {
    const told = handle.engine.understand(length, words, maxParts, bySubject, terms === "unicode");
    handle.refresh();
    const parts = told[0]!;
    return Object.assign(classificationIn(handle, query), {
      intents: sectionsOf(handle.numbers[handle.numbersAt + CLASSIFIED]!),
      parts: partsIn(sections, query, told, 1, parts),
      terms: slices(query.toLowerCase(), told, 1 + parts * PART),
    });
  });
}

/** @internal */
export function calculateRetrievalConfidence(
  sections: Sections,
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
  requireScore("topScore", topScore);
  if (secondScore != null) requireScore("secondScore", secondScore);
  if (typeof hasAttribute !== "boolean") {
    throw invalid("hasAttribute", `must be true or false, found ${show(hasAttribute)}`);
  }
  const handle = sections.slot.take();
  try {
    handle.reserve(CONFIDENCE, 0);
    handle.engine.retrieval_confidence(
      topScore,
      secondScore ?? undefined,
      resultCount,
      hasAttribute,
    );
    handle.refresh();
    const { numbers, numbersAt: at } = handle;
    const flags = numbers[at + 5]!;
    return {
      score: numbers[at]!,
      level: own.confidenceLevels[numbers[at + 1]!]!,
      breakdown: { mq: numbers[at + 2]!, dt: numbers[at + 3]!, cm: numbers[at + 4]! },
      flags: own.confidenceFlags.filter((_, bit) => flags & (1 << bit)),
    };
  } finally {
    sections.slot.give(handle);
  }
}

/** HIGH from 0.70, MEDIUM from 0.45, else LOW. */
export function getConfidenceLevel(score: number): ConfidenceLevel {
  requireScore("score", score);
  return own.confidenceLevels[numeric().confidence_level(score)]!;
}

/** What the search for a title came to, in place of a number of results. */
const SEARCHED = { no_title: -1, not_yet: -2, failed: -3 } as const;
/** Fates that are no replacement, from −1 down. */
const FATES: readonly Fate[] = [
  { kind: "kept" },
  { kind: "dropped", why: "nothing_better" },
  { kind: "dropped", why: "no_title" },
  { kind: "dropped", why: "budget" },
  { kind: "to_search" },
  { kind: "undecided" },
];

/** @internal */
export function settleWeak(
  sections: Sections,
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
  const handle = sections.slot.take();
  try {
    handle.reserve(3 * count + 2 * found.length, 0);
    const { numbers, numbersAt } = handle;
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
      numbers[foundAt + found.length + place] = isNamed ? numberOf(row.score) : -Infinity;
    }
    handle.engine.settle_weak(count, found.length, floor, Math.min(budget, UNLIMITED));
    handle.refresh();
    const fates: Fate[] = [];
    for (let place = 0; place < count; place++) {
      const fate = handle.numbers[numbersAt + place]!;
      fates.push(fate >= 0 ? { kind: "replaced", by: fate } : FATES[-1 - fate]!);
    }
    return fates;
  } finally {
    sections.slot.give(handle);
  }
}

function textOf(query: string): string {
  if (typeof query !== "string") throw invalid("query", `must be a string, found ${show(query)}`);
  return query;
}

function requireScore(field: string, score: number): void {
  if (!Number.isFinite(score))
    throw invalid(field, `must be a finite number, found ${show(score)}`);
}

function partOptions(options: DecomposeOptions): { maxParts: number; bySubject: boolean } {
  if (options === null) throw invalid("options", "must be an object, found null");
  const { maxParts = own.maxParts, bySubject = false } = options;
  if (!(Number.isInteger(maxParts) || maxParts === Infinity) || maxParts < 1) {
    throw invalid("maxParts", `must be a whole number of at least 1, found ${show(maxParts)}`);
  }
  if (typeof bySubject !== "boolean")
    throw invalid("bySubject", `must be true or false, found ${show(bySubject)}`);
  return { maxParts: Math.min(maxParts, UNLIMITED), bySubject };
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
