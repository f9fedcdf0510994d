// The best ranking we know to write in JavaScript without WASM. Fields are read once into typed
// arrays that are kept between calls, exp and tanh come from tables by whole day and by count, and
// a bucket sort orders the scores. Only result objects are allocated, at most `limit` of them by
// `rerankTop`. Like the reference it does not validate its input. Unlike the reference it is not
// re-entrant: a getter of a candidate must not call it.

import type { GraphMetrics, RankedNode, RerankTopOptions } from "../rerank.ts";
import {
  MEMORY_SECTIONS,
  RERANKING_WEIGHTS,
  type RerankingWeights,
  SECTION_PROFILES,
  SUBTYPE_TO_SECTION,
} from "../sections.ts";
import type { Instant, ScoredNode } from "../signals.ts";

const MS_PER_DAY = 86_400_000;
const NEW_NODE_MS = 7 * MS_PER_DAY;

/** exp(−d / 30) by whole days d, for eleven years. Beyond that exp itself is called. */
const RECENCY_DAYS = 4096;
const RECENCY = Float64Array.from({ length: RECENCY_DAYS }, (_, d) => Math.exp(-d / 30));

/**
 * tanh(c / 10) by count c. From 220 on it is 1 to the bit, so that the last entry serves all higher
 * counts.
 */
const FREQUENCY_COUNTS = 256;
const FREQUENCY = Float64Array.from({ length: FREQUENCY_COUNTS }, (_, c) => Math.tanh(c / 10));

const SIGNALS = ["semantic", "keyword", "graph", "recency", "authority", "affinity"] as const;

/** Six weights for each section code, then a row of global weights. */
const WEIGHTS = new Float64Array(6 * (MEMORY_SECTIONS.length + 1));
MEMORY_SECTIONS.forEach((section, code) => {
  setWeights(code, SECTION_PROFILES[section].reranking_weights);
});
const COMMON = MEMORY_SECTIONS.length;
const DEFAULT_CODE = MEMORY_SECTIONS.indexOf("KNOWLEDGE");

// A Map reads a string's hash and calls out of the loop, at some 30 ns a candidate. The known
// subtypes differ in length and two characters, so that one slot and one comparison identify a
// subtype.
const SLOTS = 256;
const SLOT_NAMES: string[] = new Array<string>(SLOTS).fill("");
const SLOT_CODES = new Uint8Array(SLOTS).fill(DEFAULT_CODE);
const [lengthFactor, characterFactor] = separatingFactors(Object.keys(SUBTYPE_TO_SECTION));
for (const [subtype, section] of Object.entries(SUBTYPE_TO_SECTION)) {
  const slot = slotOf(subtype, lengthFactor, characterFactor);
  SLOT_NAMES[slot] = subtype;
  SLOT_CODES[slot] = MEMORY_SECTIONS.indexOf(section);
}

function slotOf(subtype: string, byLength: number, byCharacter: number): number {
  return (
    (subtype.length * byLength +
      subtype.charCodeAt(7) * byCharacter +
      subtype.charCodeAt(subtype.length - 3)) &
    (SLOTS - 1)
  );
}

/** Returns factors that give each subtype a slot of its own. */
function separatingFactors(subtypes: readonly string[]): [number, number] {
  for (let byLength = 1; byLength < SLOTS; byLength++) {
    for (let byCharacter = 1; byCharacter < SLOTS; byCharacter++) {
      const slots = new Set(subtypes.map((subtype) => slotOf(subtype, byLength, byCharacter)));
      if (slots.size === subtypes.length) return [byLength, byCharacter];
    }
  }
  throw new Error("no factors separate the subtypes");
}

function codeOf(subtype: string | null | undefined): number {
  if (!subtype) return DEFAULT_CODE;
  const slot = slotOf(subtype, lengthFactor, characterFactor);
  return SLOT_NAMES[slot] === subtype ? SLOT_CODES[slot]! : DEFAULT_CODE;
}

function setWeights(row: number, weights: RerankingWeights): void {
  SIGNALS.forEach((signal, i) => {
    WEIGHTS[row * 6 + i] = weights[signal];
  });
}

/** One entry for each candidate. Grows, never shrinks. Functions copy what they use into locals. */
let scratch = makeScratch(0);

function makeScratch(capacity: number) {
  return {
    capacity,
    semantic: new Float64Array(capacity),
    keyword: new Float64Array(capacity),
    graph: new Float64Array(capacity),
    recency: new Float64Array(capacity),
    authority: new Float64Array(capacity),
    affinity: new Float64Array(capacity),
    scores: new Float64Array(capacity),
    codes: new Uint8Array(capacity),
    order: new Uint32Array(capacity),
    keys: new Float64Array(capacity),
    spare: new Uint32Array(capacity),
    spareKeys: new Float64Array(capacity),
    buckets: new Uint32Array(capacity),
    starts: new Uint32Array(capacity),
    /** Smallest and largest score of the batch. */
    low: 0,
    high: 0,
  };
}

