// Resident memories for tests: the common interface of the package's and the reference's, and whole
// lives of them for fast-check. A life is a list of calls, so that a counterexample can be read and
// rebuilt by hand.

import fc from "fast-check";
import type {
  DecayChanges,
  Linked,
  MemoryEdge,
  MemoryNode,
  RankedEntry,
  ResidentCandidates,
  ResidentRerankOptions,
  SearchQuery,
  SearchResult,
  Similar,
  SimilarOptions,
  StoredMemoryEdge,
  StoredMemoryNode,
  Strengthened,
  Sweep,
  Transition,
} from "../../../js/engine/src/memory/types.ts";
import type { Instant } from "../../../js/engine/src/types.ts";
import { NOW, SUBTYPES } from "../../../js/reference/inputs.ts";
import type { ReferenceMemoryOptions, SearchSettings } from "../../../js/reference/memory.ts";
import type { SearchConfig } from "../../../js/reference/search.ts";
import {
  CLUSTERS,
  EDGE_TYPES,
  embedding,
  type GraphMemory,
  type GraphSearch,
  LIFECYCLES,
  searchConfig,
  searchFilters,
  smallSearch,
  TAGS,
  TYPES,
  unit,
} from "./graphs.ts";

const DAY = 86_400_000;

// ---- the common interface -----------------------------------------------------------------------

/** A ranking of the package or of the reference. */
export interface Places extends Iterable<RankedEntry> {
  readonly ids: readonly string[];
  readonly scores: readonly number[];
  readonly length: number;
  at(place: number): RankedEntry | undefined;
}

/** A memory of the package or of the reference. */
export interface Resident {
  readonly size: number;
  readonly edgeCount: number;
  upsert(nodes: readonly MemoryNode[], options?: { now?: Instant }): number;
  remove(ids: readonly string[]): number;
  link(edges: readonly MemoryEdge[]): Linked;
  unlink(edgeIds: readonly string[]): number;
  has(id: string): boolean;
  get(id: string): StoredMemoryNode | undefined;
  getEdge(id: string): StoredMemoryEdge | undefined;
  touch(ids: readonly string[], now?: Instant): number;
  recall(ids: readonly string[], now?: Instant): number;
  strengthen(groups: readonly (readonly string[])[], amount: number): Strengthened;
  rerank(candidates: ResidentCandidates, options?: ResidentRerankOptions): Places;
  search(query: SearchQuery): SearchResult<Places>;
  similar(embedding: ArrayLike<number>, options?: SimilarOptions): Similar;
  decay(now?: Instant): Sweep;
  applyDecay(changes: DecayChanges): number;
  transitions(now?: Instant): Transition[];
}

/** A ranking as plain data, by all of its accessors. */
export const placesOf = (ranking: Places) => ({
  ids: [...ranking.ids],
  scores: ranking.scores,
  length: ranking.length,
  at: Array.from({ length: ranking.length }, (_, place) => ranking.at(place)),
  each: [...ranking],
});

/** Search results as plain data. */
export const foundBy = ({ ranking, ...rest }: SearchResult<Places>) => ({
  ranking: placesOf(ranking),
  ...rest,
});

/** All data that a memory returns about its nodes and edges. */
export const contentOf = (
  memory: Resident,
  ids: readonly string[],
  edgeIds: readonly string[],
) => ({
  size: memory.size,
  edgeCount: memory.edgeCount,
  nodes: ids.map((id) => [memory.has(id), memory.get(id)]),
  edges: edgeIds.map((id) => memory.getEdge(id)),
});

/** A generated search in the form that a memory takes; its configuration belongs to the memory. */
export const queryOf = ({ query, options }: GraphSearch): SearchQuery => ({
  embedding: query.embedding && isSome(query.embedding) ? query.embedding : undefined,
  bm25: query.bm25,
  now: options.now,
  filters: options.filters,
  limit: options.limit,
  max_seeds: options.max_seeds,
  sections: options.config?.sections,
  include_connections: options.include_connections,
  serendipity_level: options.serendipity_level,
});

/** A generated configuration as users write it. */
export function settingsOf({ sections: _, ...config }: Partial<SearchConfig> = {}): SearchSettings {
  const camel = (key: string) =>
    key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [camel(key), value]));
}

/** Whether an embedding has a direction; zeros have none. */
const isSome = (components: ArrayLike<number>) =>
  Array.from(components).some((component) => component !== 0);

/** A whole generated memory; edges without a node are ignored. */
export function fill(memory: Resident, { nodes, edges }: GraphMemory): void {
  memory.upsert(nodes, { now: NOW });
  memory.link(edges);
}

// ---- lives --------------------------------------------------------------------------------------

/** A call of a method with its arguments. `sweep` stands for a sweep that is applied. */
export type Call = readonly [method: keyof Resident | "sweep", ...given: unknown[]];

export interface Life {
  options: ReferenceMemoryOptions;
  calls: Call[];
}

