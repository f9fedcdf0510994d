// Types of the resident memory index: nodes, edges, searches, sweeps, explanations. Data is in
// snake_case, as a database stores it. Options are in camelCase.

import type { EngineConfig } from "../config.ts";
import type {
  DecayLifecycleState,
  Instant,
  RerankingWeights,
  SignalBreakdown,
  Trait,
} from "../types.ts";

/** A lifecycle state as databases hold it. Old databases know deleted nodes; sweeps skip them. */
export type StoredLifecycleState = DecayLifecycleState | "DELETED";

/**
 * Options of `new MemoryIndex()`.
 *
 * @example
 * ```ts
 * const index = new MemoryIndex({ dimensions: 384, embeddings: "i8", embeddingId: "minilm-l6" });
 * ```
 */
export interface MemoryIndexOptions {
  /**
   * Components of each embedding: a whole number from 0 to 65,536. Default 0: the index keeps no
   * embeddings.
   */
  dimensions?: number | undefined;
  /**
   * Storage of embeddings: `f32`, or `i8` with one scale per row, which takes a fifth of the
   * memory. Default `f32`.
   */
  embeddings?: "f32" | "i8" | undefined;
  /**
   * Name of the model that made the embeddings. Snapshots contain it, so that a reader can compare
   * it. Default "".
   */
  embeddingId?: string | undefined;
  /**
   * The source of word vectors, by which `ask` finds memories that use other words than the
   * question: an `Embedder`. Default: none; then words match by their stems and letters only.
   */
  embedder?: WordVectors | undefined;
  /**
   * The language whose words are stemmed: "moved" finds "moving". Default `english`; `none` takes
   * every word as it is.
   */
  stemming?: "english" | "none" | undefined;
  /** The configuration, as `createEngine` takes it. Searches read its `search` section, too. */
  config?: EngineConfig | undefined;
  /**
   * The most bytes of the module's memory that the index may take. A call that could need more is
   * refused with code `out_of_memory` before it changes anything. Snapshots do not count, so that a
   * full index can be saved. Default 3 GiB; WebAssembly can address 4.
   */
  maxBytes?: number | undefined;
}

/**
 * Options of `MemoryIndex.restore`. Dimensions and form of the embeddings are those of the snapshot.
 *
 * @example
 * ```ts
 * const index = MemoryIndex.restore(bytes, { embedder, maxBytes: 1 << 28 });
 * ```
 */
export type RestoreOptions = Pick<
  MemoryIndexOptions,
  "config" | "maxBytes" | "embedder" | "stemming"
>;

/** A source of word vectors: an `Embedder`. */
export interface WordVectors {
  /** Components of a vector: a whole number from 1 to 65,536. */
  readonly dimensions: number;
  /**
   * Name of the vectors: sources with one name give equal vectors. A snapshot holds texts only if
   * their source has a name, and `restore` takes them only with a source of that name.
   *
   * @example
   * ```ts
   * const embedder = { id: "my-vectors-3", dimensions: 64, addWord };
   * ```
   */
  readonly id?: string | undefined;
  /**
   * Adds the vector of a word to a sum. Returns false if the word has no vector. Always adds the
   * same for a word. A word for which it throws, or adds a number that is not finite, counts as one
   * without a vector. Must not call methods of the index.
   *
   * @param word The word in lower case, as UTF-8.
   */
  addWord(word: Uint8Array, sum: Float32Array): boolean;
}

/**
 * A node to insert or update. A field that is missing or null gets the default in brackets in a new
 * node, and keeps its value in a known one. Fields for which null has a meaning of its own say so.
 *
 * @example
 * ```ts
 * index.upsert([{ id: "m1", subtype: "custom:lesson", created_at: "2026-01-15T09:30:00Z" }]);
 * ```
 */
