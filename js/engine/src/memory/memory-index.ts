/// <reference lib="esnext.disposable" preserve="true" />
// The resident memory of one agent. JavaScript maps ids to rows and slots. The data lies in the
// memory of the index's own instance. A method reads its arguments before it touches the scratch,
// since reading may run code of the caller, which may free the index.

import { idsOf, limitOf, listOf, optionsOf, presentOf } from "../arguments.ts";
import { type EvidenceConfig, withModuleConfig, withModuleEvidence } from "../config.ts";
import { invalid, show } from "../errors.ts";
import {
  DEFAULT_LIMIT,
  freeOnDispose,
  maxBytesOf,
  ResidentIndex,
} from "../resident/resident-index.ts";
import { atOnce, inOnePiece, type SnapshotSource, snapshotParts } from "../resident/snapshot.ts";
import type { Instant } from "../types.ts";
import { answerQuestion, collectEvidence, explainAnswer, weighEvidence } from "./ask.ts";
import { dueTransitions, storeDecay, sweep } from "./decay.ts";
import {
  learnedBy,
  learnFrom,
  NOTHING_LEARNED,
  readFeedback,
  readLearned,
  storeLearned,
} from "./learn.ts";
import type { Ranking } from "./ranking.ts";
import {
  columnOf,
  readEdges,
  readNodes,
  readQuestion,
  readSearch,
  readSimilar,
  readWhy,
  SIMILAR_KEYS,
} from "./read.ts";
import { lookUp, rankCandidates } from "./rerank.ts";
import { explainRank, findSimilar, runSearch } from "./search.ts";
import { createMemory, type MemoryState, restoreMemory, type TextOptions } from "./state.ts";
import { bytesUsed, edgeAt, nodesAt } from "./stored.ts";
import type {
  Answer,
  AskOptions,
  DecayChanges,
  EvidenceMatrix,
  ExplainedNode,
  Feedback,
  Learned,
  LearningStep,
  Linked,
  MemoryEdge,
  MemoryIndexOptions,
  MemoryNode,
  MemoryUse,
  ResidentCandidates,
  ResidentRerankOptions,
  RestoreOptions,
  SearchQuery,
  SearchResult,
  Similar,
  SimilarOptions,
  StoredMemoryEdge,
  StoredMemoryNode,
  Strengthened,
  Sweep,
  Transition,
  Why,
  WhyOptions,
} from "./types.ts";
import {
  countAccesses,
  removeEdges,
  removeNodes,
  storeEdges,
  storeNodes,
  strengthenEdges,
} from "./write.ts";

const MAX_DIMENSIONS = 65_536;

const OPTION_KEYS = new Set([
  ...["dimensions", "embeddings", "embeddingId", "embedder", "stemming", "config", "maxBytes"],
]);
const RESTORE_KEYS = new Set(["config", "maxBytes", "embedder", "stemming"]);
const UPSERT_KEYS = new Set(["now"]);

/**
 * The memory of one agent, resident in the module: nodes, edges and embeddings go in once, and a
 * query crosses with a few hundred bytes.
 *
 * ```ts
 * const index = new MemoryIndex({ dimensions: 384 });
 * index.upsert([{ id: "n_1", subtype: "custom:lesson", created_at: "2026-02-01", embedding }]);
 * index.link([{ id: "e_1", source_id: "n_1", target_id: "n_2", type: "causes" }]);
 * const { ranking } = index.search({ embedding: ofQuery, bm25: hits, limit: 10 });
 * ranking.ids; // best first
 * index.free();
 * ```
 *
 * Every method refuses wrong input with a `NousError` before it changes anything. Codes:
 * `invalid_argument` names field, index and id; `out_of_memory` says how much was missing; `freed`:
 * the index was freed; `instance_lost`: the engine failed, and the index has to be made again.
 * Methods are synchronous.
 */
export class MemoryIndex {
  readonly #index: ResidentIndex<MemoryState>;
  // Set below, where the symbol exists.
  declare [Symbol.dispose]: () => void;

