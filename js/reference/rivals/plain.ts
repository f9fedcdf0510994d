// The obvious rival after one look at a profile: no `Object.entries`, no spread, direct fields in
// plain loops. It still computes every exp and tanh, builds every result and sorts them with
// `Array.sort`.

import type { GraphMetrics, RankedNode, RerankTopOptions } from "../rerank.ts";
import {
  RERANKING_WEIGHTS,
  type RerankingWeights,
  SECTION_PROFILES,
  SUBTYPE_TO_SECTION,
} from "../sections.ts";
import type { Instant, ScoredNode } from "../signals.ts";

const MS_PER_DAY = 86_400_000;

const DEFAULT_WEIGHTS = SECTION_PROFILES.KNOWLEDGE.reranking_weights;
const WEIGHTS_BY_SUBTYPE = new Map<string | null | undefined, RerankingWeights>(
  Object.entries(SUBTYPE_TO_SECTION).map(([subtype, section]) => [
    subtype,
    SECTION_PROFILES[section].reranking_weights,
  ]),
);

const toMs = (instant: Instant) => (typeof instant === "number" ? instant : instant.getTime());

/**
 * Returns results in the order of the candidates. If `weights` is undefined, each node's section
 * decides its weights.
 */
function score(
  candidates: readonly ScoredNode[],
  metrics: GraphMetrics,
  weights: RerankingWeights | undefined,
  now: Instant,
): RankedNode[] {
  const count = candidates.length;
  const nowMs = toMs(now);
  const avgInbound = metrics.avg_inbound_edges ?? 0;

  let maxBM25 = 0;
  for (let i = 0; i < count; i++) {
    const bm25 = candidates[i]!.bm25_score ?? 0;
    if (bm25 > maxBM25) maxBM25 = bm25;
  }

  const results = new Array<RankedNode>(count);
  for (let i = 0; i < count; i++) {
    const node = candidates[i]!;
    const w = weights ?? WEIGHTS_BY_SUBTYPE.get(node.subtype) ?? DEFAULT_WEIGHTS;

    const semantic = node.semantic_score ?? 0;
    const keyword = maxBM25 === 0 ? 0.5 : count === 1 ? 1 : (node.bm25_score ?? 0) / maxBM25;
    const graph = node.graph_score ?? 0;
    const idleDays = Math.floor((nowMs - toMs(node.last_accessed)) / MS_PER_DAY);
    const recency = Math.exp(-idleDays / 30);
    const authority =
      avgInbound === 0 ? 0.5 : Math.min(node.inbound_edge_count / avgInbound / 2, 1);
    const ageDays = Math.floor((nowMs - toMs(node.created_at)) / MS_PER_DAY);
    const frequency = Math.tanh(node.access_count / 10);
    const affinity = Math.min(frequency * recency + (ageDays < 7 ? 0.2 : 0), 1);

    let best = w.semantic * semantic;
    let total = best;
    let primary: keyof RerankingWeights = "semantic";
    let part = w.keyword * keyword;
    total += part;
    if (part > best) {
      best = part;
      primary = "keyword";
    }
    part = w.graph * graph;
    total += part;
    if (part > best) {
      best = part;
      primary = "graph";
    }
    part = w.recency * recency;
    total += part;
    if (part > best) {
      best = part;
      primary = "recency";
    }
    part = w.authority * authority;
    total += part;
    if (part > best) {
      best = part;
      primary = "authority";
    }
    part = w.affinity * affinity;
    total += part;
    if (part > best) primary = "affinity";

    results[i] = {
      node,
      score: total,
      breakdown: { semantic, keyword, graph, recency, authority, affinity },
      primary_signal: primary,
    };
  }
  return results;
}

const byScore = (a: RankedNode, b: RankedNode) => b.score - a.score;

export function rerankCandidates(
  candidates: readonly ScoredNode[],
  metrics: GraphMetrics,
  weights: RerankingWeights = RERANKING_WEIGHTS,
  now: Instant = Date.now(),
): RankedNode[] {
  return score(candidates, metrics, weights, now).sort(byScore);
}

export function rerankWithSectionWeights(
  candidates: readonly ScoredNode[],
  metrics: GraphMetrics,
  now: Instant = Date.now(),
): RankedNode[] {
  return score(candidates, metrics, undefined, now).sort(byScore);
}

export function rerankTop(
  candidates: readonly ScoredNode[],
  metrics: GraphMetrics,
  { limit = 20, now = Date.now(), sections = true, weights }: RerankTopOptions = {},
): RankedNode[] {
  const used = weights ?? (sections ? undefined : RERANKING_WEIGHTS);
  return score(candidates, metrics, used, now).sort(byScore).slice(0, limit);
}
