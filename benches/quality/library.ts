// The sample memory at one instant, as a store keeps it for rankings by signals: nodes and edges in a
// `MemoryIndex`, and the store's full-text index, here minisearch (BM25 over kind, title, text and
// tags). Words find memories, edges lead to further ones, and no memory is found by meaning.

import MiniSearch from "minisearch";
import {
  type Bm25Hit,
  MemoryIndex,
  type Ranking,
  type SearchConfig,
  type SearchResult,
} from "nous-wasm";
import {
  kindOf,
  type Sample,
  type SampleEdge,
  type SampleNode,
  sampleAt,
  textOf,
} from "../../js/sample/trader/index.ts";

/** The most full-text hits of a search. */
const MAX_HITS = 45;
/**
 * Without embeddings, activation starts at 0.3 at most, the weight of words, and every hit may be a
 * seed. Below 0.1 it would spread to memories that are merely recent. The sample's edge types are
 * those of a store.
 */
const SEARCH: SearchConfig = {
  graphReach: true,
  maxSeeds: MAX_HITS,
  minThreshold: 0.1,
  edgeWeight: "stored_type",
};
/** The weight of a word in the title, relative to a word in the text. */
const TITLE_BOOST = 2;

/** Words about how or when a question is asked, not about its subject. */
const STOP_WORDS = new Set(
  (
    "a about am an and any are as at be been before but by can could did do does for from get had has have how i if in " +
    "into is it its me my of on or our should so than that the their them then there these they this to us was we were " +
    "what when where which who why will with would you your day days happened last now right today week weeks yesterday"
  ).split(" "),
);

/** Returns a word as the index stores it: lower case, without a plural s; null for a stop word. */
export function term(word: string): string | null {
  const lower = word.toLowerCase();
  if (STOP_WORDS.has(lower)) return null;
  return lower.length > 3 && lower.endsWith("s") && !lower.endsWith("ss")
    ? lower.slice(0, -1)
    : lower;
}

/** The memory at one instant, ready to be searched. Call `free` at the end. */
export class Library {
  readonly nodes: readonly SampleNode[];
  readonly edges: readonly SampleEdge[];
  readonly at: number;
  readonly #index: MemoryIndex;
  readonly #byId: ReadonlyMap<string, SampleNode>;
  readonly #words: MiniSearch<SampleNode>;

  constructor(sample: Sample, at: number) {
    const { nodes, edges } = sampleAt(sample, at);
    this.nodes = nodes;
    this.edges = edges;
    this.at = at;
    this.#byId = new Map(nodes.map((node) => [node.id, node]));
    this.#index = new MemoryIndex({ config: { search: SEARCH } });
    this.#index.upsert(nodes, { now: at });
    this.#index.link(edges);
    this.#words = new MiniSearch<SampleNode>({
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
    this.#words.addAll(nodes);
  }

  get(id: string): SampleNode {
    const node = this.#byId.get(id);
    if (node === undefined) throw new RangeError(`no memory ${id}`);
    return node;
  }

  /** Returns the best full-text hits, with scores as shares of the best one. */
  hits(question: string): Bm25Hit[] {
    const found = this.#words.search(question).slice(0, MAX_HITS);
    const best = found[0]?.score ?? 1;
    return found.map(({ id, score }) => ({ id: id as string, score: score / best }));
  }

  /** Searches from full-text hits. Returns all activated memories, ranked. */
  search(bm25: readonly Bm25Hit[], sections: boolean): SearchResult<Ranking> {
    return this.#index.search({ bm25, sections, limit: this.nodes.length, now: this.at });
  }

  /** Frees the index and its memory. */
  free(): void {
    this.#index.free();
  }
}
