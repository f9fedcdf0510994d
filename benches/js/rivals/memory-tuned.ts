// The best ranking of resident rows we know to write in JavaScript without WASM. Fields are typed
// arrays by node number, exp and tanh are tables, and the top results are a short sorted list,
// whose last entry rejects most rows at once.

import {
  MEMORY_SECTIONS,
  SECTION_PROFILES,
  SUBTYPE_TO_SECTION,
} from "../../../js/reference/sections.ts";
import type { GraphEdge, GraphNode } from "../../../tests/parity/inputs/graphs.ts";
import type { CandidateColumns, Top } from "./memory-obvious.ts";

const MS_PER_DAY = 86_400_000;

/** exp(−d / 30) by whole days d, for eleven years. Beyond that exp itself is called. */
const RECENCY = Float64Array.from({ length: 4096 }, (_, d) => Math.exp(-d / 30));

/**
 * tanh(c / 10) by count c. From 220 on it is 1 to the bit, so that the last entry serves all higher
 * counts.
 */
const FREQUENCY = Float64Array.from({ length: 256 }, (_, c) => Math.tanh(c / 10));

const SIGNALS = ["semantic", "keyword", "graph", "recency", "authority", "affinity"] as const;

/** Six weights for each section code. */
const WEIGHTS = Float64Array.from(
  MEMORY_SECTIONS.flatMap((section) =>
    SIGNALS.map((signal) => SECTION_PROFILES[section].reranking_weights[signal]),
  ),
);
const CODES = new Map<string | null, number>(
  Object.entries(SUBTYPE_TO_SECTION).map(([subtype, section]) => [
    subtype,
    MEMORY_SECTIONS.indexOf(section),
  ]),
);
const DEFAULT_CODE = MEMORY_SECTIONS.indexOf("KNOWLEDGE");

/** Candidates by their numbers. */
export type NumberedColumns = Omit<CandidateColumns, "ids"> & { handles: Uint32Array };

/** Nodes as columns by number. */
export class TunedMemory {
  readonly #ids: string[];
  readonly #numbers: Map<string, number>;
  readonly #lastAccessed: Float64Array;
  readonly #createdAt: Float64Array;
  readonly #accessCount: Uint32Array;
  readonly #inbound: Uint32Array;
  readonly #section: Uint8Array;
  readonly #averageInbound: number;
  /** Grows, never shrinks. */
  #scratch = new Uint32Array(0);

  constructor(nodes: readonly GraphNode[], edges: readonly GraphEdge[]) {
    this.#ids = nodes.map((node) => node.id);
    this.#numbers = new Map(this.#ids.map((id, number) => [id, number]));
    this.#lastAccessed = Float64Array.from(nodes, (node) => node.last_accessed ?? node.created_at);
    this.#createdAt = Float64Array.from(nodes, (node) => node.created_at);
    this.#accessCount = Uint32Array.from(nodes, (node) => node.access_count);
    this.#section = Uint8Array.from(nodes, (node) => CODES.get(node.subtype) ?? DEFAULT_CODE);
    this.#inbound = new Uint32Array(nodes.length);
    for (const edge of edges) this.#inbound[this.#numbers.get(edge.target_id)!]!++;
    this.#averageInbound = edges.length / nodes.length;
  }

  handles(ids: readonly string[]): Uint32Array {
    return this.#look(ids).slice();
  }

  rerankIds(candidates: CandidateColumns, now: number, limit: number): Top {
    return this.#rank(this.#look(candidates.ids), candidates, now, limit);
  }

  rerank(candidates: NumberedColumns, now: number, limit: number): Top {
    return this.#rank(candidates.handles, candidates, now, limit);
  }

  #look(ids: readonly string[]): Uint32Array {
    const count = ids.length;
    if (count > this.#scratch.length)
      this.#scratch = new Uint32Array(Math.max(1024, count, 2 * this.#scratch.length));
    const numbers = this.#numbers;
    const found = this.#scratch;
    for (let i = 0; i < count; i++) found[i] = numbers.get(ids[i]!)!;
    return found.subarray(0, count);
  }

  #rank(
    handles: Uint32Array,
    { semantic, bm25, graph }: Omit<CandidateColumns, "ids">,
    now: number,
    limit: number,
  ): Top {
    // Locals for all constants and columns: V8 reloads fields and module variables in every
    // iteration.
    const recencyTable = RECENCY;
    const recencyDays = RECENCY.length;
    const frequencyTable = FREQUENCY;
    const lastFrequency = FREQUENCY.length - 1;
    const w = WEIGHTS;
    const msPerDay = MS_PER_DAY;
    const newNodeMs = 7 * MS_PER_DAY;
    const averageInbound = this.#averageInbound;
    const lastAccessed = this.#lastAccessed;
    const createdAt = this.#createdAt;
    const accessCount = this.#accessCount;
    const inbound = this.#inbound;
    const section = this.#section;

    const count = handles.length;
    const wanted = Math.min(limit, count);
    // Plain arrays: for few elements they are allocated faster than typed arrays.
    const scores = new Array<number>(wanted);
    const best = new Array<number>(wanted);
    if (wanted === 0) return { ids: [], scores };

    let maxBM25 = 0;
    for (let i = 0; i < count; i++) if (bm25[i]! > maxBM25) maxBM25 = bm25[i]!;

    let filled = 0;
    let last = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      const node = handles[i]!;
      const idle = (now - lastAccessed[node]!) / msPerDay;
      const fresh =
        idle >= 0 && idle < recencyDays
          ? recencyTable[idle | 0]!
          : Math.exp(-Math.floor(idle) / 30);
      const accesses = accessCount[node]!;
      const frequency = frequencyTable[accesses < lastFrequency ? accesses : lastFrequency]!;
      const keyword = maxBM25 === 0 ? 0.5 : count === 1 ? 1 : bm25[i]! / maxBM25;
      const authority =
        averageInbound === 0 ? 0.5 : Math.min(inbound[node]! / averageInbound / 2, 1);
      const affinity = Math.min(
        frequency * fresh + (now - createdAt[node]! < newNodeMs ? 0.2 : 0),
        1,
      );
      const at = section[node]! * 6;
      const score =
        w[at]! * semantic[i]! +
        w[at + 1]! * keyword +
        w[at + 2]! * graph[i]! +
        w[at + 3]! * fresh +
        w[at + 4]! * authority +
        w[at + 5]! * affinity;

      if (filled === wanted && !(score > last)) continue;
      let place = filled < wanted ? filled++ : wanted - 1;
      while (place > 0 && scores[place - 1]! < score) {
        scores[place] = scores[place - 1]!;
        best[place] = best[place - 1]!;
        place--;
      }
      scores[place] = score;
      best[place] = node;
      last = scores[wanted - 1]!;
    }

    const ids = new Array<string>(wanted);
    for (let i = 0; i < wanted; i++) ids[i] = this.#ids[best[i]!]!;
    return { ids, scores };
  }
}