/** Ids of nodes and edges in lives. The last node never exists. */
export const NODE_IDS = [
  "n_0",
  "n_1",
  "n_2",
  "n_3",
  "n_4",
  "größe 🚀",
  "__proto__",
  "nobody",
] as const;
export const EDGE_IDS = Array.from({ length: 12 }, (_, i) => `e_${i}`);
const NOBODY = NODE_IDS[NODE_IDS.length - 1]!;
const SOMEBODY = NODE_IDS.slice(0, -1);

/** The answer to a call as plain data. Only existing nodes are reranked. */
export function answerTo(memory: Resident, [method, ...given]: Call): unknown {
  if (method === "sweep") return memory.applyDecay(memory.decay(given[0] as Instant).changes);
  if (method === "search") return foundBy(memory.search(given[0] as SearchQuery));
  if (method === "rerank") {
    const { ids = [], ...columns } = given[0] as ResidentCandidates;
    const there = ids.flatMap((id, i) => (memory.has(id) ? [i] : []));
    const ofThese = Object.entries(columns).map(([name, column]) => [
      name,
      column && there.map((i) => column[i]),
    ]);
    const candidates = { ids: there.map((i) => ids[i]!), ...Object.fromEntries(ofThese) };
    return placesOf(memory.rerank(candidates, given[1] as ResidentRerankOptions));
  }
  return (memory as unknown as Record<string, (...given: unknown[]) => unknown>)[method]!(...given);
}

/** Mostly around the ends of states. No ranking is so far ahead that recency becomes infinite. */
const milliseconds = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(-40, -1, 0, 1, 6, 7, 30, 59, 60, 61, 119, 120, 121, 240, 900),
      fc.constantFrom(-1, 0, 0.5),
    )
    .map(([days, off]) => NOW + days * DAY + off),
  fc.integer({ min: NOW - 900 * DAY, max: NOW + 900 * DAY }),
);
const moment: fc.Arbitrary<Instant> = milliseconds.chain((ms) =>
  fc.constantFrom<Instant>(ms, ms, new Date(ms), new Date(ms).toISOString()),
);
const longAgo = fc.constantFrom<Instant>(-8.64e15, new Date(-8.64e15), -1, 0);
const farAway = fc.oneof(
  { weight: 5, arbitrary: moment },
  { weight: 1, arbitrary: longAgo },
  fc.constant(8.64e15),
);

/** Absent, or null, which mostly means the same. */
const maybe = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 4, arbitrary: value },
    fc.constantFrom(undefined, null) as fc.Arbitrary<undefined | null>,
  );
const days = fc.oneof(
  fc.constantFrom(0, -1, 5e-324, 1e-9, 0.5, 2, 14, 60, 365, 1e9, 1e300),
  fc.double({ min: 0, max: 400, noNaN: true }),
);
const labels = (from: readonly string[]) => fc.array(fc.constantFrom(...from), { maxLength: 4 });

/**
 * A position in an order, which `numbered` turns into a sequence number that no other entry has.
 */
const order = fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.nat({ max: 20 }));

const memoryNode = (dimensions: number): fc.Arbitrary<MemoryNode> =>
  fc.record(
    {
      id: fc.constantFrom(...SOMEBODY),
      type: maybe(fc.constantFrom(...TYPES, "größe 🚀")),
      subtype: maybe(fc.constantFrom(...SUBTYPES, "constructor", "custom:größe", "")),
      created_at: maybe(fc.oneof({ weight: 9, arbitrary: moment }, longAgo)),
      last_accessed: maybe(fc.oneof({ weight: 9, arbitrary: moment }, longAgo)),
      access_count: maybe(
        fc.oneof(fc.nat({ max: 60 }), fc.constantFrom(4_294_967_294, 4_294_967_295)),
      ),
      stability: maybe(days),
      retrievability: maybe(unit),
      difficulty: maybe(unit),
      salience: maybe(unit),
      lifecycle: maybe(fc.constantFrom(...LIFECYCLES, "DELETED" as const)),
      tags: maybe(labels(TAGS)),
      clusters: maybe(labels(CLUSTERS)),
      embedding: dimensions === 0 ? fc.constantFrom(null, undefined) : maybe(direction(dimensions)),
      sequence: order,
    },
    { requiredKeys: ["id"] },
  );

/** Components in f32, or in f64 and of any length. */
const direction = (dimensions: number): fc.Arbitrary<ArrayLike<number>> =>
  fc
    .oneof(
      embedding(dimensions),
      fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), {
        minLength: dimensions,
        maxLength: dimensions,
      }),
    )
    .filter((components) =>
      Array.from(components).some((component) => Math.abs(component) > 1e-100),
    );

const memoryEdge: fc.Arbitrary<MemoryEdge> = fc.record(
  {
    id: fc.constantFrom(...EDGE_IDS),
    source_id: fc.constantFrom(...SOMEBODY, ...SOMEBODY, NOBODY),
    target_id: fc.constantFrom(...SOMEBODY, ...SOMEBODY, NOBODY),
    type: maybe(fc.constantFrom(...EDGE_TYPES)),
    strength: maybe(unit),
    sequence: order,
  },
  { requiredKeys: ["id", "source_id", "target_id"] },
);

/**
 * Sequence numbers out of order, each of them once, and far enough apart for entries without one.
 */
