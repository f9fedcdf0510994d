// The contests of a resident memory. A contest makes its inputs when it runs.

import type { MemoryIndex } from "nous-wasm";
import { NOW } from "../../js/reference/inputs.ts";
import { decayColumns as tunedDecay } from "../../js/reference/rivals/tuned-decay.ts";
import * as reference from "../../js/reference/search.ts";
import { type GraphMemory, makeMemory } from "../../tests/parity/inputs/graphs.ts";
import { type Contestant, type Deferred, deferred, median, type Outcome } from "./compare.ts";
import { inTurn, TOP } from "./contests.ts";
import {
  BATCH,
  BM25_HITS,
  batchesOf,
  DUE,
  indexOf,
  makeCandidateColumns,
  makeDue,
  makeFading,
  makeQuestions,
  type Question,
  type ResidentEngine,
  STEP,
  STEPS,
  weakened,
} from "./memory-inputs.ts";
import { FadingColumns } from "./rivals/memory-columns.ts";
import { sweep as sweepObjects } from "./rivals/memory-objects.ts";
import { ObviousCodes, ObviousMemory, ObviousVectors } from "./rivals/memory-obvious.ts";
import { TunedMemory } from "./rivals/memory-tuned.ts";
import { UnrolledCodes, UnrolledVectors } from "./rivals/memory-unrolled.ts";
import { duration, perSecond, throughput, whole } from "./units.ts";

export const RESIDENT_SIZES = [50, 200, 500, 2_000, 10_000];
export const DIMENSIONS = 384;
export const SIMILAR_NODES = [10_000, 100_000];
export const SIMILAR_TOP = 50;
export const VISITED = 500;
export const SWEPT = 1_000_000;
const REHEARSED = 100_000;
export const CHANGING = [0, 0.1, 1];

/** Options of slow contests: one call a turn. */
const LONG = { rounds: 7, turn: 1 };
const FILLING = { rounds: 3, turn: 1 };

/** Returns contestants whose calls are timed one by one. */
const singly = (contestants: Record<string, () => unknown>): Record<string, Contestant> =>
  Object.fromEntries(Object.entries(contestants).map(([label, run]) => [label, { run }]));

const answer = ({ ids, scores }: { ids: readonly string[]; scores: ArrayLike<number> }) => ({
  ids,
  scores,
});

function obviousOf({ nodes, edges }: GraphMemory): ObviousMemory {
  const memory = new ObviousMemory();
  memory.upsert(nodes);
  memory.link(edges);
  return memory;
}

export function residentRerank(
  size: number,
  by: "ids" | "handles",
  engine: ResidentEngine,
  nodes = Math.max(10_000, size),
): Deferred {
  return deferred(`resident rerank ${whole(size)} by ${by}, top ${TOP}`, () => {
    const memory = makeMemory({ nodes, edges: 4 * nodes, dimensions: 0, seed: 1 });
    const index = indexOf(engine, memory);
    const tuned = new TunedMemory(memory.nodes, memory.edges);
    const batches = [1, 2, 3].map((seed) => makeCandidateColumns(memory, size, seed));
    const options = { now: NOW, limit: TOP };
    const close = () => index.free();
    const obvious = obviousOf(memory);
    const obviousBatch = inTurn(batches);
    const shared = { obvious: () => obvious.rerank(obviousBatch(), NOW, TOP) };
    if (by === "handles") {
      const numbered = (handles: (ids: readonly string[]) => Uint32Array) =>
        inTurn(
          batches.map(({ ids, semantic, bm25, graph }) => ({
            handles: handles(ids),
            semantic,
            bm25,
            graph,
          })),
        );
      const tunedBatch = numbered((ids) => tuned.handles(ids));
      const engineBatch = numbered((ids) => index.handles(ids));
      return {
        contestants: {
          // The rival looks its objects up by id.
          ...shared,
          tuned: () => tuned.rerank(tunedBatch(), NOW, TOP),
          engine: () => answer(index.rerank(engineBatch(), options)),
        },
        close,
      };
    }
    const [tunedBatch, engineBatch] = [inTurn(batches), inTurn(batches)];
    return {
      contestants: {
        ...shared,
        tuned: () => tuned.rerankIds(tunedBatch(), NOW, TOP),
        engine: () => answer(index.rerank(engineBatch(), options)),
      },
      close,
    };
  });
}

