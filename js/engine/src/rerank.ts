// Reranking: candidates are packed into the module's memory, ranked there, and unpacked in order.

import { optionsOf, requireObject } from "./arguments.ts";
import { RERANKING_WEIGHTS } from "./constants.ts";
import type { EngineContext } from "./engine-context.ts";
import { invalid, invalidEntry, invalidShape, NousError, problemWith, show } from "./errors.ts";
import { moduleConstants } from "./generated/constants.ts";
import {
  CANDIDATE,
  CANDIDATE_ACCESS_COUNT,
  CANDIDATE_BM25,
  CANDIDATE_CREATED_AT,
  CANDIDATE_GRAPH,
  CANDIDATE_INBOUND_EDGES,
  CANDIDATE_LAST_ACCESSED,
  CANDIDATE_SECTION,
  CANDIDATE_SEMANTIC,
  HEADER,
  HEADER_AVERAGE,
  HEADER_NOW,
  HEADER_WEIGHTS,
  RESULT,
  RESULT_AFFINITY,
  RESULT_AUTHORITY,
  RESULT_GRAPH,
  RESULT_KEYWORD,
  RESULT_PRIMARY,
  RESULT_RECENCY,
  RESULT_SCORE,
  RESULT_SEMANTIC,
} from "./generated/layout.ts";
import { toMilliseconds } from "./instant.ts";
import { takeRefusal } from "./refusal.ts";
import { type EngineLease, numeric } from "./runtime.ts";
import type { GraphMetrics, Instant, RankedNode, RerankingWeights, ScoredNode } from "./types.ts";

/** The default `limit` of `rerankTop`. @internal */
export const RERANK_LIMIT = 20;
/** Indices cross as 32-bit numbers, and a batch has to fit into the memory that they address. */
const MOST_CANDIDATES = 2 ** 25;

/** How the rerank functions treat a candidate with a wrong value. */
export interface RerankOptions {
  /**
   * `throw`, the default: a candidate with a wrong value is an error, and nothing is ranked.
   *
   * `neutral`: every candidate is ranked, and every score is finite. A number is used as the
   * formulas use it, whether it is in its range or not. What they leave undefined is neutral, field
   * by field:
   *
   * - `semantic_score`, `bm25_score`, `graph_score`: what is not a finite number is 0, as an absent
   * score.
   * - `last_accessed`: what is no instant has recency 0, and so has an instant some 58 years ahead,
   * where recency is infinite;
   *   `access_count` does not count then.
   * - `created_at`: what is no instant loses the bonus for new content, and nothing else.
   * - `access_count`: what is no number is 0; a fraction or a negative number is used as it is.
   * - `inbound_edge_count`: what is no number is 0; a fraction or a negative number is used as it
   * is.
   * - `id` is not looked at, an unknown `subtype` is KNOWLEDGE, and what is no object is a
   * candidate without any of these values.
   * - A value that cannot be read, since its getter throws, counts as a wrong value of its field.
   *
   * A score whose sum is beyond the range of numbers is the greatest number of its sign. Weights,
   * metrics, `now` and `limit` belong to the call and not to a candidate: they are refused as with
   * `throw`.
   */
  onInvalid?: "throw" | "neutral" | undefined;
}

/** What `rerankTop` can be told. */
export interface RerankTopOptions extends RerankOptions {
  /** How many results to build: a whole number of at least 0. Default 20. */
  limit?: number | undefined;
  /** The present. Default: the clock. */
  now?: Instant | undefined;
  /** Whether each candidate is weighed as its section says. Default true. */
  sections?: boolean | undefined;
  /** Weights for every candidate, in place of those of sections. */
  weights?: RerankingWeights | undefined;
}

/** Ranks a batch; without weights, each candidate by its section's. @internal */
export function rank<Node extends ScoredNode>(
  context: EngineContext,
  candidates: readonly Node[],
  metrics: Partial<GraphMetrics>,
  weights: RerankingWeights | undefined,
  instant: Instant | undefined,
  limit: number,
  neutral: boolean,
): RankedNode<Node>[] {
  if (!Array.isArray(candidates))
    throw invalid("candidates", `must be an array, found ${show(candidates)}`);
  const count = candidates.length;
  if (count > MOST_CANDIDATES) {
    throw new NousError(
      "out_of_memory",
      `candidates must be at most ${MOST_CANDIDATES}, found ${count}: rank them in parts.`,
    );
  }
  const now = instant === undefined ? Date.now() : toMilliseconds(instant);
  const lease = context.pool.acquire();
  try {
    lease.reserve(HEADER + count * (CANDIDATE + 1), 0, 0);
    packHeader(lease, now, metrics, weights, instant);
    if (neutral) packReadable(lease, context, candidates, weights === undefined);
    else pack(lease, context, candidates, weights === undefined, false);
    const built = limit < count ? limit : count;
    if (!lease.engine.rerank(count, built, weights === undefined, neutral))
      throw refused(lease, candidates);
    lease.revalidateViews();
    return unpack(lease, candidates, built);
  } finally {
    context.pool.release(lease);
  }
}

