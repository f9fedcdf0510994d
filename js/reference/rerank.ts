// Candidates → ranking, the way a user would write it: map, Object.entries, reduce, sort.
// The ranking rules, in full. Input is taken as valid: refusing bad values is the package's work.
// `Math.max(...)` overflows the stack at some 120,000 candidates; the package must not.

import {
  getSectionForSubtype,
  RERANKING_WEIGHTS,
  type RerankingWeights,
  SECTION_PROFILES,
} from "./sections.ts";
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
  return entries.reduce((best, entry) =>
    weights[entry[0]] * entry[1] > weights[best[0]] * best[1] ? entry : best,
  )[0];
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

// ---- candidates with wrong values ---------------------------------------------------------------

const MAX_MS = 8.64e15;
/** As SQLite writes an instant, by UTC. */
const SQLITE = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

const DATE = /^(\d{4}|[+-]\d{6})-(\d\d)-(\d\d)/;

/** Whether a text begins with a date whose month has no such day: 31 February. */
function isNoDay(text: unknown): boolean {
  const [date, year, month, day] = (typeof text === "string" && DATE.exec(text)) || [];
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return date !== undefined && Number(day) > lastDay;
}

/** Milliseconds, NaN for an invalid instant. */
function momentOf(value: unknown): number {
  if (isNoDay(value)) return Number.NaN;
  const text =
    typeof value === "string" && SQLITE.test(value) ? `${value.replace(" ", "T")}Z` : value;
  const ms =
    typeof text === "number"
      ? text
      : typeof text === "string" || text instanceof Date
        ? new Date(text).getTime()
        : NaN;
  return Math.abs(ms) <= MAX_MS ? ms : Number.NaN;
}

const numberOf = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);
const finite = (value: number): number => (Number.isFinite(value) ? value : 0);

/**
 * Ranks candidates with any values: undefined results of a formula count as missing, and no score
 * is out of range.
 */
export function rerankNeutral(
  candidates: readonly unknown[],
  metrics: Pick<GraphMetrics, "avg_inbound_edges">,
  weights: RerankingWeights | undefined,
  now: Instant,
): RankedNode[] {
  const rows = candidates.map(
    (row) => (typeof row === "object" && row !== null ? row : {}) as Record<string, unknown>,
  );
  const maxBM25 = Math.max(...rows.map(({ bm25_score }) => finite(numberOf(bm25_score))));
  return rows
    .map((row, place): RankedNode => {
      const [accessed, created] = [momentOf(row.last_accessed), momentOf(row.created_at)];
      const bm25_score = finite(numberOf(row.bm25_score));
      const recency = finite(recencyScore(accessed, now));
      // With invalid accesses, or an infinite recency, only the bonus for new content remains.
      const bonus = affinityScore(0, created, now, now);
      const used = finite(Math.tanh(numberOf(row.access_count) / 10) * recency);
      const breakdown: SignalBreakdown = {
        semantic: finite(numberOf(row.semantic_score)),
        keyword: finite(keywordScore({ bm25_score } as ScoredNode, maxBM25, rows.length)),
        graph: finite(numberOf(row.graph_score)),
        recency,
        authority: finite(
          authorityScore(numberOf(row.inbound_edge_count), metrics.avg_inbound_edges ?? 0),
        ),
        affinity: Math.min(used + bonus, 1),
      };
      const section = getSectionForSubtype(
        typeof row.subtype === "string" ? row.subtype : undefined,
      );
      const by = weights ?? SECTION_PROFILES[section].reranking_weights;
      const entries = Object.entries(breakdown) as [keyof RerankingWeights, number][];
      const sum = entries
        .map(([signal, value]) => by[signal] * value)
        .reduce((sum, part) => sum + part);
      const score = Number.isNaN(sum)
        ? 0
        : Math.min(Math.max(sum, -Number.MAX_VALUE), Number.MAX_VALUE);
      return {
        node: candidates[place] as ScoredNode,
        score,
        breakdown,
        primary_signal: primarySignal(breakdown, by),
      };
    })
    .sort((a, b) => b.score - a.score);
}

export interface RerankTopOptions {
  /** The maximum number of results (20). */
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
