/// <reference lib="esnext.disposable" preserve="true" />
// The resident memory of one agent. JavaScript maps ids to rows and slots; the data lies in the
// memory of an instance of its own.

import { idsOf, limitOf, listOf, optionsOf, presentOf } from "../arguments.ts";
import { withModuleConfig } from "../config.ts";
import { LIFECYCLE_STATES } from "../constants.ts";
import { invalid, NousError, show } from "../errors.ts";
import {
  COLUMNS,
  COLUMNS_BM25,
  COLUMNS_GRAPH,
  COLUMNS_SEMANTIC,
  EDGE,
  EDGE_FROM,
  EDGE_TARGET,
  EDGE_TO,
  ENDED_MAX_HOPS,
  ENDED_MAX_NODES,
  ENDED_NO_SPREAD,
  FIND,
  FIND_ACTIVATION,
  FIND_ROW,
  NO_END,
  NO_SUBTYPE,
  NOBODY,
  NODE,
  NODE_TARGET,
  OUTCOME,
  OUTCOME_ACTIVATED,
  OUTCOME_CONNECTIONS,
  OUTCOME_EDGES_TRAVERSED,
  OUTCOME_ENDED,
  OUTCOME_FINDS,
  OUTCOME_HOPS,
  OUTCOME_KEPT,
  OUTCOME_RANKED,
  OUTCOME_SEEDS,
  SEARCH,
  SEARCH_CONNECTIONS,
  STORED_EDGE_FROM,
  STORED_EDGE_SEQUENCE,
  STORED_EDGE_STRENGTH,
  STORED_EDGE_TO,
  STORED_EDGE_TYPE,
  STORED_NODE_ACCESS_COUNT,
  STORED_NODE_CREATED_AT,
  STORED_NODE_DIFFICULTY,
  STORED_NODE_HAS_EMBEDDING,
  STORED_NODE_INBOUND_EDGES,
  STORED_NODE_LAST_ACCESSED,
  STORED_NODE_RETRIEVABILITY,
  STORED_NODE_SALIENCE,
  STORED_NODE_SEQUENCE,
  STORED_NODE_STABILITY,
  STORED_NODE_STATE,
  STORED_NODE_SUBTYPE,
  STORED_NODE_TYPE,
  TARGET_EARLIER,
  TARGET_NEW,
  TRANSITION,
  TRANSITION_FROM,
  TRANSITION_ROW,
  TRANSITION_SUBTYPE,
  TRANSITION_TO,
  USED_EDGES,
  USED_EDGES_CAPACITY,
  USED_EMBEDDINGS,
  USED_EMBEDDINGS_CAPACITY,
  USED_NODES,
  USED_NODES_CAPACITY,
} from "../generated/layout.ts";
import {
  checkRoom,
  DEFAULT_LIMIT,
  freeOnDispose,
  maxBytesOf,
  ResidentIndex,
} from "../resident/resident-index.ts";
import { inOnePiece, type SnapshotSource, snapshotParts } from "../resident/snapshot.ts";
import type { Instant } from "../types.ts";
import { naming } from "./names.ts";
import { type Ranking, rankingNumbers, readRanking } from "./ranking.ts";
import {
  checkRerank,
  codesOf,
  columnOf,
  lengthOf,
  type ReadSearch,
  readEdges,
  readNodes,
  readSearch,
  readSimilar,
  SIMILAR_KEYS,
  STORED_STATES,
  setTypes,
} from "./read.ts";
import { changeRefused, refusedCandidate, refusedEntry, refusedSearch } from "./refusals.ts";
import { createMemory, type MemoryState, restoreMemory } from "./state.ts";
import type {
  DecayChanges,
  ExplainedNode,
  Explanation,
  Linked,
  MemoryEdge,
  MemoryIndexOptions,
  MemoryNode,
  MemoryUse,
  ResidentCandidates,
  ResidentRerankOptions,
  SearchQuery,
  SearchResult,
  Similar,
  SimilarOptions,
  StoredMemoryEdge,
  StoredMemoryNode,
  Strengthened,
  Sweep,
  Transition,
} from "./types.ts";

