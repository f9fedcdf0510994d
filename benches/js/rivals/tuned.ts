// The best ranking we know to write in JavaScript without WASM: the fields are read once into typed
// arrays that are kept between calls, exp and tanh come from tables by whole day and by count, and the
// order is found by a bucket sort over the scores. Only result objects are allocated, and by
// `rerankTop` no more than `limit` of them. Like the reference it takes its input as valid; unlike it,
// it is not re-entrant (a getter on a candidate must not call it again).

import type { GraphMetrics, RankedNode, RerankTopOptions } from "../../../tests/reference/rerank.ts";
import {
  MEMORY_SECTIONS,
  RERANKING_WEIGHTS,
  type RerankingWeights,
  SECTION_PROFILES,
  SUBTYPE_TO_SECTION,
} from "../../../tests/reference/sections.ts";
import type { Instant, ScoredNode } from "../../../tests/reference/signals.ts";

const MS_PER_DAY = 86_400_000;
const NEW_NODE_MS = 7 * MS_PER_DAY;

/** exp(−d / 30) by whole days d; eleven years, beyond which exp itself is called. */
const RECENCY_DAYS = 4096;
const RECENCY = Float64Array.from({ length: RECENCY_DAYS }, (_, d) => Math.exp(-d / 30));

/** tanh(c / 10) by count c; from 220 on it is 1 to the bit, so the last entry serves all the rest. */
const FREQUENCY_COUNTS = 256;
const FREQUENCY = Float64Array.from({ length: FREQUENCY_COUNTS }, (_, c) => Math.tanh(c / 10));

const SIGNALS = ["semantic", "keyword", "graph", "recency", "authority", "affinity"] as const;

/** Six weights for each section code, then a row for weights that serve every candidate. */
const WEIGHTS = new Float64Array(6 * (MEMORY_SECTIONS.length + 1));
MEMORY_SECTIONS.forEach((section, code) => setWeights(code, SECTION_PROFILES[section].reranking_weights));
const COMMON = MEMORY_SECTIONS.length;
const DEFAULT_CODE = MEMORY_SECTIONS.indexOf("KNOWLEDGE");
const CODE_BY_SUBTYPE = new Map<string | null | undefined, number>(
  Object.entries(SUBTYPE_TO_SECTION).map(([subtype, section]) => [
    subtype,
    MEMORY_SECTIONS.indexOf(section),
  ]),
);

function setWeights(row: number, weights: RerankingWeights): void {
  SIGNALS.forEach((signal, i) => {
    WEIGHTS[row * 6 + i] = weights[signal];
  });
}

// Scratch, one entry a candidate; grown, never shrunk.
let capacity = 0;
let semantic = new Float64Array(0);
let keyword = new Float64Array(0);
let graph = new Float64Array(0);
let recency = new Float64Array(0);
let authority = new Float64Array(0);
let affinity = new Float64Array(0);
let scores = new Float64Array(0);
let codes = new Uint8Array(0);
let primary = new Uint8Array(0);
let order = new Uint32Array(0);
let spare = new Uint32Array(0);
let buckets = new Uint32Array(0);
let starts = new Uint32Array(1);

function reserve(count: number): void {
  if (count <= capacity) return;
  capacity = Math.max(1024, count, capacity * 2);
  semantic = new Float64Array(capacity);
  keyword = new Float64Array(capacity);
  graph = new Float64Array(capacity);
  recency = new Float64Array(capacity);
  authority = new Float64Array(capacity);
  affinity = new Float64Array(capacity);
  scores = new Float64Array(capacity);
  codes = new Uint8Array(capacity);
  primary = new Uint8Array(capacity);
  order = new Uint32Array(capacity);
  spare = new Uint32Array(capacity);
  buckets = new Uint32Array(capacity);
  starts = new Uint32Array(capacity + 1);
}

