// One question, ranked three ways: by global weights, by the weights of sections, and with the boost of intent.
// `Answer` and `Report` are what --json prints; their fields stay as they are, and `format` counts up if they must change.

import {
  calculateRetrievability,
  classifyIntent,
  type DecayLifecycleState,
  getDecayLifecycleStateForSection,
  getSectionForSubtype,
  type IntentEvidence,
  type MemorySection,
  mergeAndSelect,
  type RankedNode,
  RERANKING_WEIGHTS,
  type RerankingWeights,
  rerankCandidates,
  rerankWithSectionWeights,
  SECTION_PROFILES,
} from "nous-wasm";
import { type Candidate, type Library, textOf } from "./candidates.ts";

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
  /** Sections that the question asks for, with the strings that say so. */
  intents: IntentEvidence[];
  candidates: { total: number; by_words: number; by_edges: number; semantic: false };
  rankings: { global: Result[]; sections: Result[]; intent: Result[] };
  /** Microseconds in the module, each the median of `calls` calls after `warm_up` others. */
  time_us: {
    classify_intent: number;
    rerank_global: number;
    rerank_sections: number;
    merge_and_select: number;
    calls: number;
    warm_up: number;
  };
}

/** What --json prints. */
export interface Report {
  format: 1;
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

type Ranked = RankedNode<Candidate>;

/** Chance of recall and lifecycle of a memory at an instant. */
function vitality(
  candidate: Candidate,
  section: MemorySection,
  at: number,
): Pick<Result, "retrievability" | "lifecycle"> {
  const { decay } = SECTION_PROFILES[section];
  const days = Math.max(0, (at - candidate.memory.last_accessed) / DAY);
  const retrievability = calculateRetrievability(days, candidate.memory.stability);
  const dormant = retrievability < decay.weak_threshold ? days : 0;
  return { retrievability, lifecycle: getDecayLifecycleStateForSection(retrievability, dormant, decay) };
}

/** The weight that speaks most for a move: whose change, times the signal's value, points its way the furthest. */
function weightBehind(ranked: Ranked, section: MemorySection, moved: number): string | null {
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
  ranked: Ranked,
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

/** Ranks the candidates of a question in the three ways. */
export function answer(library: Library, question: string, limit: number): Answer {
  const { at, metrics } = library;
  const { candidates, byWords } = library.find(question);
  const intents = classifyIntent(question, { explain: true });
  const global = rerankCandidates(candidates, metrics, undefined, at);
  const sections = rerankWithSectionWeights(candidates, metrics, at);
  const rows = sections.map(({ node, score }) => ({ id: node.id, score, subtype: node.subtype ?? null }));
  const merge = () => mergeAndSelect([[question, rows]], { query: question, maxResults: limit });

  const globalRank = new Map(global.map(({ node }, i) => [node.id, i + 1]));
  const bySection = new Map(sections.map((ranked) => [ranked.node.id, ranked]));
  const asked = new Set(intents.map((intent) => intent.section));
  const result = (
    ranked: Ranked,
    rank: number,
    way: "global" | "sections" | "intent",
    score = ranked.score,
  ): Result => {
    const { node } = ranked;
    const section = getSectionForSubtype(node.subtype);
    const moved = (globalRank.get(node.id) ?? rank) - rank;
    const boosted = way === "intent" && asked.has(section);
    const boost = boosted ? SECTION_PROFILES[section].intent_boost : null;
    return {
      id: node.id,
      rank,
      score,
      section,
      subtype: node.memory.subtype.slice("custom:".length),
      title: node.memory.content_title,
      text: textOf(node.memory.content_body),
      created_at: node.memory.provenance_created_at,
      signals: ranked.breakdown,
      primary_signal: ranked.primary_signal,
      ...vitality(node, section, at),
      moved,
      reason: reasonFor(ranked, section, moved, boost, way === "intent" && asked.size > 0),
      boosted,
    };
  };

  return {
    question,
    intents,
    candidates: { total: candidates.length, by_words: byWords, by_edges: candidates.length - byWords, semantic: false },
    rankings: {
      global: global.slice(0, limit).map((ranked, i) => result(ranked, i + 1, "global")),
      sections: sections.slice(0, limit).map((ranked, i) => result(ranked, i + 1, "sections")),
      intent: merge().flatMap((row, i) => {
        const ranked = bySection.get(row.id);
        return ranked ? [result(ranked, i + 1, "intent", row.score)] : [];
      }),
    },
    time_us: {
      ...timed({
        classify_intent: () => classifyIntent(question),
        rerank_global: () => rerankCandidates(candidates, metrics, undefined, at),
        rerank_sections: () => rerankWithSectionWeights(candidates, metrics, at),
        merge_and_select: merge,
      }),
      calls: CALLS,
      warm_up: WARM_UP,
    },
  };
}

/** The data that --json prints. */
export function report(library: Library, answers: Answer[]): Report {
  return {
    format: 1,
    clock: new Date(library.at).toISOString(),
    memories: library.nodes.length,
    edges: library.edges.length,
    answers,
  };
}
