// One question, ranked three ways: by global weights, by the weights of sections, and by the
// orchestrator, part by part and with the boost of intent. `Answer` and `Report` are what --json
// prints; their fields stay as they are, and `format` counts up if they must change: since 2 the
// module itself searches, which `time_us` says, and an answer has its limit and may have an
// explanation; since 3 the third ranking is the orchestrator's, an answer has its trace and a
// result its part, `moved` is null where there is nothing to compare with, `time_us` has `retrieve`
// in place of `merge_and_select`, and an explanation says what was searched for.

import {
  type Bm25Hit,
  calculateRetrievability,
  classifyIntent,
  type DecayLifecycleState,
  type ExplainedNode,
  getDecayLifecycleStateForSection,
  getSectionForSubtype,
  type IntentEvidence,
  type MemorySection,
  type RankedEntry,
  type Ranking,
  RERANKING_WEIGHTS,
  type RerankingWeights,
  type RetrievalTrace,
  SECTION_PROFILES,
} from "nous-wasm";
import type { SampleNode } from "../sample/index.ts";
import { type Library, textOf } from "./library.ts";
import { UsageError } from "./usage-error.ts";

export type Signal = keyof RerankingWeights;
export const SIGNALS = Object.keys(RERANKING_WEIGHTS) as Signal[];

/** One memory in its place of a ranking. */
export interface Result {
  id: string;
  /** From 1. */
  rank: number;
  score: number;
  section: MemorySection;
  /** Without the prefix `custom:`. */
  subtype: string;
  title: string;
  text: string;
  /** When it was made, ISO 8601. */
  created_at: string;
  /** The six signals; all but a future recency lie in [0, 1]. */
  signals: Record<Signal, number>;
  primary_signal: Signal;
  /** Chance in [0, 1] that it is at hand after the days since its last recall. */
  retrievability: number;
  lifecycle: DecayLifecycleState;
  /**
   * Places gained (positive) or lost against the ranking by global weights; null where that does
   * not have it.
   */
  moved: number | null;
  /**
   * What moved it, in words, or which of several parts it is for; null where there is nothing to
   * say.
   */
  reason: string | null;
  /** Whether the intent of the question raised its score. */
  boosted: boolean;
  /**
   * The part of the question that it is for, from 1 in the order of the trace; null in rankings of
   * the whole question.
   */
  part: number | null;
}

export interface Answer {
  question: string;
  /** Results in each ranking, at most. */
  limit: number;
  /** Sections that the question asks for, with the strings that say so. */
  intents: IntentEvidence[];
  /**
   * What the whole question led to: activation started from some, by their words, and reached the
   * others over edges.
   */
  candidates: { total: number; by_words: number; by_edges: number; semantic: false };
  /**
   * The whole question by global weights and by those of sections; and what the orchestrator
   * selected of its parts.
   */
  rankings: { global: Result[]; sections: Result[]; intent: Result[] };
  /** How the third ranking came about; full-text search is in the milliseconds of its searches. */
  trace: RetrievalTrace;
  /**
   * Microseconds of calls, each the median of `calls` after `warm_up` others; full-text search is
   * not in it.
   */
  time_us: {
    classify_intent: number;
    search_global: number;
    search_sections: number;
    /** The orchestrator's whole answer, its searches of the index included. */
    retrieve: number;
    calls: number;
    warm_up: number;
  };
  /** Of the memory that --explain names. */
  explanation?: ExplainedResult;
}

/** Why a memory stands where it stands by the weights of sections. */
export interface ExplainedResult extends ExplainedNode {
  /**
   * What was searched for: the whole question, or what the third ranking has the memory by: a part,
   * or a title.
   */
  query: string;
}

/** What --json prints. */
export interface Report {
  format: 3;
  /** The present of this report, ISO 8601. */
  clock: string;
  memories: number;
  edges: number;
  answers: Answer[];
}

const DAY = 86_400_000;
/** A smaller part of a score explains no move. */
const LEAST_GAIN = 0.001;
const WARM_UP = 300;
const CALLS = 101;

/**
 * Median microseconds of each call, warm. The calls take turns, so that none is measured while V8
 * still compiles it or on a better moment of the machine than another.
 */