export interface MemoryNode {
  /** Required. Not empty. */
  id: string;
  /** The kind of node, such as `episode` ("concept"). */
  type?: string | null | undefined;
  /** The subtype decides the section. Null removes it; then the default section applies (null). */
  subtype?: string | null | undefined;
  /** Time of creation (`now`). */
  created_at?: Instant | null | undefined;
  /** Time of the last access. Null: never accessed; `created_at` stands in for it (null). */
  last_accessed?: Instant | null | undefined;
  /** Number of accesses: whole, from 0 to 4,294,967,295 (0). */
  access_count?: number | null | undefined;
  /**
   * Stability in days. At 0 or less the memory is forgotten at once (the subtype's, else the
   * section's).
   */
  stability?: number | null | undefined;
  /** The stored retrievability, in [0, 1] (1). */
  retrievability?: number | null | undefined;
  /** Difficulty in [0, 1] (the section's `base_difficulty`). */
  difficulty?: number | null | undefined;
  /**
   * Salience in [0, 1] (0.5, neutral). The index keeps it only if the configuration has
   * `salienceGrowth`.
   */
  salience?: number | null | undefined;
  /** The stored lifecycle state ("ACTIVE"). */
  lifecycle?: StoredLifecycleState | null | undefined;
  /** Tags (none). */
  tags?: readonly string[] | null | undefined;
  /** Ids of the node's clusters (none). */
  clusters?: readonly string[] | null | undefined;
  /**
   * `dimensions` numbers, not all 0. The index scales them to length 1. Null: no embedding yet, or
   * the old one no longer fits the text (null).
   */
  embedding?: ArrayLike<number> | null | undefined;
  /**
   * Title, which `ask` searches. If title or text is given, both replace those that the node has,
   * and a missing one counts as "". Two empty ones remove the text of the node (none).
   */
  title?: string | null | undefined;
  /** Text, which `ask` searches. See `title` (none). */
  text?: string | null | undefined;
  /**
   * Time of the event that title and text tell of. A question that names this time finds the
   * memory. Read only together with title or text (none). Times that the text itself names, such as
   * "yesterday", are relative to the `created_at` that the node has when the text is given; with an
   * event, only those count that do not depend on it, such as "3 May 2025". The event alone says when
   * it happened, and `created_at` how fresh the memory is.
   */
  event_time?: Instant | null | undefined;
  /**
   * Minutes before UTC of the clock by which the day of the event is told, or that of the creation if
   * there is no event: 60 for Berlin in winter. At most a day. Read only together with title or text
   * (0).
   */
  utc_offset?: number | null | undefined;
  /**
   * Place in every order: a whole number from 0 to 2⁵³ − 1. Pass the database's row number, so that
   * a rebuilt index returns equal results in the same order. Default: one more than the highest so
   * far, at most 2⁵³ − 1. The order of equal numbers is arbitrary and stable.
   */
  sequence?: number | null | undefined;
}

/** A node as the index keeps it, without its embedding. Instants are milliseconds since 1970. */
export interface StoredMemoryNode {
  /** Id of the node. */
  id: string;
  /** Kind of node, such as `episode`. */
  type: string;
  /** Subtype; null if the node has none. */
  subtype: string | null;
  /** Time of creation, in milliseconds since 1970. */
  created_at: number;
  /** Time of the last access, in milliseconds since 1970; `created_at` if there was no access. */
  last_accessed: number;
  /** Number of accesses. */
  access_count: number;
  /** Number of edges that lead to the node. */
  inbound_edge_count: number;
  /** Stability in days. */
  stability: number;
  /** The stored retrievability, in [0, 1]. */
  retrievability: number;
  /** Difficulty in [0, 1]. */
  difficulty: number;
  /** Salience in [0, 1]. Missing unless the configuration has `salienceGrowth`. */
  salience?: number;
  /** The stored lifecycle state. */
  lifecycle: StoredLifecycleState;
  /** Tags. */
  tags: string[];
  /** Ids of the node's clusters. */
  clusters: string[];
  /** Whether the index holds an embedding of the node. */
  has_embedding: boolean;
  /** Place in every order, whole, from 0 to 2⁵³ − 1. */
  sequence: number;
}

/**
 * An edge to insert or update. Missing fields get the default in brackets in a new edge, and keep
 * their value in a known one.
 */
