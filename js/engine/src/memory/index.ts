/// <reference lib="esnext.disposable" preserve="true" />
// The resident memory of one agent: ids here, everything else in the memory of an instance of its
// own.

import { idsOf, limitOf, listOf, optionsOf, presentOf } from "../arguments.ts";
import { withModuleConfig } from "../config.ts";
import { LIFECYCLE_STATES } from "../constants.ts";
import { invalid, invalidEntry, NousError, problemWith, show } from "../errors.ts";
import { takeRefusal } from "../runtime.ts";
import type { Instant } from "../types.ts";
import { Names, naming } from "./names.ts";
import {
  type AllNames,
  checkRerank,
  codesOf,
  EDGE,
  NODE,
  type ReadSearch,
  readEdges,
  readNodes,
  readSearch,
  readSimilar,
  SEARCH,
  SIMILAR_KEYS,
  STORED_STATES,
  setTarget,
  setTypes,
} from "./pack.ts";
import { type Ranking, rankingNumbers, readRanking } from "./ranking.ts";
import { Resident, type ResidentModule } from "./resident.ts";
import {
  inOnePiece,
  restoreParts,
  type SnapshotSource,
  type Snapshotted,
  snapshotParts,
} from "./snapshot.ts";
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

/** Results when a call does not say. @internal */
export const DEFAULT_LIMIT = 20;
const DEFAULT_MAX_BYTES = 3 * 2 ** 30;
/** A Map holds 2²⁴ entries. */
const MOST_IDS = 2 ** 24 - 1;
const MOST_DIMENSIONS = 65_536;
/** Why spreading ended, by code. */
const TERMINATIONS = ["no_spread", "max_nodes", "max_hops"] as const;
/** Numbers of a search's outcome, before what it found. */
const OUTCOME = 9;
/** An end of an edge that is not in the index. */
const NO_END = -1;
/** A hit that is not in the index; the slot of an edge that was left out. */
const NOBODY = 0xffff_ffff;
/** The code of no subtype. */
const NO_SUBTYPE = 0;

const OPTION_KEYS = new Set(["dimensions", "embeddings", "embeddingId", "config", "maxBytes"]);
const RESTORE_KEYS = new Set(["config", "maxBytes"]);
const UPSERT_KEYS = new Set(["now"]);
/** The columns of candidates, in the order in which they cross. */
const SCORES = ["semantic", "bm25", "graph"] as const;

/** What belongs to one memory: its instance, and who its rows and slots are. @internal */
export interface Kept extends Snapshotted<ResidentModule> {
  /** Rows by id, ids by row. */
  rows: Map<string, number>;
  ids: (string | undefined)[];
  /** The same of edges. */
  slots: Map<string, number>;
  edgeIds: (string | undefined)[];
  names: AllNames;
  embeddingId: string;
}

function keep(resident: Resident, embeddingId: string): Kept {
  return {
    resident,
    rows: new Map(),
    ids: [],
    slots: new Map(),
    edgeIds: [],
    names: {
      types: new Names(resident, "type"),
      subtypes: new Names(resident, "subtype"),
      edgeTypes: new Names(resident, "edgeType"),
      tags: new Names(resident, "tag"),
      clusters: new Names(resident, "cluster"),
    },
    embeddingId,
    snapshots: 0,
    isFreed: false,
  };
}

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
 * Every method refuses what is wrong with a `NousError` before it does anything: `invalid_argument`
 * names field, index and id, `out_of_memory` says what was missing, `freed` that the index is gone,
 * `instance_lost` that the engine failed in it, so that it has to be made anew. Methods compute at
 * once, without waiting.
 */
export class MemoryIndex {
  #kept: Kept | undefined;
  // Set below, where the symbol exists.
  declare [Symbol.dispose]: () => void;

