// Searches as Hynous' Nous server answers them: with its full text, its number of seeds, its
// filters and its order, whatever the limit.

import { parseInstant } from "nous-memory";
import type { StoredMemoryNode } from "nous-wasm";
import type { Agent } from "../agent/agent.ts";
import type { Handler } from "../agent/handler.ts";
import { presentNow } from "../agent/present.ts";
import { vectorOf } from "../agent/question.ts";
import { isPlainLookup } from "../agent/rules/plain-lookup.ts";
import { cosine } from "../agent/rules/similar.ts";
import type { NodeSearch, SignalSearch } from "../agent/search/request.ts";
import { stopwatch } from "../agent/search/stopwatch.ts";
import { wantedOf } from "../agent/search/wanted.ts";
import type { QuestionVector } from "../api/operation.ts";
import type { Recall } from "../api/retrieval.ts";
import type { SearchRequest } from "../api/search.ts";
import type { Compat } from "../settings/choices.ts";
import type { NodeRow } from "../storage/rows.ts";
import { serverBehaviourOf } from "./server.ts";

type StoredNode = Readonly<NodeRow>;

/**
 * The search looks for this many times the limit, since filters leave results out. A plain lookup
 * needs less.
 */
const OVERFETCH = 3;
const OVERFETCH_OF_LOOKUP = 2;
/**
 * Hynous' limits of a search: UTF-16 units of a question and of a name, and results. Beyond them it
 * uses LIKE.
 */
const MAX_QUERY = 2_000;
const MAX_NAME = 100;
const MAX_RESULTS = 100;
/** The number of seeds, and the hits of full text and of embeddings per seed. */
const SEEDS = 15;
const HITS_PER_SEED = 3;
/** Embeddings that are compared exactly, beyond the hits: an index may hold rounded ones. */
const SPARE = 50;
const WEIGHTS = { vector: 0.7, bm25: 0.3 };
/** The least combined score of a seed, with and without a provider of embeddings. */
const THRESHOLD = { embedded: 0.15, plain: 0.05 };
/** A lower bound of the largest BM25 score, by which the others are divided. */
const MIN_BM25 = 0.001;
/**
 * Spreading: the share that is left after a hop, the least activation, the most hops, and the most
 * active memories.
 */
const HOP_DECAY = 0.8;
const MIN_ACTIVATION = 0.01;
const MAX_HOPS = 3;
const MAX_ACTIVE = 500;
const EDGE_WEIGHTS: ReadonlyMap<string, number> = new Map([
  ["same_entity", 0.95],
  ["user_linked", 0.9],
  ["part_of", 0.85],
  ["caused_by", 0.8],
  ["applied_to", 0.75],
  ["generalizes", 0.7],
  ["mentioned_together", 0.6],
  ["related_to", 0.5],
  ["similar_to", 0.45],
  ["temporal_adjacent", 0.4],
]);
const WEIGHT_OF_OTHERS = 0.5;

interface Seed {
  id: string;
  vector: number;
  bm25: number;
  combined: number;
}

interface HynousSearch {
  body: SearchRequest;
  question?: QuestionVector | undefined;
  /** `none`: no access is counted. */
  recall?: Recall;
}

/** Counts an access of each memory that it returns, except for those that LIKE found. */
export const searchAsHynous: Handler = (
  agent: Agent,
  { body, question, recall = "automatic" }: HynousSearch,
) => {
  const multiplier = isPlainLookup(understood(agent, body)) ? OVERFETCH_OF_LOOKUP : OVERFETCH;
  if (!isSearchable(body, body.limit * multiplier)) return lookUp(agent, body);
  return agent.read(() => {
    const now = agent.now();
    const { qcs, ...answer } = found(agent, body, question, now);
    if (recall !== "none") {
      const ids = answer.data.map(({ id }) => id);
      agent.index.touch(ids, now);
      agent.soft.touched(ids, now);
    }
    // Hynous does not tell the kind of a question that found nothing.
    return answer.metrics.nodes_returned === 0 ? answer : { ...answer, qcs };
  });
};

