// One question, ranked three ways: by global weights, by the weights of sections, and with the boost of intent.
// `Answer` and `Report` are what --json prints; their fields stay as they are, and `format` counts up if they must change:
// since 2 the module itself searches, which `time_us` says, and an answer has its limit and may have an explanation.

import {
  calculateRetrievability,
  classifyIntent,
  type DecayLifecycleState,
  type ExplainedNode,
  getDecayLifecycleStateForSection,
  getSectionForSubtype,
  type IntentEvidence,
  type MemorySection,
  mergeAndSelect,
  type RankedEntry,
  type Ranking,
  RERANKING_WEIGHTS,
  type RerankingWeights,
  SECTION_PROFILES,
} from "nous-wasm";
import type { SampleNode } from "../sample/index.ts";
import { UsageError } from "./args.ts";
import { type Library, textOf } from "./library.ts";

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
  /** Places gained (positive) or lost against the ranking by global weights. */
  moved: number;
  /** What moved it, in words; null where nothing did. */
  reason: string | null;
  /** Whether the intent of the question raised its score. */
  boosted: boolean;
}

export interface Answer {
  question: string;
  /** Results in each ranking, at most. */
  limit: number;
  /** Sections that the question asks for, with the strings that say so. */
  intents: IntentEvidence[];
  /** What was ranked: activation started from some, by their words, and reached the others over edges. */
  candidates: { total: number; by_words: number; by_edges: number; semantic: false };
  rankings: { global: Result[]; sections: Result[]; intent: Result[] };
  /** Microseconds of calls into the module, each the median of `calls` after `warm_up` others; full-text search is not in it. */
  time_us: {
    classify_intent: number;
    search_global: number;
    search_sections: number;
    merge_and_select: number;
    calls: number;
    warm_up: number;
  };
  /** Why the memory that --explain names stands where it stands by the weights of sections. */
  explanation?: ExplainedNode;
}

/** What --json prints. */
export interface Report {
  format: 2;
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
 * Median microseconds of each call, warm. The calls take turns, so that none is measured while V8 still compiles it
 * or on a better moment of the machine than another.
 */
function timed<Name extends string>(calls: Record<Name, () => unknown>): Record<Name, number> {
  const names = Object.keys(calls) as Name[];
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let turn = -WARM_UP; turn < CALLS; turn++) {
    for (const name of names) {
      const start = performance.now();
      calls[name]();
      const end = performance.now();
      if (turn >= 0) times.get(name)?.push((end - start) * 1000);
    }
  }
  const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
  const rows = names.map((name) => [name, Math.round(median(times.get(name) ?? []) * 10) / 10]);
  return Object.fromEntries(rows) as Record<Name, number>;
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
  return { retrievability, lifecycle: getDecayLifecycleStateForSection(retrievability, dormant, decay) };
}

/** The weight that speaks most for a move: whose change, times the signal's value, points its way the furthest. */
function weightBehind(ranked: RankedEntry, section: MemorySection, moved: number): string | null {
  const weights = SECTION_PROFILES[section].reranking_weights;
  const way = Math.sign(moved);
  const gains = SIGNALS.map((signal) => ({
    signal,
    gain: way * (weights[signal] - RERANKING_WEIGHTS[signal]) * ranked.breakdown[signal],
  })).sort((a, b) => b.gain - a.gain);
  const first = gains[0];
  return first && first.gain > LEAST_GAIN ? `${first.signal} ${weights[first.signal].toFixed(2)}` : null;
}

/** Why a result stands elsewhere than by global weights. */
function reasonFor(
  ranked: RankedEntry,
  section: MemorySection,
  moved: number,
  boost: number | null,
  anyBoost: boolean,
): string | null {
  if (moved === 0) return boost === null ? null : `intent ×${boost}`;
  const weight = weightBehind(ranked, section, moved);
  if (moved > 0) {
    if (boost !== null) return [`intent ×${boost}`, weight].filter((one) => one !== null).join(", ");
    return weight === null ? "others lost more" : `${weight} in ${section}`;
  }
  if (weight !== null) return `${weight} in ${section}`;
  return anyBoost && boost === null ? "others boosted" : "others gained more";
}

