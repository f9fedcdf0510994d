// The six ranking signals, one function each.
// The ranking rules, in full. Plain on purpose: this is the yardstick of the parity tests.

/** An instant: a Date, or milliseconds since 1970. */
export type Instant = Date | number;

/** A candidate for ranking. A null score counts as absent. */
export interface ScoredNode {
  id: string;
  semantic_score?: number | null | undefined;
  bm25_score?: number | null | undefined;
  graph_score?: number | null | undefined;
  last_accessed: Instant;
  created_at: Instant;
  access_count: number;
  inbound_edge_count: number;
  subtype?: string | null | undefined;
}

const MS_PER_DAY = 86_400_000;
const RECENCY_DAYS = 30;
const AFFINITY_ACCESSES = 10;
const NEW_NODE_DAYS = 7;
const NEW_NODE_BONUS = 0.2;
/** The values of keyword and authority if the batch or graph gives no measure for them. */
const NEUTRAL = 0.5;

export function toMs(instant: Instant): number {
  return typeof instant === "number" ? instant : instant.getTime();
}

/**
 * Whole days from `from` to `to`, rounded down: floor((to − from) / 86 400 000 ms). May be
 * negative.
 */
export function days(from: Instant, to: Instant): number {
  return Math.floor((toMs(to) - toMs(from)) / MS_PER_DAY);
}

/** `semantic_score` (a cosine, may be negative), or 0 when absent. */
export function semanticScore(node: ScoredNode): number {
  return node.semantic_score ?? 0;
}

/** bm25 / batch maximum; 0.5 when the maximum is 0, else 1 when the batch has one candidate. */
export function keywordScore(node: ScoredNode, maxBM25: number, candidateCount: number): number {
  if (maxBM25 === 0) return NEUTRAL;
  if (candidateCount === 1) return 1;
  return (node.bm25_score ?? 0) / maxBM25;
}

/** `graph_score`, or 0 when absent. */
export function graphScore(node: ScoredNode): number {
  return node.graph_score ?? 0;
}

/**
 * exp(−days since the last access / 30). Not clamped: an access in the future gives more than 1.
 */
export function recencyScore(lastAccessed: Instant, now: Instant = new Date()): number {
  return Math.exp(-days(lastAccessed, now) / RECENCY_DAYS);
}

/** min((inbound edges / average) / 2, 1); 0.5 when the average is 0. */
export function authorityScore(inboundEdges: number, avgInbound: number): number {
  if (avgInbound === 0) return NEUTRAL;
  return Math.min(inboundEdges / avgInbound / 2, 1);
}

/** min(tanh(accesses / 10) · recency + (0.2 when created less than 7 days ago, else 0), 1). */
export function affinityScore(
  accessCount: number,
  createdAt: Instant,
  lastAccessed: Instant,
  now: Instant = new Date(),
): number {
  const frequency = Math.tanh(accessCount / AFFINITY_ACCESSES);
  const newness = days(createdAt, now) < NEW_NODE_DAYS ? NEW_NODE_BONUS : 0;
  return Math.min(frequency * recencyScore(lastAccessed, now) + newness, 1);
}
