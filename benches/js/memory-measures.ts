// Measurements of a resident memory without a rival: how search time grows, the cost of updates,
// and bytes.

import { spawnSync } from "node:child_process";
import type { MemoryIndex } from "nous-wasm";
import { makeRandom, NOW } from "../../js/reference/inputs.ts";
import { makeMemory } from "../../tests/parity/inputs/graphs.ts";
import { type Deferred, deferred, median, type Outcome } from "./compare.ts";
import { inTurn } from "./contests.ts";
import { DIMENSIONS, SWEPT, search, wholeSearchName } from "./memory-contests.ts";
import {
  BATCH,
  BM25_HITS,
  edgeBatches,
  indexOf,
  makeHits,
  makeQuestions,
  nodeBatches,
  type ResidentEngine,
} from "./memory-inputs.ts";
import { duration, kilobytes, perSecond, whole } from "./units.ts";

const EDGES_A_NODE = 4;

function searchGrowth(nodes: number, engine: ResidentEngine, dimensions = DIMENSIONS): Deferred {
  return deferred(wholeSearchName(nodes, dimensions), () => {
    const memory = makeMemory({ nodes, edges: EDGES_A_NODE * nodes, dimensions, seed: 1 });
    const index = indexOf(engine, memory, { dimensions });
    const question = inTurn(makeQuestions(memory, 8, 2));
    return {
      contestants: { engine: () => search(index, question()) },
      close: () => index.free(),
      rounds: 9,
    };
  });
}

function largeIndex({ MemoryIndex }: ResidentEngine, nodes: number, edges: number): MemoryIndex {
  const index = new MemoryIndex();
  for (const batch of nodeBatches(nodes, 1)) index.upsert(batch);
  for (const batch of edgeBatches(edges, nodes, 2)) index.link(batch);
  return index;
}

/** Returns eight lists of a thousand random ids. */
function scattered(nodes: number): string[][] {
  const random = makeRandom(5);
  const id = () => `n_${Math.floor(random() * nodes)}`;
  return Array.from({ length: 8 }, () => Array.from({ length: BATCH }, id));
}

function touch(engine: ResidentEngine, nodes = SWEPT): Deferred {
  return deferred(`touch of ${whole(BATCH)} ids, of ${whole(nodes)} nodes`, () => {
    const index = largeIndex(engine, nodes, 0);
    const ids = inTurn(scattered(nodes));
    let now = NOW;
    return {
      contestants: { engine: () => index.touch(ids(), ++now) },
      remarks: ({ nanoseconds }: Outcome) => ({
        "for an id": duration(nanoseconds.engine! / BATCH),
      }),
      close: () => index.free(),
    };
  });
}

function renew(engine: ResidentEngine, nodes = SWEPT): Deferred {
  return deferred(`upsert of ${whole(BATCH)} nodes that are there, of ${whole(nodes)}`, () => {
    const index = largeIndex(engine, nodes, 0);
    const random = makeRandom(6);
    const changes = scattered(nodes).map((ids) =>
      ids.map((id) => ({ id, last_accessed: NOW, access_count: 7, stability: 1 + random() * 300 })),
    );
    const change = inTurn(changes);
    return {
      contestants: { engine: () => index.upsert(change()) },
      remarks: ({ nanoseconds }: Outcome) => ({
        "that is": perSecond(BATCH, nanoseconds.engine!, "nodes"),
        "for a node": duration(nanoseconds.engine! / BATCH),
      }),
      close: () => index.free(),
    };
  });
}

function restore(engine: ResidentEngine, nodes = 100_000, dimensions = DIMENSIONS): Deferred {
  return deferred(`restore of ${whole(nodes)} nodes × ${dimensions} from a snapshot`, () => {
    const original = indexOf(engine, makeMemory({ nodes, edges: 0, dimensions, seed: 1 }), {
      dimensions,
    });
    const snapshot = original.snapshot();
    original.free();
    let index: MemoryIndex | undefined;
    const drop = () => {
      index?.free();
      index = undefined;
    };
    return {
      contestants: {
        engine: {
          prepare() {
            drop();
            globalThis.gc?.();
          },
          run() {
            index = engine.MemoryIndex.restore(snapshot);
          },
        },
      },
      remarks: () => ({ "the snapshot": kilobytes(snapshot.length) }),
      close: drop,
      rounds: 3,
      turn: 1,
    };
  });
}

/** Returns the timings without a rival. */
export function memoryMeasures(engine: ResidentEngine): Deferred[] {
  return [
    searchGrowth(1_000, engine),
    searchGrowth(100_000, engine),
    touch(engine),
    renew(engine),
    restore(engine),
  ];
}