  /**
   * @throws {NousError} `invalid_argument` for an unknown option or one out of its range,
   * `invalid_config` for a wrong configuration, `not_initialized` before the module is loaded.
   */
  constructor(options: MemoryIndexOptions = {}) {
    if ((options as unknown) instanceof ResidentIndex) {
      this.#index = options as unknown as ResidentIndex<MemoryState>;
      return;
    }
    const given: MemoryIndexOptions = optionsOf("options", options, OPTION_KEYS);
    const { config, embeddings = "f32", embeddingId = "" } = given;
    const dimensions = wholeOf("dimensions", given.dimensions ?? 0, MAX_DIMENSIONS);
    if (embeddings !== "f32" && embeddings !== "i8") {
      throw invalid("embeddings", `must be "f32" or "i8", found ${show(embeddings)}`);
    }
    if (typeof embeddingId !== "string")
      throw invalid("embeddingId", `must be a string, found ${show(embeddingId)}`);
    const making = {
      dimensions,
      i8: embeddings === "i8",
      embeddingId,
      maxBytes: maxBytesOf(given.maxBytes),
    };
    const texts = textOptionsOf(given);
    const state =
      config === undefined
        ? createMemory(undefined, making, texts)
        : withModuleConfig(config, (plain) => createMemory(plain, making, texts));
    this.#index = new ResidentIndex(state);
  }

  /**
   * Returns the index of a snapshot, with the snapshot's dimensions and form of embeddings. Reading
   * needs parts of some megabytes beside the index, so that the snapshot of a full index needs a
   * larger `maxBytes` than the index had.
   *
   * The restored index answers questions if it reads words as the index did: with the same
   * `stemming`, and with an `embedder` of the same `id`. Otherwise `textCount` is 0, and `ask`
   * finds nothing until the texts are passed to `upsert` again. The same holds for snapshots of
   * older versions, and for an embedder without an `id`.
   *
   * @param bytes The snapshot, in one piece or in several of any length.
   * @throws {NousError} `invalid_snapshot` if the snapshot is damaged, cut off, or of another
   * version; else as the constructor.
   */
  static restore(bytes: SnapshotSource, options: RestoreOptions = {}): MemoryIndex {
    return atOnce(MemoryIndex.restoreInSteps(bytes, options));
  }

  /**
   * Like `restore`, in steps: it pauses after each part of some megabytes, so that a thread can do
   * other work in between. A part takes some 30 ms. The last step returns the index.
   *
   * @throws {NousError} As `restore`, from the step that meets the problem.
   *
   * @example
   * ```ts
   * const steps = MemoryIndex.restoreInSteps(await readFile("index.snapshot"));
   * let step = steps.next();
   * while (!step.done) {
   *   await setImmediate(); // of "node:timers/promises"
   *   step = steps.next();
   * }
   * const index = step.value;
   * ```
   */
  static *restoreInSteps(
    bytes: SnapshotSource,
    options: RestoreOptions = {},
  ): Generator<undefined, MemoryIndex, void> {
    const given = optionsOf<MemoryIndexOptions>("options", options, RESTORE_KEYS);
    const { config } = given;
    const max = maxBytesOf(given.maxBytes);
    const texts = textOptionsOf(given);
    // The first part tells what is wrong with the configuration.
    const begin = (plain: Parameters<typeof restoreMemory>[1]) => {
      const steps = restoreMemory(bytes, plain, max, texts);
      return [steps, steps.next()] as const;
    };
    const [steps, first] =
      config === undefined ? begin(undefined) : withModuleConfig(config, begin);
    if (!first.done) yield;
    const state = first.done ? first.value : yield* steps;
    return new MemoryIndex(new ResidentIndex(state) as object);
  }

  /** The count of nodes. */
  get size(): number {
    return this.#index.live().rows.size;
  }

  /** The count of nodes with a title or a text. */
  get textCount(): number {
    return this.#index.live().resident.module.texts();
  }

  /** The count of edges. */
  get edgeCount(): number {
    return this.#index.live().slots.size;
  }

  /** Id of the model that made the embeddings, from the options. */
  get embeddingId(): string {
    return this.#index.live().embeddingId;
  }