/**
 * Searches as `searchAsHynous` does, for a prompt: without LIKE, whatever the limit, and without
 * counting accesses. Call it within `read`.
 */
const searchForPrompt: SignalSearch<Agent> = (agent, request, question, now) =>
  found(agent, { ...request, limit: Math.min(request.limit, SEEDS) }, question, now);

/** Returns the search of prompts by signals; undefined for this server's own. */
export const signalSearchOf = (compat: Compat): SignalSearch<Agent> | undefined =>
  compat === "hynous" ? searchForPrompt : undefined;

const understood = ({ engine }: Agent, { query }: { query: string }) =>
  engine.understand(query, { terms: serverBehaviourOf("hynous").terms });

function found(
  agent: Agent,
  request: NodeSearch,
  question: QuestionVector | undefined,
  now: number,
) {
  const watch = stopwatch();
  const asked = understood(agent, request);
  const isLookup = isPlainLookup(asked);
  const multiplier = isLookup ? OVERFETCH_OF_LOOKUP : OVERFETCH;
  const embedding = vectorOf(agent, request, isLookup ? undefined : question);
  const { passes, spreads } = filtersOf(request);
  const parse_filters_ms = watch();
  const seeds = seedsOf(agent, asked.terms, embedding, passes);
  const hybrid_seeding_ms = watch();
  const { activations, active } = spread(agent, seeds, spreads ? passes : () => false);
  const spreading_ms = watch();
  const ranked = rank(agent, seeds, activations, now).slice(0, request.limit * multiplier);
  const reranking_ms = watch();
  const rows = new Map(agent.rows(ranked.map(({ node }) => node.id)).map((row) => [row.id, row]));
  const meets = conditionsOf(agent, request, [...rows.keys()], now);
  const left = ranked
    .filter(({ node, score }) => meets(rows.get(node.id), score))
    .slice(0, request.limit);
  const data = presentNow(
    left.map(({ node }) => rows.get(node.id)!),
    agent,
    now,
  ).map((node, place) => {
    const { score, breakdown, primary_signal } = left[place]!;
    return { ...node, score: rounded(score), breakdown, primary_signal };
  });
  const embed_queries_ms = question?.ms ?? 0;
  return {
    data,
    count: data.length,
    metrics: {
      total_ms: watch.total() + embed_queries_ms,
      ...{ parse_filters_ms, embed_queries_ms, hybrid_seeding_ms, spreading_ms, reranking_ms },
      seeds_found: seeds.length,
      nodes_activated: active,
      nodes_filtered: active - seeds.length,
      nodes_returned: ranked.length,
    },
    qcs: {
      query_type: asked.query_type,
      confidence: asked.confidence,
      disqualified: asked.disqualified,
      disqualifier_category: asked.disqualifier_category,
      used_embeddings: !isLookup,
      ssa_multiplier: multiplier,
    },
  };
}

const rounded = (score: number): number => Math.round(score * 10_000) / 10_000;

function isSearchable({ query, type, cluster_ids }: SearchRequest, wanted: number): boolean {
  const names = [type ?? "", ...(cluster_ids ?? [])];
  const isLong = query.length > MAX_QUERY || names.some((name) => name.length > MAX_NAME);
  return !isLong && wanted >= 1 && wanted <= MAX_RESULTS;
}

/**
 * Returns memories whose text contains the question, newest first, without scores, and without
 * counting accesses.
 */
function lookUp(agent: Agent, { query, type, subtype, lifecycle, limit }: SearchRequest) {
  // The conditions are about stored states, and pending soft state is not stored.
  if (lifecycle != null) agent.flushAll();
  return agent.read(() => {
    const conditions = {
      type: type ?? undefined,
      subtype: subtype ?? undefined,
      lifecycle: lifecycle ?? undefined,
    };
    const rows = agent.storage.nodes.containing(query, conditions, limit);
    const data = presentNow(rows, agent, agent.now());
    return { data, count: data.length };
  });
}

type Passes = (node: StoredMemoryNode | undefined) => boolean;

