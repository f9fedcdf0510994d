// The obvious resident memory: a Map of objects, and an array of embeddings. Ranking builds
// candidates from the Map, ranks them by the obvious ranking, and cuts the list. Similarity
// computes a dot product for each row, sorts, and cuts.

import {
  normalise,
  type Quantised,
  quantise,
  quantiseQuery,
} from "../../../js/reference/search.ts";
import type { Instant } from "../../../js/reference/signals.ts";
import type { GraphEdge, GraphNode } from "../../../tests/parity/inputs/graphs.ts";
import { rerankWithSectionWeights } from "./obvious.ts";

export interface CandidateColumns {
  ids: readonly string[];
  semantic: Float64Array;
  bm25: Float64Array;
  graph: Float64Array;
}

export interface Top {
  ids: string[];
  scores: ArrayLike<number>;
}

type KeptNode = GraphNode & { inbound_edge_count: number };

/** Nodes and edges as objects. Every added edge must be new, between existing nodes. */
export class ObviousMemory {
  readonly nodes = new Map<string, KeptNode>();
  readonly edges = new Map<string, GraphEdge>();
  readonly neighbours = new Map<string, GraphEdge[]>();

  upsert(nodes: readonly GraphNode[]): void {
    for (const node of nodes) {
      const embedding = node.embedding && normalise(node.embedding);
      this.nodes.set(node.id, { ...node, embedding, inbound_edge_count: 0 });
    }
  }

  link(edges: readonly GraphEdge[]): void {
    for (const given of edges) {
      const edge = { ...given };
      this.edges.set(edge.id, edge);
      this.#neighboursOf(edge.source_id).push(edge);
      if (edge.target_id !== edge.source_id) this.#neighboursOf(edge.target_id).push(edge);
      this.nodes.get(edge.target_id)!.inbound_edge_count += 1;
    }
  }

  rerank({ ids, semantic, bm25, graph }: CandidateColumns, now: Instant, limit: number): Top {
    const candidates = ids.map((id, i) => {
      const { subtype, created_at, last_accessed, access_count, inbound_edge_count } =
        this.nodes.get(id)!;
      return {
        id,
        semantic_score: semantic[i],
        bm25_score: bm25[i],
        graph_score: graph[i],
        last_accessed: last_accessed ?? created_at,
        created_at,
        access_count,
        inbound_edge_count,
        subtype,
      };
    });
    const average = this.edges.size / this.nodes.size;
    const metrics = {
      total_nodes: this.nodes.size,
      total_edges: this.edges.size,
      density: this.edges.size / (this.nodes.size * (this.nodes.size - 1)),
      avg_inbound_edges: average,
      avg_outbound_edges: average,
    };
    const ranked = rerankWithSectionWeights(candidates, metrics, now).slice(0, limit);
    return { ids: ranked.map(({ node }) => node.id), scores: ranked.map(({ score }) => score) };
  }

  #neighboursOf(id: string): GraphEdge[] {
    const known = this.neighbours.get(id);
    if (known !== undefined) return known;
    const edges: GraphEdge[] = [];
    this.neighbours.set(id, edges);
    return edges;
  }
}

/** Embeddings as one object for each row: its id, and the embedding at length 1. */
export class ObviousVectors {
  readonly rows: { id: string; row: Float32Array }[];

  constructor(nodes: readonly GraphNode[]) {
    this.rows = nodes
      .filter((node) => node.embedding !== null)
      .map((node) => ({ id: node.id, row: normalise(node.embedding!) }));
  }

  similar(embedding: Float32Array, limit: number): Top {
    const query = normalise(embedding);
    const scored = this.rows.map(({ id, row }) => {
      let score = 0;
      for (let i = 0; i < row.length; i++) score += row[i]! * query[i]!;
      return { id, score };
    });
    return best(scored, limit);
  }
}

/** Like `ObviousVectors`, with a byte for each component. */
export class ObviousCodes {
  readonly rows: { id: string; row: Quantised }[];

  constructor(nodes: readonly GraphNode[]) {
    this.rows = new ObviousVectors(nodes).rows.map(({ id, row }) => ({ id, row: quantise(row) }));
  }

  similar(embedding: Float32Array, limit: number): Top {
    const query = quantiseQuery(normalise(embedding));
    const scored = this.rows.map(({ id, row }) => {
      let sum = 0;
      for (let i = 0; i < row.codes.length; i++) sum += row.codes[i]! * query.codes[i]!;
      return { id, score: sum * row.scale * query.scale };
    });
    return best(scored, limit);
  }
}

function best(scored: { id: string; score: number }[], limit: number): Top {
  const top = scored.sort((a, b) => b.score - a.score).slice(0, limit);
  return { ids: top.map(({ id }) => id), scores: Float64Array.from(top, ({ score }) => score) };
}