export function similarTop(
  nodes: number,
  form: "f32" | "i8",
  engine: ResidentEngine,
  dimensions = DIMENSIONS,
): Deferred {
  return deferred(`similar, top ${SIMILAR_TOP} of ${whole(nodes)} × ${dimensions}, ${form}`, () => {
    const memory = makeMemory({ nodes, edges: 0, dimensions, seed: 1, unembedded: 0 });
    const queries = makeQuestions(memory, 8, 2).map(({ embedding }) => embedding!);
    const index = indexOf(engine, memory, { dimensions, embeddings: form });
    const obvious =
      form === "f32" ? new ObviousVectors(memory.nodes) : new ObviousCodes(memory.nodes);
    const unrolled =
      form === "f32"
        ? new UnrolledVectors(memory.nodes, dimensions)
        : new UnrolledCodes(memory.nodes, dimensions);
    const [obviousQuery, unrolledQuery, engineQuery] = [
      inTurn(queries),
      inTurn(queries),
      inTurn(queries),
    ];
    const options = { limit: SIMILAR_TOP, now: NOW };
    const contestants = {
      obvious: () => obvious.similar(obviousQuery(), SIMILAR_TOP),
      unrolled: () => unrolled.similar(unrolledQuery(), SIMILAR_TOP),
      engine: () => answer(index.similar(engineQuery(), options)),
    };
    // Bytes that a scan reads: the codes and factors of all rows. An f32 index also reads a few
    // whole embeddings, which are not counted.
    const bytes = nodes * (dimensions + (form === "f32" ? 8 : 4));
    return {
      contestants: nodes > 10_000 ? singly(contestants) : contestants,
      remarks: ({ nanoseconds }: Outcome) => ({
        "codes read by the engine": throughput(bytes, nanoseconds.engine!),
        [`this machine copies ${whole(COPIED / 2 ** 20)} MiB (each byte read and written)`]:
          copySpeed(),
      }),
      close: () => index.free(),
      ...(nodes > 10_000 ? LONG : {}),
    };
  });
}

/** Bytes of a copy: more than any cache holds. */
const COPIED = 2 ** 27;

/** Returns the speed at which the machine copies memory with `Float32Array.set`. */
function copySpeed(): string {
  const from = new Float32Array(COPIED / 4).fill(1);
  const to = new Float32Array(COPIED / 4);
  const times = Array.from({ length: 9 }, () => {
    const start = performance.now();
    to.set(from);
    return (performance.now() - start) * 1e6;
  });
  return throughput(COPIED, median(times));
}

/** Returns the engine's search and the reference's, over the same prepared memory. */
function searchers(memory: GraphMemory, dimensions: number, engine: ResidentEngine) {
  const index = indexOf(engine, memory, { dimensions });
  const prepared = reference.prepareMemory(memory.nodes, memory.edges, { dimensions });
  return {
    index,
    byReference({ embedding, bm25 }: Question) {
      const { ranked, metrics, spread } = reference.search(
        prepared,
        embedding === undefined ? { bm25 } : { embedding, bm25 },
        { now: NOW },
      );
      const scores = Float64Array.from(ranked, ({ score }) => score);
      return {
        ids: ranked.map(({ id }) => id),
        scores,
        visited: metrics.nodes_activated,
        edges: spread.edges_traversed,
      };
    },
    byEngine: (question: Question) => search(index, question),
  };
}