const MOST_DIMENSIONS = 65_536;
/** Why spreading ended, by code. */
const TERMINATIONS: Record<number, SearchResult<Ranking>["metrics"]["terminated"]> = {
  [ENDED_NO_SPREAD]: "no_spread",
  [ENDED_MAX_NODES]: "max_nodes",
  [ENDED_MAX_HOPS]: "max_hops",
};

const OPTION_KEYS = new Set(["dimensions", "embeddings", "embeddingId", "config", "maxBytes"]);
const RESTORE_KEYS = new Set(["config", "maxBytes"]);
const UPSERT_KEYS = new Set(["now"]);

/** The columns of candidates by their places on the wire. */
const SCORES: Record<number, keyof ResidentCandidates> = {
  [COLUMNS_SEMANTIC]: "semantic",
  [COLUMNS_BM25]: "bm25",
  [COLUMNS_GRAPH]: "graph",
};

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
    const dimensions = wholeOf("dimensions", given.dimensions ?? 0, MOST_DIMENSIONS);
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
    const state =
      config === undefined
        ? createMemory(undefined, making)
        : withModuleConfig(config, (plain) => createMemory(plain, making));
    this.#index = new ResidentIndex(state);
  }

  /**
   * The index that a snapshot was made of; its dimensions and the form of its embeddings are the
   * snapshot's own. Reading takes parts of some megabytes beside what is read, so that the snapshot
   * of a full index wants a larger `maxBytes` than that index had.
   *
   * @param bytes the snapshot, in one piece or in several of any length.
   * @throws {NousError} `invalid_snapshot` for one that is damaged, cut off, or of another version;
   * else as the constructor.
   */
  static restore(
    bytes: SnapshotSource,
    options: Pick<MemoryIndexOptions, "config" | "maxBytes"> = {},
  ): MemoryIndex {
    const { config, maxBytes } = optionsOf("options", options, RESTORE_KEYS);
    const most = maxBytesOf(maxBytes);
    const state =
      config === undefined
        ? restoreMemory(bytes, undefined, most)
        : withModuleConfig(config, (plain) => restoreMemory(bytes, plain, most));
    return new MemoryIndex(new ResidentIndex(state) as object);
  }

  /** How many nodes there are. */
  get size(): number {
    return this.#index.live().rows.size;
  }

  /** How many edges there are. */
  get edgeCount(): number {
    return this.#index.live().slots.size;
  }

  /** Id of the model that made the embeddings, from the options. */
  get embeddingId(): string {
    return this.#index.live().embeddingId;
  }

  /** The memory it takes, in bytes. */
  get bytes(): MemoryUse {
    const { resident } = this.#index.live();
    resident.module.bytes_used();
    resident.relocate();
    const { numbers, numbersAt: at } = resident;
    return {
      nodes: numbers[at + USED_NODES]!,
      nodes_capacity: numbers[at + USED_NODES_CAPACITY]!,
      edges: numbers[at + USED_EDGES]!,
      edges_capacity: numbers[at + USED_EDGES_CAPACITY]!,
      embeddings: numbers[at + USED_EMBEDDINGS]!,
      embeddings_capacity: numbers[at + USED_EMBEDDINGS_CAPACITY]!,
      module: resident.instance.memory.buffer.byteLength,
    };
  }

  /**
   * Adds nodes, and changes those whose id is there; entries apply in order. `now` serves the
   * defaults of new ones. The answer is how many were new.
   */
  upsert(nodes: readonly MemoryNode[], options: { now?: Instant | undefined } = {}): number {
    const state = this.#index.live();
    const now = presentOf(optionsOf("options", options, UPSERT_KEYS).now);
    const batch = readNodes(nodes);
    this.#index.requireSame(state);
    const { resident, rows, ids, names } = state;
    const { records } = batch;
    const count = batch.ids.length;
    const added = setTargets(batch.ids, rows, records, NODE, NODE_TARGET);
    checkRoom("nodes", rows.size + added);
    naming([names.types, names.subtypes, names.tags, names.clusters], () => {
      const codes = codesOf(batch, names);
      const embeddings = batch.embeddings.all;
      resident.reserve(records.length + embeddings.length, Math.max(codes.length, count), 0);
      resident.numbers.set(records, resident.numbersAt);
      resident.rows.set(codes, resident.rowsAt);
      resident.numbers.set(embeddings, resident.numbersAt + records.length);
      if (!resident.module.upsert(count, now)) throw refusedEntry(state, "nodes", nodes);
    });
    resident.relocate();
    for (let index = 0; index < count; index++) {
      if (records[index * NODE + NODE_TARGET] !== TARGET_NEW) continue;
      const row = resident.rows[resident.rowsAt + index]!;
      const id = batch.ids[index]!;
      rows.set(id, row);
      ids[row] = id;
    }
    resident.shrinkIfLarge();
    return added;
  }

  /**
   * Removes nodes, their edges with them. Ids that are not there are passed over; the answer is how
   * many were.
   */
  remove(ids: readonly string[]): number {
    const state = this.#index.live();
    const rows = this.#rowsOf(state, idsOf("ids", ids), true);
    const { resident } = state;
    resident.reserve(0, rows.length, 0);
    resident.rows.set(rows, resident.rowsAt);
    const slots = resident.module.remove(rows.length);
    for (const row of rows) {
      state.rows.delete(state.ids[row]!);
      state.ids[row] = undefined;
    }
    forgetEdges(state, slots);
    return rows.length;
  }

  /**
   * Adds edges, and changes those whose id is there, whose place in the order stays. An edge that
   * leads to or from a node that is not there is left out, and named in the answer.
   */
  link(edges: readonly MemoryEdge[]): Linked {
    const state = this.#index.live();
    const batch = readEdges(edges);
    this.#index.requireSame(state);
    const { resident, rows, slots, edgeIds, names } = state;
    const { records } = batch;
    const { ids } = batch;
    const count = ids.length;
    for (let index = 0; index < count; index++) {
      const source = rows.get(batch.sources[index]!);
      const target = rows.get(batch.targets[index]!);
      // One without an end is checked as the others are, and left out.
      records[index * EDGE + EDGE_FROM] = target === undefined ? NO_END : (source ?? NO_END);
      records[index * EDGE + EDGE_TO] = target ?? NO_END;
    }
    const added = setTargets(
      ids,
      slots,
      records,
      EDGE,
      EDGE_TARGET,
      (index) => records[index * EDGE + EDGE_FROM] === NO_END,
    );
    checkRoom("edges", slots.size + added);
    naming([names.edgeTypes], () => {
      setTypes(batch, names);
      resident.reserve(count * EDGE, count, 0);
      resident.numbers.set(records, resident.numbersAt);
      if (!resident.module.link(count)) throw refusedEntry(state, "edges", edges);
    });
    resident.relocate();
    const ignored: string[] = [];
    for (let index = 0; index < count; index++) {
      const slot = resident.rows[resident.rowsAt + index]!;
      const id = ids[index]!;
      if (slot === NOBODY) {
        ignored.push(id);
        continue;
      }
      const known = slots.get(id);
      if (known === slot) continue;
      // An edge whose ends changed has a new slot. Its old slot may belong to another edge of this
      // batch already.
      if (known !== undefined && edgeIds[known] === id) edgeIds[known] = undefined;
      slots.set(id, slot);
      edgeIds[slot] = id;
    }
    resident.shrinkIfLarge();
    return { linked: count - ignored.length, ignored };
  }

  /** Removes edges. Ids that are not there are passed over; the answer is how many were. */
  unlink(edgeIds: readonly string[]): number {
    const state = this.#index.live();
    const ids = new Set(idsOf("edgeIds", edgeIds));
    this.#index.requireSame(state);
    const slots = [...ids].flatMap((id) => state.slots.get(id) ?? []);
    const { resident } = state;
    resident.reserve(0, slots.length, 0);
    resident.rows.set(slots, resident.rowsAt);
    resident.module.unlink(slots.length);
    forgetEdges(state, slots);
    return slots.length;
  }

  /** Whether a node is there. */
  has(id: string): boolean {
    return this.#index.live().rows.has(id);
  }

  /** A node as it is stored, without its embedding. */
  get(id: string): StoredMemoryNode | undefined {
    const state = this.#index.live();
    const row = state.rows.get(id);
    if (row === undefined) return undefined;
    const { resident, names } = state;
    const labels = resident.module.node(row);
    resident.relocate();
    const { numbers, numbersAt: at, rowsAt } = resident;
    const codes = [...resident.rows.subarray(rowsAt, rowsAt + labels)];
    const subtype = numbers[at + STORED_NODE_SUBTYPE]!;
    const salience = numbers[at + STORED_NODE_SALIENCE]!;
    return {
      id,
      type: names.types.text(numbers[at + STORED_NODE_TYPE]!),
      subtype: subtype === NO_SUBTYPE ? null : names.subtypes.text(subtype),
      created_at: numbers[at + STORED_NODE_CREATED_AT]!,
      last_accessed: numbers[at + STORED_NODE_LAST_ACCESSED]!,
      access_count: numbers[at + STORED_NODE_ACCESS_COUNT]!,
      inbound_edge_count: numbers[at + STORED_NODE_INBOUND_EDGES]!,
      stability: numbers[at + STORED_NODE_STABILITY]!,
      retrievability: numbers[at + STORED_NODE_RETRIEVABILITY]!,
      difficulty: numbers[at + STORED_NODE_DIFFICULTY]!,
      ...(Number.isNaN(salience) ? {} : { salience }),
      lifecycle: STORED_STATES[numbers[at + STORED_NODE_STATE]!]!,
      tags: codes.filter((code) => code % 2 === 0).map((code) => names.tags.text(code >>> 1)),
      clusters: codes
        .filter((code) => code % 2 === 1)
        .map((code) => names.clusters.text(code >>> 1)),
      has_embedding: numbers[at + STORED_NODE_HAS_EMBEDDING] === 1,
      sequence: numbers[at + STORED_NODE_SEQUENCE]!,
    };
  }

  /** An edge as it is stored. */
  getEdge(id: string): StoredMemoryEdge | undefined {
    const state = this.#index.live();
    const slot = state.slots.get(id);
    return slot === undefined ? undefined : edgeAt(state, slot);
  }

  /** The ids of all nodes, in no order. */
  ids(): IterableIterator<string> {
    return this.#index.live().rows.keys();
  }

  /**
   * Numbers that `rerank` takes in place of ids, and looks up sooner. A number stays a node's own
   * until the node is removed.
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
   * Counts an access of each node, as being found by a search is one; an id listed twice counts
   * twice. Time is never turned back by it. Ids that are not there are passed over; the answer is
   * how many accesses were counted.
   */
  touch(ids: readonly string[], now?: Instant): number {
    return this.#access("touch", ids, now);
  }

  /**
   * What reading does: it counts an access and lets stability grow by the section's rate, and with
   * `salienceGrowth` by what was at stake (a playbook's stays); what is stored of retrievability
   * and lifecycle becomes what it was at the read, before it (DORMANT and DELETED stay). Else as
   * `touch`.
   */
  recall(ids: readonly string[], now?: Instant): number {
    return this.#access("recall", ids, now);
  }

  #access(how: "touch" | "recall", given: readonly string[], instant: Instant | undefined): number {
    const state = this.#index.live();
    const now = presentOf(instant);
    const rows = this.#rowsOf(state, idsOf("ids", given), false);
    const { resident } = state;
    resident.reserve(0, rows.length, 0);
    resident.rows.set(rows, resident.rowsAt);
    const counted = resident.module[how](rows.length, now);
    if (counted < 0) throw resident.refusal();
    return counted;
  }

  /**
   * Strengthens every edge between two different nodes of one group by `amount` in [0, 1], to 1 at
   * most and once however many groups it lies in: groups are what the parts of a question recalled,
   * so that two topics asked at once are not tied together. Ids that are not there are passed over.
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
    const { resident, edgeIds } = state;
    const flat = members.flat();
    resident.reserve(0, members.length + flat.length, 0);
    resident.rows.set(
      members.map(({ length }) => length),
      resident.rowsAt,
    );
    resident.rows.set(flat, resident.rowsAt + members.length);
    const slots = resident.module.strengthen(members.length, amount);
    if (slots === undefined) throw resident.refusal();
    const strengths = Float64Array.from(slots, (slot) => edgeAt(state, slot).strength);
    return { ids: Array.from(slots, (slot) => edgeIds[slot]!), strengths };
  }

  /**
   * Ranks candidates by the six signals, whose data of nodes are at hand here; equal scores keep
   * their order. The same to the bit as `rerankTop` of objects with the same fields.
   */
  rerank(candidates: ResidentCandidates, options: ResidentRerankOptions = {}): Ranking {
    const state = this.#index.live();
    checkRerank(candidates, options);
    const { limit, now, sections = true } = options;
    const present = presentOf(now);
    if (typeof sections !== "boolean")
      throw invalid("sections", `must be true or false, found ${show(sections)}`);
    const most = limitOf(limit, DEFAULT_LIMIT);
    const { ids, handles, semantic, bm25, graph } = candidates;
    if (handles !== undefined && !(ArrayBuffer.isView(handles) && handles instanceof Uint32Array)) {
      throw invalid("handles", `must be a Uint32Array, found ${show(handles)}`);
    }
    const own =
      handles === undefined
        ? Array.prototype.slice.call(listOf("ids", ids as readonly string[]))
        : undefined;
    const count = own?.length ?? lengthOf(handles!);
    // In the order of `COLUMNS`. A literal: an array with holes costs 3 % of a ranking by handles.
    const columns = [
      columnOf("semantic", semantic, count),
      columnOf("bm25", bm25, count),
      columnOf("graph", graph, count),
    ];
    const { resident } = state;
    // From here on no code of the caller runs. Code that ran may have changed the index, and the
    // length of a column.
    this.#index.requireSame(state);
    for (let place = 0; place < columns.length; place++) {
      const column = columns[place];
      if (column !== undefined && lengthOf(column) !== count) throw changed(SCORES[place]!);
    }
    if (handles !== undefined && lengthOf(handles) !== count) throw changed("handles");
    const places = Math.min(most, count);
    resident.reserve(COLUMNS * count + rankingNumbers(places), count, 0);
    const { numbers, numbersAt: at } = resident;
    // Empty columns are not copied: one with a detached buffer would throw.
    if (handles === undefined) lookUp(state, own!, resident.rows, resident.rowsAt);
    else if (count > 0) resident.rows.set(handles, resident.rowsAt);
    for (let place = 0; place < columns.length; place++) {
      const column = columns[place];
      if (column === undefined) numbers.fill(0, at + place * count, at + (place + 1) * count);
      else if (count > 0) numbers.set(column, at + place * count);
    }
    if (!resident.module.rerank(count, places, present, sections))
      throw refusedCandidate(state, candidates);
    resident.revalidateViews();
    const ranking = readRanking(resident.numbers, at + COLUMNS * count, places, state.ids);
    resident.shrinkIfLarge();
    return ranking;
  }

  /**
   * Searches: seeds from embeddings and from what a full-text index found, spreading activation
   * over the graph, relevance floor, ranking by sections, limit. Finding counts no access; see
   * `touch`.
   */
  search(query: SearchQuery): SearchResult<Ranking> {
    const state = this.#index.live();
    const read = readSearch(query, state.names);
    this.#index.requireSame(state);
    const { resident, ids } = state;
    writeSearch(state, read);
    if (!resident.module.search()) throw refusedSearch(state);
    resident.relocate();
    const { numbers, numbersAt: at } = resident;
    const returned = numbers[at + OUTCOME_RANKED]!;
    const ranking = readRanking(numbers, at + OUTCOME, returned, ids);
    const findsAt = at + OUTCOME + rankingNumbers(returned);
    const result: SearchResult<Ranking> = {
      ranking,
      serendipity: Array.from({ length: numbers[at + OUTCOME_FINDS]! }, (_, place) => ({
        id: ids[numbers[findsAt + FIND * place + FIND_ROW]!]!,
        activation: numbers[findsAt + FIND * place + FIND_ACTIVATION]!,
      })),
      metrics: {
        seeds_found: numbers[at + OUTCOME_SEEDS]!,
        nodes_activated: numbers[at + OUTCOME_ACTIVATED]!,
        nodes_filtered: numbers[at + OUTCOME_KEPT]!,
        nodes_returned: returned,
        hops: numbers[at + OUTCOME_HOPS]!,
        edges_traversed: numbers[at + OUTCOME_EDGES_TRAVERSED]!,
        terminated: TERMINATIONS[numbers[at + OUTCOME_ENDED]!]!,
      },
    };
    if (read.head[SEARCH_CONNECTIONS] === 1) {
      const connections = numbers[at + OUTCOME_CONNECTIONS]!;
      const slots = resident.rows.slice(resident.rowsAt, resident.rowsAt + connections);
      result.connections = Array.from(slots, (slot) => edgeAt(state, slot));
    }
    resident.shrinkAfterAnswer();
    return result;
  }

  /**
   * The nodes whose embeddings are most like this one, by cosine. Exact: every embedding is
   * compared.
   */
  similar(embedding: ArrayLike<number>, options: SimilarOptions = {}): Similar {
    const state = this.#index.live();
    const { limit, filter, now } = optionsOf("options", options, SIMILAR_KEYS);
    const most = limitOf(limit, DEFAULT_LIMIT);
    const read = readSimilar(embedding, filter, most, presentOf(now), state.names);
    this.#index.requireSame(state);
    const { resident } = state;
    writeSearch(state, read);
    const count = resident.module.similar();
    if (count < 0) throw resident.refusal();
    resident.relocate();
    const ids = Array.from(
      resident.rows.subarray(resident.rowsAt, resident.rowsAt + count),
      (row) => state.ids[row]!,
    );
    const scores = resident.numbers.slice(resident.numbersAt, resident.numbersAt + count);
    resident.shrinkAfterAnswer();
    return { ids, scores };
  }

  /**
   * Sweeps over every node and proposes what to store; changes nothing. Once the database has
   * the changes, `applyDecay` makes them the stored ones here too.
   */
  decay(now?: Instant): Sweep {
    const present = presentOf(now);
    const state = this.#index.live();
    const { resident, ids } = state;
    const { module } = resident;
    const processed = module.decay(present);
    if (processed < 0) throw resident.refusal();
    const count = module.sweep_length();
    const { buffer } = resident.instance.memory;
    const rows = new Uint32Array(buffer, module.sweep_rows_at(), count);
    const changes: DecayChanges = {
      ids: idsAt(ids, rows, module.sweep_begins()),
      retrievability: new Float64Array(buffer, module.sweep_retrievability_at(), count).slice(),
      lifecycle: new Uint8Array(buffer, module.sweep_states_at(), count).slice(),
    };
    const transitions = this.#transitions(state, module.sweep_transitions());
    module.forget_sweep();
    resident.revalidateViews();
    return { processed, changes, transitions };
  }

  /**
   * Makes changes the stored ones. Ids that are not there any more are passed over; the answer is
   * how many were stored.
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
    const { resident } = state;
    resident.reserve(ids.length, ids.length, ids.length);
    const { numbers, rows, bytes, numbersAt, rowsAt, bytesAt } = resident;
    for (let index = 0; index < ids.length; index++) {
      const r = retrievability[index]!;
      const code = lifecycle[index]!;
      if (!(r >= 0 && r <= 1))
        throw changeRefused(ids, index, "retrievability", "must lie between 0 and 1", r);
      if (!(Number.isInteger(code) && code >= 0 && code < STORED_STATES.length)) {
        throw changeRefused(ids, index, "lifecycle", "must be a place in LIFECYCLE_STATES", code);
      }
      numbers[numbersAt + index] = r;
      bytes[bytesAt + index] = code;
      rows[rowsAt + index] = state.rows.get(ids[index]!) ?? NOBODY;
    }
    const applied = resident.module.apply_decay(ids.length);
    if (applied < 0) throw resident.refusal();
    resident.shrinkIfLarge();
    return applied;
  }

  /**
   * The transitions that `decay` would propose, found without looking at every node: the time goes
   * by the number of nodes that a change could concern, unless `now` lies before that of the last
   * call, or of a sweep that was applied since. A transition is returned again until `applyDecay` or
   * `upsert` stores it.
   */
  transitions(now?: Instant): Transition[] {
    const present = presentOf(now);
    const state = this.#index.live();
    const due = state.resident.module.transitions(present);
    if (due === undefined) throw state.resident.refusal();
    return this.#transitions(state, due);
  }

  #transitions({ ids, names }: MemoryState, numbers: Uint32Array): Transition[] {
    const count = numbers.length / TRANSITION;
    const transitions = new Array<Transition>(count);
    for (let place = 0; place < count; place++) {
      const at = place * TRANSITION;
      const subtype = numbers[at + TRANSITION_SUBTYPE]!;
      transitions[place] = {
        id: ids[numbers[at + TRANSITION_ROW]!]!,
        from: STORED_STATES[numbers[at + TRANSITION_FROM]!]!,
        to: LIFECYCLE_STATES[numbers[at + TRANSITION_TO]!]!,
        subtype: subtype === NO_SUBTYPE ? null : names.subtypes.text(subtype),
      };
    }
    return transitions;
  }

  /**
   * Searches, and explains the rank of one node: every number behind its score, from
   * seeds and hops to the six weighted signals, as a tree that adds up to the score exactly.
   *
   * @throws {NousError} `invalid_argument` where there is no such node; else as `search`.
   */
  explain(id: string, query: SearchQuery): ExplainedNode {
    const state = this.#index.live();
    const read = readSearch(query, state.names);
    this.#index.requireSame(state);
    const row = state.rows.get(id);
    if (row === undefined)
      throw invalid("id", `must name a memory of this index, found ${show(id)}`);
    writeSearch(state, read);
    const json = state.resident.module.explain(row);
    if (json === undefined) throw refusedSearch(state);
    state.resident.relocate();
    const { rank, absent, score } = JSON.parse(json) as ModuleNode;
    const name = ({ from, edge, parts, ...rest }: ModuleExplanation): Explanation => ({
      ...rest,
      // JSON has no infinity; no other value is missing.
      value: rest.value ?? Number.POSITIVE_INFINITY,
      ...(parts === undefined ? {} : { parts: parts.map(name) }),
      ...(from === undefined ? {} : { from: state.ids[from]! }),
      ...(edge === undefined ? {} : { edge: state.edgeIds[edge]! }),
    });
    return {
      id,
      rank,
      ...(absent === undefined ? {} : { absent }),
      score: score === null ? null : name(score),
    };
  }

  /**
   * The index as bytes, versioned and checked by sums. The memory that a snapshot needs meanwhile
   * (some 16 bytes a node and edge, and two parts of some megabytes) does not count against
   * `maxBytes`, so that a full index can be saved.
   */
  snapshot(): Uint8Array<ArrayBuffer> {
    return inOnePiece(this.snapshotParts());
  }

  /**
   * The same in pieces of some megabytes, each made when it is asked for, to be written to a
   * stream. The index may not be changed before the last.
   */
  snapshotParts(): IterableIterator<Uint8Array<ArrayBuffer>> {
    const state = this.#index.live();
    return snapshotParts(state, (rows) => [
      [rows, state.ids],
      [state.resident.module.snapshot_slots(), state.edgeIds],
    ]);
  }

  /**
   * Gives the index up, and its memory with it; every later call is an error with code `freed`, but
   * for this one, which does nothing. An index that is forgotten without it is collected in time,
   * as other objects are.
   */
  free(): void {
    this.#index.free();
  }

  /** The rows of those ids that are there; each once where that is asked for. */
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