async function timed<Name extends string>(
  calls: Record<Name, () => unknown>,
): Promise<Record<Name, number>> {
  const names = Object.keys(calls) as Name[];
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let turn = -WARM_UP; turn < CALLS; turn++) {
    for (const name of names) {
      const start = performance.now();
      const called = calls[name]();
      if (called instanceof Promise) await called;
      const end = performance.now();
      if (turn >= 0) times.get(name)?.push((end - start) * 1000);
    }
  }
  const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
  const rows = names.map((name) => [name, Math.round(median(times.get(name) ?? []) * 10) / 10]);
  return Object.fromEntries(rows) as Record<Name, number>;
}

/** The same full-text search, which keeps what it has found. */
function keeping(hits: (text: string) => Bm25Hit[]): (text: string) => Bm25Hit[] {
  const kept = new Map<string, Bm25Hit[]>();
  return (text) => {
    const found = kept.get(text) ?? hits(text);
    kept.set(text, found);
    return found;
  };
}

/** Times of what an answer takes. All of it is warm then, but for full-text search. */
async function timings(
  library: Library,
  question: string,
  hits: readonly Bm25Hit[],
  limit: number,
): Promise<Answer["time_us"]> {
  const hitsOf = keeping((text) => library.hits(text));
  const orchestrator = library.orchestrator(limit, hitsOf);
  const times = await timed({
    classify_intent: () => classifyIntent(question),
    search_global: () => library.search(hits, false),
    search_sections: () => library.search(hits, true),
    retrieve: () => orchestrator.retrieve(question, { now: library.at }),
  });
  return { ...times, calls: CALLS, warm_up: WARM_UP };
}

/** Chance of recall and lifecycle of a memory at an instant. */
function vitality(
  memory: SampleNode,
  section: MemorySection,
  at: number,
): Pick<Result, "retrievability" | "lifecycle"> {
  const { decay } = SECTION_PROFILES[section];
  const days = Math.max(0, (at - memory.last_accessed) / DAY);
  const retrievability = calculateRetrievability(days, memory.stability);
  const dormant = retrievability < decay.weak_threshold ? days : 0;
  return {
    retrievability,
    lifecycle: getDecayLifecycleStateForSection(retrievability, dormant, decay),
  };
}

/**
 * The weight that speaks most for a move: whose change, times the signal's value, points its way
 * the furthest.
 */
function weightBehind(ranked: RankedEntry, section: MemorySection, moved: number): string | null {
  const weights = SECTION_PROFILES[section].reranking_weights;
  const way = Math.sign(moved);
  const gains = SIGNALS.map((signal) => ({
    signal,
    gain: way * (weights[signal] - RERANKING_WEIGHTS[signal]) * ranked.breakdown[signal],
  })).sort((a, b) => b.gain - a.gain);
  const first = gains[0];
  return first && first.gain > LEAST_GAIN
    ? `${first.signal} ${weights[first.signal].toFixed(2)}`
    : null;
}

/** What was done to a result beyond ranking it. */
interface Treatment {
  /** The factor of its section's intent; null where it was not boosted. */
  boost: number | null;
  /** Whether any result of its ranking was boosted. */
  othersBoosted: boolean;
  /** The part it is for; null where the whole question was searched for. */
  part: number | null;
  /** Whether the question has several parts. */
  divided: boolean;
  /** Whether it was found for the title of a weak result, whose place it has taken. */
  replaces: boolean;
}

const UNTREATED: Treatment = {
  boost: null,
  othersBoosted: false,
  part: null,
  divided: false,
  replaces: false,
};

/** Why a result stands elsewhere than by global weights. */
function reasonFor(
  ranked: RankedEntry,
  section: MemorySection,
  moved: number | null,
  { boost, othersBoosted, part, divided, replaces }: Treatment,
): string | null {
  const intent = boost === null ? [] : [`intent ×${boost}`];
  const replacing = replaces ? ["replaces a weak one"] : [];
  // Signals of a part are not those of the whole question, so that no weight explains the
  // difference.
  if (divided) return [`part ${part}`, ...intent, ...replacing].join(", ");
  if (replaces || moved === null || moved === 0)
    return [...intent, ...replacing].join(", ") || null;
  const weight = weightBehind(ranked, section, moved);
  if (moved > 0) {
    if (boost !== null) return [...intent, ...(weight === null ? [] : [weight])].join(", ");
    return weight === null ? "others lost more" : `${weight} in ${section}`;
  }
  if (weight !== null) return `${weight} in ${section}`;
  return othersBoosted && boost === null ? "others boosted" : "others gained more";
}

