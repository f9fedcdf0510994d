// Memories and searches of them: a plain seeded generator for long runs and benches, and small ones
// for fast-check. Nodes and edges have the form that a MemoryIndex takes.

import fc from "fast-check";
import { makeRandom, NOW, pick, SUBTYPES } from "../../../js/reference/inputs.ts";
import {
  EDGE_WEIGHTS,
  type SearchConfig,
  type SearchFilters,
  type SearchOptions,
  type SearchQuery,
  type SerendipityLevel,
  STORED_EDGE_STRENGTHS,
} from "../../../js/reference/search.ts";
import type { StoredLifecycleState } from "../../../js/reference/sweep.ts";

const MS_PER_DAY = 86_400_000;

/** Nodes that share a topic, on average. */
const TOPIC_SIZE = 50;

/** Scatters the nodes with many edges over the memory: a prime. */
const HUB_STRIDE = 7919;

export interface GraphNode {
  id: string;
  type: string;
  subtype: string | null;
  /** Milliseconds since 1970. */
  created_at: number;
  /** Milliseconds since 1970; null when never read. */
  last_accessed: number | null;
  access_count: number;
  /** Days. */
  stability: number;
  difficulty: number;
  lifecycle: StoredLifecycleState;
  tags: string[];
  clusters: string[];
  embedding: Float32Array | null;
}

export interface GraphEdge {
  id: string;
  source_id: string;
  target_id: string;
  type: string;
  strength: number;
}

