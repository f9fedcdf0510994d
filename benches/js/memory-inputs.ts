// Seeded inputs for the contests of a resident memory.

import type {
  Bm25Hit,
  DecayChanges,
  MemoryEdge,
  MemoryIndex,
  MemoryIndexOptions,
  MemoryNode,
  Transition,
} from "nous-wasm";
import { DECAY_LIFECYCLE_STATES } from "../../js/reference/decay.ts";
import { makeRandom, NOW, pick, SUBTYPES } from "../../js/reference/inputs.ts";
import { SECTION_PROFILES } from "../../js/reference/sections.ts";
import { computeDecay } from "../../js/reference/sweep.ts";
import type { GraphMemory } from "../../tests/parity/inputs/graphs.ts";
import type { Engine } from "./contests.ts";
import { type FadingNode, rounded } from "./rivals/memory-objects.ts";
import type { CandidateColumns } from "./rivals/memory-obvious.ts";

const MS_PER_DAY = 86_400_000;

/** A package with a resident memory. */
export type ResidentEngine = Pick<Engine, "MemoryIndex">;

/** Returns whether a package has a resident memory: earlier ones do not. */
export function isResident(engine: Partial<ResidentEngine>): engine is ResidentEngine {
  return engine.MemoryIndex !== undefined;
}

/** Rows of a batch. */
export const BATCH = 1_000;

/** Yields a list in batches. */
export function* batchesOf<T>(list: readonly T[], size = BATCH): Generator<T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}

/** Returns an index with these contents. */
export function indexOf(
  { MemoryIndex }: ResidentEngine,
  { nodes, edges }: { nodes: readonly MemoryNode[]; edges: readonly MemoryEdge[] },
  options: MemoryIndexOptions = {},
): MemoryIndex {
  const index = new MemoryIndex(options);
  for (const batch of batchesOf(nodes)) index.upsert(batch);
  for (const batch of batchesOf(edges)) index.link(batch);
  return index;
}

/**
 * Yields batches of nodes of two years without embeddings, so that a large memory never exists as
 * objects as a whole.
 */
export function* nodeBatches(count: number, seed: number): Generator<MemoryNode[]> {
  const random = makeRandom(seed);
  for (let start = 0; start < count; start += BATCH) {
    yield Array.from({ length: Math.min(BATCH, count - start) }, (_, i) => {
      const created = NOW - Math.floor(random() ** 2 * 730 * MS_PER_DAY);
      return {
        id: `n_${start + i}`,
        type: "note",
        subtype: pick(random, SUBTYPES) ?? null,
        created_at: created,
        last_accessed: created + Math.floor(random() * (NOW - created)),
        access_count: Math.floor(random() ** 3 * 60),
        stability: 2 + random() ** 2 * 363,
      };
    });
  }
}

const EDGE_TYPES = [
  "relates_to",
  "part_of",
  "causes",
  "precedes",
  "similar_to",
  "related_to",
] as const;

/** Yields batches of edges between random nodes. */
export function* edgeBatches(count: number, nodes: number, seed: number): Generator<MemoryEdge[]> {
  const random = makeRandom(seed);
  const node = () => `n_${Math.floor(random() * nodes)}`;
  for (let start = 0; start < count; start += BATCH) {
    yield Array.from({ length: Math.min(BATCH, count - start) }, (_, i) => {
      return {
        id: `e_${start + i}`,
        source_id: node(),
        target_id: node(),
        type: pick(random, EDGE_TYPES),
      };
    });
  }
}

/** Returns candidates for ranking: different nodes of the memory. */
export function makeCandidateColumns(
  memory: GraphMemory,
  count: number,
  seed: number,
): CandidateColumns {
  const random = makeRandom(seed);
  const column = (value: () => number) => Float64Array.from({ length: count }, value);
  return {
    ids: distinct(random, count, memory.nodes.length).map((place) => memory.nodes[place]!.id),
    semantic: column(() => (random() < 0.8 ? random() * 1.1 - 0.1 : 0)),
    bm25: column(() => (random() < 0.45 ? random() * 14 : 0)),
    graph: column(() => (random() < 0.6 ? random() : 0)),
  };
}

/** Returns different random numbers below `below`. */
function distinct(random: () => number, count: number, below: number): number[] {
  const places = Array.from({ length: below }, (_, place) => place);
  for (let i = 0; i < count; i++) {
    const other = i + Math.floor(random() * (below - i));
    [places[i], places[other]] = [places[other]!, places[i]!];
  }
  return places.slice(0, count);
}

/** The number of full-text hits of a question. */
export const BM25_HITS = 45;

/** A question of the load. */
export interface Question {
  /** The embedding of a node with noise; undefined in a memory without embeddings. */
  embedding: Float32Array | undefined;
  /** Highest first; the first is 1. */
  bm25: Bm25Hit[];
}