function packHeader(
  { numbers, numbersAt }: EngineLease,
  now: number,
  metrics: Partial<GraphMetrics> | null | undefined,
  weights: RerankingWeights | undefined,
  instant: Instant | undefined,
): void {
  if (Number.isNaN(now)) throw invalid("now", problemWith("must be an instant", instant));
  const average = metrics?.avg_inbound_edges ?? 0;
  if (typeof average !== "number")
    throw invalid("avg_inbound_edges", `must be a number, found ${show(average)}`);
  numbers[numbersAt + HEADER_NOW] = now;
  numbers[numbersAt + HEADER_AVERAGE] = average;
  if (weights === undefined) return;
  const { signals } = moduleConstants;
  for (let place = 0; place < signals.length; place++) {
    const signal = signals[place]!;
    const weight = weights === null ? undefined : weights[signal];
    if (typeof weight !== "number")
      throw invalid(`weights.${signal}`, `must be a finite number, found ${show(weight)}`);
    numbers[numbersAt + HEADER_WEIGHTS + place] = weight;
  }
}

/** A candidate without any value, for what is no object. */
const NO_VALUES = {} as ScoredNode;

const MOMENTS = new Set(["last_accessed", "created_at"]);
const VALUES = [
  ...[
    "semantic_score",
    "bm25_score",
    "graph_score",
    "access_count",
    "inbound_edge_count",
    "subtype",
  ],
  ...MOMENTS,
] as (keyof ScoredNode)[];

/** Packs neutrally. Reading each value by itself is slow, so that is done if reading throws. */
function packReadable(
  lease: EngineLease,
  context: EngineContext,
  candidates: readonly ScoredNode[],
  bySection: boolean,
): void {
  try {
    pack(lease, context, candidates, bySection, true);
  } catch {
    pack(lease, context, Array.from(candidates, readableOf), bySection, true);
  }
}

/**
 * The values of a candidate; those that cannot be read are NaN, which is a wrong value of each
 * field.
 */
function readableOf(candidate: ScoredNode): ScoredNode {
  if (typeof candidate !== "object" || candidate === null) return NO_VALUES;
  const values = VALUES.map((name) => {
    try {
      const value = candidate[name];
      return [name, MOMENTS.has(name) ? momentOf(value as Instant) : value];
    } catch {
      return [name, Number.NaN];
    }
  });
  return Object.fromEntries(values) as ScoredNode;
}

// What is no number is packed as NaN: the module takes it as neutral, or refuses it, and the
// message is made from the candidate itself.
function pack(
  lease: EngineLease,
  context: EngineContext,
  candidates: readonly ScoredNode[],
  bySection: boolean,
  neutral: boolean,
): void {
  const { numbers } = lease;
  const { codes } = context;
  const count = candidates.length;
  let at = lease.numbersAt + HEADER;
  for (let index = 0; index < count; index++, at += CANDIDATE) {
    let candidate = candidates[index]!;
    if (typeof candidate !== "object" || candidate === null) {
      if (!neutral) throw invalidShape("candidates", index, candidate);
      candidate = NO_VALUES;
    }
    const { id, semantic_score, bm25_score, graph_score, last_accessed, created_at } = candidate;
    if ((typeof id !== "string" || id === "") && !neutral) {
      throw invalidEntry(
        "candidates",
        index,
        candidate,
        "id",
        `must be a string that is not empty, found ${show(id)}`,
      );
    }
    numbers[at + CANDIDATE_SEMANTIC] = semantic_score === undefined ? 0 : scoreOf(semantic_score);
    numbers[at + CANDIDATE_BM25] = bm25_score === undefined ? 0 : scoreOf(bm25_score);
    numbers[at + CANDIDATE_GRAPH] = graph_score === undefined ? 0 : scoreOf(graph_score);
    numbers[at + CANDIDATE_LAST_ACCESSED] = momentOf(last_accessed);
    numbers[at + CANDIDATE_CREATED_AT] = momentOf(created_at);
    const { access_count, inbound_edge_count } = candidate;
    numbers[at + CANDIDATE_ACCESS_COUNT] =
      typeof access_count === "number" ? access_count : Number.NaN;
    numbers[at + CANDIDATE_INBOUND_EDGES] =
      typeof inbound_edge_count === "number" ? inbound_edge_count : Number.NaN;
    numbers[at + CANDIDATE_SECTION] = bySection ? codes.get(candidate.subtype) : 0;
  }
}

