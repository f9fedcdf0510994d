// The memory at one instant, as an agent keeps it: the nodes and edges in an index of the module,
// and beside it the store's full-text index, here minisearch (BM25 over kind, title, text and
// tags). Words find memories, and what is tied to them is found over the edges. There are no
// embeddings here, so nothing is found by its meaning.

import MiniSearch from "minisearch";
import {
  type Bm25Hit,
  createOrchestrator,
  type ExplainedNode,
  MemoryIndex,
  type Orchestrator,
  type RankedEntry,
  type Ranking,
  type SearchConfig,
  type SearchResult,
} from "nous-wasm";
import { type Sample, type SampleEdge, type SampleNode, sampleAt } from "../sample/index.ts";

/** Full-text hits that a search gets, at most. */
const MOST_HITS = 45;
/**
 * Where there are no embeddings, activation starts from 0.3 at most, the weight of words, and every
 * hit may start it. Below 0.1 it would wander off to whatever happens to be recent. The sample's
 * types of edges are those of a store.
 */
const SEARCH: SearchConfig = {
  graphReach: true,
  maxSeeds: MOST_HITS,
  minThreshold: 0.1,
  edgeWeight: "stored_type",
};
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
export function term(word: string): string | null {
  const lower = word.toLowerCase();
  if (STOP_WORDS.has(lower)) return null;
  return lower.length > 3 && lower.endsWith("s") && !lower.endsWith("ss")
    ? lower.slice(0, -1)
    : lower;
}

/** The kind of a memory in words: "trade close" for custom:trade_close. */
export function kindOf({ subtype }: { readonly subtype: string }): string {
  return subtype.slice("custom:".length).replaceAll("_", " ");
}

/** The text of a body, which may be JSON with a `text` in it. */
export function textOf(body: string): string {
  return body.startsWith("{") ? (JSON.parse(body) as { text: string }).text : body;
}

/** What a search comes to, and the hits that it went by. */
export interface Found {
  hits: Bm25Hit[];
  /** All that is active, by global weights and by those of sections. */
  global: SearchResult<Ranking>;
  sections: SearchResult<Ranking>;
}

/** A ranked memory with what the orchestrator reads of it. */
export interface RankedMemory extends RankedEntry {
  subtype: string;
  content_title: string;
}

/** The memory as it is at one instant, ready to be searched. To be freed. */
export class Library {
  readonly nodes: readonly SampleNode[];
  readonly edges: readonly SampleEdge[];
  readonly index: MemoryIndex;
  readonly #byId: ReadonlyMap<string, SampleNode>;
  readonly #words: MiniSearch<SampleNode>;

  constructor(
    readonly sample: Sample,
    readonly at: number,
  ) {
    const { nodes, edges } = sampleAt(sample, at);
    this.nodes = nodes;
    this.edges = edges;
    this.#byId = new Map(nodes.map((node) => [node.id, node]));
    this.index = new MemoryIndex({ config: { search: SEARCH } });
    this.index.upsert(nodes, { now: at });
    this.index.link(edges);
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

  /** The type of an edge; none for one that is not there. */
  edgeType(id: string | undefined): string {
    return (id === undefined ? undefined : this.index.getEdge(id)?.type) ?? "no edge";
  }

  /** The ids that begin with these characters; an id in full is the only one. */
  idsLike(text: string): string[] {
    if (this.#byId.has(text)) return [text];
    return this.nodes.map((node) => node.id).filter((id) => id.startsWith(text));
  }

  /** What the full-text index finds: the best hits, as shares of the best of them. */
  hits(question: string): Bm25Hit[] {
    const found = this.#words.search(question).slice(0, MOST_HITS);
    const best = found[0]?.score ?? 1;
    return found.map(({ id, score }) => ({ id: id as string, score: score / best }));
  }

  /** What the hits lead to, ranked: everything, unless there is a limit. */
  search(
    bm25: readonly Bm25Hit[],
    sections: boolean,
    limit = this.nodes.length,
  ): SearchResult<Ranking> {
    return this.index.search({ bm25, sections, limit, now: this.at });
  }

  /**
   * Answers of at most `maxResults` memories, each part of a question searched for by itself by the
   * weights of sections.
   */
  orchestrator(
    maxResults: number,
    hits = (text: string) => this.hits(text),
  ): Orchestrator<RankedMemory> {
    return createOrchestrator({
      search: (text, { limit }) =>
        [...this.search(hits(text), true, limit).ranking].map((ranked) => {
          const { subtype, content_title } = this.get(ranked.id);
          return { ...ranked, subtype, content_title };
        }),
      config: { orchestrator: { maxResults } },
    });
  }

  find(question: string): Found {
    const hits = this.hits(question);
    return { hits, global: this.search(hits, false), sections: this.search(hits, true) };
  }

  /** Why a memory stands where it stands among the first `limit` by the weights of sections. */
  explain(id: string, question: string, limit: number): ExplainedNode {
    return this.index.explain(id, { bm25: this.hits(question), limit, now: this.at });
  }

  /** Gives the index up, and its memory with it. */
  free(): void {
    this.index.free();
  }
}