export interface MemoryEdge {
  /** Required. Not empty. */
  id: string;
  /** Id of the node that the edge leads from. */
  source_id: string;
  /** Id of the node that the edge leads to. */
  target_id: string;
  /** Type of the edge ("relates_to"). */
  type?: string | null | undefined;
  /**
   * Strength in [0, 1] (the initial strength of the type: 0.8 for `causes`, 0.5 for an unknown
   * type, …).
   */
  strength?: number | null | undefined;
  /** Place in every order, as in `MemoryNode`. */
  sequence?: number | null | undefined;
}

/** An edge as the index keeps it. */
export interface StoredMemoryEdge {
  /** Id of the edge. */
  id: string;
  /** Id of the node that the edge leads from. */
  source_id: string;
  /** Id of the node that the edge leads to. */
  target_id: string;
  /** Type of the edge. */
  type: string;
  /** Strength in [0, 1]. */
  strength: number;
  /** Place in every order, whole, from 0 to 2⁵³ − 1. */
  sequence: number;
}

/** Result of `link`. */
export interface Linked {
  /** Number of edges of the batch that are in the graph now. */
  linked: number;
  /** Ids of the edges that were left out, because one of their nodes is not in the index. */
  ignored: string[];
}

/**
 * Filters of a search. A node must pass all given filters to be found or to receive activation. An
 * empty list filters nothing.
 *
 * @example
 * ```ts
 * const filters = { types: ["episode"], tags_none: ["draft"], accessed_within_days: 30 };
 * ```
 */
export interface SearchFilters {
  /** The node has one of these types. */
  types?: readonly string[] | undefined;
  /** The node has none of these types. */
  excluded_types?: readonly string[] | undefined;
  /** The node has one of these subtypes. "" stands for nodes without a subtype. */
  subtypes?: readonly string[] | undefined;
  /** The node's stored lifecycle state is one of these. */
  lifecycles?: readonly StoredLifecycleState[] | undefined;
  /** The node was created at this instant or later. */
  created_after?: Instant | undefined;
  /** The node was created at this instant or earlier; of a day without a time of day, on that day. */
  created_before?: Instant | undefined;
  /** The last access was at most this many days ago. At least 0; fractions are legal. */
  accessed_within_days?: number | undefined;
  /** The node is in at least one of these clusters. */
  cluster_ids?: readonly string[] | undefined;
  /** The node has all of these tags. */
  tags_all?: readonly string[] | undefined;
  /** The node has at least one of these tags. */
  tags_any?: readonly string[] | undefined;
  /** The node has none of these tags. */
  tags_none?: readonly string[] | undefined;
  /**
   * The node has none of these ids. Unknown ids are skipped. A question is answered as if these nodes had
   * no text: they say nothing of the nodes around them either.
   */
  excluded_ids?: readonly string[] | undefined;
  /** Types of the edges that activation may spread over. */
  relationship_types?: readonly string[] | undefined;
}

/** A full-text hit. */
export interface Bm25Hit {
  /** Id of the node. */
  id: string;
  /** BM25 score: finite, at least 0, of any magnitude. */
  score: number;
}

/** How easily a search reports memories that are active but unlike the query (`serendipity`). */
export type SerendipityLevel = "off" | "low" | "medium" | "high";

/**
 * A search by embedding, by full-text hits, or by both.
 *
 * @example
 * ```ts
 * const query = { embedding, bm25: texts.search(["stop", "loss"]), limit: 10 };
 * ```
 */
export interface SearchQuery {
  /** The query's embedding, of any length but 0. Without it the semantic signal is 0. */
  embedding?: ArrayLike<number> | null | undefined;
  /** Full-text hits in their order. Ids that are not in the index are skipped. Default none. */
  bm25?: readonly Bm25Hit[] | null | undefined;
  /** Default: no filters. */
  filters?: SearchFilters | null | undefined;
  /** The most results, at least 0. Default: `search.defaultLimit` of the configuration, 30. */
  limit?: number | undefined;
  /**
   * The most seeds, at least 0. Without `graphReach` a search returns at most this many results.
   * Default: `search.maxSeeds` of the configuration, 15.
   */
  max_seeds?: number | undefined;
  /** The present. Default: the clock. */
  now?: Instant | undefined;
  /** Whether each memory is ranked by the weights of its section. Default true. */
  sections?: boolean | undefined;
  /** Whether the result lists the edges between active nodes. Default false. */
  include_connections?: boolean | undefined;
  /** Level of the serendipity report. Default `off`. */
  serendipity_level?: SerendipityLevel | undefined;
}