const scoreOf = (score: number | null): number =>
  typeof score === "number" ? score : score === null ? 0 : Number.NaN;

// Asking for the method is quicker than asking for the class, and as good. What it returns may be
// anything.
function momentOf(instant: Instant): number {
  if (typeof instant === "number") return instant;
  if (instant != null && typeof (instant as Date).getTime === "function") {
    const moment: unknown = (instant as Date).getTime();
    return typeof moment === "number" ? moment : Number.NaN;
  }
  return toMilliseconds(instant);
}

function unpack<Node extends ScoredNode>(
  lease: EngineLease,
  candidates: readonly Node[],
  count: number,
): RankedNode<Node>[] {
  const { numbers } = lease;
  const { signals } = moduleConstants;
  const first = lease.numbersAt + HEADER;
  const order = first + candidates.length * CANDIDATE;
  const ranked = new Array<RankedNode<Node>>(count);
  for (let place = 0; place < count; place++) {
    const index = numbers[order + place]! | 0;
    const at = first + index * RESULT;
    ranked[place] = {
      node: candidates[index]!,
      score: numbers[at + RESULT_SCORE]!,
      breakdown: {
        semantic: numbers[at + RESULT_SEMANTIC]!,
        keyword: numbers[at + RESULT_KEYWORD]!,
        graph: numbers[at + RESULT_GRAPH]!,
        recency: numbers[at + RESULT_RECENCY]!,
        authority: numbers[at + RESULT_AUTHORITY]!,
        affinity: numbers[at + RESULT_AFFINITY]!,
      },
      primary_signal: signals[numbers[at + RESULT_PRIMARY]!]!,
    };
  }
  return ranked;
}

function refused(lease: EngineLease, candidates: readonly ScoredNode[]): NousError {
  const { field, index, problem, found } = takeRefusal(lease.instance.glue);
  if (index === null) return invalid(field, `${problem}, found ${found ?? "no finite number"}`);
  const candidate = candidates[index] as unknown as Record<string, unknown>;
  // The module saw NaN for whatever was no number, so the candidate itself is asked what it was.
  const shown = field in candidate ? problemWith(problem, candidate[field]) : problem;
  return invalidEntry("candidates", index, candidate, field, shown);
}

/** Whether wrong values of candidates are neutral. @internal */
export function isNeutral(onInvalid: unknown): boolean {
  if (onInvalid === undefined || onInvalid === "throw") return false;
  if (onInvalid === "neutral") return true;
  throw invalid("onInvalid", `must be "throw" or "neutral", found ${show(onInvalid)}`);
}

const RERANK_OPTIONS = new Set(["onInvalid"]);

/** The same of the options of `rerankWithSectionWeights` and `rerankCandidates`. @internal */
export const isNeutralIn = (options: RerankOptions | undefined): boolean =>
  options !== undefined &&
  isNeutral(optionsOf<RerankOptions>("options", options, RERANK_OPTIONS).onInvalid);

/** Similarity of meaning: the score as given, 0 when absent. */
export function semanticScore(node: ScoredNode): number {
  requireObject("node", node);
  return node.semantic_score ?? 0;
}

/**
 * Match of words: the BM25 score relative to the batch's maximum. 0.5 when the maximum is 0, else 1
 * for the only candidate.
 */
export function keywordScore(node: ScoredNode, maxBM25: number, candidateCount: number): number {
  requireObject("node", node);
  return numeric().keyword(node.bm25_score ?? 0, maxBM25, candidateCount);
}

/** Activation over the graph: the score as given, 0 when absent. */
export function graphScore(node: ScoredNode): number {
  requireObject("node", node);
  return node.graph_score ?? 0;
}

/**
 * Freshness: exp(−days / 30) over whole days since the last access; above 1 for one in the future.
 */
export function recencyScore(lastAccessed: Instant, now: Instant = Date.now()): number {
  return numeric().recency(toMilliseconds(lastAccessed), toMilliseconds(now));
}

/** Standing in the graph: min((inbound / average) / 2, 1), and 0.5 when the average is 0. */
export function authorityScore(inboundEdges: number, avgInbound: number): number {
  return numeric().authority(inboundEdges, avgInbound);
}

/** Use: min(tanh(accesses / 10) · recency + (0.2 for a memory less than 7 days old), 1). */
export function affinityScore(
  accessCount: number,
  createdAt: Instant,
  lastAccessed: Instant,
  now: Instant = Date.now(),
): number {
  return numeric().affinity(
    accessCount,
    toMilliseconds(createdAt),
    toMilliseconds(lastAccessed),
    toMilliseconds(now),
  );
}

/** The weights of a ranking that is not by section. @internal */
export const uniform = (weights: RerankingWeights | undefined): RerankingWeights =>
  weights ?? RERANKING_WEIGHTS;
