// The memory at one instant, as an agent keeps it. By evidence it is asked as the server asks it:
// texts in a `MemoryIndex` with the built-in word vectors. By signals it has nodes and edges in a
// `MemoryIndex`, and the store's full-text index, here minisearch (BM25 over kind, title, text and
// tags): words find memories, edges lead to further ones, and no memory is found by meaning.

import MiniSearch from "minisearch";
import { loadEmbedderSync } from "nous-embedder";
import {
  type Bm25Hit,
  createOrchestrator,
  type Embedder,
  type ExplainedNode,
  MemoryIndex,
  type Orchestrator,
  type RankedEntry,
  type Ranking,
  type SearchConfig,
  type SearchResult,
} from "nous-wasm";
import { type Sample, type SampleEdge, type SampleNode, sampleAt } from "../sample/index.ts";
import { UsageError } from "./usage-error.ts";

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

/** Returns the kind of a memory in words: "trade close" for custom:trade_close. */
export function kindOf({ subtype }: { readonly subtype: string }): string {
  return subtype.slice("custom:".length).replaceAll("_", " ");
}

/** Returns the text of a body, which may be JSON with a field `text`. */
export function textOf(body: string): string {
  return body.startsWith("{") ? (JSON.parse(body) as { text: string }).text : body;
}

/**
 * Returns the title by which a memory is found. Kind and tags stand before it, as in the server:
 * people ask for "the last lesson about SOL". Without them the weights reach 0.1 less in nDCG@10 on
 * the trader's questions.
 */
export function searchedTitle(node: SampleNode): string {
  return `${kindOf(node)} ${node.tags.join(" ")}. ${node.content_title}`;
}

/** Title and text by which a memory is found. */
export interface SearchedText {
  title: string;
  text: string;
}

/** Returns title and text by which a memory is found. Summary and body are one text. */
export function searchedText(node: SampleNode): SearchedText {
  const { content_summary: summary, content_body } = node;
  const text = textOf(content_body);
  return {
    title: searchedTitle(node),
    text: summary === undefined ? text : `${summary}\n${text}`,
  };
}

/** The most ids that a message proposes. */
const EXAMPLES = 3;
const some = (ids: readonly string[]): string => ids.slice(0, EXAMPLES).join(", ");

/** The vectors of words. The table is read once. */
let embedder: Embedder | undefined;

/** The results of a search, and its full-text hits. */
export interface Found {
  hits: Bm25Hit[];
  /** All activated memories, ranked by global weights. */
  global: SearchResult<Ranking>;
  sections: SearchResult<Ranking>;
}

/** A ranked memory with the fields that the orchestrator reads. */
export interface RankedMemory extends RankedEntry {
  subtype: string;
  content_title: string;
}

/** The memory at one instant, ready to be searched. Call `free` at the end. */
export class Library {
  readonly nodes: readonly SampleNode[];
  readonly edges: readonly SampleEdge[];
  /** Ranks by signals. */
  readonly index: MemoryIndex;
  #byEvidence: MemoryIndex | undefined;
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

  /** The index that ranks by evidence. It is made when it is first needed. */
  get byEvidence(): MemoryIndex {
    if (this.#byEvidence === undefined) {
      embedder ??= loadEmbedderSync();
      const index = new MemoryIndex({ embedder, config: { evidence: { preset: "trading" } } });
      const entries = this.nodes.map((node) => ({ ...node, ...searchedText(node) }));
      index.upsert(entries, { now: this.at });
      index.link(this.edges);
      this.#byEvidence = index;
    }
    return this.#byEvidence;
  }

  get(id: string): SampleNode {
    const node = this.#byId.get(id);
    if (node === undefined) throw new RangeError(`no memory ${id}`);
    return node;
  }

  /** Returns the type of an edge; `no edge` if it does not exist. */
  edgeType(id: string | undefined): string {
    return (id === undefined ? undefined : this.index.getEdge(id)?.type) ?? "no edge";
  }

  /**
   * Returns the id that `--explain` names by its beginning.
   *
   * @param shown - Ids that a message may propose.
   * @throws {UsageError} If no memory, or more than one, has such an id.
   */
  idFor(text: string, shown: readonly string[]): string {
    if (this.#byId.has(text)) return text;
    const ids = this.nodes.map((node) => node.id).filter((id) => id.startsWith(text));
    if (ids.length > 1)
      throw new UsageError(
        `--explain: several ids begin with “${text}”, for example ${some(ids)}.`,
      );
    const [only] = ids;
    if (only !== undefined) return only;
    const later = this.sample.nodes.find((node) => node.id.startsWith(text));
    const problem =
      later === undefined
        ? `there is no memory “${text}”`
        : `the memory “${text}” is not there yet, it is of ${later.provenance_created_at.slice(0, 10)}`;
    const hint =
      shown.length > 0 ? `In this answer are, for example, ${some(shown)}` : "This answer has none";
    throw new UsageError(`--explain: ${problem}. ${hint}.`);
  }

  /** Returns the best full-text hits, with scores as shares of the best one. */
  hits(question: string): Bm25Hit[] {
    const found = this.#words.search(question).slice(0, MAX_HITS);
    const best = found[0]?.score ?? 1;
    return found.map(({ id, score }) => ({ id: id as string, score: score / best }));
  }

  /** Searches from full-text hits. Returns all activated memories, ranked, or the first `limit`. */
  search(
    bm25: readonly Bm25Hit[],
    sections: boolean,
    limit = this.nodes.length,
  ): SearchResult<Ranking> {
    return this.index.search({ bm25, sections, limit, now: this.at });
  }

  /**
   * Returns an orchestrator for answers of at most `maxResults` memories. It searches for each part
   * of a question separately, by section weights.
   */
  orchestrator(
    maxResults: number,
    hits = (text: string) => this.hits(text),
  ): Orchestrator<RankedMemory> {
    return createOrchestrator({
      ranking: "signals",
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

  /** Explains the place of a memory among the first `limit` by section weights. */
  explain(id: string, question: string, limit: number): ExplainedNode {
    return this.index.explain(id, { bm25: this.hits(question), limit, now: this.at });
  }

  /** Frees the indexes and their memory. */
  free(): void {
    this.index.free();
    this.#byEvidence?.free();
  }
}