/** Ranks what a question leads to in the three ways. */
export async function answer(library: Library, question: string, limit: number): Promise<Answer> {
  const { at } = library;
  const { hits, global, sections } = library.find(question);
  const time_us = await timings(library, question, hits, limit);
  // Only now, so that the milliseconds of the trace are not those of V8 compiling.
  const { nodes, trace } = await library.orchestrator(limit).retrieve(question, { now: at });

  const globalRank = new Map(global.ranking.ids.map((id, i) => [id, i + 1]));
  const result = (ranked: RankedEntry, rank: number, treatment = UNTREATED): Result => {
    const memory = library.get(ranked.id);
    const section = getSectionForSubtype(memory.subtype);
    const before = globalRank.get(ranked.id);
    const moved = before === undefined ? null : before - rank;
    return {
      id: ranked.id,
      rank,
      score: ranked.score,
      section,
      subtype: memory.subtype.slice("custom:".length),
      title: memory.content_title,
      text: textOf(memory.content_body),
      created_at: memory.provenance_created_at,
      signals: ranked.breakdown,
      primary_signal: ranked.primary_signal,
      ...vitality(memory, section, at),
      moved,
      reason: reasonFor(ranked, section, moved, treatment),
      boosted: treatment.boost !== null,
      part: treatment.part,
    };
  };
  const othersBoosted = nodes.some((node) => node._intent_boosted);
  const divided = trace.parts.length > 1;
  const replacing = new Set(trace.replaced.map(({ by }) => by));
  const selected = nodes.map((node, i) => {
    const boost = node._intent_boosted
      ? SECTION_PROFILES[getSectionForSubtype(node.subtype)].intent_boost
      : null;
    const part = node._sub_query_group + 1;
    return result(node, i + 1, {
      boost,
      othersBoosted,
      part,
      divided,
      replaces: replacing.has(node.id),
    });
  });

  const first = (ranking: Ranking) => [...ranking].slice(0, limit);
  const { nodes_filtered: total, seeds_found: seeds } = sections.metrics;
  return {
    question,
    limit,
    intents: classifyIntent(question, { explain: true }),
    candidates: { total, by_words: seeds, by_edges: total - seeds, semantic: false },
    rankings: {
      global: first(global.ranking).map((ranked, i) => result(ranked, i + 1)),
      sections: first(sections.ranking).map((ranked, i) => result(ranked, i + 1)),
      intent: selected,
    },
    trace,
    time_us,
  };
}

const EXAMPLES = 3;

/**
 * The answer with the explanation of one memory, whose id may be shortened as long as it is the
 * only one.
 *
 * @throws {UsageError} where there is no such memory, or more than one.
 */
export function explained(
  library: Library,
  answer: Answer,
  id: string,
): Answer & { explanation: ExplainedResult } {
  const ids = library.idsLike(id);
  if (ids.length > 1)
    throw new UsageError(`--explain: several ids begin with “${id}”, for example ${some(ids)}.`);
  const [only] = ids;
  if (only !== undefined) {
    const { query, limit } = searchBehind(answer, only);
    return { ...answer, explanation: { query, ...library.explain(only, query, limit) } };
  }
  const later = library.sample.nodes.find((node) => node.id.startsWith(id));
  const problem =
    later === undefined
      ? `there is no memory “${id}”`
      : `the memory “${id}” is not there yet, it is of ${later.provenance_created_at.slice(0, 10)}`;
  const shown = answer.rankings.sections.map((result) => result.id);
  const hint =
    shown.length > 0 ? `In this answer are, for example, ${some(shown)}` : "This answer has none";
  throw new UsageError(`--explain: ${problem}. ${hint}.`);
}

/** The search that a memory's score comes from, and how many results it gave at most. */
function searchBehind(
  { question, limit, rankings, trace }: Answer,
  id: string,
): { query: string; limit: number } {
  const weak = trace.replaced.find(({ by }) => by === id);
  const part = rankings.intent.find((result) => result.id === id)?.part ?? 0;
  const first = trace.parts[part - 1];
  const search =
    trace.titles.find((title) => title.id === weak?.id) ??
    (first?.retry?.stands ? first.retry : first);
  if (search === undefined || search.query === question) return { query: question, limit };
  return { query: search.query, limit: search.results };
}

/** A few ids of many. */
function some(ids: readonly string[]): string {
  return ids.slice(0, EXAMPLES).join(", ");
}

/** The data that --json prints. */
export function report(library: Library, answers: Answer[]): Report {
  return {
    format: 3,
    clock: new Date(library.at).toISOString(),
    memories: library.nodes.length,
    edges: library.edges.length,
    answers,
  };
}