/** Runs a search. Returns its results and statistics. */
export function search(index: MemoryIndex, { embedding, bm25 }: Question) {
  const { ranking, metrics } = index.search({ embedding, bm25, now: NOW });
  return { ...answer(ranking), visited: metrics.nodes_activated, edges: metrics.edges_traversed };
}

export function searchByWords(engine: ResidentEngine, nodes = 10_000): Deferred {
  return deferred(`search without vectors, ${VISITED} visited`, () => {
    const memory = makeMemory({ nodes, edges: 4 * nodes, dimensions: 0, seed: 1 });
    const { index, byReference, byEngine } = searchers(memory, 0, engine);
    const questions = makeQuestions(memory, 8, 2);
    for (const question of questions) {
      const { visited } = byReference(question);
      if (visited !== VISITED) throw new Error(`a question of the bench visits ${visited} nodes`);
    }
    const [referenceQuestion, engineQuestion] = [inTurn(questions), inTurn(questions)];
    return {
      contestants: {
        reference: () => byReference(referenceQuestion()),
        engine: () => byEngine(engineQuestion()),
      },
      close: () => index.free(),
    };
  });
}

export const wholeSearchName = (nodes: number, dimensions: number) =>
  `whole search, ${whole(nodes)} nodes × ${dimensions}, ${BM25_HITS} BM25 hits`;

export function wholeSearch(
  engine: ResidentEngine,
  nodes = 10_000,
  dimensions = DIMENSIONS,
): Deferred {
  return deferred(wholeSearchName(nodes, dimensions), () => {
    const memory = makeMemory({ nodes, edges: 4 * nodes, dimensions, seed: 1 });
    const { index, byReference, byEngine } = searchers(memory, dimensions, engine);
    const questions = makeQuestions(memory, 8, 2);
    const [referenceQuestion, engineQuestion] = [inTurn(questions), inTurn(questions)];
    return {
      contestants: {
        reference: () => byReference(referenceQuestion()),
        engine: () => byEngine(engineQuestion()),
      },
      close: () => index.free(),
      rounds: 9,
    };
  });
}

export function sweep(share: number, engine: ResidentEngine, nodes = SWEPT): Deferred {
  return deferred(`sweep, ${whole(nodes)} nodes, ${whole(share * 100)} % of them changing`, () => {
    const fading = makeFading(nodes, share, 1);
    const columns = new FadingColumns(fading);
    const index = indexOf(engine, { nodes: fading, edges: [] });
    return {
      contestants: singly({
        objects: () => sweepObjects(fading, NOW),
        "typed arrays": () => columns.sweep(NOW),
        tuned: () => columns.sweep(NOW, tunedDecay),
        engine: () => index.decay(NOW),
      }),
      close: () => index.free(),
      ...LONG,
    };
  });
}

/**
 * Both find the same thousand transitions. Between calls, untimed, these are written back and time
 * passes. There are too few thousands to warm up V8, so that a smaller memory serves for the
 * warm-up.
 */
export function transitions(engine: ResidentEngine, nodes = SWEPT): Deferred {
  return deferred(`transitions, ${whole(DUE)} of ${whole(nodes)} nodes`, () => {
    const rehearsed = fadingInSteps(engine, Math.min(nodes, REHEARSED));
    for (let step = 0; step < STEPS - 1; step++) {
      const { prepare, run } = step % 4 === 0 ? rehearsed.fullPass : rehearsed.found;
      prepare();
      run();
    }
    rehearsed.index.free();
    const { index, fullPass, found } = fadingInSteps(engine, nodes);
    return {
      contestants: { "full pass": fullPass, engine: found },
      close: () => index.free(),
      rounds: 15,
      turn: 1,
    };
  });
}