/**
 * Returns the filter of seeds. If the request names clusters, activation does not spread: Hynous
 * does not read the clusters of neighbours.
 */
function filtersOf({ type, subtypes, cluster_ids }: NodeSearch): {
  passes: Passes;
  spreads: boolean;
} {
  const clusters = new Set(cluster_ids ?? []);
  const passes: Passes = (node) =>
    node !== undefined &&
    (type == null || node.type === type) &&
    (subtypes === undefined || subtypes.includes(node.subtype ?? null)) &&
    (clusters.size === 0 || node.clusters.some((id) => clusters.has(id)));
  return { passes, spreads: clusters.size === 0 };
}

function seedsOf(
  agent: Agent,
  terms: readonly string[],
  embedding: ArrayLike<number> | undefined,
  passes: Passes,
): Seed[] {
  const scores = new Map<string, { vector: number; bm25: number }>();
  for (const { id, score } of nearest(agent, embedding)) scores.set(id, { vector: score, bm25: 0 });
  for (const { id, score } of hitsOf(agent, terms)) {
    const known = scores.get(id);
    if (known === undefined) scores.set(id, { vector: 0, bm25: score });
    else known.bm25 = score;
  }
  const min = agent.vectors.hasProvider ? THRESHOLD.embedded : THRESHOLD.plain;
  const seeds: Seed[] = [];
  for (const [id, { vector, bm25 }] of scores) {
    const combined = WEIGHTS.vector * vector + WEIGHTS.bm25 * bm25;
    if (combined >= min && passes(agent.index.get(id))) seeds.push({ id, vector, bm25, combined });
  }
  return seeds.sort((a, b) => b.combined - a.combined).slice(0, SEEDS);
}

/** Returns the best hits of SQLite's full text, and their scores as shares of the best one. */
function hitsOf(agent: Agent, terms: readonly string[]): { id: string; score: number }[] {
  if (terms.length === 0) return [];
  const hits = agent.hitsOfSqlite(
    terms.map((term) => `"${term}"*`).join(" OR "),
    SEEDS * HITS_PER_SEED,
  );
  const best = hits.reduce((max, { rank }) => Math.max(max, Math.abs(rank)), MIN_BM25);
  return hits.map(({ id, rank }) => ({ id, score: Math.abs(rank) / best }));
}

/** Returns the memories with the highest cosines to an embedding. */
function nearest(
  agent: Agent,
  embedding: ArrayLike<number> | undefined,
): { id: string; score: number }[] {
  if (embedding === undefined) return [];
  const asked = Float32Array.from(embedding);
  const { ids } = agent.index.similar(asked, { limit: SEEDS * HITS_PER_SEED + SPARE });
  const vectors = agent.storage.embeddings.vectors(ids, asked.length);
  return vectors
    .sort((a, b) => a.sequence - b.sequence)
    .map(({ id, head }) => ({
      id,
      score: cosine(asked, new Float32Array(new Uint8Array(head).buffer)),
    }))
    .sort((a, b) => b.score - a.score)
    .slice(0, SEEDS * HITS_PER_SEED);
}

/** The memories at the other ends of a memory's edges, with the weights of the edges' types. */
interface Neighbours {
  from: { id: string; weight: number }[];
  to: { id: string; weight: number }[];
}

/** Reads the neighbours of those memories that are not known yet, all at once. */
function readNeighbours(
  { edges }: Agent["storage"],
  ids: readonly string[],
  known: Map<string, Neighbours>,
): void {
  const read = new Map<string, Neighbours>();
  for (const id of ids) if (!known.has(id)) read.set(id, { from: [], to: [] });
  if (read.size === 0) return;
  for (const { source_id, target_id, type } of edges.ofAll([...read.keys()])) {
    const weight = EDGE_WEIGHTS.get(type) ?? WEIGHT_OF_OTHERS;
    read.get(source_id)?.from.push({ id: target_id, weight });
    // An edge from a memory to itself counts once.
    if (source_id !== target_id) read.get(target_id)?.to.push({ id: source_id, weight });
  }
  for (const [id, neighbours] of read) known.set(id, neighbours);
}

