// The search of Hynous' Nous server over its database, in full. Plain on purpose: this is the
// yardstick of the compatibility tests. Times in the database without a zone are UTC.

import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { checkDisqualifiers, classifyQueryType } from "./query.ts";
import { rerankTop, type SignalBreakdown } from "./rerank.ts";
import {
  extractTerms,
  fullTextQuery,
  prepareMemory,
  type ScoredId,
  SEARCH_DEFAULTS,
  seed,
  spread,
} from "./search.ts";

export interface HynousRequest {
  query: string;
  type?: string;
  subtype?: string;
  lifecycle?: string;
  limit?: number;
  time_range?: { start: string; end: string; type: "event" | "ingestion" | "any" };
  cluster_ids?: string[];
}

export interface HynousFound {
  id: string;
  /** With four decimals; null for a lookup by LIKE. */
  score?: number;
  breakdown?: SignalBreakdown;
  primary_signal?: string;
}

interface Row {
  id: string;
  type: string;
  subtype: string | null;
  neural_last_accessed: string | null;
  neural_access_count: number | null;
  provenance_created_at: string;
  created_at: string;
  state_lifecycle: string;
  temporal_event_time: string | null;
  embedding_vector: ArrayBuffer | Uint8Array | null;
}

const SEEDS = 15;
const HITS = 45;

const msOf = (time: string): number =>
  Date.parse(/Z|[+-]\d\d:?\d\d$/.test(time) ? time : `${time.replace(" ", "T")}Z`);

/**
 * `embedding` is the provider's embedding of the question; `hasProvider` is whether a provider is
 * configured.
 */