/** An explanation from the module: nodes by row, edges by slot. */
interface ModuleExplanation extends Omit<Explanation, "from" | "edge" | "parts"> {
  from?: number;
  edge?: number;
  parts?: ModuleExplanation[];
}

interface ModuleNode {
  rank: number | null;
  absent?: NonNullable<ExplainedNode["absent"]>;
  score: ModuleExplanation | null;
}

/** Writes the target of each entry into its record. Returns the count of new ids. */
function setTargets(
  ids: readonly string[],
  known: ReadonlyMap<string, number>,
  records: Float64Array,
  size: number,
  field: number,
  isLeftOut: (index: number) => boolean = () => false,
): number {
  const first = new Map<string, number>();
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index]!;
    if (isLeftOut(index)) continue;
    const there = known.get(id);
    if (there !== undefined) {
      records[index * size + field] = there;
      continue;
    }
    const before = first.get(id);
    if (before === undefined) first.set(id, index);
    records[index * size + field] = before === undefined ? TARGET_NEW : TARGET_EARLIER - before;
  }
  return first.size;
}

function forgetEdges({ slots, edgeIds }: MemoryState, freed: ArrayLike<number>): void {
  for (let place = 0; place < freed.length; place++) {
    const slot = freed[place]!;
    const id = edgeIds[slot];
    if (id === undefined) continue;
    slots.delete(id);
    edgeIds[slot] = undefined;
  }
}