/**
 * Where the cosines of a model lie. Weights are fitted with all-MiniLM-L6-v2. A cosine of another
 * model counts as that of MiniLM which lies in the same place between unrelated and related texts,
 * from −1 to 1.
 */
export interface EmbeddingScale {
  /** The mean of a question and memories that have nothing to do with it, from −1 to 1. MiniLM: 0.058. */
  of_unrelated: number;
  /**
   * The mean of a question and a memory that answers it in other words, above `of_unrelated` and at
   * most 1. MiniLM: 0.435.
   */
  of_related: number;
}

/**
 * Options of `ask`.
 *
 * @example
 * ```ts
 * const answers = index.ask("Where did Mira move?", { limit: 5, min_score: 0.2 });
 * ```
 */
export interface AskOptions {
  /** The most answers, at least 0. Default 10. */
  limit?: number | undefined;
  /** The least score of an answer, from 0 to 1. Default 0. */
  min_score?: number | undefined;
  /**
   * How far a memory moves back that is like a better one, by words and vectors, from 0 to 1.
   * Default 0. Whatever it is, a memory that repeats a better one (nine of ten words and every
   * number) stands behind the others. Only the best 64 are moved, so that the first answers do not
   * depend on `limit`. Scores do not change.
   */
  diversity?: number | undefined;
  /**
   * The embedding of the question, by the model that made those of the memories. Then its cosine
   * with them is evidence, the more the less of the question's words any memory holds. A memory
   * without an embedding gets an estimate. Default: none, and words and their vectors alone rank.
   */
  embedding?: ArrayLike<number> | null | undefined;
  /** The scale of its cosines. Default: that of all-MiniLM-L6-v2 (`nous-minilm`). */
  embedding_scale?: EmbeddingScale | undefined;
  /** The present, to which times such as "last week" are relative. Default: the clock. */
  now?: Instant | undefined;
  /**
   * The name of the zone, in the database of IANA, by whose clocks "yesterday" and other days of the
   * question are told. Default: UTC.
   */
  time_zone?: string | undefined;
  /**
   * Whether times of the question are understood. Otherwise their words count like all others: pass
   * false for a text that is no question, such as one that memories are compared with. Default: true.
   */
  times?: boolean | undefined;
  /** Default: no filters. */
  filters?: SearchFilters | null | undefined;
  /**
   * The only memories that `ask` returns, as `handles(ids)` names them. Scores and order are as
   * without it, which `filters` may change. Handles of removed memories are skipped. It does not
   * count for `why` and `evidence`. Default: all memories.
   */
  among?: Uint32Array | undefined;
}

/**
 * Options of `why`.
 *
 * @example
 * ```ts
 * const { words } = index.why("m1", "Where did Mira move?", { text: { title, text } });
 * ```
 */
export interface WhyOptions extends AskOptions {
  /**
   * Title and text that the memory was stored with; the index does not keep them. With them, words
   * and passage have `spans`, by which a page can mark them. A missing one counts as empty.
   */
  text?: { title?: string | undefined; text?: string | undefined } | undefined;
}

/** A stretch of a memory's title or text. */
export interface TextSpan {
  /** Whether it is in the title or in the text. */
  field: "title" | "text";
  /** The first UTF-16 unit, as `String.prototype.slice` takes it. */
  start: number;
  /** The unit after the last. */
  end: number;
}