  /**
   * @throws {NousError} `invalid_argument` for an option that is none or out of its range,
   * `invalid_config` for a wrong
   * configuration, `not_initialized` before the module is loaded.
   */
  constructor(options: MemoryIndexOptions = {}) {
    if ((options as unknown) instanceof Whole) {
      this.#kept = (options as unknown as Whole).kept;
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
    const resident =
      config === undefined
        ? Resident.create(undefined, making)
        : withModuleConfig(config, (plain) => Resident.create(plain, making));
    this.#kept = keep(resident, embeddingId);
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
    const restored =
      config === undefined
        ? restoreParts(bytes, undefined, most)
        : withModuleConfig(config, (plain) => restoreParts(bytes, plain, most));
    const kept = keep(restored.resident, restored.embeddingId);
    kept.ids = restored.nodeIds;
    kept.edgeIds = restored.edgeIds;
    kept.rows = restored.rows;
    kept.slots = restored.slots;
    return new MemoryIndex(new Whole(kept) as object);
  }

  #live(): Kept {
    if (this.#kept === undefined) throw new NousError("freed", "This index has been freed.");
    return this.#kept;
  }

  /** How many nodes there are. */
  get size(): number {
    return this.#live().rows.size;
  }

  /** How many edges there are. */
  get edgeCount(): number {
    return this.#live().slots.size;
  }

  /** Which model made the embeddings, as the index was told. */
  get embeddingId(): string {
    return this.#live().embeddingId;
  }

  /** The memory it takes, in bytes. */
  get bytes(): MemoryUse {
    const { resident } = this.#live();
    resident.module.bytes_used();
    resident.find();
    const [nodes, nodes_capacity, edges, edges_capacity, embeddings, embeddings_capacity] =
      resident.numbers.subarray(resident.numbersAt, resident.numbersAt + 6) as unknown as [
        number,
        number,
        number,
        number,
        number,
        number,
      ];
    const module = resident.instance.memory.buffer.byteLength;
    return {
      nodes,
      nodes_capacity,
      edges,
      edges_capacity,
      embeddings,
      embeddings_capacity,
      module,
    };
  }

  /**
   * Adds nodes, and changes those whose id is there; entries apply in order. `now` serves the
   * defaults of new ones. The answer is how many were new.
   */
  upsert(nodes: readonly MemoryNode[], options: { now?: Instant | undefined } = {}): number {
    const kept = this.#live();
    const now = presentOf(optionsOf("options", options, UPSERT_KEYS).now);
    const batch = readNodes(nodes);
    this.#sameAs(kept);
    const { resident, rows, ids, names } = kept;
    const { records } = batch;
    const count = batch.ids.length;
    const added = setTargets(batch.ids, rows, records, NODE);
    checkRoom("nodes", rows.size + added);
    naming([names.types, names.subtypes, names.tags, names.clusters], () => {
      const codes = codesOf(batch, names);
      const embeddings = batch.embeddings.all;
      resident.reserve(records.length + embeddings.length, Math.max(codes.length, count), 0);
      resident.numbers.set(records, resident.numbersAt);
      resident.rows.set(codes, resident.rowsAt);
      resident.numbers.set(embeddings, resident.numbersAt + records.length);
      if (!resident.module.upsert(count, now)) throw refusedEntry(kept, "nodes", nodes);
    });
    resident.find();
    for (let index = 0; index < count; index++) {
      if (records[index * NODE] !== NEW) continue;
      const row = resident.rows[resident.rowsAt + index]!;
      const id = batch.ids[index]!;
      rows.set(id, row);
      ids[row] = id;
    }
    resident.release();
    return added;
  }

  /**
   * Removes nodes, their edges with them. Ids that are not there are passed over; the answer is how
   * many were.
   */
  remove(ids: readonly string[]): number {
    const kept = this.#live();
    const rows = this.#rowsOf(kept, idsOf("ids", ids), true);
    const { resident } = kept;
    resident.reserve(0, rows.length, 0);
    resident.rows.set(rows, resident.rowsAt);
    const slots = resident.module.remove(rows.length);
    for (const row of rows) {
      kept.rows.delete(kept.ids[row]!);
      kept.ids[row] = undefined;
    }
    forgetEdges(kept, slots);
    return rows.length;
  }

  /**
   * Adds edges, and changes those whose id is there, whose place in the order stays. An edge that
   * leads to or from a node that is not there is left out, and named in the answer.
   */
  link(edges: readonly MemoryEdge[]): Linked {
    const kept = this.#live();
    const batch = readEdges(edges);
    this.#sameAs(kept);
    const { resident, rows, slots, edgeIds, names } = kept;
    const { records } = batch;
    const { ids } = batch;
    const count = ids.length;
    for (let index = 0; index < count; index++) {
      const source = rows.get(batch.sources[index]!);
      const target = rows.get(batch.targets[index]!);
      // One without an end is checked as the others are, and left out.
      records[index * EDGE + 1] = target === undefined ? NO_END : (source ?? NO_END);
      records[index * EDGE + 2] = target ?? NO_END;
    }
    const added = setTargets(
      ids,
      slots,
      records,
      EDGE,
      (index) => records[index * EDGE + 1] === NO_END,
    );
    checkRoom("edges", slots.size + added);
    naming([names.edgeTypes], () => {
      setTypes(batch, names);
      resident.reserve(count * EDGE, count, 0);
      resident.numbers.set(records, resident.numbersAt);
      if (!resident.module.link(count)) throw refusedEntry(kept, "edges", edges);
    });
    resident.find();
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
      // One whose ends moved has another slot; what its old one has become is for whoever took it
      // to say.
      if (known !== undefined && edgeIds[known] === id) edgeIds[known] = undefined;
      slots.set(id, slot);
      edgeIds[slot] = id;
    }
    resident.release();
    return { linked: count - ignored.length, ignored };
  }

