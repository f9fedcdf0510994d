// From a question to candidates: words find memories (BM25 of minisearch over kind, title, text and tags), and one
// hop over the edges finds what is tied to the best of them. There are no embeddings here, so no semantic score.

import MiniSearch from "minisearch";
import type { GraphMetrics, ScoredNode } from "nous-wasm";
import { EDGE_STRENGTH, type Sample, type SampleEdge, type SampleNode, sampleAt } from "../sample/index.ts";

/** A candidate, and the memory it stands for. */
export interface Candidate extends ScoredNode {
  memory: SampleNode;
}

export interface Found {
  candidates: Candidate[];
  /** How many were found by their words; the others came over the edges. */
  byWords: number;
}

/** BM25 hits that become candidates, at most. */
const MOST_HITS = 150;
/** And each has to have this share of the best one's score: the seed threshold of 0.05 over BM25's weight of 0.3. */
const LEAST_SHARE = 0.05 / 0.3;
/** BM25 hits from which activation spreads. */
const SEEDS = 12;
/** What one hop leaves of the activation. */
const HOP_DECAY = 0.8;
/** Activation that is too weak to make a candidate. */
const LEAST_ACTIVATION = 0.05;
/** A word in the title counts as much as so many in the text. */
const TITLE_BOOST = 2;

/** Words that say how something is asked, or when, and not what about. */
const STOP_WORDS = new Set(
  (
    "a about am an and any are as at be been before but by can could did do does for from get had has have how i if in " +
    "into is it its me my of on or our should so than that the their them then there these they this to us was we were " +
    "what when where which who why will with would you your day days happened last now right today week weeks yesterday"
  ).split(" "),
);

/** A word as the index keeps it: lower-case, without the s of a plural; nothing for a stop word. */
function term(word: string): string | null {
  const lower = word.toLowerCase();
  if (STOP_WORDS.has(lower)) return null;
  return lower.length > 3 && lower.endsWith("s") && !lower.endsWith("ss") ? lower.slice(0, -1) : lower;
}

/** The kind of a memory in words: "trade close" for custom:trade_close. */
function kindOf({ subtype }: SampleNode): string {
  return subtype.slice("custom:".length).replaceAll("_", " ");
}

/** The text of a body, which may be JSON with a `text` in it. */
export function textOf(body: string): string {
  return body.startsWith("{") ? (JSON.parse(body) as { text: string }).text : body;
}

/** The memory as it is at one instant, ready to be searched. */
export class Library {
  readonly nodes: readonly SampleNode[];
  readonly edges: readonly SampleEdge[];
  readonly metrics: GraphMetrics;
  readonly #byId: ReadonlyMap<string, SampleNode>;
  readonly #neighbours = new Map<string, { id: string; weight: number }[]>();
  readonly #inbound = new Map<string, number>();
  readonly #index: MiniSearch<SampleNode>;

  constructor(
    sample: Sample,
    readonly at: number,
  ) {
    const { nodes, edges } = sampleAt(sample, at);
    this.nodes = nodes;
    this.edges = edges;
    this.#byId = new Map(nodes.map((node) => [node.id, node]));
    for (const edge of edges) {
      this.#tie(edge.source_id, edge.target_id, EDGE_STRENGTH[edge.type]);
      this.#tie(edge.target_id, edge.source_id, EDGE_STRENGTH[edge.type]);
      this.#inbound.set(edge.target_id, (this.#inbound.get(edge.target_id) ?? 0) + 1);
    }
    const count = Math.max(nodes.length, 1);
    this.metrics = {
      total_nodes: nodes.length,
      total_edges: edges.length,
      density: count > 1 ? edges.length / (count * (count - 1)) : 0,
      avg_inbound_edges: edges.length / count,
      avg_outbound_edges: edges.length / count,
    };
    this.#index = new MiniSearch<SampleNode>({
      fields: ["kind", "title", "text", "tags"],
      extractField: (node, field) => {
        if (field === "id") return node.id;
        if (field === "kind") return kindOf(node);
        if (field === "title") return node.content_title;
        return field === "tags" ? node.tags.join(" ") : textOf(node.content_body);
      },
      processTerm: term,
      searchOptions: { boost: { title: TITLE_BOOST } },
    });
    this.#index.addAll(nodes);
  }

  #tie(from: string, to: string, weight: number): void {
    const known = this.#neighbours.get(from);
    if (known) known.push({ id: to, weight });
    else this.#neighbours.set(from, [{ id: to, weight }]);
  }

  find(question: string): Found {
    const all = this.#index.search(question);
    const least = (all[0]?.score ?? 0) * LEAST_SHARE;
    const hits = all.slice(0, MOST_HITS).filter((hit) => hit.score >= least);
    const words = new Map(hits.map((hit) => [hit.id as string, hit.score]));
    const activation = this.#spread(hits);
    const ids = new Set([...words.keys(), ...activation.keys()]);
    const candidates = [...ids].flatMap((id): Candidate[] => {
      const memory = this.#byId.get(id);
      if (!memory) return [];
      return [
        {
          id,
          subtype: memory.subtype,
          bm25_score: words.get(id) ?? 0,
          graph_score: activation.get(id) ?? 0,
          last_accessed: memory.last_accessed,
          created_at: memory.created_at,
          access_count: memory.access_count,
          inbound_edge_count: this.#inbound.get(id) ?? 0,
          memory,
        },
      ];
    });
    return { candidates, byWords: words.size };
  }

  /** One hop from the best hits, each as strong as its words; the strongest in all counts as 1. */
  #spread(hits: readonly { id: string; score: number }[]): Map<string, number> {
    const best = hits[0]?.score ?? 0;
    const activation = new Map<string, number>();
    const add = (id: string, amount: number) => activation.set(id, (activation.get(id) ?? 0) + amount);
    for (const hit of hits.slice(0, SEEDS)) {
      const own = hit.score / best;
      add(hit.id, own);
      for (const { id, weight } of this.#neighbours.get(hit.id) ?? []) {
        const spread = own * weight * HOP_DECAY;
        if (spread >= LEAST_ACTIVATION) add(id, spread);
      }
    }
    const most = Math.max(0, ...activation.values());
    return new Map([...activation].map(([id, value]) => [id, value / most]));
  }
}