/** A memory that may answer a question. */
export interface Answer {
  /** Id of the memory. */
  id: string;
  /** The probability that the memory answers the question, from 0 to 1. */
  score: number;
  /** The weighted sum of the evidence, from which the score is computed. */
  sum: number;
  /** The value of each kind of evidence that is not 0, by its name. */
  evidence: Record<string, number>;
  /**
   * Id of the memory that supersedes this one by an edge of type `supersedes`. It stands before
   * this one, unless the question asks for the past. Missing if there is none.
   */
  superseded_by?: string;
  /**
   * The memory that seems to replace this one, by an edge of type `likely_supersedes`. It stands
   * before this one, unless the question asks for the past. Missing if there is none.
   */
  replaced_by?: Replacement;
  /** The memory that this one seems to replace. Missing if there is none. */
  replaces?: Replacement;
  /**
   * Id of a memory before this one that it is like or repeats, if it stands further back for that
   * reason. Missing if it was not moved.
   */
  similar_to?: string;
}

/** A guess that one memory replaces another, as one of the two tells it. */
export interface Replacement {
  /** Id of the other memory. */
  id: string;
  /** The probability that the newer one replaces the older one: the strength of the edge. */
  probability: number;
}

/** The reasons for the place of a memory among the answers to a question. */
export interface Why {
  /**
   * The place of the memory among all answers, from 1; null if nothing connects it with the
   * question.
   */
  rank: number | null;
  /** The probability that the memory answers the question, from 0 to 1. */
  score: number;
  /** The sum of all contributions. */
  sum: number;
  /** The score is 1 / (1 + exp(−(`scale` · `sum` + `offset`))). */
  scale: number;
  /** See `scale`. */
  offset: number;
  /** The evidence that is not 0, the largest contribution first. */
  evidence: {
    /** Name of the kind of evidence. */
    name: string;
    /** Its value for the memory. */
    value: number;
    /** Its weight. */
    weight: number;
    /** `value` · `weight`. */
    contribution: number;
  }[];
  /** The words of the question that count. */
  words: {
    /** The word of the question. */
    asked: string;
    /** The nearest word of the memory; null if no word is near. */
    found: string | null;
    /** The nearness of the two: 1 for forms of one word, 0 if no word is near. */
    nearness: number;
    /** Whether the best passage holds the word that was found. */
    in_passage: boolean;
    /**
     * Where title and text hold the word that was found, or one as near as it, in order. Missing
     * unless the text was given.
     */
    spans?: TextSpan[];
  }[];
  /** How much meaning counts, and why. Missing if the question has no embedding. */
  meaning?: {
    /** Whether the memory has no embedding yet, so that its cosine is an estimate. */
    is_estimated: boolean;
    /** The share of the question that no memory holds, words weighted by their rarity. */
    unheld: number;
    /** The share of the question to whose words no passage of a memory has near ones. */
    unlike: number;
    /** What a cosine of 1 weighs for this question. */
    weight: number;
    /** What it would weigh if one memory held all words of the question. */
    least_weight: number;
  };
  /** The passage that speaks most for the memory. */
  passage: {
    /** Its place among the passages of the memory, from 0. */
    index: number;
    /** The first word, counted from the beginning of the title. */
    first_word: number;
    /** Number of words. */
    words: number;
    /**
     * Where the passage stands: a stretch of the title, a stretch of the text, or one of each.
     * Missing unless the text was given.
     */
    spans?: TextSpan[];
  };
  /** Id of the memory that supersedes this one; missing if there is none. */
  superseded_by?: string;
  /** The memory that seems to replace this one; missing if there is none. */
  replaced_by?: Replacement;
  /** The memory that this one seems to replace; missing if there is none. */
  replaces?: Replacement;
  /** Id of a memory before this one that it is like; missing if it was not moved. */
  similar_to?: string;
}

/** The evidence of all memories for a question. */
export interface EvidenceMatrix {
  /** Ids of the memories. */
  ids: string[];
  /** Names of the kinds of evidence. */
  names: readonly string[];
  /** A row of values for each memory, one value for each name. */
  values: Float64Array;
}

/**
 * The use of memories that were shown for a question.
 *
 * @example
 * ```ts
 * const shown = index.ask("Where did Mira move?").map(({ id }) => id);
 * index.learn({ question: "Where did Mira move?", shown, used: [shown[0]] });
 * ```
 */