function fadingInSteps(engine: ResidentEngine, nodes: number) {
  const index = indexOf(engine, { nodes: makeDue(nodes, 1), edges: [] });
  let now = NOW;
  let found = index.transitions(now);
  const prepare = () => {
    if (now > NOW && Math.abs(found.length - DUE) > DUE / 100) {
      throw new Error(`a step of the bench has ${found.length} transitions`);
    }
    index.applyDecay(weakened(found));
    now += STEP;
  };
  const lap = (find: () => typeof found) => ({
    prepare,
    run: () => {
      found = find();
      return found;
    },
  });
  return {
    index,
    fullPass: lap(() => index.decay(now).transitions),
    found: lap(() => index.transitions(now)),
  };
}

/** Returns a lap that adds all batches to a new memory. */
function filling<M, B>(
  batches: readonly B[],
  make: () => M,
  add: (memory: M, batch: B) => unknown,
  free: (memory: M) => void = () => {},
) {
  let memory: M | undefined;
  const drop = () => {
    if (memory !== undefined) free(memory);
    memory = undefined;
  };
  const contestant: Contestant = {
    prepare() {
      drop();
      globalThis.gc?.();
      memory = make();
    },
    run() {
      for (const batch of batches) add(memory!, batch);
    },
  };
  return { contestant, drop };
}

export function upsert(dimensions: number, engine: ResidentEngine, nodes = 100_000): Deferred {
  const what = dimensions > 0 ? `nodes × ${dimensions}` : "nodes without vectors";
  return deferred(`upsert of ${whole(nodes)} ${what}, ${whole(BATCH)} at a time`, () => {
    const memory = makeMemory({ nodes, edges: 0, dimensions, seed: 1 });
    const batches = [...batchesOf(memory.nodes)];
    const obvious = filling(
      batches,
      () => new ObviousMemory(),
      (kept, batch) => kept.upsert(batch),
    );
    const byEngine = filling(
      batches,
      () => new engine.MemoryIndex({ dimensions }),
      (index, batch) => index.upsert(batch),
      (index) => index.free(),
    );
    return {
      contestants: { obvious: obvious.contestant, engine: byEngine.contestant },
      remarks: ({ nanoseconds }: Outcome) => ({
        "the engine takes in": perSecond(nodes, nanoseconds.engine!, "nodes"),
        "for a node": duration(nanoseconds.engine! / nodes),
      }),
      close: () => byEngine.drop(),
      ...FILLING,
    };
  });
}

export function link(engine: ResidentEngine, nodes = 100_000, edges = 4 * nodes): Deferred {
  return deferred(
    `link of ${whole(edges)} edges of ${whole(nodes)} nodes, ${whole(BATCH)} at a time`,
    () => {
      const memory = makeMemory({ nodes, edges, dimensions: 0, seed: 1 });
      const batches = [...batchesOf(memory.edges)];
      const unlinked = { nodes: memory.nodes, edges: [] };
      const obvious = filling(
        batches,
        () => obviousOf(unlinked),
        (kept, batch) => kept.link(batch),
      );
      const byEngine = filling(
        batches,
        () => indexOf(engine, unlinked),
        (index, batch) => index.link(batch),
        (index) => index.free(),
      );
      return {
        contestants: { obvious: obvious.contestant, engine: byEngine.contestant },
        remarks: ({ nanoseconds }: Outcome) => ({
          "the engine takes in": perSecond(edges, nanoseconds.engine!, "edges"),
          "for an edge": duration(nanoseconds.engine! / edges),
        }),
        close: () => byEngine.drop(),
        ...FILLING,
      };
    },
  );
}

export function memoryContests(engine: ResidentEngine): Deferred[] {
  return [
    ...RESIDENT_SIZES.flatMap((size) => [
      residentRerank(size, "ids", engine),
      residentRerank(size, "handles", engine),
    ]),
    ...SIMILAR_NODES.flatMap((nodes) => [
      similarTop(nodes, "f32", engine),
      similarTop(nodes, "i8", engine),
    ]),
    searchByWords(engine),
    wholeSearch(engine),
    ...CHANGING.map((share) => sweep(share, engine)),
    transitions(engine),
    upsert(0, engine),
    upsert(DIMENSIONS, engine),
    link(engine),
  ];
}