function edgeAt({ resident, ids, edgeIds, names }: MemoryState, slot: number): StoredMemoryEdge {
  resident.module.edge(slot);
  resident.relocate();
  const { numbers, numbersAt: at } = resident;
  return {
    id: edgeIds[slot]!,
    source_id: ids[numbers[at + STORED_EDGE_FROM]!]!,
    target_id: ids[numbers[at + STORED_EDGE_TO]!]!,
    type: names.edgeTypes.text(numbers[at + STORED_EDGE_TYPE]!),
    strength: numbers[at + STORED_EDGE_STRENGTH]!,
    sequence: numbers[at + STORED_EDGE_SEQUENCE]!,
  };
}

const changed = (field: string) => invalid(field, "changed while it was read");

/** Fills in the rows of ids that all have to be there, from a place on. */
function lookUp(
  { rows: known }: MemoryState,
  ids: readonly string[],
  rows: Uint32Array,
  at: number,
): void {
  for (let index = 0; index < ids.length; index++) {
    const row = known.get(ids[index]!);
    if (row === undefined) {
      const message = `ids[${index}] must name a memory of this index, found ${show(ids[index])}`;
      const id = ids[index];
      throw new NousError("invalid_argument", message, {
        field: "ids",
        index,
        ...(typeof id === "string" ? { id } : {}),
      });
    }
    rows[at + index] = row;
  }
}

