// The plain server's operations: one memory, one thread, answers in the format of the API.

import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { algorithmTypeFor, calculateDifficulty } from "../../../js/reference/decay.ts";
import { getInitialEdgeStrength } from "../../../js/reference/search.ts";
import {
  getInitialStabilityForSubtype,
  getSectionForSubtype,
} from "../../../js/reference/sections.ts";
import { sweep } from "../../../js/reference/sweep.ts";
import { Accesses } from "./accesses.ts";
import { closeDatabase } from "./database.ts";
import { fadedNow, withInstants } from "./fading.ts";
import type { NewEdge, NewNode, Question } from "./requests.ts";
import type { EdgeRow, FadingRow, NodeRow } from "./rows.ts";
import { type Memory, search } from "./search.ts";
import { Store } from "./store.ts";
import { Vectors } from "./vectors.ts";

const ID_LENGTH = 12;
const newId = (prefix: string) =>
  `${prefix}_${randomUUID().replaceAll("-", "").slice(0, ID_LENGTH)}`;

/** Returns a row as it is sent: without frames and tags, and with its section. */
const shown = (row: NodeRow) => ({
  ...row,
  frame: null,
  censors: [],
  tags: [],
  memory_section: getSectionForSubtype(row.subtype),
});
type ShownNode = ReturnType<typeof shown>;

/** The operations on one database. */
export class PlainMemory implements Memory {
  readonly store: Store;
  readonly vectors = new Vectors();
  readonly accesses: Accesses;
  readonly counts: Memory["counts"];
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.store = new Store(db);
    this.accesses = new Accesses(this.store);
    this.counts = this.store.counts();
    for (const { id, bytes } of this.store.vectors()) {
      this.vectors.add(id, new Float32Array(new Uint8Array(bytes).buffer));
    }
  }

  health() {
    const lifecycle: Record<string, number> = {};
    for (const { state_lifecycle } of this.#asOf(Date.now(), this.store.fading())) {
      lifecycle[state_lifecycle] = (lifecycle[state_lifecycle] ?? 0) + 1;
    }
    return {
      status: "ok",
      node_count: this.counts.nodes,
      edge_count: this.counts.edges,
      lifecycle,
    };
  }

  create({ embedding, ...given }: NewNode): ShownNode {
    const now = new Date().toISOString();
    const {
      type,
      content_title,
      subtype = null,
      content_summary = null,
      content_body = null,
    } = given;
    const length = content_body?.length ?? 0;
    const row: NodeRow = {
      id: newId("n"),
      type,
      subtype,
      content_title,
      content_summary,
      content_body,
      neural_stability: given.neural_stability ?? getInitialStabilityForSubtype(subtype),
      neural_retrievability: 1,
      neural_difficulty: calculateDifficulty(algorithmTypeFor(subtype, type), length, 0),
      neural_access_count: 0,
      neural_last_accessed: null,
      state_lifecycle: "ACTIVE",
      provenance_source: "agent",
      provenance_created_at: now,
      layer: type === "episode" ? "episode" : "semantic",
      version: 1,
      last_modified: now,
      created_at: now,
      embedding_model: null,
      temporal_event_time: null,
      temporal_event_confidence: null,
      temporal_event_source: null,
    };
    const vector = embedding === undefined ? null : Float32Array.from(embedding);
    this.store.insertNode(row, vector === null ? null : new Uint8Array(vector.buffer));
    if (vector !== null) this.vectors.add(row.id, vector);
    this.counts.nodes += 1;
    return shown(row);
  }

  read(id: string): ShownNode | undefined {
    const stored = this.store.node(id);
    return stored && shown(this.accesses.recall(stored, Date.now()));
  }

  list(type: string | null, subtype: string | null, limit: number) {
    const data = this.#asOf(Date.now(), this.store.newest(type, subtype, limit)).map(shown);
    return { data, count: data.length };
  }

  link({ source_id, target_id, type, strength = getInitialEdgeStrength(type) }: NewEdge): EdgeRow {
    const created_at = new Date().toISOString();
    const row = {
      id: newId("e"),
      type,
      subtype: null,
      source_id,
      target_id,
      strength,
      confidence: 1,
      created_at,
    };
    const edge = { ...row, neural_weight: strength };
    this.store.insertEdge(edge);
    this.counts.edges += 1;
    return edge;
  }

  edges(nodeId: string, direction: "in" | "out" | "both") {
    const data = this.store.edges(nodeId, direction);
    return { data, count: data.length };
  }

  search(question: Question) {
    const start = performance.now();
    const now = Date.now();
    const { ranked, asked, multiplier, usesVector, seeds, activated, kept, took } = search(
      this,
      question,
      now,
    );
    const ids = ranked.map(({ node }) => node.id);
    const rows = new Map(this.#asOf(now, this.store.nodes(ids)).map((row) => [row.id, row]));
    this.accesses.count(ids, now);
    const data = ranked.map(({ node, score, breakdown, primary_signal }) => ({
      ...shown(rows.get(node.id)!),
      score: Number(score.toFixed(4)),
      breakdown,
      primary_signal,
    }));
    return {
      data,
      count: data.length,
      metrics: {
        total_ms: performance.now() - start,
        parse_filters_ms: took.understanding,
        embed_queries_ms: 0,
        hybrid_seeding_ms: took.fullText,
        spreading_ms: took.spreading + took.ranking,
        seeds_found: seeds,
        nodes_activated: activated,
        nodes_filtered: kept,
        nodes_returned: data.length,
      },
      qcs: {
        query_type: asked.query_type,
        confidence: asked.confidence,
        disqualified: asked.disqualified,
        disqualifier_category: asked.disqualifier_category,
        used_embeddings: usesVector,
        ssa_multiplier: multiplier,
      },
    };
  }

  /** Computes every memory, and writes the changed ones in one statement. */
  sweep() {
    this.accesses.flush();
    const { report, changes } = sweep(this.store.fading().map(withInstants), Date.now());
    if (changes.length > 0) this.store.writeFaded(changes);
    return report;
  }

  #asOf<Row extends FadingRow>(now: number, rows: readonly Row[]): Row[] {
    return rows.map((row) => fadedNow(this.accesses.ahead(row), now));
  }

  close(): void {
    this.accesses.flush();
    closeDatabase(this.#db);
  }
}
