// One question by signals (`--ranking signals`), ranked in three ways: by global weights, by section
// weights, and by the orchestrator, part by part and with intent boosts. `--json` prints `Answer` and
// `Report`. Their fields are stable, and `format` counts up if they must change. Format 2: the module
// itself searches, `time_us` includes that, and an answer has its limit and may have an explanation.
// Format 3: the third ranking is the orchestrator's, an answer has its trace and a result its part,
// `moved` is null without a comparison, `time_us` has `retrieve` in place of `merge_and_select`,
// and an explanation names its query.

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

export type Signal = keyof RerankingWeights;
export const SIGNALS = Object.keys(RERANKING_WEIGHTS) as Signal[];

/** A memory at its place in a ranking. */
export interface Result {
  id: string;
  /** The place, from 1. */
  rank: number;
  score: number;
  section: MemorySection;
  /** The subtype without the prefix `custom:`. */
  subtype: string;
  title: string;
  text: string;
  /** The time of creation, in ISO 8601. */
  created_at: string;
  /** The six signals. All lie in [0, 1], except the recency of an access in the future. */
  signals: Record<Signal, number>;
  primary_signal: Signal;
  /** The probability of recall after the days since the last access, in [0, 1]. */
  retrievability: number;
  lifecycle: DecayLifecycleState;
  /**
   * Places gained (positive) or lost against the ranking by global weights; null if that ranking
   * lacks the memory.
   */
  moved: number | null;
  /** Why it moved, in words, or the part that found it; null without a reason. */
  reason: string | null;
  /** Whether the intent of the question raised the score. */
  boosted: boolean;
  /**
   * The part of the question that found it, from 1 in the order of the trace; null in rankings of
   * the whole question.
   */
  part: number | null;
}

/** The answer to one question. */
export interface Answer {
  question: string;
  /** The most results of each ranking. */
  limit: number;
  /** The sections that the question asks for, and the strings that indicate them. */
  intents: IntentEvidence[];
  /**
   * The candidates of the whole question: seeds, found by words, and memories that activation
   * reached over edges.
   */
  candidates: { total: number; by_words: number; by_edges: number; semantic: false };
  /**
   * The rankings of the whole question by global weights and by section weights, and the
   * orchestrator's selection.
   */
  rankings: { global: Result[]; sections: Result[]; intent: Result[] };
  /** The trace of the third ranking. The times of its searches include full-text search. */
  trace: RetrievalTrace;
  /**
   * Microseconds of each call: the median of `calls` after `warm_up` others, without full-text
   * search.
   */
  time_us: {
    classify_intent: number;
    search_global: number;
    search_sections: number;
    /** The orchestrator's whole answer, including its searches of the index. */
    retrieve: number;
    calls: number;
    warm_up: number;
  };
  /** The explanation of the memory that `--explain` names. */
  explanation?: ExplainedResult;
}

/** The explanation of a memory's score by section weights. */
export interface ExplainedResult extends ExplainedNode {
  /**
   * The query: the whole question, or the part or title with which the third ranking found the
   * memory.
   */
  query: string;
}

/** The output of `--json`. */
export interface Report {
  format: 3;
  /** The present of this report, in ISO 8601. */
  clock: string;
  memories: number;
  edges: number;
  answers: Answer[];
}

const DAY = 86_400_000;
/** The least change of a score that explains a move. */
const MIN_GAIN = 0.001;
const WARM_UP = 300;
const CALLS = 101;

/**
 * Returns the median microseconds of each call after a warm-up. The calls take turns, so that
 * compilation by V8 and disturbances of the machine affect all of them equally.
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

/** Returns a full-text search that caches its results. */
function keeping(hits: (text: string) => Bm25Hit[]): (text: string) => Bm25Hit[] {
  const kept = new Map<string, Bm25Hit[]>();
  return (text) => {
    const found = kept.get(text) ?? hits(text);
    kept.set(text, found);
    return found;
  };
}

/** Measures the calls of an answer, all warm. Full-text search is cached. */
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

/** Returns retrievability and lifecycle state of a memory at an instant. */
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
 * Returns the signal that explains a move best: the change of its weight, times its value, is the
 * largest in the direction of the move.
 */
function weightBehind(ranked: RankedEntry, section: MemorySection, moved: number): string | null {
  const weights = SECTION_PROFILES[section].reranking_weights;
  const way = Math.sign(moved);
  const gains = SIGNALS.map((signal) => ({
    signal,
    gain: way * (weights[signal] - RERANKING_WEIGHTS[signal]) * ranked.breakdown[signal],
  })).sort((a, b) => b.gain - a.gain);
  const first = gains[0];
  return first && first.gain > MIN_GAIN
    ? `${first.signal} ${weights[first.signal].toFixed(2)}`
    : null;
}

/** The treatment of a result after ranking. */
interface Treatment {
  /** The intent boost of its section; null without a boost. */
  boost: number | null;
  /** Whether any result of its ranking was boosted. */
  othersBoosted: boolean;
  /** The part that found it; null for the whole question. */
  part: number | null;
  /** Whether the question has several parts. */
  divided: boolean;
  /** Whether a query by the title of a weak result found it, and it replaced that result. */
  replaces: boolean;
}

const UNTREATED: Treatment = {
  boost: null,
  othersBoosted: false,
  part: null,
  divided: false,
  replaces: false,
};

/** Returns why a result's place differs from that by global weights. */
function reasonFor(
  ranked: RankedEntry,
  section: MemorySection,
  moved: number | null,
  { boost, othersBoosted, part, divided, replaces }: Treatment,
): string | null {
  const intent = boost === null ? [] : [`intent ×${boost}`];
  const replacing = replaces ? ["replaces a weak one"] : [];
  // The signals of a part differ from those of the whole question, so that no weight explains the
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

/** Answers a question in the three ways. */
export async function answer(library: Library, question: string, limit: number): Promise<Answer> {
  const { at } = library;
  const { hits, global, sections } = library.find(question);
  const time_us = await timings(library, question, hits, limit);
  // Called after the timings, so that the trace measures no compilation by V8.
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

/**
 * Returns the answer with the explanation of one memory. A unique prefix of its id is enough.
 *
 * @throws {UsageError} If no memory, or more than one, has such an id.
 */
export function explained(
  library: Library,
  answer: Answer,
  id: string,
): Answer & { explanation: ExplainedResult } {
  const shown = answer.rankings.sections.map((result) => result.id);
  const only = library.idFor(id, shown);
  const { query, limit } = searchBehind(answer, only);
  return { ...answer, explanation: { query, ...library.explain(only, query, limit) } };
}

/** Returns the query of the search that gave a memory its score, and the limit of that search. */
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

/** Returns the data that `--json` prints. */
export function report(library: Library, answers: Answer[]): Report {
  return {
    format: 3,
    clock: new Date(library.at).toISOString(),
    memories: library.nodes.length,
    edges: library.edges.length,
    answers,
  };
}
