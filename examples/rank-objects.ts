// Ranks candidates that your own store found, and says why the first one is first.

import { rerankTop, SECTION_PROFILES } from "nous-wasm";

const now = new Date("2026-03-01T12:00:00Z");
const candidates = [
  {
    id: "lesson",
    subtype: "custom:lesson",
    semantic_score: 0.82,
    bm25_score: 3.1,
    last_accessed: new Date("2026-01-10"),
    created_at: new Date("2025-11-02"),
    access_count: 7,
    inbound_edge_count: 3,
  },
  {
    id: "signal",
    subtype: "custom:signal",
    semantic_score: 0.61,
    bm25_score: 3.4,
    last_accessed: new Date("2026-03-01T09:00:00Z"),
    created_at: new Date("2026-03-01T09:00:00Z"),
    access_count: 0,
    inbound_edge_count: 0,
  },
];
const metrics = {
  total_nodes: 2,
  total_edges: 3,
  density: 1,
  avg_inbound_edges: 1.5,
  avg_outbound_edges: 1.5,
};

for (const { node, score, breakdown, primary_signal } of rerankTop(candidates, metrics, {
  limit: 2,
  now,
})) {
  console.log(`${node.id}: ${score.toFixed(3)}, mostly ${primary_signal}`, breakdown);
}
console.log("weights of a lesson:", SECTION_PROFILES.KNOWLEDGE.reranking_weights);
