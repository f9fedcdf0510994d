// Candidates → ranking, the way a user would write it: map, Object.entries, reduce, sort.
// The ranking rules, in full. Input is taken as valid: refusing bad values is the package's work.
// `Math.max(...)` overflows the stack at some 120,000 candidates; the package must not.

import { getSectionForSubtype, RERANKING_WEIGHTS, type RerankingWeights, SECTION_PROFILES } from "./sections.ts";
import {
  affinityScore,
  authorityScore,
  graphScore,
  type Instant,
  keywordScore,
  recencyScore,
  type ScoredNode,
  semanticScore,
} from "./signals.ts";

export interface GraphMetrics {
  total_nodes: number;
  total_edges: number;
  density: number;
  avg_inbound_edges: number;
  avg_outbound_edges: number;
}

/** The value of each signal, before weighting. */
export type SignalBreakdown = { [signal in keyof RerankingWeights]: number };

export interface RankedNode {
  node: ScoredNode;
  score: number;
  breakdown: SignalBreakdown;
  primary_signal: keyof RerankingWeights;
}

/** The signal with the largest weight · value; of equals, the first in signal order. */
function primarySignal(breakdown: SignalBreakdown, weights: RerankingWeights) {
  const entries = Object.entries(breakdown) as [keyof RerankingWeights, number][];
  return entries.reduce((best, entry) => (weights[entry[0]] * entry[1] > weights[best[0]] * best[1] ? entry : best))[0];
}

function rank(
  candidates: ScoredNode[],
  metrics: GraphMetrics,
  weightsOf: (node: ScoredNode) => RerankingWeights,
  now: Instant,
): RankedNode[] {
  const maxBM25 = Math.max(...candidates.map((node) => node.bm25_score ?? 0));
  const avgInbound = metrics.avg_inbound_edges ?? 0;

  return candidates
    .map((node): RankedNode => {
      const weights = weightsOf(node);
      const breakdown: SignalBreakdown = {
        semantic: semanticScore(node),
        keyword: keywordScore(node, maxBM25, candidates.length),
        graph: graphScore(node),
        recency: recencyScore(node.last_accessed, now),
        authority: authorityScore(node.inbound_edge_count, avgInbound),
        affinity: affinityScore(node.access_count, node.created_at, node.last_accessed, now),
      };
      const score =
        weights.semantic * breakdown.semantic +
        weights.keyword * breakdown.keyword +
        weights.graph * breakdown.graph +
        weights.recency * breakdown.recency +
        weights.authority * breakdown.authority +
        weights.affinity * breakdown.affinity;
      return { node, score, breakdown, primary_signal: primarySignal(breakdown, weights) };
    })
    .sort((a, b) => b.score - a.score);
}

/** Ranks all candidates with the same weights; highest score first, ties in the order they came. */
export function rerankCandidates(
  candidates: ScoredNode[],
  metrics: GraphMetrics,
  weights: RerankingWeights = RERANKING_WEIGHTS,
  now: Instant = new Date(),
): RankedNode[] {
  return rank(candidates, metrics, () => weights, now);
}

/** Ranks each candidate with the weights of its section; one BM25 maximum over all of them. */
export function rerankWithSectionWeights(
  candidates: ScoredNode[],
  metrics: GraphMetrics,
  now: Instant = new Date(),
): RankedNode[] {
  return rank(
    candidates,
    metrics,
    (node) => SECTION_PROFILES[getSectionForSubtype(node.subtype)].reranking_weights,
    now,
  );
}

export interface RerankTopOptions {
  /** How many results at most (20). */
  limit?: number | undefined;
  /** Default: the current time. */
  now?: Instant | undefined;
  /** Weights of each candidate's section (true), or the global ones. */
  sections?: boolean | undefined;
  /** The same weights for every candidate; wins over `sections`. */
  weights?: RerankingWeights | undefined;
}

/** The first `limit` of the full order. */
export function rerankTop(
  candidates: ScoredNode[],
  metrics: GraphMetrics,
  { limit = 20, now = new Date(), sections = true, weights }: RerankTopOptions = {},
): RankedNode[] {
  const ranking =
    weights === undefined && sections
      ? rerankWithSectionWeights(candidates, metrics, now)
      : rerankCandidates(candidates, metrics, weights, now);
  return ranking.slice(0, limit);
}