/** Reads every field of every candidate once. Returns the largest BM25 score of the batch. */
function pack(
  candidates: readonly ScoredNode[],
  nowMs: number,
  avgInbound: number,
  common: boolean,
): number {
  const { semantic, keyword, graph, recency, authority, affinity, codes } = scratch;
  const recencyTable = RECENCY;
  const recencyDays = RECENCY.length;
  const frequencyTable = FREQUENCY;
  const lastFrequency = FREQUENCY.length - 1;
  const msPerDay = MS_PER_DAY;
  const newNodeMs = NEW_NODE_MS;
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
    const idle =
      (nowMs - (typeof accessed === "number" ? accessed : accessed.getTime())) / msPerDay;
    const fresh =
      idle >= 0 && idle < recencyDays ? recencyTable[idle | 0]! : Math.exp(-Math.floor(idle) / 30);
    recency[i] = fresh;

    authority[i] = avgInbound === 0 ? 0.5 : Math.min(node.inbound_edge_count / avgInbound / 2, 1);

    const created = node.created_at;
    const age = nowMs - (typeof created === "number" ? created : created.getTime());
    const accesses = node.access_count;
    const frequency = frequencyTable[accesses < lastFrequency ? accesses : lastFrequency]!;
    affinity[i] = Math.min(frequency * fresh + (age < newNodeMs ? 0.2 : 0), 1);

    codes[i] = common ? COMMON : codeOf(node.subtype);
  }
  return maxBM25;
}

/** Computes scores from the packed columns. Stores the smallest and the largest in the scratch. */
function weigh(count: number, maxBM25: number): void {
  const { semantic, keyword, graph, recency, authority, affinity, codes, scores } = scratch;
  const w = WEIGHTS;
  let min = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const k = maxBM25 === 0 ? 0.5 : count === 1 ? 1 : keyword[i]! / maxBM25;
    keyword[i] = k;
    const at = codes[i]! * 6;
    const score =
      w[at]! * semantic[i]! +
      w[at + 1]! * k +
      w[at + 2]! * graph[i]! +
      w[at + 3]! * recency[i]! +
      w[at + 4]! * authority[i]! +
      w[at + 5]! * affinity[i]!;
    scores[i] = score;
    if (score < min) min = score;
    if (score > greatest) greatest = score;
  }
  scratch.low = min;
  scratch.high = greatest;
}

/**
 * Returns the number of the first signal with the largest weight · value. Called only for returned
 * rows.
 */
function primarySignal(row: number): number {
  const { semantic, keyword, graph, recency, authority, affinity, codes } = scratch;
  const w = WEIGHTS;
  const at = codes[row]! * 6;
  let index = 0;
  let best = w[at]! * semantic[row]!;
  const keywordPart = w[at + 1]! * keyword[row]!;
  if (keywordPart > best) {
    best = keywordPart;
    index = 1;
  }
  const graphPart = w[at + 2]! * graph[row]!;
  if (graphPart > best) {
    best = graphPart;
    index = 2;
  }
  const recencyPart = w[at + 3]! * recency[row]!;
  if (recencyPart > best) {
    best = recencyPart;
    index = 3;
  }
  const authorityPart = w[at + 4]! * authority[row]!;
  if (authorityPart > best) {
    best = authorityPart;
    index = 4;
  }
  return w[at + 5]! * affinity[row]! > best ? 5 : index;
}

// Sorting: order[i] is a row and keys[i] its score. Highest first; ties keep the order of rows.

function insertionSort(from: number, to: number): void {
  const { order, keys } = scratch;
  for (let i = from + 1; i < to; i++) {
    const key = keys[i]!;
    if (!(keys[i - 1]! < key)) continue;
    const row = order[i]!;
    let at = i;
    do {
      keys[at] = keys[at - 1]!;
      order[at] = order[at - 1]!;
      at--;
    } while (at > from && keys[at - 1]! < key);
    keys[at] = key;
    order[at] = row;
  }
}

const RUN = 12;

/** Merge sort: n log n for any scores. */
function mergeSort(from: number, to: number): void {
  const { order, keys, spare, spareKeys } = scratch;
  for (let run = from; run < to; run += RUN) insertionSort(run, Math.min(run + RUN, to));
  for (let width = RUN; width < to - from; width *= 2) {
    for (let start = from; start + width < to; start += 2 * width) {
      const middle = start + width;
      const end = Math.min(middle + width, to);
      if (keys[middle - 1]! >= keys[middle]!) continue;
      for (let i = start; i < middle; i++) {
        spare[i] = order[i]!;
        spareKeys[i] = keys[i]!;
      }
      let left = start;
      let right = middle;
      let at = start;
      while (left < middle && right < end) {
        if (spareKeys[left]! < keys[right]!) {
          keys[at] = keys[right]!;
          order[at++] = order[right++]!;
        } else {
          keys[at] = spareKeys[left]!;
          order[at++] = spare[left++]!;
        }
      }
      while (left < middle) {
        keys[at] = spareKeys[left]!;
        order[at++] = spare[left++]!;
      }
    }
  }
}