export function makeQuestions(memory: GraphMemory, count: number, seed: number): Question[] {
  const random = makeRandom(seed);
  const embedded = memory.nodes.filter((node) => node.embedding !== null);
  return Array.from({ length: count }, () => {
    const near = embedded.length > 0 ? pick(random, embedded).embedding! : undefined;
    return {
      embedding: near?.map((component) => component + 0.4 * (random() - random())),
      bm25: makeHits(random, memory.nodes.length, (place) => memory.nodes[place]!.id),
    };
  });
}

/** Returns full-text hits among `nodes` nodes, highest first. The first is 1. */
export function makeHits(
  random: () => number,
  nodes: number,
  idOf: (place: number) => string,
): Bm25Hit[] {
  const places = new Set<number>();
  while (places.size < Math.min(BM25_HITS, nodes)) places.add(Math.floor(random() * nodes));
  const hits = [...places]
    .map((place) => ({ id: idOf(place), score: random() }))
    .sort((a, b) => b.score - a.score);
  return hits.map(({ id, score }) => ({ id, score: score / hits[0]!.score }));
}

/**
 * Returns nodes whose stored values are those at `NOW`, except for an evenly spread share: these
 * differ by a quarter, and one in a hundred of them has another state.
 */
export function makeFading(count: number, share: number, seed: number): FadingNode[] {
  const random = makeRandom(seed);
  let owed = 0;
  let changing = 0;
  return Array.from({ length: count }, (_, i) => {
    // At most 110 days without access, so that no node is archived: sweeps skip the archive.
    const accessed = NOW - Math.floor(random() ** 2 * 110 * MS_PER_DAY);
    const node: FadingNode = {
      id: `n_${i}`,
      subtype: pick(random, SUBTYPES) ?? null,
      created_at: accessed - Math.floor(random() * 365 * MS_PER_DAY),
      last_accessed: accessed,
      stability: 2 + random() ** 2 * 363,
      retrievability: 1,
      lifecycle: "ACTIVE",
    };
    const { retrievability, state } = stateAt(node, NOW);
    node.retrievability = rounded(retrievability);
    node.lifecycle = state;
    owed += share;
    if (owed >= 1 - 1e-9) {
      owed -= 1;
      node.retrievability = rounded(
        retrievability > 0.5 ? retrievability - 0.25 : retrievability + 0.25,
      );
      if (changing++ % 100 === 0) node.lifecycle = state === "WEAK" ? "ACTIVE" : "WEAK";
    }
    return node;
  });
}

function stateAt({ subtype, created_at, last_accessed, stability }: FadingNode, now: number) {
  const stored = {
    id: "",
    subtype,
    state_lifecycle: "ACTIVE" as const,
    neural_stability: stability,
    neural_retrievability: 1,
    neural_difficulty: 0,
    neural_access_count: 0,
    neural_last_accessed: last_accessed,
    provenance_created_at: created_at,
  };
  return computeDecay(stored, now);
}

/**
 * Milliseconds in which a thousand of the nodes of `makeDue` become WEAK: several minutes, in case
 * an implementation counts in minutes.
 */
export const STEP = 300_000;

/** Nodes of `makeDue` that become WEAK in a step. */
export const DUE = 1_000;

/** The number of steps. */
export const STEPS = 40;

/**
 * Returns ACTIVE nodes. In each step after `NOW` another thousand of them become WEAK. The others
 * do not, and none fades so much in that time that a sweep would write it.
 */
export function makeDue(count: number, seed: number): FadingNode[] {
  const random = makeRandom(seed);
  const threshold = SECTION_PROFILES.KNOWLEDGE.decay.active_threshold;
  const every = Math.floor(count / (STEPS * DUE));
  return Array.from({ length: count }, (_, i) => {
    const turn = Math.floor(i / every);
    const due = i % every === 0 && turn < STEPS * DUE;
    const stability = 200 + random() * 160;
    // R = exp(−t / S) reaches r after −S · ln r days.
    const [retrievability, at] = due
      ? [threshold, NOW + ((turn + 0.5) * STEP) / DUE]
      : [0.6 + random() * 0.35, NOW];
    const accessed = Math.floor(at + stability * Math.log(retrievability) * MS_PER_DAY);
    const node: FadingNode = {
      id: `n_${i}`,
      subtype: due ? null : (pick(random, SUBTYPES) ?? null),
      created_at: accessed - MS_PER_DAY,
      last_accessed: accessed,
      stability,
      retrievability: 1,
      lifecycle: "ACTIVE",
    };
    node.retrievability = rounded(stateAt(node, NOW).retrievability);
    return node;
  });
}

/** Returns the changes that a sweep writes for nodes of `makeDue` that have just become WEAK. */
export function weakened(transitions: readonly Transition[]): DecayChanges {
  const { active_threshold } = SECTION_PROFILES.KNOWLEDGE.decay;
  return {
    ids: transitions.map(({ id }) => id),
    retrievability: new Float64Array(transitions.length).fill(active_threshold),
    lifecycle: new Uint8Array(transitions.length).fill(DECAY_LIFECYCLE_STATES.indexOf("WEAK")),
  };
}