/**
 * The ids of rows, of which some begin as all rows do. The first ids of all are a list that is made
 * in less time than an empty one, and where most rows are asked for, as when all of them fade, most
 * of it is right already.
 */
function idsAt(ids: readonly (string | undefined)[], rows: Uint32Array, begin: number): string[] {
  const found = ids.slice(0, rows.length) as string[];
  for (let place = begin; place < rows.length; place++) {
    const row = rows[place]!;
    if (row !== place) found[place] = ids[row]!;
  }
  return found;
}

/** Puts a search that was read into the scratch. */
function writeSearch(
  { resident, rows: known }: MemoryState,
  { head, lists, hits, scores, embedding }: ReadSearch,
): void {
  const codes = lists.flat();
  const components = embedding?.length ?? 0;
  resident.reserve(
    Math.max(SEARCH + hits.length + components, OUTCOME),
    lists.length + codes.length + hits.length,
    0,
  );
  const { numbers, rows, numbersAt, rowsAt } = resident;
  numbers.set(head, numbersAt);
  numbers.set(scores, numbersAt + SEARCH);
  if (embedding !== undefined) numbers.set(embedding, numbersAt + SEARCH + hits.length);
  for (let list = 0; list < lists.length; list++) rows[rowsAt + list] = lists[list]!.length;
  rows.set(codes, rowsAt + lists.length);
  const hitsAt = rowsAt + lists.length + codes.length;
  for (let hit = 0; hit < hits.length; hit++) rows[hitsAt + hit] = known.get(hits[hit]!) ?? NOBODY;
}

function wholeOf(field: string, value: unknown, most: number): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most)
    return value;
  throw invalid(field, `must be a whole number from 0 to ${most}, found ${show(value)}`);
}