export interface Feedback {
  /** The question. */
  question: string;
  /**
   * Ids of the memories that were shown. Ids that are not in the index, and memories without a
   * text, do not count. An id that is listed twice counts once.
   */
  shown: readonly string[];
  /** Ids of those that were used. Each one must be among `shown`. */
  used: readonly string[];
  /** The embedding of the question, as `ask` got it. Default: none. */
  embedding?: ArrayLike<number> | null | undefined;
  /** The scale of its cosines, as `ask` got it. */
  embedding_scale?: EmbeddingScale | undefined;
  /** When the question was asked. Default: the clock. */
  now?: Instant | undefined;
}

/** What a step of learning did. */
export interface LearningStep {
  /** How many of the memories counted; 0 if nothing was learned. */
  counted: number;
  /** The change of the weight of each trait. */
  moved: Record<Trait, number>;
}

/**
 * What use has taught an index.
 *
 * @example
 * ```ts
 * const learned = index.learned();
 * const other = new MemoryIndex();
 * other.setLearned(learned);
 * ```
 */
export interface Learned {
  /** The number of steps: a whole number from 0 to 4294967295. */
  steps: number;
  /** What is added to the weight of each trait, from −2 to 2. */
  shifts: Record<Trait, number>;
  /**
   * The mean traits of the memories that were shown, from −2 to 2. Their contribution is taken off
   * all scores, so that scores stay probabilities.
   */
  means: Record<Trait, number>;
}

/** Counters of a search. */
export interface SearchMetrics {
  /** Number of seeds, from which activation started. */
  seeds_found: number;
  /** Number of nodes with activation, seeds included. */
  nodes_activated: number;
  /** Number of active nodes that were ranked. */
  nodes_filtered: number;
  /** Number of results. */
  nodes_returned: number;
  /** Number of started rounds of spreading. */
  hops: number;
  /** Number of neighbours visited, before any filter. */
  edges_traversed: number;
  /**
   * Why spreading ended: no round passed activation on, the limit of active nodes was reached, or
   * the last round was over.
   */
  terminated: "no_spread" | "max_nodes" | "max_hops";
}

/** Result of a search. */
export interface SearchResult<R> {
  /** The results, best first. */
  ranking: R;
  /**
   * Active memories that are unlike the query, highest activation first. Results of the search may
   * be among them.
   */
  serendipity: {
    /** Id of the node. */
    id: string;
    /** Activation of the node, above 0. */
    activation: number;
  }[];
  /**
   * The edges between active nodes, in the order of their creation. Missing unless
   * `include_connections` was set.
   */
  connections?: StoredMemoryEdge[];
  /** Counters of the search. */
  metrics: SearchMetrics;
}

/**
 * Candidates as columns of one length, named by ids or by handles. A missing column counts as 0 for
 * every candidate.
 *
 * @example
 * ```ts
 * const ranking = index.rerank({ ids: ["m1", "m2"], semantic: [0.8, 0.6], bm25: [3.1, 0] });
 * ```
 */
export interface ResidentCandidates {
  /** Ids of the candidates. Pass either `ids` or `handles`. */
  ids?: readonly string[] | undefined;
  /** Handles of the candidates, as `handles(ids)` returns them. Faster to look up than ids. */
  handles?: Uint32Array | undefined;
  /** Semantic scores, such as cosines. */
  semantic?: ArrayLike<number> | null | undefined;
  /** BM25 scores, at least 0. */
  bm25?: ArrayLike<number> | null | undefined;
  /** Graph scores, at least 0. */
  graph?: ArrayLike<number> | null | undefined;
}

/** Options of `rerank`. */
export interface ResidentRerankOptions {
  /** The most results, at least 0. Default 20. */
  limit?: number | undefined;
  /** The present. Default: the clock. */
  now?: Instant | undefined;
  /** Whether each memory is ranked by the weights of its section. Default true. */
  sections?: boolean | undefined;
}