export interface GraphMemory {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

/** One search: the second and third argument of the reference's `search`. */
export interface GraphSearch {
  query: SearchQuery;
  options: SearchOptions;
}

export const TYPES = ["concept", "episode", "note", "person", "document"] as const;
export const LIFECYCLES = ["ACTIVE", "WEAK", "DORMANT", "COMPRESS", "ARCHIVE"] as const;
export const TAGS = ["btc", "eth", "sol", "macro", "funding", "flows", "risk", "review"] as const;
export const CLUSTERS = ["c_majors", "c_macro", "c_process", "c_mistakes"] as const;
export const EDGE_TYPES: readonly string[] = [
  ...new Set([...Object.keys(EDGE_WEIGHTS), ...Object.keys(STORED_EDGE_STRENGTHS)]),
  "unheard_of",
  "constructor",
];
const SERENDIPITY_LEVELS: readonly SerendipityLevel[] = ["off", "low", "medium", "high"];

// ---- seeded -------------------------------------------------------------------------------------

export interface MemoryShape {
  nodes: number;
  edges: number;
  /** Of an embedding; 0 for a memory without embeddings. */
  dimensions: number;
  seed: number;
  /**
   * Distance of embeddings from the centre of their topic: 0 for equal embeddings, 1 for the
   * distance between topics (0.6).
   */
  spread?: number;
  /** Nodes that share a topic, on average (50). */
  topicSize?: number;
  /** Share of nodes whose vector is pending (0.02). */
  unembedded?: number;
  /**
   * Share of nodes with the embedding of an earlier node, so that there are equal scores (0.02).
   */
  twins?: number;
  /** Share of edges from a node to itself (0.005). */
  selfLoops?: number;
  /** Share of edges with a missing end (0). */
  dangling?: number;
}

/**
 * A memory of two years. Embeddings cluster by topic. One edge in three stays in its topic, one
 * leads to a popular node, so that a few nodes have a hundred edges and most have a handful, and
 * one leads to any node.
 */
export function makeMemory(shape: MemoryShape): GraphMemory {
  const random = makeRandom(shape.seed);
  return { nodes: makeNodes(shape, random), edges: makeEdges(shape, random) };
}

const topicCount = ({ nodes, topicSize = TOPIC_SIZE }: MemoryShape) =>
  Math.max(Math.round(nodes / topicSize), 1);
const nodeId = (i: number) => `n_${i}`;

/** In (−1, 1), most often near 0. */
const offCentre = (random: () => number) => random() - random();

function makeNodes(shape: MemoryShape, random: () => number): GraphNode[] {
  const { nodes: count, dimensions, spread = 0.6, unembedded = 0.02, twins = 0.02 } = shape;
  const topics = Array.from({ length: topicCount(shape) }, () =>
    Float32Array.from({ length: dimensions }, () => offCentre(random)),
  );
  const nodes: GraphNode[] = [];
  for (let i = 0; i < count; i++) {
    const created = NOW - Math.floor(random() ** 2 * 730 * MS_PER_DAY);
    const neverRead = random() < 0.1;
    const accessed = created + Math.floor(random() * (NOW - created));
    const lot = random();
    const topic = topics[i % topics.length]!;
    let embedding: Float32Array | null = null;
    if (dimensions > 0 && lot >= unembedded) {
      const twin =
        lot < unembedded + twins && i > 0 ? nodes[Math.floor(random() * i)]!.embedding : null;
      embedding = twin?.slice() ?? topic.map((middle) => middle + spread * offCentre(random));
    }
    nodes.push({
      id: nodeId(i),
      type: pick(random, TYPES),
      subtype: pick(random, SUBTYPES) ?? null,
      created_at: created,
      last_accessed: neverRead ? null : accessed,
      access_count: neverRead ? 0 : 1 + Math.floor(random() ** 3 * 60),
      stability: 2 + random() ** 2 * 363,
      difficulty: random(),
      lifecycle: LIFECYCLES[Math.floor(random() ** 2 * LIFECYCLES.length)]!,
      tags: TAGS.filter(() => random() < 0.15),
      clusters: CLUSTERS.filter(() => random() < 0.1),
      embedding,
    });
  }
  return nodes;
}

function makeEdges(shape: MemoryShape, random: () => number): GraphEdge[] {
  const { nodes, edges: count, topicSize = TOPIC_SIZE, selfLoops = 0.005, dangling = 0 } = shape;
  if (nodes === 0) return [];
  const topics = topicCount(shape);
  const anyNode = () => Math.floor(random() * nodes);
  const hub = () => (Math.floor(random() ** 3 * nodes) * HUB_STRIDE) % nodes;
  const otherEnd = (source: number) => {
    const lot = random();
    if (lot < 1 / 3)
      return (source + topics * (1 + Math.floor(random() * (topicSize - 1)))) % nodes;
    return lot < 2 / 3 ? hub() : anyNode();
  };
  return Array.from({ length: count }, (_, i) => {
    const source = anyNode();
    const target = random() < selfLoops ? source : otherEnd(source);
    const missing = random() < dangling ? `missing_${i % 7}` : undefined;
    const outward = random() < 0.5;
    const type = pick(random, EDGE_TYPES);
    const recalls = Math.floor(random() ** 3 * 8);
    return {
      id: `e_${i}`,
      source_id: (outward ? undefined : missing) ?? nodeId(source),
      target_id: (outward ? missing : undefined) ?? nodeId(target),
      type,
      strength: Math.min(
        (Object.hasOwn(EDGE_WEIGHTS, type) ? EDGE_WEIGHTS[type]! : 0.5) + recalls * 0.05,
        1,
      ),
    };
  });
}

/** Full-text hits of a question, at most. */
const BM25_HITS = 45;

/**
 * A question about the neighbourhood of one node. One in three has filters, one in three a
 * configuration.
 */
export function makeSearch(memory: GraphMemory, seed: number): GraphSearch {
  const random = makeRandom(seed);
  const query: SearchQuery = { bm25: makeHits(memory, random) };
  const embedded = memory.nodes.filter((node) => node.embedding !== null);
  if (embedded.length > 0 && random() < 0.9) {
    const near = pick(random, embedded).embedding!;
    query.embedding = near.map((component) => component + 0.4 * offCentre(random));
  }
  const options: SearchOptions = {
    now: NOW + Math.floor(random() * 30 * MS_PER_DAY),
    include_connections: random() < 0.3,
    serendipity_level: pick(random, SERENDIPITY_LEVELS),
  };
  if (random() < 0.8) options.limit = pick(random, [0, 1, 10, 20, 30, 100]);
  if (random() < 1 / 3) options.filters = makeFilters(random);
  if (random() < 1 / 3) options.config = makeConfig(random);
  if (random() < 1 / 3) options.max_seeds = pick(random, [0, 1, 5, 100]);
  return { query, options };
}

/**
 * As the store gives them: the largest is 1, highest first, equal ones in the order of the nodes.
 */
function makeHits({ nodes }: GraphMemory, random: () => number) {
  const wanted = Math.min(Math.floor(random() * 1.5 * BM25_HITS), BM25_HITS, nodes.length);
  const places = new Set<number>();
  while (places.size < wanted) places.add(Math.floor(random() * nodes.length));
  const hits = [...places]
    .sort((a, b) => a - b)
    .map((place) => ({ id: nodes[place]!.id, score: random() < 0.2 ? 0.5 : random() }))
    .sort((a, b) => b.score - a.score);
  const largest = hits[0]?.score ?? 1;
  return hits.map(({ id, score }) => ({ id, score: score / largest }));
}

function makeFilters(random: () => number): SearchFilters {
  const some = <T>(from: readonly T[]) => from.filter(() => random() < 0.4);
  const filters: SearchFilters = {};
  const sometimes = (set: () => void) => {
    if (random() < 0.2) set();
  };
  sometimes(() => (filters.types = some(TYPES)));
  sometimes(() => (filters.excluded_types = [pick(random, TYPES)]));
  sometimes(() => (filters.subtypes = some(SUBTYPES).filter((subtype) => subtype !== undefined)));
  sometimes(() => (filters.lifecycles = some(LIFECYCLES)));
  sometimes(() => (filters.created_after = NOW - Math.floor(random() * 730 * MS_PER_DAY)));
  sometimes(() => (filters.created_before = NOW - Math.floor(random() * 200 * MS_PER_DAY)));
  sometimes(() => (filters.accessed_within_days = Math.floor(random() * 365)));
  sometimes(() => (filters.cluster_ids = some(CLUSTERS)));
  sometimes(() => (filters.tags_all = [pick(random, TAGS)]));
  sometimes(() => (filters.tags_any = some(TAGS)));
  sometimes(() => (filters.tags_none = [pick(random, TAGS)]));
  sometimes(() => (filters.excluded_ids = some(Array.from({ length: 20 }, (_, i) => nodeId(i)))));
  sometimes(() => (filters.relationship_types = EDGE_TYPES.filter(() => random() < 0.7)));
  return filters;
}

function makeConfig(random: () => number): Partial<SearchConfig> {
  const config: Partial<SearchConfig> = {};
  const sometimes = (set: () => void) => {
    if (random() < 0.25) set();
  };
  sometimes(() => (config.dense_weight = random()));
  sometimes(() => (config.bm25_weight = random()));
  sometimes(() => (config.seed_threshold = random() * 0.7));
  sometimes(() => (config.max_seeds = pick(random, [0, 1, 5, 100])));
  sometimes(() => (config.initial_activation = random() * 2));
  sometimes(() => (config.hop_decay = random()));
  sometimes(() => (config.min_threshold = random() * 0.3));
  sometimes(() => (config.max_hops = pick(random, [0, 1, 2, 4])));
  sometimes(() => (config.max_nodes = pick(random, [1, 10, 50, 200])));
  sometimes(() => (config.aggregation = "max"));
  sometimes(() => (config.edge_weight = pick(random, ["stored_type", "learned"])));
  sometimes(() => (config.graph_reach = true));
  sometimes(() => (config.sections = false));
  return config;
}

// ---- fast-check ---------------------------------------------------------------------------------

/** Few values, so that sums and scores coincide. */
export const unit = fc.oneof(
  fc.constantFrom(0, 0.25, 0.5, 0.75, 1),
  fc.double({ min: 0, max: 1, noNaN: true }),
);
const component = fc.oneof(
  fc.constantFrom(-1, -0.5, 0, 0.5, 1),
  fc.float({ min: -2, max: 2, noNaN: true }),
);
export const embedding = (dimensions: number) =>
  fc
    .array(component, { minLength: dimensions, maxLength: dimensions })
    .map((components) => Float32Array.from(components));
const instant = fc.oneof(
  fc.integer({ min: -1, max: 400 }).map((days) => NOW - days * MS_PER_DAY),
  fc.integer({ min: NOW - 800 * MS_PER_DAY, max: NOW }),
);
const some = <T>(from: readonly T[]) => fc.subarray([...from]);
const subtype = fc.constantFrom(...SUBTYPES).map((name) => name ?? null);

const graphNode = (dimensions: number): fc.Arbitrary<Omit<GraphNode, "id">> =>
  fc.record({
    type: fc.constantFrom(...TYPES),
    subtype,
    created_at: instant,
    last_accessed: fc.option(instant),
    access_count: fc.nat({ max: 60 }),
    stability: fc.double({ min: 0.5, max: 365, noNaN: true }),
    difficulty: unit,
    lifecycle: fc.constantFrom(...LIFECYCLES),
    tags: some(TAGS),
    clusters: some(CLUSTERS),
    embedding: dimensions === 0 ? fc.constant(null) : fc.option(embedding(dimensions), { freq: 8 }),
  });

/**
 * A small memory: parallel edges, self-loops, nodes without edges and edges without nodes occur by
 * themselves.
 */
export function smallMemory(
  dimensions: number,
  maxNodes = 10,
  maxEdges = 24,
): fc.Arbitrary<GraphMemory> {
  const nodes = fc
    .array(graphNode(dimensions), { maxLength: maxNodes })
    .map((list) => list.map((node, i): GraphNode => ({ id: nodeId(i), ...node })));
  return nodes.chain((list) => {
    // One id more than there are nodes: the last is missing.
    const end = fc.nat({ max: list.length }).map(nodeId);
    const edge = fc.record({
      source_id: end,
      target_id: end,
      type: fc.constantFrom(...EDGE_TYPES),
      strength: unit,
    });
    return fc.record({
      nodes: fc.constant(list),
      edges: fc
        .array(edge, { maxLength: maxEdges })
        .map((edges) => edges.map((each, i): GraphEdge => ({ id: `e_${i}`, ...each }))),
    });
  });
}

export const searchConfig: fc.Arbitrary<Partial<SearchConfig>> = fc.record(
  {
    dense_weight: unit,
    bm25_weight: unit,
    seed_threshold: fc.option(unit),
    max_seeds: fc.nat({ max: 8 }),
    initial_activation: fc.oneof(unit, fc.constant(3)),
    hop_decay: unit,
    min_threshold: unit,
    max_hops: fc.nat({ max: 4 }),
    max_nodes: fc.integer({ min: 1, max: 12 }),
    aggregation: fc.constantFrom("sum", "max"),
    default_limit: fc.nat({ max: 12 }),
    edge_weight: fc.constantFrom("type", "stored_type", "learned"),
    graph_reach: fc.boolean(),
    sections: fc.boolean(),
  },
  { requiredKeys: [] },
);

export const searchFilters: fc.Arbitrary<SearchFilters> = fc.record(
  {
    types: some(TYPES),
    excluded_types: some(TYPES),
    subtypes: some(SUBTYPES).map((names) => names.filter((name) => name !== undefined)),
    lifecycles: some(LIFECYCLES),
    created_after: instant,
    created_before: instant,
    accessed_within_days: fc.oneof(
      fc.nat({ max: 400 }),
      fc.double({ min: 0, max: 400, noNaN: true }),
    ),
    cluster_ids: some(CLUSTERS),
    tags_all: some(TAGS),
    tags_any: some(TAGS),
    tags_none: some(TAGS),
    relationship_types: some(EDGE_TYPES),
  },
  { requiredKeys: [] },
);

/** A search of those nodes; its BM25 hits are in the order in which a store gives them. */
export function smallSearch(
  { nodes }: { nodes: readonly { id: string }[] },
  dimensions: number,
): fc.Arbitrary<GraphSearch> {
  const hits = fc
    .subarray(nodes.map((node) => node.id))
    .chain((ids) => fc.tuple(...ids.map((id) => fc.record({ id: fc.constant(id), score: unit }))))
    .map((list) => list.sort((a, b) => b.score - a.score));
  const query: fc.Arbitrary<SearchQuery> =
    dimensions === 0
      ? fc.record({ bm25: hits })
      : fc.record({ embedding: embedding(dimensions), bm25: hits }, { requiredKeys: ["bm25"] });
  const options: fc.Arbitrary<SearchOptions> = fc.record(
    {
      now: fc.constantFrom(NOW, NOW + 0.5, NOW + MS_PER_DAY),
      config: searchConfig,
      filters: fc.oneof(fc.constant(null), searchFilters),
      limit: fc.nat({ max: 12 }),
      max_seeds: fc.nat({ max: 8 }),
      include_connections: fc.boolean(),
      serendipity_level: fc.constantFrom(...SERENDIPITY_LEVELS),
    },
    { requiredKeys: ["now"] },
  );
  return fc.record({ query, options });
}

/**
 * A small memory and a search of it. Dimensions above, at and below the number of lanes, and none.
 */
export const smallCase: fc.Arbitrary<{ memory: GraphMemory; dimensions: number } & GraphSearch> = fc
  .constantFrom(0, 3, 16, 19)
  .chain((dimensions) => smallMemory(dimensions).map((memory) => ({ memory, dimensions })))
  .chain(({ memory, dimensions }) =>
    smallSearch(memory, dimensions).map((search) => ({ memory, dimensions, ...search })),
  );