function unsorted(count: number): void {
  const { order, keys, scores } = scratch;
  for (let i = 0; i < count; i++) {
    order[i] = i;
    keys[i] = scores[i]!;
  }
}

const FEW_ROWS = 24;
const LARGE_BUCKET = 32;

/**
 * order[0, limit) = the rows with the highest scores. There are as many buckets as rows, evenly
 * over the range of scores, which leaves the rows nearly sorted. Buckets beyond the limit are
 * skipped. Scores that crowd into few buckets are merge-sorted.
 */
function sortTop(count: number, limit: number): void {
  if (count <= FEW_ROWS) {
    unsorted(count);
    insertionSort(0, count);
    return;
  }
  const { order, keys, scores, buckets, starts, low, high } = scratch;
  const scale = (count - 1) / (high - low);
  if (!(scale > 0 && scale < Number.POSITIVE_INFINITY)) {
    // All scores are equal, or their range is not finite.
    unsorted(count);
    mergeSort(0, count);
    return;
  }
  starts.fill(0, 0, count);
  for (let i = 0; i < count; i++) {
    const bucket = ((high - scores[i]!) * scale) | 0;
    buckets[i] = bucket;
    starts[bucket]!++;
  }
  let sum = 0;
  let largest = 0;
  for (let bucket = 0; bucket < count; bucket++) {
    const size = starts[bucket]!;
    if (size > largest) largest = size;
    starts[bucket] = sum;
    sum += size;
  }
  for (let i = 0; i < count; i++) {
    const at = starts[buckets[i]!]!++;
    order[at] = i;
    keys[at] = scores[i]!;
  }
  // starts[b] is now the end of bucket b.
  if (largest <= LARGE_BUCKET) {
    insertionSort(0, limit === count ? count : starts[buckets[order[limit - 1]!]!]!);
    return;
  }
  let from = 0;
  for (let bucket = 0; from < limit; bucket++) {
    const to = starts[bucket]!;
    if (to - from > LARGE_BUCKET) mergeSort(from, to);
    else insertionSort(from, to);
    from = to;
  }
}

const SMALL_LIMIT = 64;
const SMALL_SHARE = 1 / 8;

/**
 * Like `sortTop`, for a limit that is a small share of the rows: a sorted list of the best, whose
 * last entry rejects most rows at once.
 */
function selectTop(count: number, limit: number): void {
  const { order, keys, scores } = scratch;
  unsorted(limit);
  insertionSort(0, limit);
  let last = keys[limit - 1]!;
  for (let i = limit; i < count; i++) {
    const score = scores[i]!;
    if (!(score > last)) continue;
    let at = limit - 1;
    while (at > 0 && keys[at - 1]! < score) {
      keys[at] = keys[at - 1]!;
      order[at] = order[at - 1]!;
      at--;
    }
    keys[at] = score;
    order[at] = i;
    last = keys[limit - 1]!;
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
  if (count > scratch.capacity) scratch = makeScratch(Math.max(1024, count, 2 * scratch.capacity));
  if (weights !== undefined) setWeights(COMMON, weights);
  const nowMs = typeof now === "number" ? now : now.getTime();
  const maxBM25 = pack(candidates, nowMs, metrics.avg_inbound_edges ?? 0, weights !== undefined);
  weigh(count, maxBM25);

  if (wanted <= Math.min(SMALL_LIMIT, count * SMALL_SHARE)) selectTop(count, wanted);
  else sortTop(count, wanted);

  const { semantic, keyword, graph, recency, authority, affinity, order, keys } = scratch;
  const results = new Array<RankedNode>(wanted);
  for (let rank = 0; rank < wanted; rank++) {
    const row = order[rank]!;
    results[rank] = {
      node: candidates[row]!,
      score: keys[rank]!,
      breakdown: {
        semantic: semantic[row]!,
        keyword: keyword[row]!,
        graph: graph[row]!,
        recency: recency[row]!,
        authority: authority[row]!,
        affinity: affinity[row]!,
      },
      primary_signal: SIGNALS[primarySignal(row)]!,
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
  return rank(
    candidates,
    metrics,
    weights ?? (sections ? undefined : RERANKING_WEIGHTS),
    now,
    limit,
  );
}