/** Options of `similar`. */
export interface SimilarOptions {
  /** The most results, at least 0. Default 20. */
  limit?: number | undefined;
  /** Default: no filters. */
  filter?: SearchFilters | null | undefined;
  /** The present, for the filter `accessed_within_days`. Default: the clock. */
  now?: Instant | undefined;
}

/** Result of `similar`, highest cosine first. Equal cosines are in the order of `sequence`. */
export interface Similar {
  /** Ids of the nodes. */
  ids: string[];
  /** Cosines, one per id. */
  scores: Float64Array;
}

/** A change of lifecycle state that a sweep would store. */
export interface Transition {
  /** Id of the node. */
  id: string;
  /** The stored state. */
  from: StoredLifecycleState;
  /** The new state. */
  to: DecayLifecycleState;
  /** Subtype of the node; null if it has none. */
  subtype: string | null;
}

/** New values to store, as columns of one length. */
export interface DecayChanges {
  /** Ids of the nodes. */
  ids: string[];
  /** Retrievability, rounded to 4 decimals, half to even. */
  retrievability: Float64Array;
  /** Codes of lifecycle states: indices into `LIFECYCLE_STATES`. */
  lifecycle: Uint8Array;
}

/** Result of a sweep, in the order of `sequence`. */
export interface Sweep {
  /**
   * Number of nodes that the sweep computed: all except those whose stored state is ARCHIVE or
   * DELETED.
   */
  processed: number;
  /**
   * New values of the nodes whose retrievability differs from the stored one by more than 0.001, or
   * whose state changes.
   */
  changes: DecayChanges;
  /** The changes of lifecycle state. */
  transitions: Transition[];
}

/** Edges that became stronger, in the order of their creation. */
export interface Strengthened {
  /** Ids of the edges. */
  ids: string[];
  /** New strengths in [0, 1], one per id. */
  strengths: Float64Array;
}

/** Memory of an index, in bytes. */
export interface MemoryUse {
  /** Bytes in use by the columns of nodes. */
  nodes: number;
  /** Bytes allocated for the columns of nodes. */
  nodes_capacity: number;
  /** Bytes in use by edges and their adjacency lists. */
  edges: number;
  /** Bytes allocated for edges and their adjacency lists. */
  edges_capacity: number;
  /** Bytes in use by embeddings. */
  embeddings: number;
  /** Bytes allocated for embeddings. */
  embeddings_capacity: number;
  /** Bytes allocated for titles and texts, and for the columns that questions fill. */
  texts: number;
  /** The module's whole memory. Ids and other JavaScript objects are not included. */
  module: number;
}

/** A number of a score's explanation, with the numbers that it was computed from. */
export interface Explanation {
  /** Name of the number: `score`, `keyword`, `activation`, … */
  name: string;
  /** The number itself. */
  value: number;
  /**
   * How `value` is computed from the values of `parts`, from left to right: sum, product, quotient,
   * maximum or minimum. Missing for inputs, and for numbers that `note` explains.
   */
  operation?: "sum" | "product" | "quotient" | "maximum" | "minimum";
  /** The operands, in order. */
  parts?: Explanation[];
  /** A formula or a reason, in words. */
  note?: string;
  /** Id of the node that passed activation on. */
  from?: string;
  /** Id of the edge that activation came over. */
  edge?: string;
}

/** Why a memory has its place in the ranking of a search. */
export interface ExplainedNode {
  /** Id of the node. */
  id: string;
  /** Place in the ranking, from 1; null if the node is not in it. */
  rank: number | null;
  /**
   * Why the node is not in the ranking: `filtered`, `not_reached` (no activation), `below_floor`
   * (active, but too weak to be ranked), `below_limit`.
   */
  absent?: "filtered" | "not_reached" | "below_floor" | "below_limit";
  /** The tree of numbers behind the score; null if the node was not ranked. */
  score: Explanation | null;
}

/** One result of a ranking. */
export interface RankedEntry {
  /** Id of the node. */
  id: string;
  /** The weighted sum of the signals. */
  score: number;
  /** The six signals before weighting. */
  breakdown: SignalBreakdown;
  /** The signal that contributes most to the score. */
  primary_signal: keyof RerankingWeights;
}