  /** Removes edges. Ids that are not there are passed over; the answer is how many were. */
  unlink(edgeIds: readonly string[]): number {
    const kept = this.#live();
    const ids = new Set(idsOf("edgeIds", edgeIds));
    this.#sameAs(kept);
    const slots = [...ids].flatMap((id) => kept.slots.get(id) ?? []);
    const { resident } = kept;
    resident.reserve(0, slots.length, 0);
    resident.rows.set(slots, resident.rowsAt);
    resident.module.unlink(slots.length);
    forgetEdges(kept, slots);
    return slots.length;
  }

  /** Whether a node is there. */
  has(id: string): boolean {
    return this.#live().rows.has(id);
  }

  /** A node as it is kept, without its embedding. */
  get(id: string): StoredMemoryNode | undefined {
    const kept = this.#live();
    const row = kept.rows.get(id);
    if (row === undefined) return undefined;
    const { resident, names } = kept;
    const labels = resident.module.node(row);
    resident.find();
    const { numbers, numbersAt: at, rowsAt } = resident;
    const codes = [...resident.rows.subarray(rowsAt, rowsAt + labels)];
    const subtype = numbers[at + 11]!;
    const salience = numbers[at + 8]!;
    return {
      id,
      type: names.types.text(numbers[at + 10]!),
      subtype: subtype === NO_SUBTYPE ? null : names.subtypes.text(subtype),
      created_at: numbers[at + 1]!,
      last_accessed: numbers[at + 2]!,
      access_count: numbers[at + 3]!,
      inbound_edge_count: numbers[at + 4]!,
      stability: numbers[at + 5]!,
      retrievability: numbers[at + 6]!,
      difficulty: numbers[at + 7]!,
      ...(Number.isNaN(salience) ? {} : { salience }),
      lifecycle: STORED_STATES[numbers[at + 9]!]!,
      tags: codes.filter((code) => code % 2 === 0).map((code) => names.tags.text(code >>> 1)),
      clusters: codes
        .filter((code) => code % 2 === 1)
        .map((code) => names.clusters.text(code >>> 1)),
      has_embedding: numbers[at + 12] === 1,
      sequence: numbers[at]!,
    };
  }

  /** An edge as it is kept. */
  getEdge(id: string): StoredMemoryEdge | undefined {
    const kept = this.#live();
    const slot = kept.slots.get(id);
    return slot === undefined ? undefined : edgeAt(kept, slot);
  }

  /** The ids of all nodes, in no order. */
  ids(): IterableIterator<string> {
    return this.#live().rows.keys();
  }