/** Ranks what a question leads to in the three ways. */
export function answer(library: Library, question: string, limit: number): Answer {
  const { at } = library;
  const { hits, global, sections } = library.find(question);
  const intents = classifyIntent(question, { explain: true });
  const rows = sections.ranking.ids.map((id, place) => ({
    id,
    score: sections.ranking.scores[place] ?? 0,
    subtype: library.get(id).subtype,
  }));
  const merge = () => mergeAndSelect([[question, rows]], { query: question, maxResults: limit });

  const globalRank = new Map(global.ranking.ids.map((id, i) => [id, i + 1]));
  const bySection = new Map([...sections.ranking].map((ranked) => [ranked.id, ranked]));
  const asked = new Set(intents.map((intent) => intent.section));
  const result = (
    ranked: RankedEntry,
    rank: number,
    way: "global" | "sections" | "intent",
    score = ranked.score,
  ): Result => {
    const memory = library.get(ranked.id);
    const section = getSectionForSubtype(memory.subtype);
    const moved = (globalRank.get(ranked.id) ?? rank) - rank;
    const boosted = way === "intent" && asked.has(section);
    const boost = boosted ? SECTION_PROFILES[section].intent_boost : null;
    return {
      id: ranked.id,
      rank,
      score,
      section,
      subtype: memory.subtype.slice("custom:".length),
      title: memory.content_title,
      text: textOf(memory.content_body),
      created_at: memory.provenance_created_at,
      signals: ranked.breakdown,
      primary_signal: ranked.primary_signal,
      ...vitality(memory, section, at),
      moved,
      reason: reasonFor(ranked, section, moved, boost, way === "intent" && asked.size > 0),
      boosted,
    };
  };

  const first = (ranking: Ranking) => [...ranking].slice(0, limit);
  const { nodes_filtered: total, seeds_found: seeds } = sections.metrics;
  return {
    question,
    limit,
    intents,
    candidates: { total, by_words: seeds, by_edges: total - seeds, semantic: false },
    rankings: {
      global: first(global.ranking).map((ranked, i) => result(ranked, i + 1, "global")),
      sections: first(sections.ranking).map((ranked, i) => result(ranked, i + 1, "sections")),
      intent: merge().flatMap((row, i) => {
        const ranked = bySection.get(row.id);
        return ranked ? [result(ranked, i + 1, "intent", row.score)] : [];
      }),
    },
    time_us: {
      ...timed({
        classify_intent: () => classifyIntent(question),
        search_global: () => library.search(hits, false),
        search_sections: () => library.search(hits, true),
        merge_and_select: merge,
      }),
      calls: CALLS,
      warm_up: WARM_UP,
    },
  };
}

const EXAMPLES = 3;

/**
 * The answer with the explanation of one memory, whose id may be shortened as long as it is the only one.
 *
 * @throws {UsageError} where there is no such memory, or more than one.
 */
export function explained(library: Library, answer: Answer, id: string): Answer & { explanation: ExplainedNode } {
  const ids = library.idsLike(id);
  if (ids.length > 1) throw new UsageError(`--explain: several ids begin with “${id}”, for example ${some(ids)}.`);
  const [only] = ids;
  if (only !== undefined) return { ...answer, explanation: library.explain(only, answer.question, answer.limit) };
  const later = library.sample.nodes.find((node) => node.id.startsWith(id));
  const problem =
    later === undefined
      ? `there is no memory “${id}”`
      : `the memory “${id}” is not there yet, it is of ${later.provenance_created_at.slice(0, 10)}`;
  const shown = answer.rankings.sections.map((result) => result.id);
  const hint = shown.length > 0 ? `In this answer are, for example, ${some(shown)}` : "This answer has none";
  throw new UsageError(`--explain: ${problem}. ${hint}.`);
}

/** A few ids of many. */
function some(ids: readonly string[]): string {
  return ids.slice(0, EXAMPLES).join(", ");
}

/** The data that --json prints. */
export function report(library: Library, answers: Answer[]): Report {
  return {
    format: 2,
    clock: new Date(library.at).toISOString(),
    memories: library.nodes.length,
    edges: library.edges.length,
    answers,
  };
}
