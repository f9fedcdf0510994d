// The contests of the engine's functions. `engine` is the package under test, or an earlier one.

import type * as Nous from "nous-wasm";
import * as reference from "../../js/reference/index.ts";
import {
  makeCandidates,
  makeColumns,
  makeMetrics,
  makeQueries,
  makeSubResults,
  NOW,
} from "../../js/reference/inputs.ts";
import * as plain from "../../js/reference/rivals/plain.ts";
import * as tuned from "../../js/reference/rivals/tuned.ts";
import { decayColumns as tunedDecay } from "../../js/reference/rivals/tuned-decay.ts";
import type { Contest } from "./compare.ts";
import { classifyIntent as includesLoop } from "./rivals/includes.ts";
import * as obvious from "./rivals/obvious.ts";

/** The exports of the package. */
export type Engine = typeof Nous;

/** Sizes of a batch of candidates. */
export const RERANK_SIZES = [10, 50, 200, 500, 2_000, 10_000, 100_000];
export const TOP = 20;
export const DECAY_NODES = [1_000, 100_000];
export const QUERY_LENGTHS = [60, 300, 2_000];
export const MERGE_SHAPES: [number, number][] = [
  [4, 25],
  [8, 1_000],
];

/** Returns a function that cycles through a list, so that V8 does not optimise for one input. */
export function inTurn<T>(inputs: readonly T[]): () => T {
  let next = 0;
  return () => inputs[next++ % inputs.length]!;
}

export function rerankFull(size: number, engine: Engine): Contest {
  const batches = batchesOf(size);
  const metrics = makeMetrics(1_000, 1);
  const contestant = (rank: typeof obvious.rerankWithSectionWeights) => {
    const batch = inTurn(batches);
    return () => rank(batch(), metrics, NOW);
  };
  return {
    name: `rerank ${size.toLocaleString("en")}, all results`,
    contestants: {
      obvious: contestant(obvious.rerankWithSectionWeights),
      plain: contestant(plain.rerankWithSectionWeights),
      tuned: contestant(tuned.rerankWithSectionWeights),
      engine: contestant(engine.rerankWithSectionWeights),
    },
    ...budget(size),
  };
}

export function rerankTop(size: number, engine: Engine): Contest {
  const batches = batchesOf(size);
  const metrics = makeMetrics(1_000, 1);
  const options = { limit: TOP, now: NOW };
  const plainTop = inTurn(batches);
  const contestant = (rank: typeof tuned.rerankTop) => {
    const batch = inTurn(batches);
    return () => rank(batch(), metrics, options);
  };
  return {
    name: `rerank ${size.toLocaleString("en")}, top ${TOP}`,
    contestants: {
      plain: () => plain.rerankWithSectionWeights(plainTop(), metrics, NOW).slice(0, TOP),
      tuned: contestant(tuned.rerankTop),
      engine: contestant(engine.rerankTop),
    },
    ...budget(size),
  };
}

function batchesOf(size: number) {
  const sets = size > 10_000 ? 1 : 3;
  return Array.from({ length: sets }, (_, seed) => makeCandidates(size, seed + 1));
}

function budget(size: number) {
  return size > 10_000 ? { rounds: 7, turn: 1e6 } : {};
}

export function decay(nodes: number, engine: Engine): Contest {
  const columns = makeColumns(nodes, 1);
  return {
    name: `decay, ${nodes.toLocaleString("en")} nodes in columns`,
    contestants: {
      "typed arrays": () => reference.decayColumns(columns, NOW),
      tuned: () => tunedDecay(columns, NOW),
      engine: () => engine.decayColumns(columns, NOW),
    },
  };
}

export function intent(length: number, engine: Engine): Contest {
  const queries = makeQueries(length, 16, 1);
  const contestant = (classify: (query: string) => unknown) => {
    const query = inTurn(queries);
    return () => classify(query());
  };
  return {
    name: `intent, ${length.toLocaleString("en")} characters`,
    contestants: {
      includes: contestant(includesLoop),
      engine: contestant(engine.classifyIntent),
    },
  };
}

export function merge([parts, each]: [number, number], engine: Engine): Contest {
  const subResults = makeSubResults(parts, each, 1);
  const options = { query: "which signals are firing, and what lessons do I have about that?" };
  return {
    name: `merge, ${parts} × ${each.toLocaleString("en")} results`,
    contestants: {
      reference: () => reference.mergeAndSelect(subResults, options),
      engine: () => engine.mergeAndSelect(subResults, options),
    },
  };
}

/** Returns the contests of all functions. */
export function allContests(engine: Engine): Contest[] {
  return [
    ...RERANK_SIZES.map((size) => rerankFull(size, engine)),
    ...RERANK_SIZES.map((size) => rerankTop(size, engine)),
    ...DECAY_NODES.map((nodes) => decay(nodes, engine)),
    ...QUERY_LENGTHS.map((length) => intent(length, engine)),
    ...MERGE_SHAPES.map((shape) => merge(shape, engine)),
  ];
}