  /**
   * Numbers that `rerank` takes in place of ids, and looks up sooner. A number stays a node's own
   * until the node is removed.
   *
   * @throws {NousError} `invalid_argument` naming index and id where there is no such node.
   */
  handles(ids: readonly string[]): Uint32Array {
    // Read whole before any is looked up: what reading runs may change who is there.
    const own = [...listOf("ids", ids)];
    const handles = new Uint32Array(own.length);
    lookUp(this.#live(), own, handles, 0);
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
    const kept = this.#live();
    const now = presentOf(instant);
    const rows = this.#rowsOf(kept, idsOf("ids", given), false);
    const { resident } = kept;
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
    const kept = this.#live();
    if (typeof amount !== "number")
      throw invalid("amount", `must lie between 0 and 1, found ${show(amount)}`);
    const read = Array.from(listOf("groups", groups), (group, index) =>
      idsOf(`groups[${index}]`, group),
    );
    this.#sameAs(kept);
    const members = read.map((ids) => this.#rowsOf(kept, ids, true));
    const { resident, edgeIds } = kept;
    const flat = members.flat();
    resident.reserve(0, members.length + flat.length, 0);
    resident.rows.set(
      members.map(({ length }) => length),
      resident.rowsAt,
    );
    resident.rows.set(flat, resident.rowsAt + members.length);
    const slots = resident.module.strengthen(members.length, amount);
    if (slots === undefined) throw resident.refusal();
    const strengths = Float64Array.from(slots, (slot) => edgeAt(kept, slot).strength);
    return { ids: Array.from(slots, (slot) => edgeIds[slot]!), strengths };
  }

  /**
   * Ranks candidates by the six signals, whose data of nodes are at hand here; equal scores keep
   * their order. The same to the bit as `rerankTop` of objects with the same fields.
   */
  rerank(candidates: ResidentCandidates, options: ResidentRerankOptions = {}): Ranking {
    const kept = this.#live();
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
    const columns = [
      columnOf("semantic", semantic, count),
      columnOf("bm25", bm25, count),
      columnOf("graph", graph, count),
    ];
    const { resident } = kept;
    // From here on nothing of the caller's runs; what ran may have changed who is there, and how
    // long a column is.
    this.#sameAs(kept);
    for (let place = 0; place < columns.length; place++) {
      const column = columns[place];
      if (column !== undefined && lengthOf(column) !== count) throw changed(SCORES[place]!);
    }
    if (handles !== undefined && lengthOf(handles) !== count) throw changed("handles");
    const places = Math.min(most, count);
    resident.reserve(3 * count + rankingNumbers(places), count, 0);
    const { numbers, numbersAt: at } = resident;
    // Of none there is nothing to copy, and what has a detached buffer cannot even be asked.
    if (handles === undefined) lookUp(kept, own!, resident.rows, resident.rowsAt);
    else if (count > 0) resident.rows.set(handles, resident.rowsAt);
    for (let place = 0; place < columns.length; place++) {
      const column = columns[place];
      if (column === undefined) numbers.fill(0, at + place * count, at + (place + 1) * count);
      else if (count > 0) numbers.set(column, at + place * count);
    }
    if (!resident.module.rerank(count, places, present, sections))
      throw refusedCandidate(kept, candidates);
    resident.refresh();
    const ranking = readRanking(resident.numbers, at + 3 * count, places, kept.ids);
    resident.release();
    return ranking;
  }

  /**
   * Searches: seeds from embeddings and from what a full-text index found, spreading activation
   * over the graph, relevance floor, ranking by sections, limit. Finding counts no access; see
   * `touch`.
   */
  search(query: SearchQuery): SearchResult<Ranking> {
    const kept = this.#live();
    const read = readSearch(query, kept.names);
    this.#sameAs(kept);
    const { resident, ids } = kept;
    writeSearch(kept, read);
    if (!resident.module.search()) throw refusedSearch(kept);
    resident.find();
    const { numbers, numbersAt: at } = resident;
    const [seeds, activated, filtered, returned, finds, connections, hops, traversed, terminated] =
      numbers.subarray(at, at + OUTCOME) as unknown as [
        number,
        number,
        number,
        number,
        number,
        number,
        number,
        number,
        number,
      ];
    const ranking = readRanking(numbers, at + OUTCOME, returned, ids);
    const findsAt = at + OUTCOME + rankingNumbers(returned);
    const result: SearchResult<Ranking> = {
      ranking,
      serendipity: Array.from({ length: finds }, (_, place) => ({
        id: ids[numbers[findsAt + 2 * place]!]!,
        activation: numbers[findsAt + 2 * place + 1]!,
      })),
      metrics: {
        seeds_found: seeds,
        nodes_activated: activated,
        nodes_filtered: filtered,
        nodes_returned: returned,
        hops,
        edges_traversed: traversed,
        terminated: TERMINATIONS[terminated]!,
      },
    };
    if (read.head[3] === 1) {
      const slots = resident.rows.slice(resident.rowsAt, resident.rowsAt + connections);
      result.connections = Array.from(slots, (slot) => edgeAt(kept, slot));
    }
    resident.releaseAnswer();
    return result;
  }

  /**
   * The nodes whose embeddings are most like this one, by cosine. Exact: every embedding is
   * compared.
   */
  similar(embedding: ArrayLike<number>, options: SimilarOptions = {}): Similar {
    const kept = this.#live();
    const { limit, filter, now } = optionsOf("options", options, SIMILAR_KEYS);
    const most = limitOf(limit, DEFAULT_LIMIT);
    const read = readSimilar(embedding, filter, most, presentOf(now), kept.names);
    this.#sameAs(kept);
    const { resident } = kept;
    writeSearch(kept, read);
    const count = resident.module.similar();
    if (count < 0) throw resident.refusal();
    resident.find();
    const ids = Array.from(
      resident.rows.subarray(resident.rowsAt, resident.rowsAt + count),
      (row) => kept.ids[row]!,
    );
    const scores = resident.numbers.slice(resident.numbersAt, resident.numbersAt + count);
    resident.releaseAnswer();
    return { ids, scores };
  }

  /**
   * Looks at every node and proposes what to store; nothing is changed by it. Once the database has
   * the changes, `applyDecay` makes them the stored ones here too.
   */
  decay(now?: Instant): Sweep {
    const present = presentOf(now);
    const kept = this.#live();
    const { resident, ids } = kept;
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
    const transitions = this.#transitions(kept, module.sweep_transitions());
    module.forget_sweep();
    resident.refresh();
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
    const kept = this.#live();
    if (typeof changes !== "object" || changes === null) {
      throw invalid("changes", `must be an object, found ${show(changes)}`);
    }
    const ids = idsOf("ids", changes.ids);
    const retrievability = columnOf("retrievability", changes.retrievability, ids.length);
    const lifecycle = columnOf("lifecycle", changes.lifecycle, ids.length);
    if (retrievability === undefined) throw invalid("retrievability", "is missing");
    if (lifecycle === undefined) throw invalid("lifecycle", "is missing");
    this.#sameAs(kept);
    const { resident } = kept;
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
      rows[rowsAt + index] = kept.rows.get(ids[index]!) ?? NOBODY;
    }
    const applied = resident.module.apply_decay(ids.length);
    if (applied < 0) throw resident.refusal();
    resident.release();
    return applied;
  }

  /**
   * The transitions that `decay` would propose, found without looking at every node: the time goes
   * by the number of nodes that a change could concern, unless `now` lies before that of the last
   * call, or of a sweep that was applied since. What was told is told again until it is stored, by
   * `applyDecay` or `upsert`.
   */
  transitions(now?: Instant): Transition[] {
    const present = presentOf(now);
    const kept = this.#live();
    const told = kept.resident.module.transitions(present);
    if (told === undefined) throw kept.resident.refusal();
    return this.#transitions(kept, told);
  }

  #transitions({ ids, names }: Kept, told: Uint32Array): Transition[] {
    const count = told.length / 4;
    const transitions = new Array<Transition>(count);
    for (let place = 0; place < count; place++) {
      const subtype = told[4 * place + 3]!;
      transitions[place] = {
        id: ids[told[4 * place]!]!,
        from: STORED_STATES[told[4 * place + 1]!]!,
        to: LIFECYCLE_STATES[told[4 * place + 2]!]!,
        subtype: subtype === NO_SUBTYPE ? null : names.subtypes.text(subtype),
      };
    }
    return transitions;
  }