/** Returns the activations after all rounds of spreading, and the number of active memories. */
function spread(
  { index, storage }: Agent,
  seeds: readonly Seed[],
  passes: Passes,
): { activations: ReadonlyMap<string, number>; active: number } {
  const activations = new Map(seeds.map(({ id, combined }) => [id, combined]));
  const known = new Map<string, Neighbours>();
  let round = [...activations].map(([id, amount]) => ({ id, amount }));
  for (let hop = 0; hop < MAX_HOPS && round.length > 0; hop++) {
    const spreading = round.filter(({ amount }) => amount >= MIN_ACTIVATION);
    readNeighbours(
      storage,
      spreading.map(({ id }) => id),
      known,
    );
    const next: typeof round = [];
    for (const { id, amount } of spreading) {
      // Edges from the memory come first.
      const { from, to } = known.get(id)!;
      for (const neighbour of [...from, ...to]) {
        if (!passes(index.get(neighbour.id))) continue;
        const passed = amount * neighbour.weight * HOP_DECAY;
        if (passed < MIN_ACTIVATION) continue;
        const before = activations.get(neighbour.id);
        activations.set(neighbour.id, (before ?? 0) + passed);
        if (before === undefined && activations.size >= MAX_ACTIVE)
          return { activations, active: activations.size };
        next.push({ id: neighbour.id, amount: passed });
      }
    }
    round = next;
  }
  return { activations, active: activations.size };
}

/** Ranks the seeds alone: memories that only activation reached have no word of the question. */
function rank(
  agent: Agent,
  seeds: readonly Seed[],
  activations: ReadonlyMap<string, number>,
  now: number,
) {
  const { index, engine } = agent;
  const highest = seeds.reduce((max, { id }) => Math.max(max, activations.get(id)!), 0);
  const created = new Map(
    agent.rows(seeds.map(({ id }) => id)).map((row) => [row.id, row.created_at]),
  );
  const candidates = seeds.map(({ id, vector, bm25 }) => {
    const node = index.get(id)!;
    const activation = activations.get(id)!;
    return {
      id,
      subtype: node.subtype,
      semantic_score: vector,
      bm25_score: bm25,
      graph_score: highest > 0 ? activation / highest : activation,
      last_accessed: node.last_accessed,
      // A memory whose time cannot be read counts as old.
      created_at: parseInstant(String(created.get(id))) ?? 0,
      access_count: node.access_count,
      inbound_edge_count: node.inbound_edge_count,
    };
  });
  const edges = index.size === 0 ? 0 : index.edgeCount / index.size;
  return engine.rerankWithSectionWeights(
    candidates,
    { avg_inbound_edges: edges, avg_outbound_edges: edges },
    now,
  );
}

/**
 * Returns whether a ranked memory has the subtype, the stored state and the time of the request,
 * and meets the conditions that Hynous does not know. `ids` are those that may be asked about.
 */
function conditionsOf(
  agent: Agent,
  { subtype, lifecycle, time_range, filter, min_score }: NodeSearch,
  ids: readonly string[],
  now: number,
): (row: StoredNode | undefined, score: number) => boolean {
  const wanted = wantedOf(agent, filter, now);
  const passing = wanted && new Set(agent.storage.nodes.passing(ids, { wanted }));
  return (row, score) => {
    if (row === undefined || score < (min_score ?? 0)) return false;
    if (passing?.has(row.id) === false) return false;
    if (subtype != null && row.subtype !== subtype) return false;
    if (lifecycle != null && agent.index.get(row.id)?.lifecycle !== lifecycle) return false;
    if (time_range?.start == null || time_range.end == null) return true;
    const [start, end] = [parseInstant(time_range.start)!, parseInstant(time_range.end)!];
    const times = {
      event: [row.temporal_event_time],
      ingestion: [row.provenance_created_at],
      any: [row.temporal_event_time, row.provenance_created_at],
    }[time_range.type];
    return times.some((time) => {
      const at = parseInstant(String(time));
      return at !== undefined && at >= start && at <= end;
    });
  };
}