/** Reads every field of every candidate once; gives the batch's BM25 maximum. */
function pack(
  candidates: readonly ScoredNode[],
  nowMs: number,
  avgInbound: number,
  common: boolean,
): number {
  const count = candidates.length;
  let maxBM25 = 0;
  for (let i = 0; i < count; i++) {
    const node = candidates[i]!;
    semantic[i] = node.semantic_score ?? 0;
    graph[i] = node.graph_score ?? 0;
    const bm25 = node.bm25_score ?? 0;
    keyword[i] = bm25;
    if (bm25 > maxBM25) maxBM25 = bm25;

    const accessed = node.last_accessed;
    const idle = (nowMs - (typeof accessed === "number" ? accessed : accessed.getTime())) / MS_PER_DAY;
    const fresh =
      idle >= 0 && idle < RECENCY_DAYS ? RECENCY[idle | 0]! : Math.exp(-Math.floor(idle) / 30);
    recency[i] = fresh;

    authority[i] =
      avgInbound === 0 ? 0.5 : Math.min(node.inbound_edge_count / avgInbound / 2, 1);

    const created = node.created_at;
    const age = nowMs - (typeof created === "number" ? created : created.getTime());
    const accesses = node.access_count;
    const frequency = FREQUENCY[accesses < FREQUENCY_COUNTS ? accesses : FREQUENCY_COUNTS - 1]!;
    affinity[i] = Math.min(frequency * fresh + (age < NEW_NODE_MS ? 0.2 : 0), 1);

    codes[i] = common ? COMMON : (CODE_BY_SUBTYPE.get(node.subtype) ?? DEFAULT_CODE);
  }
  return maxBM25;
}

/** Scores and primary signals over the packed columns. */
function weigh(count: number, maxBM25: number): void {
  const w = WEIGHTS;
  for (let i = 0; i < count; i++) {
    const k = maxBM25 === 0 ? 0.5 : count === 1 ? 1 : keyword[i]! / maxBM25;
    keyword[i] = k;
    const at = codes[i]! * 6;
    const p0 = w[at]! * semantic[i]!;
    const p1 = w[at + 1]! * k;
    const p2 = w[at + 2]! * graph[i]!;
    const p3 = w[at + 3]! * recency[i]!;
    const p4 = w[at + 4]! * authority[i]!;
    const p5 = w[at + 5]! * affinity[i]!;
    scores[i] = p0 + p1 + p2 + p3 + p4 + p5;
    primary[i] = first(p0, p1, p2, p3, p4, p5);
  }
}

/** Index of the first largest. */
function first(p0: number, p1: number, p2: number, p3: number, p4: number, p5: number): number {
  let index = 0;
  let best = p0;
  if (p1 > best) {
    best = p1;
    index = 1;
  }
  if (p2 > best) {
    best = p2;
    index = 2;
  }
  if (p3 > best) {
    best = p3;
    index = 3;
  }
  if (p4 > best) {
    best = p4;
    index = 4;
  }
  return p5 > best ? 5 : index;
}

/** Insertion sort of order[from, to) by score, highest first, stable. */
function insertionSort(from: number, to: number): void {
  for (let i = from + 1; i < to; i++) {
    const row = order[i]!;
    const score = scores[row]!;
    let at = i;
    while (at > from && scores[order[at - 1]!]! < score) {
      order[at] = order[at - 1]!;
      at--;
    }
    order[at] = row;
  }
}

const RUN = 12;

/** Merge sort of order[from, to) by score, highest first, stable: n log n whatever the scores. */
function mergeSort(from: number, to: number): void {
  for (let run = from; run < to; run += RUN) insertionSort(run, Math.min(run + RUN, to));
  for (let width = RUN; width < to - from; width *= 2) {
    for (let left = from; left + width < to; left += 2 * width) {
      const middle = left + width;
      const end = Math.min(middle + width, to);
      if (scores[order[middle - 1]!]! >= scores[order[middle]!]!) continue;
      for (let i = left; i < middle; i++) spare[i] = order[i]!;
      let a = left;
      let b = middle;
      let at = left;
      while (a < middle && b < end) {
        const left0 = spare[a]!;
        const right0 = order[b]!;
        if (scores[left0]! < scores[right0]!) {
          order[at++] = right0;
          b++;
        } else {
          order[at++] = left0;
          a++;
        }
      }
      while (a < middle) order[at++] = spare[a++]!;
    }
  }
}

const BUCKET_MERGE = 48;

/**
 * order[0, limit) = the rows with the highest scores. Rows go into as many buckets as there are rows,
 * evenly over the range of scores; buckets beyond the limit are left alone, the others sorted.
 */