  /**
   * Searches, and tells why one node stands where it stands: every number behind its score, from
   * seeds and hops to the six weighted signals, as a tree that adds up to the score exactly.
   *
   * @throws {NousError} `invalid_argument` where there is no such node; else as `search`.
   */
  explain(id: string, query: SearchQuery): ExplainedNode {
    const kept = this.#live();
    const read = readSearch(query, kept.names);
    this.#sameAs(kept);
    const row = kept.rows.get(id);
    if (row === undefined)
      throw invalid("id", `must name a memory of this index, found ${show(id)}`);
    writeSearch(kept, read);
    const json = kept.resident.module.explain(row);
    if (json === undefined) throw refusedSearch(kept);
    kept.resident.find();
    const { rank, absent, score } = JSON.parse(json) as ToldNode;
    const name = ({ from, edge, parts, ...rest }: ToldExplanation): Explanation => ({
      ...rest,
      // JSON has no infinity; no other value is missing.
      value: rest.value ?? Number.POSITIVE_INFINITY,
      ...(parts === undefined ? {} : { parts: parts.map(name) }),
      ...(from === undefined ? {} : { from: kept.ids[from]! }),
      ...(edge === undefined ? {} : { edge: kept.edgeIds[edge]! }),
    });
    return {
      id,
      rank,
      ...(absent === undefined ? {} : { absent }),
      score: score === null ? null : name(score),
    };
  }