  /** The memory of the index, in bytes. */
  get bytes(): MemoryUse {
    return bytesUsed(this.#index.live());
  }

  /**
   * Adds nodes, and changes nodes whose id is in the index, in the order of the list. New nodes
   * take `now` for missing instants. Returns the count of new nodes.
   */
  upsert(nodes: readonly MemoryNode[], options: { now?: Instant | undefined } = {}): number {
    const state = this.#index.live();
    const now = presentOf(optionsOf("options", options, UPSERT_KEYS).now);
    const batch = readNodes(nodes);
    if (batch.texts.length > 0) state.tryEmbedder();
    this.#index.requireSame(state);
    return storeNodes(state, batch, nodes, now);
  }

  /** Removes nodes and their edges. Skips unknown ids. Returns the count of removed nodes. */
  remove(ids: readonly string[]): number {
    const state = this.#index.live();
    const rows = this.#rowsOf(state, idsOf("ids", ids), true);
    removeNodes(state, rows);
    return rows.length;
  }

  /**
   * Adds edges, and changes edges whose id is in the index. A changed edge keeps its place in the
   * order. An edge to or from an unknown node is left out, and `ignored` names it.
   */
  link(edges: readonly MemoryEdge[]): Linked {
    const state = this.#index.live();
    const batch = readEdges(edges);
    this.#index.requireSame(state);
    return storeEdges(state, batch, edges);
  }

  /** Removes edges. Skips unknown ids. Returns the count of removed edges. */
  unlink(edgeIds: readonly string[]): number {
    const state = this.#index.live();
    const ids = new Set(idsOf("edgeIds", edgeIds));
    this.#index.requireSame(state);
    const slots = [...ids].flatMap((id) => state.slots.get(id) ?? []);
    removeEdges(state, slots);
    return slots.length;
  }

  /** Returns whether the index has a node. */
  has(id: string): boolean {
    return this.#index.live().rows.has(id);
  }

  /** Returns a node as it is stored, without its embedding. */
  get(id: string): StoredMemoryNode | undefined {
    return nodesAt(this.#index.live(), [id])[0];
  }

  /**
   * Returns nodes as they are stored, without their embeddings, in the order of the ids; undefined for
   * an id without a node. It takes a fraction of the time of a `get` for each id.
   *
   * @example
   * ```ts
   * const [first, second] = index.getAll(["n1", "n2"]);
   * ```
   */
  getAll(ids: readonly string[]): (StoredMemoryNode | undefined)[] {
    return nodesAt(this.#index.live(), listOf("ids", ids));
  }

  /** Returns an edge as it is stored. */
  getEdge(id: string): StoredMemoryEdge | undefined {
    const state = this.#index.live();
    const slot = state.slots.get(id);
    return slot === undefined ? undefined : edgeAt(state, slot);
  }

  /**
   * Returns the ids of the memories that supersede one by edges of type `supersedes`, in the order of
   * the edges. If the edges go round in a circle, the memory holds whose edge came last: no memory of
   * the circle supersedes it. Empty for an unknown id.
   */
  successors(id: string): string[] {
    return this.line(id)
      .filter(({ type, target_id }) => type === "supersedes" && target_id === id)
      .map(({ source_id }) => source_id);
  }

  /**
   * Returns the edges that connect a memory with those that replace it and that it replaces, over any
   * number of others, in their order: of the types `supersedes` and `likely_supersedes`, from the newer
   * memory to the older one. Edges that do not count, of circles, are left out. Empty for an unknown id.
   */
  line(id: string): StoredMemoryEdge[] {
    return this.#edgesOf(id, (module, row) => module.line(row));
  }

  /**
   * Returns the guesses that another memory replaces this one, the surest first: the edges to it of the
   * types `likely_supersedes`, `possibly_supersedes` and `faintly_supersedes`. The strength of each is
   * the probability. Empty for an unknown id.
   *
   * @example
   * ```ts
   * const [guess] = index.guessedSuccessors("rent-of-2025");
   * guess?.source_id; // "rent-of-2026"
   * ```
   */
  guessedSuccessors(id: string): StoredMemoryEdge[] {
    return this.#edgesOf(id, (module, row) => module.may_supersede(row));
  }

  /** Returns the edges whose slots the module tells for a row. */
  #edgesOf(
    id: string,
    slotsOf: (module: MemoryState["resident"]["module"], row: number) => Uint32Array,
  ): StoredMemoryEdge[] {
    const state = this.#index.live();
    const row = state.rows.get(id);
    if (row === undefined) return [];
    const slots = slotsOf(state.resident.module, row);
    state.resident.revalidateViews();
    return Array.from(slots, (slot) => edgeAt(state, slot)!);
  }

  /** Returns the ids of all nodes, in no order. */
  ids(): IterableIterator<string> {
    return this.#index.live().rows.keys();
  }

  /**
   * Returns numbers that `rerank` and `ask` take in place of ids, and that save the look-up. A
   * number stands for its node until the node is removed.
   *
   * @throws {NousError} `invalid_argument` with index and id if there is no such node.
   */
  handles(ids: readonly string[]): Uint32Array {
    // All ids are read before the first is looked up: reading may run code that changes the index.
    const own = [...listOf("ids", ids)];
    const handles = new Uint32Array(own.length);
    lookUp(this.#index.live(), own, handles, 0);
    return handles;
  }

  /**
   * Counts an access of each node, for example of the results of a search. An id that is listed
   * twice counts twice. The last access never becomes earlier. Skips unknown ids. Returns the count
   * of accesses.
   */
  touch(ids: readonly string[], now?: Instant): number {
    return this.#access("touch", ids, now);
  }

  /**
   * Counts an access of each node that the agent reads, as `touch` does, and lets its stability
   * grow by the rate of its section, with `salienceGrowth` by its salience as well. The stability
   * of a playbook stays. The stored retrievability and lifecycle become those right before the
   * read; DORMANT and DELETED stay.
   */
  recall(ids: readonly string[], now?: Instant): number {
    return this.#access("recall", ids, now);
  }

  #access(how: "touch" | "recall", given: readonly string[], instant: Instant | undefined): number {
    const state = this.#index.live();
    const now = presentOf(instant);
    const rows = this.#rowsOf(state, idsOf("ids", given), false);
    return countAccesses(state, how, rows, now);
  }

  /**
   * Strengthens every edge between two different nodes of one group by `amount` in [0, 1], to 1 at
   * most, and once even if several groups have both nodes. A group is the recall of one part of a
   * question, so that two topics of one question are not tied together. Skips unknown ids.
   */
  strengthen(groups: readonly (readonly string[])[], amount: number): Strengthened {
    const state = this.#index.live();
    if (typeof amount !== "number")
      throw invalid("amount", `must lie between 0 and 1, found ${show(amount)}`);
    const read = Array.from(listOf("groups", groups), (group, index) =>
      idsOf(`groups[${index}]`, group),
    );
    this.#index.requireSame(state);
    const members = read.map((ids) => this.#rowsOf(state, ids, true));
    return strengthenEdges(state, members, amount);
  }

  /**
   * Ranks candidates by the six signals, with the stored fields of their nodes. Equal scores keep
   * their order. Scores are those of `rerankTop` for objects with the same fields, to the bit.
   */
  rerank(candidates: ResidentCandidates, options: ResidentRerankOptions = {}): Ranking {
    return rankCandidates(this.#index, candidates, options);
  }

  /**
   * Searches: seeds from embeddings and from the hits of a full-text index, spreading activation
   * over the graph, relevance floor, ranking by sections, limit. A search counts no accesses; see
   * `touch`.
   */
  search(query: SearchQuery): SearchResult<Ranking> {
    const state = this.#index.live();
    const read = readSearch(query, state.names);
    this.#index.requireSame(state);
    return runSearch(state, read);
  }

  /**
   * Returns the memories that may answer a question in words, best first, each with the probability
   * that it does and the evidence for it. Asks only memories with a title or a text.
   *
   * @example
   * ```ts
   * const index = new MemoryIndex();
   * index.upsert([{ id: "m1", text: "Mira moved to Lisbon in May 2026." }]);
   * const [best] = index.ask("Where did Mira move?", { limit: 5 });
   * console.log(best?.id, best?.score, best?.evidence);
   * ```
   */
  ask(question: string, options: AskOptions = {}): Answer[] {
    const state = this.#index.live();
    const read = readQuestion(question, options, state.names);
    state.tryEmbedder();
    this.#index.requireSame(state);
    return answerQuestion(state, read);
  }

  /**
   * Returns the reasons for the place of a memory among the answers to a question: each kind of
   * evidence with its weight, the words that matched, and the best passage.
   *
   * @example
   * ```ts
   * const { rank, evidence, words } = index.why("m1", "Where did Mira move?");
   * const text = { text: "Mira moved to Lisbon in May 2026." };
   * const { passage } = index.why("m1", "Where did Mira move?", { text });
   * console.log(passage.spans); // [{ field: "text", start: 0, end: 32 }]
   * ```
   *
   * @throws {NousError} `invalid_argument` if there is no such memory, if it has no text, if it does
   * not pass the filters, or if `text` is not the text that it was stored with.
   */
  why(id: string, question: string, options: WhyOptions = {}): Why {
    const state = this.#index.live();
    const { read, text } = readWhy(question, options, state.names);
    state.tryEmbedder();
    this.#index.requireSame(state);
    const row = state.rows.get(id);
    if (row === undefined)
      throw invalid("id", `must name a memory of this index, found ${show(id)}`);
    return explainAnswer(state, read, row, text);
  }

  /**
   * Returns the evidence of every memory for a question: the numbers that `ask` weighs, and traits
   * even if they weigh 0. `limit` and `min_score` do not count.
   *
   * @example
   * ```ts
   * const { ids, names, values } = index.evidence("Where did Mira move?");
   * const row = Array.from(names, (name, kind) => [name, values[kind]]); // of ids[0]
   * ```
   */
  evidence(question: string, options: AskOptions = {}): EvidenceMatrix {
    const state = this.#index.live();
    const read = readQuestion(question, options, state.names);
    state.tryEmbedder();
    this.#index.requireSame(state);
    return collectEvidence(state, read);
  }

  /**
   * Replaces the preset and the weights of evidence: questions are answered from now on as by a new
   * index with `config: { evidence }` and the same content. A missing `preset` means `general`, and
   * a kind without a weight has that of the preset. What was learned stays, and is applied to the
   * new weights. Nothing else changes, and the texts are not read again.
   *
   * @example
   * ```ts
   * index.weigh({ preset: "trading", weights: { recency_signals: 2, graph: 0 } });
   * const [best] = index.ask("Where did Mira move?");
   * index.weigh({}); // the fitted weights of general
   * ```
   *
   * @throws {NousError} `invalid_config` with the field, such as `evidence.weights.graph`, as the
   * constructor does: for an unknown preset, kind or key, and for a weight that is not from −1,000
   * to 1,000.
   */
  weigh(evidence: EvidenceConfig): void {
    const state = this.#index.live();
    withModuleEvidence(evidence, (config) => {
      this.#index.requireSame(state);
      weighEvidence(state, config);
    });
  }

  /**
   * Learns from use: moves the weights of traits by one small step, so that memories like the used
   * ones rank higher. The step is −0.2 · (gradient + 0.02 · what was learned so far), of the
   * cross-entropy between the softmax of the sums of the shown and equal shares of the used.
   * Nothing is learned if none of the shown was used, or all of them. Snapshots hold what was
   * learned.
   *
   * @example
   * ```ts
   * const question = "Where did Mira move?";
   * const shown = index.ask(question).map(({ id }) => id);
   * const { moved } = index.learn({ question, shown, used: ["m1"] });
   * console.log(moved.len); // above 0 if m1 is longer than the others
   * ```
   *
   * @throws {NousError} `invalid_argument` with the field for wrong feedback, such as an id in `used`
   * that is not in `shown`.
   */
  learn(feedback: Feedback): LearningStep {
    const state = this.#index.live();
    const read = readFeedback(feedback, state.names);
    state.tryEmbedder();
    this.#index.requireSame(state);
    return learnFrom(state, read);
  }

  /**
   * Returns what use has taught. `why` shows the weights that follow from it.
   *
   * @example
   * ```ts
   * const { steps, shifts } = index.learned();
   * ```
   */
  learned(): Learned {
    return learnedBy(this.#index.live());
  }

  /**
   * Replaces what use has taught, for example by what an earlier index had learned.
   *
   * @example
   * ```ts
   * other.setLearned(index.learned());
   * ```
   *
   * @throws {NousError} `invalid_argument` with the field, such as `shifts.len`, for a number that is
   * missing or out of range.
   */
  setLearned(learned: Learned): void {
    const state = this.#index.live();
    const read = readLearned(learned);
    this.#index.requireSame(state);
    storeLearned(state, read);
  }

  /**
   * Forgets what use has taught: traits weigh what the configuration says.
   *
   * @example
   * ```ts
   * index.forgetLearned();
   * index.learned().steps; // 0
   * ```
   */
  forgetLearned(): void {
    storeLearned(this.#index.live(), NOTHING_LEARNED);
  }

  /**
   * Returns the nodes whose embeddings are most like `embedding`, by cosine. Exact: every embedding
   * is compared.
   */
  similar(embedding: ArrayLike<number>, options: SimilarOptions = {}): Similar {
    const state = this.#index.live();
    const { limit, filter, now } = optionsOf("options", options, SIMILAR_KEYS);
    const max = limitOf(limit, DEFAULT_LIMIT);
    const read = readSimilar(embedding, filter, max, presentOf(now), state.names);
    this.#index.requireSame(state);
    return findSimilar(state, read);
  }

  /**
   * Sweeps over every node and proposes changes to store. Changes nothing. Once the database has
   * the changes, `applyDecay` stores them in the index.
   */
  decay(now?: Instant): Sweep {
    const present = presentOf(now);
    return sweep(this.#index.live(), present);
  }

  /**
   * Stores the changes of a sweep. Skips ids of nodes that were removed. Returns the count of
   * stored changes.
   *
   * @throws {NousError} `invalid_argument` with field and index, also for columns of unequal
   * length.
   */
  applyDecay(changes: DecayChanges): number {
    const state = this.#index.live();
    if (typeof changes !== "object" || changes === null) {
      throw invalid("changes", `must be an object, found ${show(changes)}`);
    }
    const ids = idsOf("ids", changes.ids);
    const retrievability = columnOf("retrievability", changes.retrievability, ids.length);
    const lifecycle = columnOf("lifecycle", changes.lifecycle, ids.length);
    if (retrievability === undefined) throw invalid("retrievability", "is missing");
    if (lifecycle === undefined) throw invalid("lifecycle", "is missing");
    this.#index.requireSame(state);
    return storeDecay(state, ids, retrievability, lifecycle);
  }

  /**
   * Returns the transitions that `decay` would propose, without a look at every node. The time
   * grows with the number of nodes that may change, unless `now` lies before that of the last call,
   * or of a sweep that was applied since. A transition is returned again until `applyDecay` or
   * `upsert` stores it.
   */
  transitions(now?: Instant): Transition[] {
    const present = presentOf(now);
    return dueTransitions(this.#index.live(), present);
  }

  /**
   * Searches, and explains the rank of one node: every number behind its score, from seeds and hops
   * to the six weighted signals, as a tree that adds up to the score exactly.
   *
   * @throws {NousError} `invalid_argument` if there is no such node; else as `search`.
   */
  explain(id: string, query: SearchQuery): ExplainedNode {
    const state = this.#index.live();
    const read = readSearch(query, state.names);
    this.#index.requireSame(state);
    const row = state.rows.get(id);
    if (row === undefined)
      throw invalid("id", `must name a memory of this index, found ${show(id)}`);
    return explainRank(state, read, row, id);
  }

  /**
   * Returns the index as bytes, with a version and checksums. Making a snapshot needs some 16 bytes
   * a node and edge, and two parts of some megabytes. They do not count against `maxBytes`, so that
   * a full index can be saved.
   */
  snapshot(): Uint8Array<ArrayBuffer> {
    return inOnePiece(this.snapshotParts());
  }

  /**
   * Returns the snapshot in parts of some megabytes, for a stream. Each part is made when the
   * iterator comes to it. The index must not change before the last part.
   */
  snapshotParts(): IterableIterator<Uint8Array<ArrayBuffer>> {
    const state = this.#index.live();
    return snapshotParts(state, (rows) => [
      [rows, state.ids],
      [state.resident.module.snapshot_slots(), state.edgeIds],
    ]);
  }

  /**
   * Frees the index and its memory. Every later call throws `freed`, except `free`, which does
   * nothing. An index that is not freed is garbage-collected like other objects.
   */
  free(): void {
    this.#index.free();
  }

  /** The rows of the known ids; each row once if `once`. */
  #rowsOf(state: MemoryState, ids: readonly string[], once: boolean): number[] {
    this.#index.requireSame(state);
    const rows: number[] = [];
    for (const id of once ? new Set(ids) : ids) {
      const row = state.rows.get(id);
      if (row !== undefined) rows.push(row);
    }
    return rows;
  }
}

freeOnDispose(MemoryIndex);

function textOptionsOf({ embedder, stemming = "english" }: MemoryIndexOptions): TextOptions {
  if (stemming !== "english" && stemming !== "none")
    throw invalid("stemming", `must be "english" or "none", found ${show(stemming)}`);
  if (embedder !== undefined && typeof embedder?.addWord !== "function")
    throw invalid("embedder", `must be an Embedder, found ${show(embedder)}`);
  if (embedder !== undefined) {
    const { dimensions } = embedder;
    if (wholeOf("embedder.dimensions", dimensions, MAX_DIMENSIONS) === 0)
      throw invalid("embedder.dimensions", "must be at least 1, found 0");
    if (embedder.id !== undefined && typeof embedder.id !== "string")
      throw invalid("embedder.id", `must be a string, found ${show(embedder.id)}`);
  }
  return { embedder, stems: stemming === "english" };
}

function wholeOf(field: string, value: unknown, max: number): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max)
    return value;
  throw invalid(field, `must be a whole number from 0 to ${max}, found ${show(value)}`);
}