export function hynousSearch(
  db: DatabaseSync,
  request: HynousRequest,
  {
    now,
    embedding,
    hasProvider = false,
  }: { now: number; embedding?: Float32Array; hasProvider?: boolean },
): HynousFound[] {
  const all = <T>(sql: string, ...values: SQLInputValue[]) => db.prepare(sql).all(...values) as T[];
  const { query, type, subtype, lifecycle, time_range, cluster_ids = [] } = request;
  const limit = Math.min(request.limit ?? 10, 100);
  const isLookup =
    classifyQueryType(query).type === "LOOKUP" && !checkDisqualifiers(query).disqualified;
  const wanted = limit * (isLookup ? 2 : 3);

  if (wanted < 1 || wanted > 100 || query.length > 2_000) {
    const conditions = { type, subtype, state_lifecycle: lifecycle };
    const given = Object.entries(conditions).flatMap(([column, value]) =>
      value === undefined ? [] : [[column, value] as const],
    );
    const sql = `SELECT id FROM nodes WHERE (content_title LIKE ? OR content_body LIKE ? OR content_summary LIKE ?)
      ${given.map(([column]) => `AND ${column} = ?`).join(" ")} ORDER BY created_at DESC LIMIT ?`;
    return all<HynousFound>(
      sql,
      ...Array(3).fill(`%${query}%`),
      ...given.map(([, value]) => value),
      limit,
    );
  }

  const rows = new Map(all<Row>("SELECT * FROM nodes ORDER BY rowid").map((row) => [row.id, row]));
  const edges = all<{
    id: string;
    source_id: string;
    target_id: string;
    type: string;
    strength: number;
  }>("SELECT * FROM edges ORDER BY rowid");
  const memory = prepareMemory(
    [...rows.values()].map(({ id, type }) => ({ id, type, created_at: 0, access_count: 0 })),
    edges,
    { dimensions: 0 },
  );
  // Outgoing edges of a memory come before incoming ones.
  for (const [id, neighbours] of memory.neighbours) {
    const isOut = ({ edge }: (typeof neighbours)[number]) => edge.source_id === id;
    memory.neighbours.set(id, [
      ...neighbours.filter(isOut),
      ...neighbours.filter((one) => !isOut(one)),
    ]);
  }

  const terms = extractTerms(query);
  let hits: { id: string; rank: number }[] = [];
  try {
    if (terms.length > 0) {
      const sql = `SELECT n.id, rank FROM nodes_fts f JOIN nodes n ON n.rowid = f.rowid
        WHERE nodes_fts MATCH ? ORDER BY rank LIMIT ${HITS}`;
      hits = all(sql, fullTextQuery(terms));
    }
  } catch {
    // A question that full text cannot parse has no results.
  }
  const best = Math.max(...hits.map(({ rank }) => Math.abs(rank)), 0.001);
  const bm25 = hits.map(({ id, rank }) => ({ id, score: Math.abs(rank) / best }));
  const vector = isLookup || embedding === undefined ? [] : nearest([...rows.values()], embedding);

  const members = new Map<string, Set<string>>();
  for (const { node_id, cluster_id } of all<{ node_id: string; cluster_id: string }>(
    "SELECT * FROM cluster_memberships",
  )) {
    members.set(node_id, (members.get(node_id) ?? new Set()).add(cluster_id));
  }
  const isAsked = (node: { id: string; type: string }) =>
    (type === undefined || node.type === type) &&
    (cluster_ids.length === 0 || cluster_ids.some((id) => members.get(node.id)?.has(id)));
  const config = {
    ...SEARCH_DEFAULTS,
    max_seeds: SEEDS,
    seed_threshold: hasProvider ? 0.15 : 0.05,
  };
  const seeds = seed(memory, { vector, bm25 }, config, isAsked);
  // Neighbours carry no clusters, so no neighbour passes a filter of clusters.
  const { activated } = spread(
    memory,
    seeds,
    config,
    (node) => cluster_ids.length === 0 && isAsked(node),
  );
  const kept = activated.filter(({ is_seed }) => is_seed);
  const largest = Math.max(...kept.map(({ activation }) => activation));
  const candidates = kept.map(({ id, activation }) => {
    const row = rows.get(id)!;
    const { vector_score, bm25_score } = seeds.find(({ node_id }) => node_id === id)!;
    return {
      ...{
        id,
        subtype: row.subtype,
        semantic_score: vector_score,
        bm25_score,
        graph_score: activation / largest,
      },
      last_accessed: msOf(row.neural_last_accessed || row.provenance_created_at),
      created_at: msOf(row.created_at),
      access_count: row.neural_access_count ?? 0,
      inbound_edge_count: edges.filter(({ target_id }) => target_id === id).length,
    };
  });
  const average = rows.size === 0 ? 0 : edges.length / rows.size;
  const metrics = { total_nodes: rows.size, total_edges: edges.length, density: 0 };
  const averages = { avg_inbound_edges: average, avg_outbound_edges: average };
  const ranked = rerankTop(
    candidates,
    { ...metrics, ...averages },
    { limit: wanted, now, sections: true },
  );

  const isWithin = (time: string | null) =>
    time !== null && msOf(time) >= msOf(time_range!.start) && msOf(time) <= msOf(time_range!.end);
  const passes = ({
    subtype: own,
    state_lifecycle,
    temporal_event_time,
    provenance_created_at,
  }: Row) => {
    if (subtype !== undefined && own !== subtype) return false;
    if (lifecycle !== undefined && state_lifecycle !== lifecycle) return false;
    if (time_range === undefined) return true;
    const isOfEvent = time_range.type !== "ingestion" && isWithin(temporal_event_time);
    return isOfEvent || (time_range.type !== "event" && isWithin(provenance_created_at));
  };
  return ranked
    .filter(({ node }) => passes(rows.get(node.id)!))
    .slice(0, limit)
    .map(({ node, score, breakdown, primary_signal }) => ({
      ...{ id: node.id, score: Math.round(score * 10_000) / 10_000, breakdown, primary_signal },
    }));
}

/**
 * The rows most similar to a vector, by the cosine of the stored vectors; equal ones in the order
 * of the rows.
 */
function nearest(rows: readonly Row[], asked: Float32Array): ScoredId[] {
  const scored: ScoredId[] = [];
  for (const { id, embedding_vector } of rows) {
    if (embedding_vector === null) continue;
    const vector = new Float32Array(new Uint8Array(embedding_vector).buffer);
    if (vector.length !== asked.length) continue;
    let [product, a, b] = [0, 0, 0];
    for (let at = 0; at < asked.length; at++) {
      product += asked[at]! * vector[at]!;
      a += asked[at]! * asked[at]!;
      b += vector[at]! * vector[at]!;
    }
    scored.push({ id, score: product / (Math.sqrt(a) * Math.sqrt(b)) });
  }
  return scored.sort((a, b) => b.score - a.score).slice(0, HITS);
}
