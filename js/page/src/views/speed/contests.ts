// The comparisons of the Speed view. All contestants of a contest get the same input and give the
// same results, which is checked before anything is measured. The code of the TypeScript and the
// tuned JavaScript is that of the project's own tests and benches.

import { decayColumns, type Embedder, MemoryIndex, rerankTop } from "nous-wasm";
import { decayColumns as plainDecay } from "../../../../reference/decay.ts";
import {
  type Columns,
  makeCandidates,
  makeColumns,
  NOW,
  pick,
  SUBTYPES,
} from "../../../../reference/inputs.ts";
import { ReferenceMemory } from "../../../../reference/memory.ts";
import { makeRandom } from "../../../../reference/random.ts";
import { rerankTop as plainTop } from "../../../../reference/rivals/plain.ts";
import { rerankTop as tunedTop } from "../../../../reference/rivals/tuned.ts";
import { decayColumns as tunedDecay } from "../../../../reference/rivals/tuned-decay.ts";

export type ContestName = "ask" | "rank" | "fade";

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

/** What memories in words are made of. */
export interface Words {
  /** The words of a text, as often as they stand in it. */
  words: readonly string[];
  /** Word vectors. */
  embedder: Embedder;
}

/** How far two results may lie apart. */
const EPSILON = 1e-9;
/** Whether two results are the same: browsers round powers and logarithms in their own ways. */
const isNear = (one: number, other: number): boolean => Math.abs(one - other) < EPSILON;

/** Prepares a contest over this many memories or candidates. */
export async function prepare(
  name: ContestName,
  size: number,
  wordsOf: () => Promise<Words>,
): Promise<Contest> {
  if (name === "ask") return asking(size, await wordsOf());
  return name === "rank" ? ranking(size) : fading(size);
}

/** How many different questions are asked, in turn. */
const QUESTIONS = 8;
/** How many answers a question gets. */
const ANSWERS = 10;
/** How many words a memory's title, its text and a question have. */
const LENGTHS = { title: 5, text: 35, question: 8 } as const;
/** The time between two memories, in milliseconds. */
const BETWEEN = 3_000_000;

/** Questions in words, by evidence. The engine knows their words from the first time on, as in use. */
function asking(size: number, { words, embedder }: Words): Contest {
  const random = makeRandom(SEED);
  const drawn = (length: number) =>
    Array.from({ length }, () => words[Math.floor(random() * words.length)]!).join(" ");
  const memories = Array.from({ length: size }, (_, place) => ({
    id: `n_${place}`,
    subtype: pick(random, SUBTYPES) ?? null,
    created_at: NOW - (size - place) * BETWEEN,
    title: drawn(LENGTHS.title),
    text: drawn(LENGTHS.text),
  }));
  const questions = Array.from({ length: QUESTIONS }, () => `${drawn(LENGTHS.question)}?`);
  const index = new MemoryIndex({ embedder });
  index.upsert(memories, { now: NOW });
  const plain = new ReferenceMemory({ embedder });
  plain.upsert(
    memories.map((memory) => ({ ...memory, clusters: [] })),
    { now: NOW },
  );
  const options = { limit: ANSWERS, now: NOW };
  const inTurn = (ask: (question: string) => unknown) => {
    let next = 0;
    return () => ask(questions[next++ % QUESTIONS]!);
  };
  return {
    calls: [
      inTurn((question) => index.ask(question, options)),
      inTurn((question) => plain.ask(question, options)),
    ],
    isEqual: questions.every((question) => {
      const [one, other] = [index, plain].map((memory) => memory.ask(question, options));
      return one!.every(({ id, score }, place) => {
        const same = other![place];
        return same?.id === id && isNear(same.score, score);
      });
    }),
    free: () => index.free(),
  };
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
    other!.retrievability.every((value, place) => isNear(value, first!.retrievability[place]!)) &&
    other!.lifecycle.every((value, place) => value === first!.lifecycle[place]);
  return { calls, isEqual: others.every(isSame), free: () => {} };
}