  /**
   * The whole index as bytes, versioned and checked by sums. An index that has reached `maxBytes`
   * can make its snapshot as well: what that needs for a while (some 16 bytes a node and edge, and
   * two parts of some megabytes) does not count against `maxBytes`.
   */
  snapshot(): Uint8Array<ArrayBuffer> {
    return inOnePiece(this.snapshotParts());
  }

  /**
   * The same in pieces of some megabytes, each made when it is asked for, to be written to a
   * stream. The index may not be changed before the last.
   */
  snapshotParts(): IterableIterator<Uint8Array<ArrayBuffer>> {
    const kept = this.#live();
    return snapshotParts(kept, (rows) => [
      [rows, kept.ids],
      [kept.resident.module.snapshot_slots(), kept.edgeIds],
    ]);
  }

  /**
   * Gives the index up, and its memory with it; every later call is an error with code `freed`, but
   * for this one, which does nothing. An index that is forgotten without it is collected in time,
   * as other objects are.
   */
  free(): void {
    if (this.#kept !== undefined) this.#kept.isFreed = true;
    this.#kept = undefined;
  }

  /**
   * Reading a caller's objects may have run code of the caller's, which may have freed the index.
   */
  #sameAs(kept: Kept): void {
    if (this.#live() !== kept) throw new NousError("freed", "This index has been freed.");
  }

  /** The rows of those ids that are there; each once where that is asked for. */
  #rowsOf(kept: Kept, ids: readonly string[], once: boolean): number[] {
    this.#sameAs(kept);
    const rows: number[] = [];
    for (const id of once ? new Set(ids) : ids) {
      const row = kept.rows.get(id);
      if (row !== undefined) rows.push(row);
    }
    return rows;
  }

  static {
    if (Symbol.dispose !== undefined) {
      Object.defineProperty(MemoryIndex.prototype, Symbol.dispose, {
        value: MemoryIndex.prototype.free,
        writable: true,
        configurable: true,
      });
    }
  }
}

/** What a restored index is made of. */
class Whole {
  constructor(readonly kept: Kept) {}
}

/** An explanation as the module tells it: nodes by row, edges by slot. */
interface ToldExplanation extends Omit<Explanation, "from" | "edge" | "parts"> {
  from?: number;
  edge?: number;
  parts?: ToldExplanation[];
}

interface ToldNode {
  rank: number | null;
  absent?: NonNullable<ExplainedNode["absent"]>;
  score: ToldExplanation | null;
}

/** The target of an entry that is new, and of one whose id came before in the batch. */
const NEW = -1;
const earlier = (place: number) => -2 - place;

/** Says of each entry which node or edge it is about; the answer is how many are new. */
function setTargets(
  ids: readonly string[],
  known: ReadonlyMap<string, number>,
  records: Float64Array,
  size: number,
  isLeftOut: (index: number) => boolean = () => false,
): number {
  const first = new Map<string, number>();
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index]!;
    if (isLeftOut(index)) continue;
    const there = known.get(id);
    if (there !== undefined) {
      setTarget(records, size, index, there);
      continue;
    }
    const before = first.get(id);
    if (before === undefined) first.set(id, index);
    setTarget(records, size, index, before === undefined ? NEW : earlier(before));
  }
  return first.size;
}

/** Whether a Map can hold so many ids. @internal */
export function checkRoom(batch: string, ids: number): void {
  if (ids <= MOST_IDS) return;
  throw new NousError(
    "out_of_memory",
    `${batch} would be ${ids}, and an index holds ${MOST_IDS}.`,
    { field: batch },
  );
}

function forgetEdges({ slots, edgeIds }: Kept, freed: ArrayLike<number>): void {
  for (let place = 0; place < freed.length; place++) {
    const slot = freed[place]!;
    const id = edgeIds[slot];
    if (id === undefined) continue;
    slots.delete(id);
    edgeIds[slot] = undefined;
  }
}

function edgeAt({ resident, ids, edgeIds, names }: Kept, slot: number): StoredMemoryEdge {
  resident.module.edge(slot);
  resident.find();
  const { numbers, numbersAt: at } = resident;
  return {
    id: edgeIds[slot]!,
    source_id: ids[numbers[at]!]!,
    target_id: ids[numbers[at + 1]!]!,
    type: names.edgeTypes.text(numbers[at + 2]!),
    strength: numbers[at + 3]!,
    sequence: numbers[at + 4]!,
  };
}