// ---- bytes --------------------------------------------------------------------------------------

/** A measurement of memory, in a process of its own. */
interface Weighing {
  name: string;
  weigh(engine: ResidentEngine): Record<string, string>;
}

const SMALL = { indexes: 400, nodes: 100, edges: 200 };

const WEIGHINGS: Weighing[] = [
  ...[100_000, 1_000_000].map((nodes) => ({
    name: `bytes and search without vectors, ${whole(nodes)} nodes with ${EDGES_A_NODE} edges each`,
    weigh: (engine: ResidentEngine) => weighLarge(engine, nodes),
  })),
  {
    name: `bytes, ${SMALL.indexes} indexes of ${SMALL.nodes} nodes and ${SMALL.edges} edges`,
    weigh: weighSmall,
  },
];

export const WEIGHED = WEIGHINGS.map(({ name }) => name);

/** Measures memory. Call it in a process that has done nothing else. */
export function weigh(name: string, engine: ResidentEngine): Record<string, string> {
  return WEIGHINGS.find((weighing) => weighing.name === name)!.weigh(engine);
}

/** Runs this program again with `--alone NAME`, and parses the JSON that it prints. */
export function weighAlone(name: string): Record<string, string> {
  const args = ["--expose-gc", process.argv[1]!, "--alone", name];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${name}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, string>;
}

/** Returns the bytes of the process: its resident set, and JavaScript's heap. */
function footprint() {
  globalThis.gc!();
  globalThis.gc!();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss, heapUsed };
}

/** Warms up, so that code and generators have reached their full size. */
function settle(engine: ResidentEngine): void {
  largeIndex(engine, BATCH, BATCH).free();
  let seen = 0;
  for (const batch of nodeBatches(200_000, 3)) seen += batch.length;
  for (const batch of edgeBatches(200_000, seen, 4)) seen += batch.length;
}

function weighLarge(engine: ResidentEngine, nodes: number): Record<string, string> {
  const edges = EDGES_A_NODE * nodes;
  settle(engine);
  const before = footprint();
  const index = new engine.MemoryIndex();
  for (const batch of nodeBatches(nodes, 1)) index.upsert(batch);
  const withNodes = footprint();
  for (const batch of edgeBatches(edges, nodes, 2)) index.link(batch);
  const withEdges = footprint();
  const { bytes } = index;
  const searching = searchByWords(index, nodes);
  index.free();

  const each = (all: number, count: number) => (all / count).toFixed(1);
  const inModule = (content: number, capacity: number, count: number) =>
    `${each(content, count)} bytes, room for ${each(capacity, count)}`;
  const inProcess = (from: typeof before, to: typeof before, count: number) =>
    `${each(to.rss - from.rss, count)} bytes, ${each(to.heapUsed - from.heapUsed, count)} of them JavaScript's heap`;
  return {
    "a node, in the module": inModule(bytes.nodes, bytes.nodes_capacity, nodes),
    "a node, in the process, id and all": inProcess(before, withNodes, nodes),
    "an edge, in the module": inModule(bytes.edges, bytes.edges_capacity, edges),
    "an edge, in the process, id and all": inProcess(withNodes, withEdges, edges),
    [`a search with ${BM25_HITS} BM25 hits`]: duration(searching),
  };
}

/**
 * Returns the nanoseconds of a search without embeddings: the median of some hundred different
 * searches.
 */
function searchByWords(index: MemoryIndex, nodes: number): number {
  const random = makeRandom(3);
  const times = Array.from({ length: 400 }, () => {
    const question = {
      embedding: undefined,
      bm25: makeHits(random, nodes, (place) => `n_${place}`),
    };
    const start = performance.now();
    search(index, question);
    return (performance.now() - start) * 1e6;
  });
  return median(times.slice(100));
}

function weighSmall(engine: ResidentEngine): Record<string, string> {
  settle(engine);
  const before = footprint();
  const indexes = Array.from({ length: SMALL.indexes }, () =>
    largeIndex(engine, SMALL.nodes, SMALL.edges),
  );
  const after = footprint();
  const rss = after.rss - before.rss;
  const modules = indexes.reduce((sum, { bytes }) => sum + bytes.module, 0);
  for (const index of indexes) index.free();
  return {
    "the process grows by": `${kilobytes(rss)}, ${kilobytes(rss / SMALL.indexes)} an index`,
    "of that, JavaScript's heap": `${kilobytes((after.heapUsed - before.heapUsed) / SMALL.indexes)} an index`,
    "the modules' memories": `${kilobytes(modules / SMALL.indexes)} an index`,
  };
}
