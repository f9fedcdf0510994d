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
/** Indices cross as 32-bit numbers, and a batch must fit into the memory that they address. */
const MAX_CANDIDATES = 2 ** 25;

/**
 * How the rerank functions treat candidates with wrong values.
 *
 * @example
 * ```ts
 * rerankWithSectionWeights(candidates, { avg_inbound_edges: 2 }, now, { onInvalid: "neutral" });
 * ```
 */
export interface RerankOptions {
  /**
   * `throw`, the default: a wrong value of a candidate is an error, and nothing is ranked.
   *
   * `neutral`: every candidate is ranked, and every score is finite. Numbers outside their range
   * are used as they are. Values for which the formulas are undefined are neutral, field by field:
   *
   * - `semantic_score`, `bm25_score`, `graph_score`: anything but a finite number is 0, like a
   *   missing score.
   * - `last_accessed`: anything but an instant has recency 0. So has an instant about 58 years
   *   ahead, where recency is infinite; `access_count` does not count then.
   * - `created_at`: anything but an instant loses the bonus for new content, and nothing else.
   * - `access_count`, `inbound_edge_count`: anything but a number is 0. Fractions and negative
   *   numbers are used as they are.
   * - `id` is not read. An unknown `subtype` is KNOWLEDGE. An entry that is no object is a
   *   candidate without values.
   * - A value whose getter throws is a wrong value of its field.
   *
   * A score beyond the range of numbers is the largest number of its sign. Wrong weights, metrics,
   * `now` and `limit` are errors in both modes, because they belong to the call and not to a
   * candidate.
   */
  onInvalid?: "throw" | "neutral" | undefined;
}

/**
 * Options of `rerankTop`.
 *
 * @example
 * ```ts
 * rerankTop(candidates, { avg_inbound_edges: 2 }, { limit: 10, now: "2026-01-15T09:30:00Z" });
 * ```
 */
export interface RerankTopOptions extends RerankOptions {
  /** The number of results: a whole number of at least 0. Default 20. */
  limit?: number | undefined;
  /** The present. Default: the clock. */
  now?: Instant | undefined;
  /** Whether each candidate is ranked by the weights of its section. Default true. */
  sections?: boolean | undefined;
  /** Weights for every candidate, in place of the sections' weights. */
  weights?: RerankingWeights | undefined;
}

/** Ranks a batch. Without weights each candidate has those of its section. @internal */
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
  if (count > MAX_CANDIDATES) {
    throw new NousError(
      "out_of_memory",
      `candidates must be at most ${MAX_CANDIDATES}, found ${count}: rank them in parts.`,
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

/** A candidate without values, in place of an entry that is no object. */
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

/**
 * Packs with neutral values. Reading each value separately is slow, so it is done only after a read
 * has thrown.
 */
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

/** The values of a candidate. A value that cannot be read is NaN, which is wrong in every field. */
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

// A value that is no number is packed as NaN. The module takes NaN as neutral or refuses it. The
// error message shows the value of the candidate itself.
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

// Checking for the method is faster than checking for the class. The method may return anything.
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
  // The module received NaN for any value that is no number. The message shows the candidate's
  // value.
  const shown = field in candidate ? problemWith(problem, candidate[field]) : problem;
  return invalidEntry("candidates", index, candidate, field, shown);
}

/** Returns whether wrong values of candidates are neutral. @internal */
export function isNeutral(onInvalid: unknown): boolean {
  if (onInvalid === undefined || onInvalid === "throw") return false;
  if (onInvalid === "neutral") return true;
  throw invalid("onInvalid", `must be "throw" or "neutral", found ${show(onInvalid)}`);
}

const RERANK_OPTIONS = new Set(["onInvalid"]);

/**
 * Reads `onInvalid` of the options of `rerankWithSectionWeights` and `rerankCandidates`. @internal
 */
export const isNeutralIn = (options: RerankOptions | undefined): boolean =>
  options !== undefined &&
  isNeutral(optionsOf<RerankOptions>("options", options, RERANK_OPTIONS).onInvalid);

/**
 * Returns the semantic signal: the semantic score, 0 if missing.
 *
 * @example
 * ```ts
 * semanticScore({ ...node, semantic_score: 0.8 }); // 0.8
 * ```
 */
export function semanticScore(node: ScoredNode): number {
  requireObject("node", node);
  return node.semantic_score ?? 0;
}

/**
 * Returns the keyword signal: the BM25 score divided by the highest of the batch. If the highest is
 * 0, it is 0.5; else a single candidate has 1.
 *
 * @example
 * ```ts
 * keywordScore({ ...node, bm25_score: 3 }, 6, 10); // 0.5
 * ```
 */
export function keywordScore(node: ScoredNode, maxBM25: number, candidateCount: number): number {
  requireObject("node", node);
  return numeric().keyword(node.bm25_score ?? 0, maxBM25, candidateCount);
}

/**
 * Returns the graph signal: the graph score, 0 if missing.
 *
 * @example
 * ```ts
 * graphScore({ ...node, graph_score: 0.4 }); // 0.4
 * ```
 */
export function graphScore(node: ScoredNode): number {
  requireObject("node", node);
  return node.graph_score ?? 0;
}

/**
 * Returns the recency signal: exp(−days / 30) over whole days since the last access. It is above 1
 * for an access in the future.
 *
 * @example
 * ```ts
 * recencyScore("2026-01-01", "2026-01-31"); // exp(−1)
 * ```
 */
export function recencyScore(lastAccessed: Instant, now: Instant = Date.now()): number {
  return numeric().recency(toMilliseconds(lastAccessed), toMilliseconds(now));
}

/**
 * Returns the authority signal: min((inbound / average) / 2, 1); 0.5 if the average is 0.
 *
 * @example
 * ```ts
 * authorityScore(3, 2); // 0.75
 * ```
 */
export function authorityScore(inboundEdges: number, avgInbound: number): number {
  return numeric().authority(inboundEdges, avgInbound);
}

/**
 * Returns the affinity signal: min(tanh(accesses / 10) · recency + bonus, 1). The bonus is 0.2 for
 * a memory that is less than 7 days old, else 0.
 *
 * @example
 * ```ts
 * affinityScore(5, "2026-01-01", "2026-01-10", "2026-01-15");
 * ```
 */
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

/** The weights of a ranking without sections. @internal */
export const uniform = (weights: RerankingWeights | undefined): RerankingWeights =>
  weights ?? RERANKING_WEIGHTS;
