// The comparisons of the Speed view. All contestants of a contest get the same input and give the
// same results, which is checked before anything is measured. The code of the TypeScript and the
// tuned JavaScript is that of the project's own tests and benches.

import { decayColumns, MemoryIndex, rerankTop } from "nous-wasm";
import { decayColumns as plainDecay } from "../../../../reference/decay.ts";
import { type Columns, makeCandidates, makeColumns, NOW } from "../../../../reference/inputs.ts";
import { rerankTop as plainTop } from "../../../../reference/rivals/plain.ts";
import { rerankTop as tunedTop } from "../../../../reference/rivals/tuned.ts";
import { decayColumns as tunedDecay } from "../../../../reference/rivals/tuned-decay.ts";

export type ContestName = "rank" | "fade";

/** How many results a ranking returns. */
const TOP = 20;
const SEED = 7;

/** A contest that is ready to run. */
export interface Contest {
  /** A call for each contestant, in the order of the view; the engine comes first. */
  calls: (() => unknown)[];
  /** Whether all contestants give the same results. */
  isEqual: boolean;
  free(): void;
}

/** Prepares a contest over this many candidates or memories. */
export function prepare(name: ContestName, size: number): Contest {
  return name === "rank" ? ranking(size) : fading(size);
}

function ranking(size: number): Contest {
  // An index counts the links of its nodes itself; this one has no links.
  const candidates = makeCandidates(size, SEED, { instants: "ms" }).map((node) => ({
    ...node,
    inbound_edge_count: 0,
  }));
  const metrics = { total_nodes: size, total_edges: 0, density: 0 };
  const graph = { ...metrics, avg_inbound_edges: 0, avg_outbound_edges: 0 };
  const options = { limit: TOP, now: NOW };
  const index = new MemoryIndex();
  index.upsert(
    candidates.map(({ id, subtype, created_at, last_accessed, access_count }) => ({
      ...{ id, subtype, created_at, last_accessed, access_count },
    })),
    { now: NOW },
  );
  const column = (field: "semantic_score" | "bm25_score" | "graph_score") =>
    Float64Array.from(candidates, (node) => node[field] ?? 0);
  const resident = {
    handles: index.handles(candidates.map(({ id }) => id)),
    semantic: column("semantic_score"),
    bm25: column("bm25_score"),
    graph: column("graph_score"),
  };
  const ofEngine = () => rerankTop(candidates, graph, options);
  const ofIndex = () => index.rerank(resident, options);
  const ofPlain = () => plainTop(candidates, graph, options);
  const ofTuned = () => tunedTop(candidates, graph, options);
  const ids = [ofEngine(), ofPlain(), ofTuned()].map((ranked) => ranked.map(({ node }) => node.id));
  ids.push([...ofIndex().ids]);
  return {
    calls: [ofEngine, ofIndex, ofPlain, ofTuned],
    isEqual: ids.every((list) => list.join() === ids[0]!.join()),
    free: () => index.free(),
  };
}

function fading(size: number): Contest {
  const columns: Columns = makeColumns(size, SEED);
  const calls = [
    () => decayColumns(columns, NOW),
    () => plainDecay(columns, NOW),
    () => tunedDecay(columns, NOW),
  ];
  const [first, ...others] = calls.map((call) => call());
  const isSame = (other: typeof first) =>
    other!.retrievability.every((value, place) => value === first!.retrievability[place]) &&
    other!.lifecycle.every((value, place) => value === first!.lifecycle[place]);
  return { calls, isEqual: others.every(isSame), free: () => {} };
}