/** The length of a typed array, whatever it says of itself. */
const typedLength = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  "length",
)!.get!;
const lengthOf = (column: ArrayLike<number>): number => typedLength.call(column) as number;

const changed = (field: string) => invalid(field, "changed while it was read");

/** Fills in the rows of ids that all have to be there, from a place on. */
function lookUp(
  { rows: known }: Kept,
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

/**
 * A column of numbers, of the length it has to have; what is no number becomes NaN, which is
 * refused.
 */
function columnOf(field: string, column: unknown, count: number): ArrayLike<number> | undefined {
  if (column === undefined || column === null) return undefined;
  const isList =
    Array.isArray(column) || (ArrayBuffer.isView(column) && !(column instanceof DataView));
  if (!isList) throw invalid(field, `must be an array of numbers, found ${show(column)}`);
  const list = column as ArrayLike<unknown>;
  if (list.length !== count)
    throw invalid(field, `must have as many entries as ids, ${count}, found ${list.length}`);
  if (
    column instanceof Float64Array ||
    column instanceof Float32Array ||
    column instanceof Uint8Array
  )
    return column;
  const numbers = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    const number = list[index];
    numbers[index] = typeof number === "number" ? number : Number.NaN;
  }
  return numbers;
}

function changeRefused(
  ids: readonly string[],
  index: number,
  field: string,
  problem: string,
  found: unknown,
) {
  const id = ids[index]!;
  const message = `changes[${index}] (id ${JSON.stringify(id)}): ${field} ${problem}, found ${show(found)}`;
  return new NousError("invalid_argument", message, { field, index, id });
}

/** What the module refused of a batch, by index, field and id. */
function refusedEntry({ resident }: Kept, batch: string, entries: readonly object[]): NousError {
  const { code, field, index, problem, found } = takeRefusal(resident.instance.glue);
  if (code !== "invalid_argument" || index === null) {
    return new NousError(code, `${field} ${problem}${found === null ? "" : `, found ${found}`}`, {
      field,
    });
  }
  const entry = entries[index] as Record<string, unknown> | undefined;
  const value = entry?.[field];
  const shown =
    field === "embedding"
      ? `${problem}${found === null ? "" : `, found ${found}`}`
      : problemWith(problem, value);
  return invalidEntry(batch, index, entry, field, shown);
}

function refusedCandidate({ resident, ids }: Kept, candidates: ResidentCandidates): NousError {
  const { code, field, index, problem } = takeRefusal(resident.instance.glue);
  if (code !== "invalid_argument" || index === null)
    return new NousError(code, `${field} ${problem}`, { field });
  const { handles } = candidates;
  const isHandle = field === "ids" && handles !== undefined;
  const name = isHandle ? "handles" : field;
  const value = candidates[name as keyof ResidentCandidates]?.[index];
  const id = handles === undefined ? candidates.ids?.[index] : ids[handles[index]!];
  const whose = id === undefined ? "" : ` (id ${JSON.stringify(id)})`;
  const details = { field: name, index, ...(id === undefined ? {} : { id }) };
  return new NousError(
    "invalid_argument",
    `${name}[${index}]${whose} ${problem}, found ${show(value)}`,
    details,
  );
}

/**
 * What the module refused of a search: where it names a row, it is a node that was found whose
 * score is no number.
 */
function refusedSearch({ resident, ids }: Kept): NousError {
  const { code, field, index, problem, found } = takeRefusal(resident.instance.glue);
  const id = index === null ? undefined : ids[index];
  const whose = id === undefined ? "" : ` (id ${JSON.stringify(id)})`;
  const details = { field, ...(id === undefined ? {} : { id }) };
  return new NousError(
    code,
    `${field}${whose} ${problem}${found === null ? "" : `, found ${found}`}`,
    details,
  );
}

/** Puts a search that was read into the scratch. */
function writeSearch(
  { resident, rows: known }: Kept,
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

/** The most bytes that a resident may take. @internal */
export function maxBytesOf(maxBytes: number | undefined): number {
  if (maxBytes === undefined) return DEFAULT_MAX_BYTES;
  if (typeof maxBytes === "number" && maxBytes > 0) return Math.min(maxBytes, 2 ** 32 - 1);
  throw invalid("maxBytes", `must be a number of bytes above 0, found ${show(maxBytes)}`);
}