function numbered(calls: readonly Call[]): Call[] {
  let entries = 0;
  return calls.map((call): Call => {
    const [method, batch, ...rest] = call;
    if (method !== "upsert" && method !== "link") return call;
    const withNumbers = (batch as (MemoryNode | MemoryEdge)[]).map(({ sequence, ...entry }) => {
      entries += 1;
      return sequence == null ? entry : { ...entry, sequence: (sequence * 1000 + entries) * 1000 };
    });
    return [method, withNumbers, ...rest];
  });
}

const call = (method: Call[0], ...given: fc.Arbitrary<unknown>[]): fc.Arbitrary<Call> =>
  fc.tuple(fc.constant(method), ...given);

const someIds = fc.array(fc.constantFrom(...NODE_IDS), { maxLength: 8 });
const groups = fc.array(someIds, { maxLength: 3 });

const madeUpChanges: fc.Arbitrary<DecayChanges> = fc
  .array(fc.tuple(fc.constantFrom(...NODE_IDS), unit, fc.nat({ max: 4 })), { maxLength: 6 })
  .map((rows) => ({
    ids: rows.map(([id]) => id),
    retrievability: Float64Array.from(rows, ([, retrievability]) => retrievability),
    lifecycle: Uint8Array.from(rows, ([, , code]) => code),
  }));

const score = fc.oneof(unit, fc.constantFrom(1e-9, 12.5));
const candidates = fc
  .array(
    fc.tuple(
      fc.constantFrom(...SOMEBODY),
      fc.double({ min: -1, max: 1, noNaN: true }),
      score,
      score,
    ),
    {
      maxLength: 9,
    },
  )
  .chain((rows) => {
    const column = (place: 1 | 2 | 3) =>
      fc.constantFrom(null, undefined, ...Array(4).fill(rows.map((row) => row[place])));
    return fc.record(
      {
        ids: fc.constant(rows.map(([id]) => id)),
        semantic: column(1),
        bm25: column(2),
        graph: column(3),
      },
      { requiredKeys: ["ids"] },
    );
  });
const rerankOptions = fc.record(
  { limit: fc.nat({ max: 12 }), now: moment, sections: fc.boolean() },
  { requiredKeys: ["now"] },
);

const nodesOf = (dimensions: number, minLength = 0) =>
  fc.array(memoryNode(dimensions), { minLength, maxLength: 9 });
const edgesOf = (minLength = 0) => fc.array(memoryEdge, { minLength, maxLength: 14 });
const madeAt = fc.record({ now: moment });

function anyCall(dimensions: number): fc.Arbitrary<Call> {
  const query = fc
    .tuple(
      smallSearch({ nodes: NODE_IDS.map((id) => ({ id })) }, dimensions).map(queryOf),
      fc.boolean(),
    )
    .map(([whole, filtered]) => (filtered ? whole : { ...whole, filters: null }));
  const similarOptions = fc.record(
    { limit: fc.nat({ max: 9 }), filter: fc.option(searchFilters), now: moment },
    { requiredKeys: ["now"] },
  );
  return fc.oneof(
    call("upsert", nodesOf(dimensions), madeAt),
    call("remove", fc.array(fc.constantFrom(...NODE_IDS), { maxLength: 3 })),
    call("link", edgesOf()),
    call("unlink", fc.array(fc.constantFrom(...EDGE_IDS, "no edge"), { maxLength: 3 })),
    call("touch", someIds, moment),
    call("recall", someIds, moment),
    { weight: 2, arbitrary: call("strengthen", groups, fc.constantFrom(0, 0.05, 0.1, 0.3, 1)) },
    call("sweep", farAway),
    call("applyDecay", madeUpChanges),
    call("decay", farAway),
    { weight: 2, arbitrary: call("transitions", farAway) },
    { weight: 5, arbitrary: call("search", query) },
    call("rerank", candidates, rerankOptions),
    ...(dimensions === 0
      ? []
      : [{ weight: 2, arbitrary: call("similar", direction(dimensions), similarOptions) }]),
  );
}

const switches: fc.Arbitrary<SearchSettings> = fc.record({
  graphReach: fc.boolean(),
  edgeWeight: fc.constantFrom("type", "stored_type", "learned"),
});

/**
 * The life of a small memory under some configuration. Dimensions above, at and below the number of
 * lanes, and none.
 */
export const life: fc.Arbitrary<Life> = fc.constantFrom(0, 3, 16, 19).chain((dimensions) =>
  fc.record({
    options: fc.record({
      dimensions: fc.constant(dimensions),
      embeddings: fc.constantFrom("f32" as const, "i8" as const),
      config: fc.record({
        search: fc.oneof(fc.constant({}), switches, searchConfig.map(settingsOf)),
        salienceGrowth: fc.boolean(),
      }),
    }),
    calls: fc
      .tuple(
        call("upsert", nodesOf(dimensions, 5), madeAt),
        call("link", edgesOf(8)),
        fc.array(anyCall(dimensions), { minLength: 5, maxLength: 25 }),
      )
      .map(([nodes, edges, rest]) => numbered([nodes, edges, ...rest])),
  }),
);