function sortTop(count: number, limit: number): void {
  if (count <= 24) {
    for (let i = 0; i < count; i++) order[i] = i;
    insertionSort(0, count);
    return;
  }
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const score = scores[i]!;
    if (score < low) low = score;
    if (score > high) high = score;
  }
  const scale = (count - 1) / (high - low);
  if (!(scale > 0 && scale < Number.POSITIVE_INFINITY)) {
    // All equal, or a range that no number holds.
    for (let i = 0; i < count; i++) order[i] = i;
    mergeSort(0, count);
    return;
  }
  starts.fill(0, 0, count + 1);
  for (let i = 0; i < count; i++) {
    const bucket = ((high - scores[i]!) * scale) | 0;
    buckets[i] = bucket;
    starts[bucket]!++;
  }
  let sum = 0;
  for (let bucket = 0; bucket <= count; bucket++) {
    const size = starts[bucket]!;
    starts[bucket] = sum;
    sum += size;
  }
  for (let i = 0; i < count; i++) {
    const at = starts[buckets[i]!]!++;
    order[at] = i;
  }
  // starts[b] is now the end of bucket b.
  let from = 0;
  for (let bucket = 0; from < limit; bucket++) {
    const to = starts[bucket]!;
    const size = to - from;
    if (size > 1) {
      if (size <= BUCKET_MERGE) insertionSort(from, to);
      else mergeSort(from, to);
    }
    from = to;
  }
}

const SMALL_LIMIT = 64;

/** The same for a small limit: a sorted list of the best so far, most rows fail its last at once. */
function selectTop(count: number, limit: number): void {
  let size = 0;
  let last = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const score = scores[i]!;
    if (size === limit) {
      if (!(score > last)) continue;
    } else size++;
    let at = size - 1;
    while (at > 0 && scores[order[at - 1]!]! < score) {
      order[at] = order[at - 1]!;
      at--;
    }
    order[at] = i;
    if (size === limit) last = scores[order[size - 1]!]!;
  }
}

function rank(
  candidates: readonly ScoredNode[],
  metrics: GraphMetrics,
  weights: RerankingWeights | undefined,
  now: Instant,
  limit: number,
): RankedNode[] {
  const count = candidates.length;
  const wanted = Math.min(limit, count);
  if (wanted === 0) return [];
  reserve(count);
  if (weights !== undefined) setWeights(COMMON, weights);
  const nowMs = typeof now === "number" ? now : now.getTime();
  const maxBM25 = pack(candidates, nowMs, metrics.avg_inbound_edges ?? 0, weights !== undefined);
  weigh(count, maxBM25);

  if (wanted <= SMALL_LIMIT && wanted < count) selectTop(count, wanted);
  else sortTop(count, wanted);

  const results = new Array<RankedNode>(wanted);
  for (let rank = 0; rank < wanted; rank++) {
    const row = order[rank]!;
    results[rank] = {
      node: candidates[row]!,
      score: scores[row]!,
      breakdown: {
        semantic: semantic[row]!,
        keyword: keyword[row]!,
        graph: graph[row]!,
        recency: recency[row]!,
        authority: authority[row]!,
        affinity: affinity[row]!,
      },
      primary_signal: SIGNALS[primary[row]!]!,
    };
  }
  return results;
}

export function rerankCandidates(
  candidates: readonly ScoredNode[],
  metrics: GraphMetrics,
  weights: RerankingWeights = RERANKING_WEIGHTS,
  now: Instant = Date.now(),
): RankedNode[] {
  return rank(candidates, metrics, weights, now, candidates.length);
}

export function rerankWithSectionWeights(
  candidates: readonly ScoredNode[],
  metrics: GraphMetrics,
  now: Instant = Date.now(),
): RankedNode[] {
  return rank(candidates, metrics, undefined, now, candidates.length);
}

export function rerankTop(
  candidates: readonly ScoredNode[],
  metrics: GraphMetrics,
  { limit = 20, now = Date.now(), sections = true, weights }: RerankTopOptions = {},
): RankedNode[] {
  return rank(candidates, metrics, weights ?? (sections ? undefined : RERANKING_WEIGHTS), now, limit);
}
