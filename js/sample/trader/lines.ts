// The sample memory of a trading agent as lines of an export, which `nous-server import` and the page
// read.

import { generateSample, type SampleEdge, type SampleNode } from "./index.ts";
import { DAY } from "./market.ts";

const SOURCE = "sample";

/** Options that change the sample. */
export interface SampleOptions {
  /** The number of memories. */
  memories?: number;
  /** Returns the embedding of the memory at a place, as base64. Default: no embeddings. */
  embedding?: (place: number) => string;
}

/** Returns the lines of a sample, whose agent trades, that ends with the last whole day before `now`. */
export function sampleLines(now: number, { memories, embedding }: SampleOptions = {}): string[] {
  const end = toIso(Math.floor(now / DAY) * DAY);
  const { nodes, edges } = generateSample({ end, ...(memories === undefined ? {} : { memories }) });
  const lines = nodes.map((node, place) => ({
    ...nodeOf(node),
    embedding: embedding?.(place) ?? null,
  }));
  const rows = [{ kind: "agent", preset: "trading" }, ...lines, ...edges.map(edgeOf)];
  return rows.map((row) => JSON.stringify(row));
}

const toIso = (instant: number): string => new Date(instant).toISOString();

const nodeOf = (node: SampleNode) => ({
  kind: "node",
  id: node.id,
  type: node.type,
  subtype: node.subtype,
  content_title: node.content_title,
  content_summary: node.content_summary ?? null,
  content_body: node.content_body,
  neural_stability: node.stability,
  neural_retrievability: 1,
  neural_difficulty: node.difficulty,
  neural_access_count: node.access_count,
  neural_last_accessed: node.access_count === 0 ? null : toIso(node.last_accessed),
  state_lifecycle: "ACTIVE",
  provenance_source: SOURCE,
  provenance_created_at: node.provenance_created_at,
  layer: node.type === "episode" ? "episode" : "semantic",
  version: 1,
  last_modified: toIso(node.created_at),
  created_at: toIso(node.created_at),
  tags: node.tags,
});

const edgeOf = ({ created_at, ...edge }: SampleEdge) => ({
  kind: "edge",
  ...edge,
  confidence: 1,
  created_at: toIso(created_at),
});
